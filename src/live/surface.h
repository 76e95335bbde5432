/* Value -> surface: runs the pipeline into a mesh, for the window and for `render`. */
#ifndef ISO_SURFACE_H
#define ISO_SURFACE_H

#include "iso.h"
#include "mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the surface at `value` (stored units) in `mesh`, which grows as needed. *map_ms gets the time spent on
 * reserving, mapping and unmapping. With the separate stages, an error before the new surface is written leaves the old
 * one; a fused rung writes at once. iso->counts are those of the new surface. */
int surface_update(struct mesh *mesh, struct iso *iso, float value, double *map_ms, struct err *err);

/* The same in two calls. If CUDA shares the mesh and a fused rung makes it, surface_begin does not wait and leaves the
 * mesh queued, to be drawn; surface_end then gets the result. *again: the mesh was too small, nothing was drawn, and
 * the surface was made again, so draw again. Otherwise surface_begin does everything. Do not show a frame before
 * surface_end. */
int surface_begin(struct mesh *mesh, struct iso *iso, float value, double *map_ms, struct err *err);
int surface_end(struct mesh *mesh, struct iso *iso, float value, bool *again, double *map_ms, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
