/* The scene in the window: when it is drawn, in how many pieces, and what it becomes: a picture on the screen or in a
 * file. */
#ifndef ISO_SCENE_H
#define ISO_SCENE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;
struct render_view;

/* Whether hand or camera move it; whether a picture of it is to be saved. */
bool scene_moves(const struct app *app);
bool scene_has_screenshot(const struct app *app);

/* Whether more samples are to be drawn once the view rests, for smooth edges; and whether the next is to be drawn now. */
bool scene_is_rough(const struct app *app);
bool scene_is_due(const struct app *app);

/* Draws what has changed; and the next samples of what has not. Events may come in meanwhile and end that: then
 * app->scene_stale is set. */
void scene_update(struct app *app);
void scene_smooth(struct app *app);

/* What is shown, to be drawn by the given camera. samples: of a view that rests. */
struct render_view scene_view(const struct app *app);
unsigned scene_samples(const struct app *app);

/* Draws the enlarged picture that was asked for, and writes it: while events are looked at, which may end it. */
void scene_enlarge(struct app *app);

/* Shows the last picture of the scene, and the panel; and saves it, if that was asked for and it is complete. */
void scene_show(struct app *app);

#ifdef __cplusplus
}
#endif
#endif
