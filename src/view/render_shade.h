/* Shades on the host what raster has drawn there (kernels/draw_light.h), instead of the programs of passes_shade. It is
 * for software OpenGL, which takes several times as long. */
#ifndef ISO_RENDER_SHADE_H
#define ISO_RENDER_SHADE_H

#include "render.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Shades what render->raster has drawn, if the host can shade the view: the mode "light", without occlusion, with the
 * built-in shaders. Returns the picture, with the background that OpenGL draws, for passes_look; NULL: OpenGL has to
 * shade. */
const uint32_t *shade_picture(struct render *render, const struct render_view *view, const struct passes_look *look);

/* Whether shade_picture would shade this view if raster drew it on the host. Raster is then faster for a moving
 * surface, however small. */
bool shade_in_haste(const struct render *render, const struct render_view *view);

void shade_close(struct shade_host *shade);

#ifdef __cplusplus
}
#endif
#endif
