/* The picture of what raster has drawn on the host, shaded there, too (kernels/draw_light.h), in place of passes_shade's
 * programs: for software OpenGL, which takes several times as long. */
#ifndef ISO_RENDER_SHADE_H
#define ISO_RENDER_SHADE_H

#include "render.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Shades what render->raster has drawn, where the look of the view is one that can be shaded so: that of the mode "light",
 * without occlusion, by the program's own shaders. Returns the picture, with the background that OpenGL draws, for
 * passes_look; NULL: OpenGL has to. */
const uint32_t *shade_picture(struct render *render, const struct render_view *view, const struct passes_look *look);

/* Whether shade_picture would shade this view if raster drew it on the host. A moving surface is then quicker by raster,
 * however small. */
bool shade_in_haste(const struct render *render, const struct render_view *view);

void shade_close(struct shade_host *shade);

#ifdef __cplusplus
}
#endif
#endif
