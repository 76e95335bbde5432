/* The topology of an isosurface from the voxels alone: what a mesh of it must have. No case table and no mesh is used; each
 * cell says how the surface cuts its faces and what it joins inside (cell_contour.h), and the rest is counting:
 *
 *    Euler characteristic = crossed grid edges - arcs on the grid's faces + sum over cells of (loops - 2 tunnels)
 *
 * since a cell's pieces are discs, one per loop, or a tube with two loops. The surface ends at the border of the grid. */
#ifndef ISO_GRID_TOPOLOGY_H
#define ISO_GRID_TOPOLOGY_H

#include "cell_contour.h"
#include "error.h"
#include "progress.h"
#include "kernels/grid.h"

#ifdef __cplusplus
extern "C" {
#endif

struct grid_topology {
    uint64_t crossed_edges; /* grid edges with one end inside: the mesh has a vertex on each */
    uint64_t corners;       /* of a closed surface: voxels inside on the border of the grid, likewise */
    uint64_t arcs;          /* where the surface cuts the faces of cells: the mesh has an edge for each */
    int64_t euler;
    uint64_t components, border_loops; /* border_loops: closed curves where the surface ends */
    uint64_t cells;                    /* that the surface crosses */
    uint64_t several;                  /* cells with more than one loop */
    uint64_t tunnels;                  /* cells with a tunnel */
};

/* Finds the topology of the surface at `iso` (stored units) in a grid in host memory; all 0 at an infinite isovalue and in a
 * grid without cells. Takes 22 bytes per voxel of a layer and 8 per crossed edge. Reports to `progress` (NULL: none). Errors:
 * ERR_USAGE for NaN; ERR_FAILED for memory, for 2^32 crossed edges, and if it was cancelled. */
int grid_topology_find(struct grid_topology *out, const struct grid *grid, float iso, enum topology rule,
                       const struct progress *progress, struct err *err);

/* The same of the surface closed by caps (caps.h): that in the grid with a layer of outside around it, which is pushed flat
 * onto the border. arcs: with those out there; cells: of the grid only. */
int grid_topology_find_closed(struct grid_topology *out, const struct grid *grid, float iso, enum topology rule,
                              const struct progress *progress, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
