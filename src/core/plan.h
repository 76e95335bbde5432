/* Plan: how a volume is cut into slabs whose meshes, one behind the other, are the mesh of the whole.
 *
 * A slab owns whole layers of bricks, BRICK_Z slices of voxels each, and what is owned by its voxels: a vertex by the lower
 * voxel of its edge, a triangle and the vertices inside a cell by the lowest voxel of the cell. All are numbered x, y, z,
 * so they are one run of the whole's. To make them, a slab is read with a halo:
 *
 *    below  a layer of bricks: differences across its first slice, and own bricks begin at a brick
 *    above  two slices: triangles join vertices of the first, whose numbers depend on edges to the second
 *
 * In the mesh of what was read, own vertices are [skip, skip + own), and vertex i is number i - skip + first of the whole.
 * The same formula numbers the vertices above, which the next slab owns and writes. Several processes each take a share:
 * layers that follow one another, so that what one writes is a run of the file, in each of its sections. Pure functions, of
 * sizes and counts alone. */
#ifndef ISO_PLAN_H
#define ISO_PLAN_H

#include "iso.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PLAN_BELOW = BRICK_Z, PLAN_ABOVE = 2 }; /* slices of voxels of a halo */

struct plan_slab {
    size_t begin, end;      /* own slices of voxels */
    size_t from, to;        /* slices to read */
    struct iso_layer first; /* numbers of its first ones in the whole */
    struct iso_layer own;
    struct iso_layer room; /* at least as many as what is read has */
};

/* Layers of bricks of a volume with nz slices. */
static inline size_t plan_layers(size_t nz) { return (nz + BRICK_Z - 1) / BRICK_Z; }

struct plan_share {
    size_t begin, end; /* layers of bricks, or slices where that is said, without `end` */
};

/* The layers that a slab owns. */
static inline struct plan_share plan_own(const struct plan_slab *slab)
{
    return (struct plan_share){ slab->begin / BRICK_Z, plan_layers(slab->end) };
}

/* How many layers of its block, the slices that are read, come before its own. */
static inline size_t plan_before(const struct plan_slab *slab) { return (slab->begin - slab->from) / BRICK_Z; }

/* The slab that owns n layers of bricks from number `layer` on; its counts are 0. */
struct plan_slab plan_slab_at(size_t layer, size_t n, size_t nz);

/* Voxels may lie in chunks of so many slices, which are read as a whole (1: they do not). Where a slab should end that
 * begins at layer `begin` and may own all up to `end`: at the last layer where what is read ends with a chunk, or fewer
 * slices than a layer before it; `end` if there is none. */
size_t plan_end(size_t begin, size_t end, size_t chunk);

/* Up to where the slices of such a slab are read: to the end of that chunk. */
size_t plan_read(const struct plan_slab *slab, size_t chunk, size_t nz);

/* ---- slabs of a share -------------------------------------------------------------------------------------------- */

struct plan_limits { /* of a slab */
    size_t layers;   /* at most */
    uint64_t bytes;  /* of the mesh that its `room` takes (plan_bytes), at most, unless a single layer has more */
    size_t chunk;    /* it ends as plan_end says by this */
};

/* Cuts a share of plan_layers(nz) layers, which own layer[i], into slabs. slabs: one per layer of the share. Returns how
 * many it has set. */
size_t plan_cut(struct plan_slab *slabs, const struct iso_layer *layer, struct plan_share share, size_t nz,
                const struct plan_limits *limits);

/* Bytes of a mesh in memory, with normals in full precision. */
uint64_t plan_bytes(struct iso_layer room);

/* What layers begin to end - 1 own together. */
struct iso_layer plan_sum(const struct iso_layer *layer, size_t begin, size_t end);

/* ---- shares of parts: who does what, if several processes make a surface ----------------------------------------- */

/* Share `part` (from 0) of `parts` of layers that are worth the same: of counting. */
static inline struct plan_share plan_even(size_t layers, size_t part, size_t parts)
{
    return (struct plan_share){ layers / parts * part + layers % parts * part / parts,
                                layers / parts * (part + 1) + layers % parts * (part + 1) / parts };
}

struct plan_cost {
    uint64_t layer;            /* bytes to read, where there is anything to write */
    uint64_t vertex, triangle; /* bytes to write */
};

/* Sets bounds[0] to bounds[parts]: part k writes layers bounds[k] to bounds[k + 1] - 1. Costs differ by at most the cost of
 * the dearest layer. */
void plan_shares(size_t *bounds, size_t parts, const struct iso_layer *layer, size_t layers, const struct plan_cost *cost);

/* The whole blocks of `block` bytes within the bytes begin to end - 1: these a part writes itself. What lies before and
 * behind shares its block with others. None: both are `end`. */
struct plan_blocks {
    uint64_t begin, end;
};
struct plan_blocks plan_blocks_of(uint64_t begin, uint64_t end, uint64_t block);

#ifdef __cplusplus
}
#endif
#endif
