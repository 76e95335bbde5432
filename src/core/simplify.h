/* Fewer triangles for nearly the same surface: edges are collapsed, the cheapest first, by the quadric error of Garland and
 * Heckbert (1997).
 *
 * A vertex moves onto a neighbour, so those that are left stay in place. A collapse is refused if it would change the
 * topology (the link condition of Dey et al. 1999: a closed surface stays closed, with its pieces and its genus), fold the
 * surface, or make a triangle thin. Libraries that do without the first, such as meshoptimizer, leave edges with four
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
    double most;       /* as long as the error is at most this, world units */
};

/* Collapses edges of a mesh in voxel coordinates up to the goal; less where nothing more may be collapsed. Vertices
 * on a border stay. *error: the largest of the collapses, world units: the root mean square of the distances of a vertex
 * from the planes it stands for, weighted by area. It is no bound: single points may move several times as far. Needs 148
 * bytes a vertex and 12 a triangle. Reports to `progress` (NULL: none). Error: ERR_FAILED, for memory, and the mesh is as
 * before; if it was cancelled, the mesh is whole, but simplified in part. */
int simplify_mesh(struct mesh_host *mesh, const struct volume *volume, struct simplify_goal goal,
                  const struct progress *progress, double *error, struct err *err);

/* Bytes that it takes. */
uint64_t simplify_bytes(uint64_t vertices, uint64_t triangles);

#ifdef __cplusplus
}
#endif
#endif
