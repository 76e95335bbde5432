/* OpenGL as a guest (draw_guests.h) of `isoscope ladder draw`: it draws off-screen, either all triangles, or only the
 * cells that are seen, or by compute shaders. */
#ifndef ISO_LADDER_GL_H
#define ISO_LADDER_GL_H

#include "draw_guests.h"
#include "kernels/rung.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct rung ladder_gl_rungs[]; /* ended by a row without a name */
#define LADDER_GL_NAME "opengl"             /* shown instead of a backend's name */

/* Makes guests of these rungs. OpenGL is opened when a case is loaded; if memory is short, that is also reported then.
 * Close with the same struct. */
struct draw_guests ladder_gl_open(void);
void ladder_gl_close(struct draw_guests *guests); /* zero ones are fine */

/* Whether the ladder has these rungs. And: the rung of that name, NULL if there is none. */
bool ladder_gl_fits(const struct ladder *ladder);
const struct rung *ladder_gl_find(const char *name);
/* The paths of the shaders that the rung consists of, ended by NULL. */
const char *const *ladder_gl_shaders(const struct rung *rung);
/* Prints the rung's idea and its shaders. */
void ladder_gl_teach(const struct rung *rung);

#ifdef __cplusplus
}
#endif
#endif
