/* The camera's position, and what is shown besides the surface. */
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

void app_look(struct app *app, double azimuth, double elevation); /* in an animated movement, like app_fit */
void app_look_down(struct app *app);                              /* the same, from the top */
void app_fit(struct app *app);
void app_next_up(struct app *app, int step); /* another axis points up */
void app_set_up(struct app *app, enum camera_up up);
void app_flip_orthographic(struct app *app);
void app_next_way(struct app *app); /* the next way to draw opaque surfaces: raster.h */
void app_flip_box(struct app *app);

void app_labels(const struct app *app, struct labels *labels); /* the text in the scene: labels.h */

/* If the camera is moving: continues the movement; ends it at its goal; stops it where it is. */
void app_follow_glide(struct app *app);
void app_end_glide(struct app *app);
void app_stop_glide(struct app *app);

/* The lines and ticks of the box, for the present camera. */
void app_plan_box(const struct app *app, struct box_plan *plan);

/* False if the window is minimised, or the panel leaves no room. */
bool app_has_scene(const struct app *app);

/* Sets low and high to the bounds of all surfaces that are shown, in voxel coordinates; of the volume if none is. False:
 * none of them is known yet, and they are the volume's. */
bool app_bounds(struct app *app, double low[3], double high[3]);

/* Fits the camera to the full surface; until that is there, to the coarse one. */
void app_fit_camera(struct app *app);

/* After the scene has changed its shape. before: its width / height until now; 0: there was none. A view that is still as
 * it was fitted is fitted again. In any other view the sides must not be cut off: if the scene is narrower now than when
 * the view was chosen, the camera moves back; it returns when there is room again. */
void app_keep_in_sight(struct app *app, double before);

/* Whether the fit has to wait for the pipeline, which knows the surface's bounds but is lent to the worker. */
bool app_fit_waits(const struct app *app);

#ifdef __cplusplus
}
#endif
#endif
