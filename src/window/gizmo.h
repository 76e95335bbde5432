/* The gizmo: the three axes of the world in a corner of the scene. A click on an end looks from there. */
#ifndef ISO_GIZMO_H
#define ISO_GIZMO_H

#include "axes.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;

/* Returns false if there is no gizmo: when the panel is off, so that only the scene is shown; without a volume; and in
 * scenes that are too small. */
bool gizmo_place(const struct app *app, struct axes *gizmo);

/* Finds the foremost end under the cursor. Returns false if there is none. */
bool gizmo_find(const struct app *app, struct axes_end *end);

/* Looks along the axis from that end; if the camera is there already, from the other one. */
void gizmo_look(struct app *app, const struct axes_end *end);

/* Writes where gizmo_look would look from, such as "from the patient's left (+x)". */
void gizmo_text(const struct app *app, const struct axes_end *end, char text[64]);

#ifdef __cplusplus
}
#endif
#endif
