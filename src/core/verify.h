/* Checks whether a mesh is the isosurface of a grid: compares its topology with what the voxels alone imply. */
#ifndef ISO_VERIFY_H
#define ISO_VERIFY_H

#include "grid_topology.h"
#include "mesh_topology.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { VERIFY_ROWS = 5 };

struct verify_row { /* a number that must be the same for mesh and grid */
    const char *name;
    int64_t mesh, grid;
};

/* Sets `row` to the numbers: vertices on grid edges, components, handles, border loops, Euler characteristic. Handles are
 * those of all components together; they are meaningful only if the mesh has no faults. */
void verify_compare(struct verify_row row[VERIFY_ROWS], const struct mesh_topology *mesh, const struct grid_topology *grid);

/* Whether the mesh has no faults. If it has, `text` gets the first. may_be_flat: triangles without area are no fault. They
 * occur when exact positions make vertices coincide at a voxel whose value is the isovalue. */
bool verify_sound(const struct mesh_topology *mesh, bool may_be_flat, char *text, size_t size);

/* Whether the mesh has no faults and its numbers are those of the grid. If not, `text` gets the first that is wrong. */
bool verify_judge(const struct mesh_topology *mesh, const struct grid_topology *grid, bool may_be_flat, char *text,
                  size_t size);

#ifdef __cplusplus
}
#endif
#endif
