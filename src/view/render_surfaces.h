/* Drawing of surfaces, a part of render.c: what is seen of opaque ones, and what is blended over it. */
#ifndef ISO_RENDER_SURFACES_H
#define ISO_RENDER_SURFACES_H

#include "render.h"

#ifdef __cplusplus
extern "C" {
#endif

enum surfaces_kind { SURFACES_OPAQUE, SURFACES_GLASS };

/* Returns whether any surface of the kind is drawn. */
bool surfaces_any(const struct render_view *view, enum surfaces_kind kind);

/* Returns whether cuts are closed by caps in any surface of the kind: then passes_need_cut, or passes_need_glass_cut, is
 * called before anything is drawn. */
bool surfaces_cut(const struct render_view *view, enum surfaces_kind kind);

/* Compiles what draws opaque ones; plain: triangles have one normal each. Error: ERR_GL. */
int surfaces_need(struct render *render, bool plain, struct err *err);

/* Gives the colour that a surface has of its own in linear light. */
void surfaces_linear(const struct render_surface *surface, float linear[3]);

/* Tells a program of shaders/paint.glsl the colours that surfaces have of their own. */
void surfaces_paint(unsigned program, const struct render_view *view, const struct camera *camera);

/* The three below draw by programs that were compiled, with `camera` in place of view->camera. They clear render->complete
 * if they are told to stop, and do nothing where it is clear. surfaces_draw fills render->passes with what is seen. */
void surfaces_draw(struct render *render, const struct render_view *view, const struct camera *camera);
void surfaces_draw_glass(struct render *render, const struct render_view *view, const struct camera *camera);
void surfaces_draw_wire(struct render *render, const struct render_view *view, const struct camera *camera);

#ifdef __cplusplus
}
#endif
#endif
