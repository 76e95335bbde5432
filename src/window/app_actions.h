/* Actions of keys, mouse and panel that have no header of their own: rungs, how the surface is drawn, pictures and exports,
 * the help. They change the wish and the picture. */
#ifndef ISO_APP_ACTIONS_H
#define ISO_APP_ACTIONS_H

#include "iso.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;
struct rung;

/* Whether live has yet to switch to the wished backend. Until then, nobody can choose that backend's rungs. */
bool app_backend_is_coming(const struct app *app);

void app_set_rung(struct app *app, enum stage stage, const struct rung *rung);
void app_next_rung(struct app *app, enum stage stage, int step);
void app_show_card(struct app *app, enum stage stage); /* that says what the stage's rung does */
void app_hide_card(struct app *app);
void app_flip_rungs(struct app *app); /* all textbook <-> all default */
bool app_is_textbook(const struct app *app);
void app_flip_backend(struct app *app);
void app_next_mode(struct app *app, int step);
void app_set_mode(struct app *app, unsigned mode);
void app_flip_wireframe(struct app *app);
void app_flip_close(struct app *app);
void app_flip_measured(struct app *app); /* area, volume and box of the surface */
void app_flip_fullscreen(struct app *app);
void app_screenshot(struct app *app, bool scene_only);
void app_ask_enlarged(struct app *app, int times, bool cut_out); /* larger, or without background */
void app_cancel_enlarged(struct app *app);
void app_name_window(struct app *app); /* after the volume */

/* Whether somebody has asked the window to end, by a key or by its close button; app_end_later: it is to end once all that
 * was asked for is written, or when it is asked once more. */
bool app_is_to_end(const struct app *app);
void app_end_later(struct app *app);

void app_export(struct app *app); /* writes the surface to a file in the current folder */
void app_flip_help(struct app *app);
void app_close_help(struct app *app); /* if it is open */
void app_find_help(struct app *app);
void app_escape(struct app *app); /* closes or cancels the topmost thing */

#ifdef __cplusplus
}
#endif
#endif
