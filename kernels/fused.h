/* fused: brick ranges and an isovalue -> vertices and indices in one call, brick by brick.
 *
 *    cull       which bricks the surface crosses; each gets a slot
 *    vertices   per such brick: inside words, crossed edges, room in the mesh, its vertices; what it found goes to a record
 *    triangles  per such brick: its cells, whose vertices are found in the records of the brick and its neighbours
 *
 * Vertices are shared across bricks: the same number of vertices and the same triangles as the stages make, each once.
 * An ordered rung numbers them as the stages do, bit for bit. The others take room by atomic addition, so that the order
 * changes from run to run; where order matters (export, comparison) use the stages.
 *
 * Nothing is cut off silently: `counts` is exact as long as `bricks` fits brick_room; what does not fit its room is not
 * written, and the caller, who sees the counts, makes room and runs again. */
#ifndef ISO_FUSED_H
#define ISO_FUSED_H

#include "bricks.h"
#include "mc_tables.h"
#include "tally.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fused_counts {
    uint64_t vertices, triangles; /* of the surface; too small where bricks > brick_room */
    uint64_t bricks;              /* that the surface may cross; always exact */
    struct tally tally;           /* by ordered rungs only */
};

struct fused_desc {
    struct grid grid;                /* every axis at least 2 */
    float iso;                       /* finite */
    struct bricks bricks;            /* with ranges */
    const struct mc_tables *tables;
    struct mesh_out mesh;            /* NULL pointers where the room is 0 */
    uint64_t vertex_room, triangle_room;
    uint64_t brick_room;             /* active bricks that scratch was asked for */
    void *scratch;
    struct fused_counts *counts;     /* backend memory */
};

struct fused_rung {
    struct rung rung;
    int (*run)(const struct fused_desc *desc, struct exec *x); /* NULL: this rung is the stages, one by one */
    size_t (*scratch)(const struct bricks *bricks, uint64_t brick_room, const struct exec *x); /* bytes, 256-byte aligned */
    bool ordered;
};

extern const struct fused_rung fused_cpu[], fused_cuda[];

#ifdef __cplusplus
}
#endif
#endif
