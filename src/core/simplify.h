/* Reduces the triangles of a mesh and keeps nearly the same surface. Edges are collapsed, the cheapest first, by the
 * quadric error of Garland and Heckbert (1997).
 *
 * A collapse moves a vertex onto a neighbour, so the remaining vertices stay in place. It is refused if it would change the
 * topology, fold the surface, or make a triangle thin. The first is the link condition of Dey et al. (1999): a closed
 * surface stays closed, with the same pieces and genus. Libraries without it, such as meshoptimizer, leave edges with four
 * triangles on thin vessels. */
#ifndef ISO_SIMPLIFY_H
#define ISO_SIMPLIFY_H

#include "mesh_host.h"
#include "progress.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

struct simplify_goal { /* how far to go */
    double keep;       /* until this share of the triangles is left; 0: see most */
    double most;       /* while the error is at most this, world units */
};

/* Collapses edges of a mesh in voxel coordinates until it reaches the goal, or until no more can be collapsed. Vertices on
 * a border stay. *error: the largest error of all collapses, in world units. The error of a collapse is the RMS distance of
 * a vertex from the planes that it represents, weighted by area. It is no bound: single points may move several times as
 * far. Takes 148 bytes per vertex and 12 per triangle. Reports to `progress` (NULL: none). Error: ERR_FAILED. If memory ran
 * out, the mesh is unchanged; if cancelled, it is valid, but only partly simplified. */
int simplify_mesh(struct mesh_host *mesh, const struct volume *volume, struct simplify_goal goal,
                  const struct progress *progress, double *error, struct err *err);

/* Bytes that simplify_mesh takes. */
uint64_t simplify_bytes(uint64_t vertices, uint64_t triangles);

#ifdef __cplusplus
}
#endif
#endif
