/* Ranges: the least and largest value of each block of 64 x 64 x 64 voxels, noted while slabs are counted, so that what
 * holds no surface need not be read again.
 *
 *    ranges_open -> { ranges_note for each slab } ... -> ranges_need -> { ranges_read, ranges_agree } ... -> ranges_close
 *
 * A range covers the next voxels, too, and so every cell of the block. Blocks without surface, whose neighbours have none
 * either, are filled with a value on the same side of all isovalues: no vertex, number or normal depends on more. Rows are
 * read or filled as a whole, 64 at a time. */
#ifndef ISO_RANGES_H
#define ISO_RANGES_H

#include "plan.h"
#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RANGES_BLOCK = 64 };

struct ranges { /* zero is a closed one */
    const struct store *store;
    size_t nx, ny, nz;         /* blocks along each axis */
    struct brick_range *block; /* (nz, ny, nx), x fastest */
    size_t *noted;             /* [nz] layers of bricks that were noted of each layer of blocks */
    bool *needed;              /* (nz, ny) */
};

/* Bytes that it takes in memory. */
uint64_t ranges_bytes(const struct store *store);

/* Error: ERR_FAILED for memory, and there is nothing to close. */
int ranges_open(struct ranges *ranges, const struct store *store, struct err *err);
void ranges_close(struct ranges *ranges);

/* Notes a slab that was counted, from the ranges of the bricks of its block; without them it stays unknown, and will be
 * read. */
void ranges_note(struct ranges *ranges, const struct plan_slab *slab, const struct bricks *bricks);

/* Sets what has to be read for the surfaces at n values, in stored units. */
void ranges_need(struct ranges *ranges, const float *values, size_t n);

/* Reads slices as store_read does, but for what is not needed. */
int ranges_read(const struct ranges *ranges, size_t from, size_t to, void *voxels, int threads, struct err *err);

/* Bytes in memory that it reads of them. */
uint64_t ranges_read_bytes(const struct ranges *ranges, size_t from, size_t to);

/* Whether a slab that was read again has no value out of the ranges that were noted. False: the file has changed. */
bool ranges_agree(const struct ranges *ranges, const struct plan_slab *slab, const struct bricks *bricks);

#ifdef __cplusplus
}
#endif
#endif
