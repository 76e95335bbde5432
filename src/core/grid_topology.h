/* The topology of an isosurface, found from the voxels alone; a mesh of the surface must have the same. Uses no case table
 * and no mesh: for each cell, cell_contour.h tells how the surface cuts its faces and what it connects inside. The rest is
 * counting:
 *
 *    Euler characteristic = crossed grid edges - arcs on the grid's faces + sum over cells of (loops - 2 tunnels)
 *
 * because the pieces of a cell are discs, with one loop each, or a tube with two loops. The surface ends at the border of
 * the grid. */
#ifndef ISO_GRID_TOPOLOGY_H
#define ISO_GRID_TOPOLOGY_H

#include "cell_contour.h"
#include "error.h"
#include "forest.h"
#include "progress.h"
#include "kernels/grid.h"

#ifdef __cplusplus
extern "C" {
#endif

struct grid_topology {
    uint64_t crossed_edges; /* grid edges with one end inside; the mesh has a vertex on each */
    uint64_t corners;       /* only of a closed surface: voxels inside, on the grid's border; one vertex each */
    uint64_t arcs;          /* curves where the surface cuts cell faces; the mesh has an edge for each */
    int64_t euler;
    uint64_t components, border_loops; /* border_loops: closed curves where the surface ends */
    uint64_t cells;                    /* crossed by the surface */
    uint64_t several;                  /* cells with more than one loop */
    uint64_t tunnels;                  /* cells with a tunnel */
};

struct grid_topology_layer { /* of voxels */
    uint8_t *inside;
    uint32_t *number[2]; /* of the crossed edges along x and y */
};

/* A grid that is seen layer by layer. Only the last two layers are in memory:
 *
 *    grid_topology_begin -> { grid_topology_add } ... -> grid_topology_end */
struct grid_topology_sum {   /* zero is a closed one */
    const struct grid *grid; /* the current block of voxels */
    size_t n[3];             /* voxels of the whole, including the padding */
    size_t pad;              /* layers around the grid that count as outside: 1 to close the surface, else 0 */
    size_t z;                /* the next layer */
    double iso;
    enum topology rule;
    struct grid_topology_layer layer[2]; /* below and above */
    uint32_t *upright;                   /* numbers of the crossed edges between the two layers */
    struct forest all, border;           /* of crossed edges; border: joined only by arcs on the grid's border */
    uint64_t first;                      /* number of the first edge in the forests; earlier ones are finished */
    uint64_t border_edges;               /* crossed edges on the border */
    uint64_t out_edges;                  /* crossed edges from the grid into the padding */
    struct grid_topology found;          /* without components and loops */
};

/* Bytes that it takes for a grid with so many voxels per layer: 22 per voxel, and 8 per crossed edge of two layers. Noise
 * has 2.5 crossed edges per voxel. */
static inline uint64_t grid_topology_bytes(uint64_t voxels) { return voxels * 42; }

/* Begins with the surface at `iso` (stored units) in a grid of n[0] x n[1] x n[2] voxels. closed: the surface is closed by
 * caps (caps.h). Errors: ERR_USAGE for NaN, ERR_FAILED for memory; then there is nothing to end. */
int grid_topology_begin(struct grid_topology_sum *sum, const size_t n[3], float iso, enum topology rule, bool closed,
                        struct err *err);

/* Takes the next layers of the whole, up to but not including number `end`. block: voxels in host memory, whole layers from
 * number block->first[2] on. It must contain these layers and the one before them. Reports its progress in the whole to
 * `progress` (NULL: none). Error: ERR_FAILED, for memory and if it was cancelled. */
int grid_topology_add(struct grid_topology_sum *sum, const struct grid *block, size_t end, const struct progress *progress,
                      struct err *err);

/* Sets `out` (may be NULL) after the last layer, and frees all memory. */
void grid_topology_end(struct grid_topology *out, struct grid_topology_sum *sum);

/* Finds the topology of the surface at `iso` (stored units) in a grid in host memory; all 0 at an infinite isovalue and in
 * a grid without cells. Takes 22 bytes per voxel of a layer and 8 per crossed edge of two layers. Reports to `progress`
 * (NULL: none). Errors: ERR_USAGE for NaN; ERR_FAILED for memory, and if it was cancelled. */
int grid_topology_find(struct grid_topology *out, const struct grid *grid, float iso, enum topology rule,
                       const struct progress *progress, struct err *err);

/* The same for the surface closed by caps (caps.h). That is the surface in the grid with a layer of outside around it,
 * pushed flat onto the border. `arcs` includes those in that layer; `cells` counts only those of the grid. */
int grid_topology_find_closed(struct grid_topology *out, const struct grid *grid, float iso, enum topology rule,
                              const struct progress *progress, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
