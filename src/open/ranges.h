/* Ranges: the smallest and largest value of each block of 64 x 64 x 64 voxels. They are noted while slabs are counted, so
 * that blocks without surface need not be read again.
 *
 *    ranges_open -> { ranges_note for each slab } ... -> ranges_need -> { ranges_read, ranges_agree } ... -> ranges_close
 *
 * A range also covers the next voxels, and so every cell of the block. If neither a block nor its neighbours have surface,
 * it is filled with one value on the right side of every isovalue: no vertex, number or normal depends on more than the
 * side. Rows are read or filled as a whole, 64 at a time. */
#ifndef ISO_RANGES_H
#define ISO_RANGES_H

#include "plan.h"
#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RANGES_BLOCK = 64 };

struct ranges { /* zero means closed */
    const struct store *store;
    size_t nx, ny, nz;         /* blocks along each axis */
    struct brick_range *block; /* (nz, ny, nx), x fastest */
    size_t *noted;             /* [nz] how many layers of bricks were noted in each layer of blocks */
    bool *needed;              /* (nz, ny) */
};

/* Bytes of memory that the ranges take. */
uint64_t ranges_bytes(const struct store *store);

/* Error: ERR_FAILED for memory; there is then nothing to close. */
int ranges_open(struct ranges *ranges, const struct store *store, struct err *err);
void ranges_close(struct ranges *ranges);

/* Notes a counted slab, from the ranges of the bricks of its block. Without them its range stays unknown, and it will be
 * read. */
void ranges_note(struct ranges *ranges, const struct plan_slab *slab, const struct bricks *bricks);

/* Determines what has to be read for the surfaces at n values, in stored units. */
void ranges_need(struct ranges *ranges, const float *values, size_t n);

/* Reads slices as store_read does, except what is not needed. */
int ranges_read(const struct ranges *ranges, size_t from, size_t to, void *voxels, int threads, struct err *err);

/* Bytes of these slices that it reads, counted in memory. */
uint64_t ranges_read_bytes(const struct ranges *ranges, size_t from, size_t to);

/* Whether all values of a slab that was read again lie within the ranges noted before. False: the file has changed. */
bool ranges_agree(const struct ranges *ranges, const struct plan_slab *slab, const struct bricks *bricks);

#ifdef __cplusplus
}
#endif
#endif
