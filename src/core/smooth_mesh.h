/* Smooths a mesh by moving its vertices (Taubin 1995, "A signal processing approach to fair surface design"). */
#ifndef ISO_SMOOTH_MESH_H
#define ISO_SMOOTH_MESH_H

#include "mesh_host.h"
#include "progress.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Runs `rounds` rounds over a mesh in voxel coordinates: each moves every vertex half the way to the mean of its
 * neighbours, and then as far away from it again. This smooths and hardly shrinks. If a connected piece still loses volume,
 * it is moved outwards to restore it. Vertices on a border stay where they are. Takes 68 bytes per vertex. Reports to
 * `progress` (NULL: none) after each round. Error: ERR_FAILED. If memory ran out, the mesh is unchanged; if cancelled, it
 * is valid, but only partly smoothed. */
int smooth_mesh(struct mesh_host *mesh, int rounds, const struct progress *progress, struct err *err);

/* Bytes that smooth_mesh takes. */
uint64_t smooth_mesh_bytes(uint64_t vertices);

#ifdef __cplusplus
}
#endif
#endif
