/* The scene in the window: when it is drawn, in how many pieces, and how it is shown on the screen or saved to a file. */
#ifndef ISO_SCENE_H
#define ISO_SCENE_H

#include "render.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;

/* Whether the user or the camera moves the scene; whether a picture of it is to be saved. */
bool scene_moves(const struct app *app);
bool scene_has_screenshot(const struct app *app);

/* Whether edges still need more samples to be smooth, which are drawn once the view rests; and whether the next is due
 * now. */
bool scene_is_rough(const struct app *app);
bool scene_is_due(const struct app *app);

/* scene_update draws a changed scene; scene_smooth draws the next samples of an unchanged one. Events that come in
 * meanwhile may end the drawing; app->scene_stale is set then. */
void scene_update(struct app *app);
void scene_smooth(struct app *app);

/* What is to be drawn, with the present camera; and the number of samples of a view that rests. */
struct render_view scene_view(const struct app *app);
unsigned scene_samples(const struct app *app);

/* Draws the enlarged picture that was asked for, and writes it. Events that come in meanwhile may end it. */
void scene_enlarge(struct app *app);

/* Shows the last picture of the scene, and the panel. If asked for, saves the picture once it is complete. */
void scene_show(struct app *app);

#ifdef __cplusplus
}
#endif
#endif
