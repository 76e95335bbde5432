/* Value -> surface: the pipeline run into a mesh, as the window and `render` do it. */
#ifndef ISO_SURFACE_H
#define ISO_SURFACE_H

#include "iso.h"
#include "mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the surface at `value` (stored units) in `mesh`, which grows as needed. *map_ms gets the time spent on reserving,
 * mapping and unmapping. Staged, an error before the new surface is written leaves the old one; fused, writing is the
 * first thing to be done. iso->counts tells of the new surface. */
int surface_update(struct mesh *mesh, struct iso *iso, float value, double *map_ms, struct err *err);

/* The same in two calls. Where CUDA shares the mesh and makes it in one go, the first waits for nothing and leaves the mesh
 * queued, to be drawn; the second learns what has come of it. *again: there was too little room, nothing was drawn, and the
 * surface was made again: draw again. Elsewhere the first does all. A frame is not shown before its second call. */
int surface_begin(struct mesh *mesh, struct iso *iso, float value, double *map_ms, struct err *err);
int surface_end(struct mesh *mesh, struct iso *iso, float value, bool *again, double *map_ms, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
