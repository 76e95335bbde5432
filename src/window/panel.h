/* Everything that is written on the window: the panel, messages, help, progress. Dear ImGui does the work; this header
 * is all that the rest of the program sees of it. The panel reads the app and changes it through app_*.h. */
#ifndef ISO_PANEL_H
#define ISO_PANEL_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;

/* Needs the OpenGL context, the window's callbacks and app->scale. False: Dear ImGui could not start. */
bool panel_open(struct app *app);
void panel_close(void);

/* Draws into the present framebuffer. */
void panel_draw(struct app *app);

/* Takes what the mouse does to the panel into the app, without drawing: so that the scene follows in the same frame. And
 * whether there is something to take: a button is down, or was, that is not the scene's, and the panel is to be drawn
 * again. */
void panel_follow(struct app *app);
bool panel_is_held(const struct app *app);

/* Whether a box or a menu, over the scene or beside it, may answer to the mouse. */
bool panel_wants_mouse(const struct app *app);

/* Closes the topmost menu or list, between two frames; false: none is open. */
bool panel_close_popup(void);

/* True while a text field has the keyboard. */
bool panel_takes_text(void);

#ifdef __cplusplus
}
#endif
#endif
