/* The layers of a picture of surfaces, a part of render.c: which layers there are, in what order, and how OpenGL draws
 * each, with the program and the state that the caller has set. */
#ifndef ISO_RENDER_LAYERS_H
#define ISO_RENDER_LAYERS_H

#include "render.h"

#ifdef __cplusplus
extern "C" {
#endif

struct drawing { /* what several layers share */
    struct render *render;
    const struct render_view *view;
    const struct camera *camera;
    struct cut cut;              /* what is left out */
    unsigned program;            /* the current one */
    bool rastered;               /* opaque meshes are already drawn, without caps */
    bool culled;                 /* opaque meshes are drawn by cull */
    unsigned framebuffer, depth; /* where opaque surfaces are drawn */
};

struct layer { /* what is drawn at once */
    const struct mesh *mesh;
    unsigned step;
    unsigned culled;                 /* faces to leave out: GL_FRONT or GL_BACK; 0: none */
    uint32_t first[RENDER_SURFACES]; /* first vertex of each surface */
};

/* ---- what there is ------------------------------------------------------------------------------------------------- */

/* True for NULL, too. */
bool layers_empty(const struct mesh *mesh);
bool layers_glass(const struct render_surface *surface);
bool layers_any_caps(const struct render_view *view);

/* Returns what is not drawn. */
struct cut layers_cut(const struct render_view *view);

/* Returns the surfaces that are drawn from their other side, one bit each. */
unsigned layers_flipped(const struct render_view *view);

/* Returns the faces (GL_FRONT or GL_BACK) of a surface that are drawn as outer ones, or as inner ones. */
unsigned layers_faces(const struct render_view *view, int number, bool outer);

/* Gives the numbers of the surfaces that have a mesh or caps, enclosed ones before those that enclose them. Returns how
 * many. */
int layers_sort(const struct render_view *view, int number[RENDER_SURFACES]);

/* Returns a layer whose vertices all belong to surface `number`. */
struct layer layers_one(const struct mesh *mesh, unsigned step, int number, unsigned culled);

/* Gives the matrices of a mesh whose unit is `step` voxels. */
void layers_matrices(const struct render_view *view, const struct camera *camera, unsigned step,
                     struct camera_matrices *matrices);

/* ---- drawing ------------------------------------------------------------------------------------------------------- */

/* Begins drawing with `program` and depth test. */
struct drawing layers_begin(struct render *render, const struct render_view *view, unsigned program,
                            const struct camera *camera);

/* Set the uniforms of a program that draws faces; layers_set_eye is for one that does not distinguish outer and inner
 * ones. */
void layers_set_faces(const struct render_view *view, unsigned program, const struct camera *camera);
void layers_set_eye(unsigned program, const struct camera *camera);

/* Draws a layer, unless it is empty or render->complete is false. Sets render->complete to false if it is told to stop. */
void layers_draw(const struct drawing *drawing, const struct layer *layer);

/* The same with other matrices than a camera's. */
void layers_draw_by(const struct drawing *drawing, const struct layer *layer, const struct camera_matrices *matrices);

/* Sets where the vertices drawn next come from: from `turned`, unless that is NULL. */
void layers_turn(const struct drawing *drawing, const struct mesh *mesh, const struct mesh *turned);

/* Limits drawing to a part of the picture's width, until GL_SCISSOR_TEST is disabled. */
void layers_begin_part(const struct render_view *view, const float part[2]);

#ifdef __cplusplus
}
#endif
#endif
