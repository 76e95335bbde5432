/* What lies under a click, and the ruler between clicked points. */
#ifndef ISO_APP_PROBE_H
#define ISO_APP_PROBE_H

#include "app.h"

#ifdef __cplusplus
extern "C" {
#endif

struct render_view;

void app_ask_probe(struct app *app, enum probe_use use);

/* After `view` was drawn: finds what was clicked, and does with it what app->probe.asked says. */
void app_take_probe(struct app *app, const struct render_view *view);

static inline bool app_probe_is_on_slice(const struct probe *p) { return p->axis >= 0 && p->axis < SLICE_AXES; }

/* The point's place along an axis in voxels of the file. They differ from those in memory if the volume was thinned. */
double app_probe_place(const struct app *app, int axis);

/* Writes the unit and the frame of the point's world coordinates: "mm LPS". */
void app_probe_frame(const struct app *app, char *text, size_t size);

/* The ruler. app_measure_to adds a point; if the ruler has all its points, a new one begins. app_ruler_length: from point
 * `from` to the next. app_ruler_angle: at the second point, in degrees. */
void app_measure_to(struct app *app, const double voxel[3]);
void app_drop_ruler(struct app *app);
double app_ruler_length(const struct ruler *ruler, int from);
double app_ruler_angle(const struct ruler *ruler);

/* Closes the label if its point is no longer on the surface or slice, or is cut away. */
void app_follow_probe(struct app *app);

#ifdef __cplusplus
}
#endif
#endif
