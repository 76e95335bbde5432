/* Statistics of a volume that is seen slice by slice, twice, in order: the numbers of stats_compute on the CPU, bit for bit.
 *
 *    stats_slabs_open -> { stats_slabs_summarise } ... -> stats_slabs_turn -> { stats_slabs_count } ... -> stats_slabs_end
 *
 * Sums are merged from those of chunks of REDUCE_CHUNK voxels in order, wherever slices end. */
#ifndef ISO_STATS_SLABS_H
#define ISO_STATS_SLABS_H

#include "stats.h"

#ifdef __cplusplus
extern "C" {
#endif

struct stats_slabs { /* zero is a closed one */
    const struct volume *volume;
    struct iso *iso;
    struct stats stats;
    struct summary sum;
    struct stats_bend bend;
    char *held; /* voxels of a chunk that is not complete */
    size_t held_count;
    struct summary *parts; /* of the chunks of a piece */
    char *scratch;
};

/* volume: without voxels. iso: of the CPU; its volume changes. Error: ERR_FAILED for memory, and there is nothing to close. */
int stats_slabs_open(struct stats_slabs *s, struct iso *iso, const struct volume *volume, struct err *err);
void stats_slabs_close(struct stats_slabs *s);

/* Takes the next slices. Error: ERR_FAILED. */
int stats_slabs_summarise(struct stats_slabs *s, const struct grid *block, struct err *err);

/* After the last: range, mean and number are known. s->stats.bins 0: there is nothing to count. Error: ERR_FAILED. */
int stats_slabs_turn(struct stats_slabs *s, struct err *err);

/* Takes the next slices again. Error: ERR_FAILED. */
int stats_slabs_count(struct stats_slabs *s, const struct grid *block, struct err *err);

/* After the last: s->stats is complete. Error: ERR_FAILED. */
int stats_slabs_end(struct stats_slabs *s, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
