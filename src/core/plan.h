/* Plan: how a volume is cut into slabs. Their meshes, one after the other, make the mesh of the whole volume.
 *
 * A slab owns whole layers of bricks, BRICK_Z slices of voxels each, and whatever belongs to its voxels. A vertex belongs
 * to the lower voxel of its edge. A triangle, or a vertex inside a cell, belongs to the lowest voxel of the cell. All are
 * numbered in the order x, y, z, so a slab owns one run of each. To compute these, a slab is read with a halo:
 *
 *    below  a layer of bricks: normals need differences across the first own slice, and bricks must stay aligned
 *    above  two slices: triangles use vertices of the first, whose numbers depend on edges to the second
 *
 * In the mesh of the slices read, the own vertices are [skip, skip + own), and vertex i has number i - skip + first in the
 * whole. The same formula numbers the vertices above, which the next slab owns and writes.
 *
 * Several processes each take a share: consecutive layers, so each writes one run of every section of the file.
 * All functions here are pure and depend on sizes and counts alone. */
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
    struct iso_layer first; /* numbers of its first elements in the whole */
    struct iso_layer own;
    struct iso_layer room; /* at least what the slices read have */
};

/* Layers of bricks of a volume with nz slices. */
static inline size_t plan_layers(size_t nz) { return (nz + BRICK_Z - 1) / BRICK_Z; }

struct plan_share {
    size_t begin, end; /* [begin, end): layers of bricks, or slices where stated */
};

/* The layers that a slab owns. */
static inline struct plan_share plan_own(const struct plan_slab *slab)
{
    return (struct plan_share){ slab->begin / BRICK_Z, plan_layers(slab->end) };
}

/* Layers of the slab's block (the slices that are read) before its own layers. */
static inline size_t plan_before(const struct plan_slab *slab) { return (slab->begin - slab->from) / BRICK_Z; }

/* Returns the slab that owns n layers of bricks, beginning with number `layer`. Its counts are 0. */
struct plan_slab plan_slab_at(size_t layer, size_t n, size_t nz);

/* Voxels may be stored in chunks of `chunk` slices that can only be read whole (1: no chunks). Returns where a slab should
 * end that begins at layer `begin` and may own layers up to `end`. That is the last layer at which reading ends with a
 * chunk, or less than a layer of slices before its end. `end` if there is none. */
size_t plan_end(size_t begin, size_t end, size_t chunk);

/* Returns where the reading of such a slab ends: at the end of that chunk. */
size_t plan_read(const struct plan_slab *slab, size_t chunk, size_t nz);

/* ---- slabs of a share -------------------------------------------------------------------------------------------- */

struct plan_limits { /* of a slab */
    size_t layers;   /* at most */
    uint64_t bytes;  /* at most, of a mesh of size `room` (plan_bytes); a single layer may exceed it */
    size_t chunk;    /* for plan_end */
};

/* Cuts a share of plan_layers(nz) layers into slabs. layer[i]: what layer i owns. slabs: room for one per layer of the
 * share. Returns how many it set. */
size_t plan_cut(struct plan_slab *slabs, const struct iso_layer *layer, struct plan_share share, size_t nz,
                const struct plan_limits *limits);

/* Bytes of a mesh in memory, including normals in full precision. */
uint64_t plan_bytes(struct iso_layer room);

/* Returns what layers begin to end - 1 own together. */
struct iso_layer plan_sum(const struct iso_layer *layer, size_t begin, size_t end);

/* ---- shares of parts: who does what, if several processes make a surface ----------------------------------------- */

/* Share `part` (from 0) of `parts`, if all layers cost the same. Used for counting. */
static inline struct plan_share plan_even(size_t layers, size_t part, size_t parts)
{
    return (struct plan_share){ layers / parts * part + layers % parts * part / parts,
                                layers / parts * (part + 1) + layers % parts * (part + 1) / parts };
}

struct plan_cost {
    uint64_t layer;            /* bytes to read, if there is anything to write */
    uint64_t vertex, triangle; /* bytes to write */
};

/* Sets bounds[0] to bounds[parts]: part k writes layers bounds[k] to bounds[k + 1] - 1. The costs of the parts differ by at
 * most the cost of the most expensive layer. */
void plan_shares(size_t *bounds, size_t parts, const struct iso_layer *layer, size_t layers, const struct plan_cost *cost);

/* The whole blocks of `block` bytes within the bytes begin to end - 1. A part writes these itself; the bytes before and
 * after them share a block with other parts. No whole block: both members are `end`. */
struct plan_blocks {
    uint64_t begin, end;
};
struct plan_blocks plan_blocks_of(uint64_t begin, uint64_t end, uint64_t block);

#ifdef __cplusplus
}
#endif
#endif
