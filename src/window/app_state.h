/* What is set, undone and done again, written to a file of state, and kept for the file that it was set for.
 * app_state.c and app_history.c. */
#ifndef ISO_APP_STATE_H
#define ISO_APP_STATE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;
struct err;

void app_undo(struct app *app);
void app_redo(struct app *app);
void app_copy_command(struct app *app); /* that draws the same picture: to the clipboard */
void app_save_state(struct app *app);   /* to a file in the current folder */

/* Writes what is set to a file. And: sets what it says, if its name is that of a state; else false. */
int app_write_state(const struct app *app, const char *path, struct err *err);
bool app_load_state(struct app *app, const char *path);

/* The volume that was shown is left: what was set is kept for its file. And: a file was opened, whose state is
 * to be kept; and it is shown as it was left, unless the command line says how. */
void app_keep_state(struct app *app);
void app_name_state(struct app *app);
void app_restore_state(struct app *app);

#ifdef __cplusplus
}
#endif
#endif
