/* Rungs of `draw` that are no backend's: somebody draws of whom this folder knows nothing, such as OpenGL
 * (src/cli/ladder_gl.h). They are judged like the others, and timed in turns with them, by a clock of their own. */
#ifndef ISO_DRAW_GUESTS_H
#define ISO_DRAW_GUESTS_H

#include "error.h"
#include "kernels/draw.h"

#ifdef __cplusplus
extern "C" {
#endif

struct op_case;

struct draw_guests {
    const char *name;        /* in place of a backend's */
    const struct rung *rung; /* a table, closed by a row without a name */
    const char *device;      /* who draws, and by which clock, one line; "": nobody has so far */
    void *context;           /* of the functions: */

    /* Takes what is to be drawn, with its arrays in host memory, which are not needed afterwards. */
    void (*load)(void *context, const struct draw_desc *desc);
    /* A clause on why a rung does not draw what was loaded, valid until the next load; NULL: it does. */
    const char *(*refuses)(void *context, const struct rung *rung);
    /* Draws it once, whatever was there, and waits. Sets *ms to what the drawing alone took. Error: any. */
    int (*draw)(void *context, const struct rung *rung, double *ms, struct err *err);
    /* Reads the last drawing: [height, width] each, host memory. Error: any. */
    int (*read)(void *context, float *depth, uint32_t *seen, struct err *err);
};

/* Lets guests take part in an open case of `draw`; they must live as long. */
void draw_guests_join(struct op_case *c, const struct draw_guests *guests);

#ifdef __cplusplus
}
#endif
#endif
