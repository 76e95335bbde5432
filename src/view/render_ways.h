/* Who draws the opaque meshes of a picture, a part of render.c: OpenGL, raster.h or cull.h. render->raster.why says why. */
#ifndef ISO_RENDER_WAYS_H
#define ISO_RENDER_WAYS_H

#include "render.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Draws them by raster if that was asked for and is possible, or was measured to be faster here. Returns whether all
 * are drawn, or drawing was told to stop, which sets render->complete to false. */
bool ways_raster(struct render *render, const struct render_view *view, const struct camera *camera);

/* Returns whether cull will draw them; if so, everything is prepared for it. */
bool ways_cull(struct render *render, const struct render_view *view, const struct camera *camera);

#ifdef __cplusplus
}
#endif
#endif
