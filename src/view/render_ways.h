/* Who draws the opaque meshes of a picture, a part of render.c: OpenGL, raster.h or cull.h. render->raster.why says why. */
#ifndef ISO_RENDER_WAYS_H
#define ISO_RENDER_WAYS_H

#include "render.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Draws them by raster, if that was asked for and can be done, or is faster as measured here. Returns whether all are
 * drawn, or it was told to stop, which clears render->complete. */
bool ways_raster(struct render *render, const struct render_view *view, const struct camera *camera);

/* Returns whether they are to be drawn by cull, for which all is made then. */
bool ways_cull(struct render *render, const struct render_view *view, const struct camera *camera);

#ifdef __cplusplus
}
#endif
#endif
