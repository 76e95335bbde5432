/* The op `draw` (kernels/draw.h) by OpenGL: a mesh as pictures of it begin, what is seen and depth, and nothing after
 * that. For those who compare; all of it needs the OpenGL context. */
#ifndef ISO_DRAW_GL_H
#define ISO_DRAW_GL_H

#include "render.h"

#ifdef __cplusplus
extern "C" {
#endif

struct draw_gl { /* zero: nothing was loaded so far */
    struct render render;
    struct render_view view; /* without a camera of its own: */
    struct camera camera;    /* says on which side triangles are seen from outside */
    struct camera_matrices matrices;
    struct exec exec; /* that writes the mesh */
    struct mesh mesh;
    int number; /* of the surface, from 0 */
};

enum draw_gl_way { DRAW_GL_ALL, DRAW_GL_CULLED, DRAW_GL_COMPUTE, DRAW_GL_WAYS }; /* all: by OpenGL's own rasteriser */

/* Takes what is to be drawn; `d` has its arrays in host memory, and they are not needed afterwards. Draws it once every
 * way: programs are compiled then, and cull knows what the last picture showed. Errors: ERR_USAGE: there are not so many
 * surfaces; ERR_FAILED, ERR_GL. */
int draw_gl_load(struct draw_gl *g, const struct draw_desc *d, bool is_software, struct err *err);

/* Why it cannot be drawn so, one clause; NULL: it can. */
const char *draw_gl_refusal(const struct draw_gl *g, enum draw_gl_way way);

/* Draws it that way, over nothing, and waits. Sets *ms to the time from clearing to the last pixel, by
 * OpenGL's clock, or by the host's where OpenGL is software. Errors: ERR_FAILED, ERR_GL. */
int draw_gl_run(struct draw_gl *g, enum draw_gl_way way, double *ms, struct err *err);

/* Reads the last drawing, [height, width] each, row by row from the lowest. Error: ERR_GL. */
int draw_gl_read(struct draw_gl *g, float *depth, uint32_t *seen, struct err *err);

void draw_gl_close(struct draw_gl *g); /* a zero one is fine */

#ifdef __cplusplus
}
#endif
#endif
