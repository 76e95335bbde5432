/* Drawing of surfaces, a part of render.c: the visible opaque ones, and what is blended over them. */
#ifndef ISO_RENDER_SURFACES_H
#define ISO_RENDER_SURFACES_H

#include "render.h"

#ifdef __cplusplus
extern "C" {
#endif

enum surfaces_kind { SURFACES_OPAQUE, SURFACES_GLASS };

/* Returns whether any surface of this kind is drawn. */
bool surfaces_any(const struct render_view *view, enum surfaces_kind kind);

/* Returns whether caps close cuts of any surface of this kind. If so, call passes_need_cut or passes_need_glass_cut
 * before anything is drawn. */
bool surfaces_cut(const struct render_view *view, enum surfaces_kind kind);

/* Compiles the programs that draw opaque ones; plain: triangles have one normal each. Error: ERR_GL. */
int surfaces_need(struct render *render, bool plain, struct err *err);

/* Gives a surface's own colour in linear light. */
void surfaces_linear(const struct render_surface *surface, float linear[3]);

/* Sets the surfaces' own colours in a program with shaders/paint.glsl. */
void surfaces_paint(unsigned program, const struct render_view *view, const struct camera *camera);

/* The three functions below use compiled programs, and draw with `camera` instead of view->camera. They do nothing if
 * render->complete is false, and set it to false if they are told to stop. surfaces_draw fills render->passes with what
 * is seen. */
void surfaces_draw(struct render *render, const struct render_view *view, const struct camera *camera);
void surfaces_draw_glass(struct render *render, const struct render_view *view, const struct camera *camera);
void surfaces_draw_wire(struct render *render, const struct render_view *view, const struct camera *camera);

#ifdef __cplusplus
}
#endif
#endif
