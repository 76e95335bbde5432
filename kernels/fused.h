/* fused: brick ranges and an isovalue -> vertices and indices in one call, brick by brick. On CUDA in three launches; the
 * CPU does the same by layers of bricks, without slots (fused_cpu.c):
 *
 *    cull       which bricks the surface crosses; each gets a slot
 *    vertices   per such brick: inside words, crossed edges, room in the mesh, its vertices; what it found goes to a record
 *    triangles  per such brick: its cells, whose vertices are found in the records of the brick and its neighbours
 *
 * Vertices are shared across bricks: the same number of vertices and the same triangles as the stages make, each once.
 * An ordered rung numbers them as the stages do, bit for bit. The others take room by atomic addition, so that the order
 * changes from run to run; where order matters (export, comparison) use the stages.
 *
 * Nothing is cut off silently: `counts` is exact as long as `bricks` fits brick_capacity; what does not fit its room is not
 * written, and the caller, who sees the counts, makes room and runs again. */
#ifndef ISO_FUSED_H
#define ISO_FUSED_H

#include "bricks.h"
#include "mc_tables.h"
#include "count_cells.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fused_counts {
    uint64_t vertices, triangles; /* of the surface; too small where bricks > brick_capacity */
    uint64_t bricks;              /* that the surface may cross; always exact */
    struct cell_counts cells;     /* by ordered rungs only */
};

/* How much is to be drawn, as glDrawElementsIndirect reads it: nothing where the mesh did not fit, or has more indices than
 * 32 bits count. */
struct draw_command {
    uint32_t indices, instances, first_index, first_vertex, first_instance;
};

struct fused_desc {
    struct grid grid;     /* every axis at least 2 */
    float iso;            /* finite */
    struct bricks bricks; /* with ranges */
    const struct mc_tables *tables;
    struct mesh_out mesh; /* NULL pointers where the room is 0 */
    uint64_t vertex_capacity, triangle_capacity;
    uint64_t brick_capacity;     /* active bricks that scratch was asked for */
    void *scratch;               /* left to the runs; see keeps_state */
    struct fused_counts *counts; /* backend memory, or the mailbox */
    struct draw_command *draw;   /* backend memory; may be NULL */
};

struct fused_rung {
    struct rung rung;
    int (*run)(const struct fused_desc *desc, struct exec *x); /* NULL: this rung is the stages, one by one */
    size_t (*scratch)(const struct bricks *bricks, uint64_t brick_capacity,
                      const struct exec *x); /* bytes, 256-byte aligned */
    bool ordered;
    bool keeps_state; /* in scratch, which must be all 0 before the first run and after one that failed */
};

extern const struct fused_rung fused_cpu[], fused_cuda[];

/* What to draw of a mesh with those counts, none where the mesh did not fit. */
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
