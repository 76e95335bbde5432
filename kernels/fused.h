/* fused: brick ranges and an isovalue -> vertices and indices in one call, brick by brick. CUDA takes three launches,
 * and five for an ordered rung; the CPU does the same by layers of bricks, without slots (fused_cpu.c):
 *
 *    cull       find the bricks that the surface crosses; give each a slot
 *    vertices   per such brick: inside words, crossed edges, space in the mesh, its vertices, and a record of them
 *    triangles  per such brick: its cells; their vertices come from the records of the brick and its neighbours
 *
 * Bricks share vertices: the mesh has the same vertices and triangles as the mesh that the separate stages make, each
 * once. An ordered rung numbers them as the stages do, bit for bit. Other rungs reserve space by atomic additions, so
 * their order changes from run to run; where order matters (export, comparison), use an ordered rung or the stages.
 *
 * An ordered rung leaves running totals in its scratch: bricks.nz + 1 struct fused_counts, of which number z has the
 * counts of all layers of bricks before layer z, and the last one those of all layers. A caller who computes a volume in
 * slabs reads from them which vertices and triangles belong to its own slab. On CUDA only the last one has all voxels
 * inside.
 *
 * Nothing is cut off silently: `counts` is exact as long as `bricks` fits brick_capacity. A mesh that does not fit is
 * not written; the caller sees the counts, enlarges the buffers and runs again. */
#ifndef ISO_FUSED_H
#define ISO_FUSED_H

#include "bricks.h"
#include "mc_tables.h"
#include "count_cells.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fused_counts {
    uint64_t vertices, triangles; /* of the surface; too small if bricks > brick_capacity */
    uint64_t bricks;              /* that the surface may cross; always exact */
    struct cell_counts cells;     /* ordered rungs only */
};

/* What to draw, as glDrawElementsIndirect reads it: nothing if the mesh did not fit or has more than 2^32 - 1 indices. */
struct draw_command {
    uint32_t indices, instances, first_index, first_vertex, first_instance;
};

struct fused_desc {
    struct grid grid;     /* every axis at least 2 */
    float iso;            /* finite */
    struct bricks bricks; /* with ranges */
    const struct mc_tables *tables;
    struct mesh_out mesh; /* NULL pointers if the capacity is 0 */
    uint64_t vertex_capacity, triangle_capacity;
    uint64_t brick_capacity;     /* active bricks that `scratch` was sized for */
    void *scratch;               /* owned by the rung between runs; see keeps_state */
    struct fused_counts *counts; /* backend memory, or x->result */
    struct draw_command *draw;   /* backend memory; may be NULL */
    const void *copy;            /* of the grid's voxels, by the rung's own `copy`; NULL: none */
};

struct fused_rung {
    struct rung rung;
    int (*run)(const struct fused_desc *desc, struct exec *x); /* NULL: run the stages one by one */
    size_t (*scratch)(const struct bricks *bricks, uint64_t brick_capacity,
                      const struct exec *x);       /* bytes, 256-byte aligned */
    size_t (*totals)(const struct bricks *bricks); /* byte in scratch at which they begin; NULL: the rung has no order */
    bool keeps_state; /* in scratch, which must be all 0 before the first run and after a failed one */
    /* Copies the volume into a layout of the rung's own, with which `run` is faster; called once per volume. Both NULL: the
     * rung takes no copy. to: copy_bytes() bytes, 256-byte aligned. */
    size_t (*copy_bytes)(const struct grid *grid);
    int (*copy)(const struct grid *grid, void *to, struct exec *x);
};

extern const struct fused_rung fused_cpu[], fused_cuda[];

/* Return what to draw of a mesh with these counts: nothing if it did not fit. */
ISO_FN struct draw_command fused_draw(const struct fused_desc *d, uint64_t vertices, uint64_t triangles)
{
    const bool fits = vertices <= d->vertex_capacity && triangles <= d->triangle_capacity && 3 * triangles <= 0xffffffffu;
    const struct draw_command draw = { fits ? (uint32_t)(3 * triangles) : 0, 1, 0, 0, 0 };
    return draw;
}

#ifdef __cplusplus
}
#endif
#endif
