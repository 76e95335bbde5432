/* Where the camera stands, and what it shows beside the surface. */
#ifndef ISO_APP_VIEW_H
#define ISO_APP_VIEW_H

#include "camera.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;
struct box_plan;
struct labels;

void app_look(struct app *app, double azimuth, double elevation); /* by a movement, as app_fit */
void app_look_down(struct app *app);                              /* the same from the top */
void app_fit(struct app *app);
void app_next_up(struct app *app, int step); /* another axis points up */
void app_set_up(struct app *app, enum camera_up up);
void app_flip_orthographic(struct app *app);
void app_next_way(struct app *app); /* of drawing opaque surfaces: raster.h */
void app_flip_box(struct app *app);

void app_labels(const struct app *app, struct labels *labels); /* what the scene says in words (labels.h) */

/* Moves the camera on, if a movement is under way; and ends one, where it goes or where it is. */
void app_follow_glide(struct app *app);
void app_end_glide(struct app *app);
void app_stop_glide(struct app *app);

/* The lines and ticks of the box, as the camera stands. */
void app_plan_box(const struct app *app, struct box_plan *plan);

/* False if the window is minimised, or the panel leaves no room. */
bool app_has_scene(const struct app *app);

/* Fits the camera to the full surface; while that is not there, to the coarse one, for the time being. */
void app_fit_camera(struct app *app);

/* The scene had this width / height before, 0: there was none. A view that is as it was fitted is fitted again. Of another
 * one the sides are not to be cut off: where the scene is narrower now than when it was chosen, the camera goes back, and
 * returns once there is room again. */
void app_keep_in_sight(struct app *app, double before);

/* Whether that has to wait for a pipeline that is lent, which knows what encloses the surface. */
bool app_fit_waits(const struct app *app);

#ifdef __cplusplus
}
#endif
#endif
