/* What lies under a click, and the ruler from point to point. */
#ifndef ISO_APP_PROBE_H
#define ISO_APP_PROBE_H

#include "app.h"

#ifdef __cplusplus
extern "C" {
#endif

struct render_view;

void app_ask_probe(struct app *app, enum probe_use use);

/* Says what was clicked at, as app->probe.asked wants it, after `view` was drawn. */
void app_take_probe(struct app *app, const struct render_view *view);

/* Where the point lies along an axis, in voxels of the file: of a volume that was thinned, only some of them are here. */
double app_probe_place(const struct app *app, int axis);

/* The unit and the frame of its coordinates in the world: "mm LPS". */
void app_probe_frame(const struct app *app, char *text, size_t size);

/* A point for the ruler; after the last, the first of another. The length from point `from` to the next, and the angle at
 * the second point in degrees. */
void app_measure_to(struct app *app, const double voxel[3]);
void app_drop_ruler(struct app *app);
double app_ruler_length(const struct ruler *ruler, int from);
double app_ruler_angle(const struct ruler *ruler);

/* Closes the label of a point that is no longer on the surface, or on its slice, or that is cut away. */
void app_follow_probe(struct app *app);

#ifdef __cplusplus
}
#endif
#endif
