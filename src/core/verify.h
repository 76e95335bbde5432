/* Whether a mesh is the isosurface of a grid: its topology against what the voxels alone say. */
#ifndef ISO_VERIFY_H
#define ISO_VERIFY_H

#include "grid_topology.h"
#include "mesh_topology.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { VERIFY_ROWS = 5 };

struct verify_row { /* a number that mesh and grid must have in common */
    const char *name;
    int64_t mesh, grid;
};

/* Sets `row` to the numbers: vertices on grid edges, components, handles, border loops, Euler characteristic. Handles are
 * those of all components together, and mean something if the mesh has no faults. */
void verify_compare(struct verify_row row[VERIFY_ROWS], const struct mesh_topology *mesh, const struct grid_topology *grid);

/* Whether the mesh is right. If not, `text` gets the first fault or number that is wrong. may_be_flat: triangles without area
 * are no fault, as where exact positions make vertices meet at a voxel whose value is the isovalue. */
bool verify_judge(const struct mesh_topology *mesh, const struct grid_topology *grid, bool may_be_flat, char *text,
                  size_t size);

#ifdef __cplusplus
}
#endif
#endif
