/* Statistics of a volume that is seen slice by slice, twice, in order: the numbers of stats_compute on the CPU, bit for
 * bit.
 *
 *    stats_slabs_open -> { stats_slabs_summarise } ... -> stats_slabs_turn -> { stats_slabs_count } ... -> stats_slabs_end
 *
 * Sums are merged from those of chunks of REDUCE_CHUNK voxels in order, wherever slices end. A sample of the values, taken
 * the first time, says what is counted besides the histogram.
 *
 * Several processes may each see a run of slices. The first merges; the others keep the sums of their chunks, and the
 * voxels at both ends that are no whole chunk, for the first to join them in order. Then they learn the sum, and what the
 * first has not counted is added to its counts. So is the sample:
 *
 *    others   stats_slabs_open -> { stats_slabs_summarise } ... -> stats_slabs_kept -> stats_slabs_know -> {
 *             stats_slabs_count } ...
 *    first    stats_slabs_open -> { stats_slabs_summarise } ... -> { stats_slabs_join } for each -> stats_slabs_turn ->
 *             ... */
#ifndef ISO_STATS_SLABS_H
#define ISO_STATS_SLABS_H

#include "plan.h"
#include "stats.h"

#ifdef __cplusplus
extern "C" {
#endif

struct stats_slabs { /* zero is a closed one */
    const struct volume *volume;
    struct iso *iso;
    struct stats stats;
    struct summary sum;
    struct splits splits;
    struct stats_bend bend;
    size_t slice;   /* the next one, the first time */
    float *sample;  /* of the slices so far, */
    size_t sampled; /* values */
    char *held;     /* voxels of a chunk that is not complete */
    size_t held_count;
    char *kept;              /* sums of chunks, after voxels that belong to the chunk before; NULL: they are merged */
    size_t kept_bytes, head; /* head: bytes of voxels before the first chunk, still to come */
    struct summary *parts;   /* of the chunks of a piece */
    char *scratch;
};

/* Begins with a share of the slices of a volume, which has no voxels. keeps: sums are kept for another process to join;
 * else the first slice is 0. iso: of the CPU; its volume changes. Error: ERR_FAILED for memory, and there is nothing to
 * close. */
int stats_slabs_open(struct stats_slabs *s, struct iso *iso, const struct volume *volume, struct plan_share slices,
                     bool keeps, struct err *err);
void stats_slabs_close(struct stats_slabs *s);

/* Bytes that are kept of slices begin to end - 1. */
size_t stats_slabs_bytes(const struct volume *volume, size_t begin, size_t end);

/* Takes the next slices. Error: ERR_FAILED. */
int stats_slabs_summarise(struct stats_slabs *s, const struct grid *block, struct err *err);

/* After the last: what was kept, until it is closed, of stats_slabs_bytes bytes. */
const void *stats_slabs_kept(struct stats_slabs *s);

/* Adds what was kept of slices begin to end - 1, the next ones. Error: ERR_FAILED. */
int stats_slabs_join(struct stats_slabs *s, size_t begin, size_t end, const char *kept, struct err *err);

/* In place of stats_slabs_turn: another has found this sum. What s->splits is to count, it has found, too. */
void stats_slabs_know(struct stats_slabs *s, const struct summary *sum);

/* After the last: range, mean, number and what to count are known. s->stats.bins 0: there is nothing to count. Error:
 * ERR_FAILED. */
int stats_slabs_turn(struct stats_slabs *s, struct err *err);

/* Takes the next slices again. Error: ERR_FAILED. */
int stats_slabs_count(struct stats_slabs *s, const struct grid *block, struct err *err);

/* After the last: s->stats is complete. Error: ERR_FAILED. */
int stats_slabs_end(struct stats_slabs *s, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
