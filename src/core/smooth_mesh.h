/* Smoothing of a mesh, its triangles kept (Taubin 1995: a signal processing approach to fair surface design). */
#ifndef ISO_SMOOTH_MESH_H
#define ISO_SMOOTH_MESH_H

#include "mesh_host.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Runs `rounds` rounds: each moves every vertex half the way to the mean of its neighbours, and then as far
 * away from it again, which smooths without shrinking. Vertices on a border stay where they are. The result follows when all
 * positions are scaled or sheared, so that voxel and world coordinates give the same surface. Needs 40 bytes a vertex.
 * Error: ERR_FAILED, and the mesh is as before. */
int smooth_mesh(struct mesh_host *mesh, int rounds, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
