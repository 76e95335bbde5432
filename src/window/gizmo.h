/* The three axes of the world in a corner of the scene: where their ends are, and what a click on one does. */
#ifndef ISO_GIZMO_H
#define ISO_GIZMO_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;

enum { GIZMO_ENDS = 6 };

struct gizmo_end {
    int axis, sign;     /* of the world; 1 or -1 */
    double x, y;        /* of its middle: framebuffer pixels, y downwards */
    double towards;     /* the viewer, -1 to 1 */
    const char *letter; /* L, R, ... in a patient's world, else x, y, z at the positive ends; "": none */
};

struct gizmo {
    double x, y, arm, radius;         /* its middle and the length of an axis, radius of an end: framebuffer pixels */
    struct gizmo_end end[GIZMO_ENDS]; /* from back to front */
};

/* Returns false where there is no gizmo: without a panel, which leaves the scene to itself, without a volume, and in scenes
 * that are too small. */
bool gizmo_place(const struct app *app, struct gizmo *gizmo);

/* Finds the foremost end under the cursor. Returns false if there is none. */
bool gizmo_find(const struct app *app, struct gizmo_end *end);

/* Looks along the axis, from that end; from there already: from the other one. */
void gizmo_look(struct app *app, const struct gizmo_end *end);

/* Writes where from that would be, like "from the patient's left (+x)". */
void gizmo_text(const struct app *app, const struct gizmo_end *end, char text[64]);

#ifdef __cplusplus
}
#endif
#endif
