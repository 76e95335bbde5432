/* Which vertices of a mesh lie on a border. */
#ifndef ISO_MESH_BORDER_H
#define ISO_MESH_BORDER_H

#include "mesh_host.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets balance[v] of each vertex: 0 if the triangles around it close, so that it is inside the surface. */
void mesh_border(const struct mesh_host *mesh, uint64_t *balance);

#ifdef __cplusplus
}
#endif
#endif
