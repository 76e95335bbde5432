/* Opening files: by name, from the dialog or the list, the next one of a folder, again when it has changed.
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
void app_ask_file(struct app *app);                                 /* by the desktop's dialog, or a list of our own */
void app_browse(struct app *app, const char *name, bool is_folder); /* of that list: enters the folder or opens the file */
void app_close_browse(struct app *app);
void app_type_browse(struct app *app, unsigned character); /* what is typed, and GLFW keys, while that list is shown */
void app_press_browse(struct app *app, int key);
void app_cancel_import(struct app *app);
void app_take_import(struct app *app);         /* does what the box was told in the frame before */
void app_step_file(struct app *app, int step); /* through the volumes of the folder */

/* Opens the file again, or another part of it, seen as it is now. */
void app_load_again(struct app *app, const struct load_desc *desc);

/* Opens the file that was chosen in the dialog. */
void app_follow_dialog(struct app *app);

/* Looks whether the file has changed, if that was asked for; and the ms until the next look. */
void app_watch(struct app *app);
double app_watch_wait(const struct app *app);

/* The loading of `path` has begun. */
void app_began(struct app *app);

/* Pictures and surfaces are written into the current folder; where that is not for them, it becomes the user's
 * own. */
void app_leave_foreign_folder(struct app *app);

/* a file was opened: it is remembered, and it is turned as it was when it was last open. And: it was
 * turned. */
void app_opened(struct app *app);
void app_keep_up(struct app *app);

#ifdef __cplusplus
}
#endif
#endif
