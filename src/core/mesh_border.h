/* Finds the vertices on a border of a mesh. */
#ifndef ISO_MESH_BORDER_H
#define ISO_MESH_BORDER_H

#include "mesh_host.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets balance[v] for each vertex: 0 if its triangles surround it completely, so it is not on a border. */
void mesh_border(const struct mesh_host *mesh, uint64_t *balance);

#ifdef __cplusplus
}
#endif
#endif
