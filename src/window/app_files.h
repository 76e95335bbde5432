/* Opening files: by name, from the dialog or the list, the next file in the folder, the same file again after a change.
 * app_files.c and app_open.c. */
#ifndef ISO_APP_FILES_H
#define ISO_APP_FILES_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;
struct load_desc;

void app_load(struct app *app, const char *path); /* asks for the shape of a RAW file first */
bool app_ask_shape(struct app *app, const char *path, const struct load_desc *desc); /* false: there is nothing to ask */
void app_ask_file(struct app *app);                                 /* with the desktop's dialog, else our own list */
void app_browse(struct app *app, const char *name, bool is_folder); /* a row of that list: enters it or opens it */
void app_close_browse(struct app *app);
void app_type_browse(struct app *app, unsigned character); /* typed characters and GLFW keys while the list is shown */
void app_press_browse(struct app *app, int key);
void app_cancel_import(struct app *app);
void app_take_import(struct app *app);         /* carries out what was done in the box in the last frame */
void app_step_file(struct app *app, int step); /* through the volumes of the folder */

/* Opens the file again, or another part of it; the view stays. */
void app_load_again(struct app *app, const struct load_desc *desc);

/* Opens the file that was chosen in the dialog. */
void app_follow_dialog(struct app *app);

/* Takes what the worker has found out about the folder in the list; app_close_look waits for that. */
void app_follow_look(struct app *app);
void app_close_look(struct app *app);
double app_look_wait(const struct app *app); /* ms until there is something to say */

/* With --watch, looks whether the file has changed; and returns the ms until the next look. */
void app_watch(struct app *app);
double app_watch_wait(const struct app *app);

/* The loading of `path` has begun. */
void app_began(struct app *app);

/* The file whose volume is shown, also while another one is being opened or after it could not be. "": there is none. */
const char *app_shown_path(const struct app *app);

/* Pictures and surfaces are written to the current folder. If that is the root folder or cannot be written to, the user's
 * home becomes the current one; not with --rung-file, whose path may be relative to it. */
void app_leave_foreign_folder(struct app *app);

/* After a file was opened: adds it to the recent files, and lets the axis point up that did so when it was last open.
 * app_keep_up: remembers the axis that points up now. */
void app_opened(struct app *app);
void app_keep_up(struct app *app);

#ifdef __cplusplus
}
#endif
#endif
