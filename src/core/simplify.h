/* Fewer triangles for nearly the same surface, by meshoptimizer's quadric edge collapse (Garland and Heckbert 1997). */
#ifndef ISO_SIMPLIFY_H
#define ISO_SIMPLIFY_H

#include "mesh_host.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Collapses edges of a mesh in voxel coordinates: until a share `keep` of its triangles is left, or with keep 0 as long as
 * the error stays below `most` (world units). Vertices that are left stay in place, borders too. *error: of the result, world
 * units, as the quadrics estimate it. Less may be removed than asked for where collapses would fold the surface. Error:
 * ERR_FAILED for memory, and the mesh is as before. */
int simplify_mesh(struct mesh_host *mesh, const struct volume *volume, double keep, double most, double *error,
                  struct err *err);

#ifdef __cplusplus
}
#endif
#endif
