/* Who draws opaque surfaces (raster.h, raster_compute.h, cull.h). */
#ifndef ISO_RASTER_WAY_H
#define ISO_RASTER_WAY_H

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* auto: the fastest by measurement of opengl, compute and raster, which uses CUDA or the CPU; culled: OpenGL, without
 * hidden triangles */
enum raster_way { RASTER_AUTO, RASTER_OPENGL, RASTER_CULLED, RASTER_COMPUTE, RASTER_ALWAYS, RASTER_WAYS };

extern const char *const raster_way_name[RASTER_WAYS + 1]; /* as on the command line; closed by NULL */

/* Returns the row of raster_way_name, RASTER_AUTO for NULL. Returns -1 if there is no such way; the sentence
 * (ERR_USAGE) lists them. */
int raster_way_find(const char *name, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
