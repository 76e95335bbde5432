/* Smoothing of a mesh, its triangles kept (Taubin 1995: a signal processing approach to fair surface design). */
#ifndef ISO_SMOOTH_MESH_H
#define ISO_SMOOTH_MESH_H

#include "mesh_host.h"
#include "progress.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Runs `rounds` rounds over a mesh in voxel coordinates: each moves every vertex half the way to the mean of its
 * neighbours, and then as far away from it again, which smooths and hardly shrinks; what a connected piece still loses in
 * volume is given back by moving it outwards. Vertices on a border stay where they are. Needs 68 bytes a vertex. Reports to
 * `progress` (NULL: none) after each round. Error: ERR_FAILED, for memory, and the mesh is as before; if it was cancelled,
 * the mesh is whole, but smoothed in part. */
int smooth_mesh(struct mesh_host *mesh, int rounds, const struct progress *progress, struct err *err);

/* Bytes that it takes. */
uint64_t smooth_mesh_bytes(uint64_t vertices);

#ifdef __cplusplus
}
#endif
#endif
