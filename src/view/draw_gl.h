/* The op `draw` (kernels/draw.h) by OpenGL: only the first pass of a picture, which gives what is seen and depth. It is
 * for comparisons. All functions need the OpenGL context. */
#ifndef ISO_DRAW_GL_H
#define ISO_DRAW_GL_H

#include "render.h"

#ifdef __cplusplus
extern "C" {
#endif

struct draw_gl { /* zero: nothing loaded yet */
    struct render render;
    struct render_view view; /* uses the camera below */
    struct camera camera;    /* only sets which side of triangles is the outer one */
    struct camera_matrices matrices;
    struct exec exec; /* writes the mesh */
    struct mesh mesh;
    int number; /* of the surface, from 0 */
};

enum draw_gl_way { DRAW_GL_ALL, DRAW_GL_CULLED, DRAW_GL_COMPUTE, DRAW_GL_WAYS }; /* ALL: by OpenGL's own rasteriser */

/* Takes what to draw. The arrays of `d` are in host memory and not needed afterwards. Draws it once in every way, so
 * that programs are compiled and cull knows what the last picture showed. Errors: ERR_USAGE: there are not so many
 * surfaces; ERR_FAILED, ERR_GL. */
int draw_gl_load(struct draw_gl *g, const struct draw_desc *d, bool is_software, struct err *err);

/* Returns why it cannot be drawn that way, as one clause; NULL: it can. */
const char *draw_gl_refusal(const struct draw_gl *g, enum draw_gl_way way);

/* Draws it that way on an empty picture, and waits. Sets *ms to the time from clearing to the last pixel, by OpenGL's
 * clock, or by the host's if OpenGL is software. Errors: ERR_FAILED, ERR_GL. */
int draw_gl_run(struct draw_gl *g, enum draw_gl_way way, double *ms, struct err *err);

/* Reads the last drawing, [height, width] each, bottom row first. Error: ERR_GL. */
int draw_gl_read(struct draw_gl *g, float *depth, uint32_t *seen, struct err *err);

void draw_gl_close(struct draw_gl *g); /* a zero one is fine */

#ifdef __cplusplus
}
#endif
#endif
