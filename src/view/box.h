/* Draws the lines of a box_plan as part of the scene; hidden parts are faint. */
#ifndef ISO_BOX_H
#define ISO_BOX_H

#include "box_plan.h"
#include "shader.h"

#ifdef __cplusplus
extern "C" {
#endif

struct box {                /* zero: never drawn */
    unsigned array, buffer; /* vertex array, and the lines */
    struct shader shader;
};

/* Creates what drawing needs, at the first call. Error: ERR_GL. */
int box_need(struct box *box, struct err *err);
void box_close(struct box *box);

/* Draws the camera's part of a picture of width x height pixels into the current framebuffer, with depth test. Does not
 * change the depth. */
void box_draw(const struct box *box, const struct box_plan *plan, const struct camera *camera, int width, int height);

#ifdef __cplusplus
}
#endif
#endif
