/* Guests: rungs of `draw` that belong to no backend. Code that this folder knows nothing of does the drawing, such as
 * OpenGL (src/cli/ladder_gl.h). Guests are judged like the other rungs and timed in turns with them, but by a clock of
 * their own. */
#ifndef ISO_DRAW_GUESTS_H
#define ISO_DRAW_GUESTS_H

#include "error.h"
#include "kernels/draw.h"

#ifdef __cplusplus
extern "C" {
#endif

struct op_case;

struct draw_guests {
    const char *name;        /* shown instead of a backend's name */
    const struct rung *rung; /* a table, ended by a row without a name */
    const char *device;      /* one line: what draws, and which clock times it; "": nothing has drawn yet */
    void *context;           /* passed to the functions: */

    /* Takes what is to be drawn. Its arrays are in host memory and not needed afterwards. */
    void (*load)(void *context, const struct draw_desc *desc);
    /* A clause on why a rung cannot draw what was loaded, valid until the next load; NULL: it can. */
    const char *(*refuses)(void *context, const struct rung *rung);
    /* Draws it once over a cleared picture, and waits. Sets *ms to the time of the drawing alone. Error: any. */
    int (*draw)(void *context, const struct rung *rung, double *ms, struct err *err);
    /* Reads the last drawing: [height, width] each, host memory. Error: any. */
    int (*read)(void *context, float *depth, uint32_t *seen, struct err *err);
};

/* Lets guests take part in an open case of `draw`. They must outlive the case. */
void draw_guests_join(struct op_case *c, const struct draw_guests *guests);

#ifdef __cplusplus
}
#endif
#endif
