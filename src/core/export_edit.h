/* What may be done to a surface between extracting and writing it. */
#ifndef ISO_EXPORT_EDIT_H
#define ISO_EXPORT_EDIT_H

#include "mesh_host.h"
#include "volume.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct export_edit { /* zero: nothing */
    int smooth;      /* rounds of smooth_mesh */
    double keep;     /* share of the triangles that simplify keeps, up to 1; 0: see most */
    double most;     /* largest error of simplify, world units; 0: do not simplify */
};

/* Whether vertices no longer lie where the voxels put them, so that normals come from the triangles. */
bool export_edit_moves(const struct export_edit *edit);

/* Does it all, in a fixed order, to a mesh in voxel coordinates; *error grows to the error of simplify (world units). Error:
 * ERR_FAILED; the mesh stays whole. */
int export_edit_mesh(const struct export_edit *edit, struct mesh_host *mesh, const struct volume *volume, double *error,
                     struct err *err);

#ifdef __cplusplus
}
#endif
#endif
