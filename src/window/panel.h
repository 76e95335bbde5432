/* All text and controls in the window: the panel, messages, help, progress. They are drawn with Dear ImGui, which the rest
 * of the program sees only through this header. The panel reads the app and changes it through app_*.h. */
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

/* Draws into the framebuffer that is bound. */
void panel_draw(struct app *app);

/* panel_follow lets the mouse act on the panel without drawing it, so that the scene follows in the same frame.
 * panel_is_held: whether it has to be called: the panel is due to be drawn again, and a mouse button that is not dragging
 * in the scene is down, or was since the last drawing. */
void panel_follow(struct app *app);
bool panel_is_held(const struct app *app);

/* Whether a box is open that what lies behind it makes way for: help, palette, list of files, box for RAW files. */
bool panel_has_box(const struct app *app);

/* Whether a box, a menu or the panel may react to the mouse. */
bool panel_wants_mouse(const struct app *app);

/* Between two frames: whether a menu or list is open, in which arrows choose and Enter takes. panel_close_popup closes the
 * topmost one. False: none is open. */
bool panel_has_popup(void);
bool panel_close_popup(void);

/* Scrolls the help, which is open, if the key is one of those that do. False: it is not. */
bool panel_scroll_help(const struct app *app, int key);

/* True while a text field has the keyboard. */
bool panel_takes_text(void);

#ifdef __cplusplus
}
#endif
#endif
