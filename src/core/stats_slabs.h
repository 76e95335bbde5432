/* Statistics of a volume whose slices are seen in order, in two passes. The numbers are those of stats_compute on the CPU,
 * bit for bit.
 *
 *    stats_slabs_open -> { stats_slabs_summarise } ... -> stats_slabs_turn -> { stats_slabs_count } ... -> stats_slabs_end
 *
 * Sums are merged in order from the sums of chunks of REDUCE_CHUNK voxels, wherever slices end. A sample of the values,
 * taken in the first pass, decides what is counted besides the histogram.
 *
 * Several processes may each see a run of slices. The first process merges. The others keep the sums of their chunks, their
 * part of the sample, and the voxels at both ends that do not fill a chunk; the first process joins all these in order.
 * Then the others are told the total, and their counts are added to those of the first:
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
    size_t slice;   /* the next one, in the first pass */
    float *sample;  /* of the slices so far */
    size_t sampled; /* values */
    char *held;     /* voxels of an incomplete chunk */
    size_t held_count;
    char *kept;              /* voxels of the previous process's last chunk, then sums of chunks; NULL: merged here */
    size_t kept_bytes, head; /* head: bytes of voxels before the first chunk that are still to come */
    struct summary *parts;   /* sums of the chunks that are reduced at once */
    char *scratch;
};

/* Begins with a share of the slices of `volume`, which has no voxels. keeps: keep the sums for another process to join;
 * otherwise the share must begin with slice 0. iso: on the CPU; its volume is changed. Error: ERR_FAILED for memory, and
 * there is nothing to close. */
int stats_slabs_open(struct stats_slabs *s, struct iso *iso, const struct volume *volume, struct plan_share slices,
                     bool keeps, struct err *err);
void stats_slabs_close(struct stats_slabs *s);

/* Bytes that are kept for slices begin to end - 1. */
size_t stats_slabs_bytes(const struct volume *volume, size_t begin, size_t end);

/* First pass: takes the next slices. Error: ERR_FAILED. */
int stats_slabs_summarise(struct stats_slabs *s, const struct grid *block, struct err *err);

/* After the last slices: returns what was kept, stats_slabs_bytes bytes, valid until stats_slabs_close. */
const void *stats_slabs_kept(struct stats_slabs *s);

/* Adds what another process kept of slices begin to end - 1, which must be the next ones. Error: ERR_FAILED. */
int stats_slabs_join(struct stats_slabs *s, size_t begin, size_t end, const char *kept, struct err *err);

/* Called instead of stats_slabs_turn, with the sum that another process found. The caller also sets s->splits to that
 * process's. */
void stats_slabs_know(struct stats_slabs *s, const struct summary *sum);

/* Ends the first pass: range, mean, number and what to count are then known. s->stats.bins 0: there is nothing to count.
 * Error: ERR_FAILED. */
int stats_slabs_turn(struct stats_slabs *s, struct err *err);

/* Second pass: takes the next slices. Error: ERR_FAILED. */
int stats_slabs_count(struct stats_slabs *s, const struct grid *block, struct err *err);

/* Ends the second pass: completes s->stats. Error: ERR_FAILED. */
int stats_slabs_end(struct stats_slabs *s, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
