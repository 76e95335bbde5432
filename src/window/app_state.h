/* What is set: undone and redone, written to state files, and kept for each volume file. app_state.c and app_history.c. */
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
void app_copy_command(struct app *app); /* to the clipboard: one that draws the same picture */
void app_save_state(struct app *app);   /* to a file in the current folder */

/* Writes what is set to a file. app_load_state: sets what such a file says; false if its name is not that of a state. */
int app_write_state(const struct app *app, const char *path, struct err *err);
bool app_load_state(struct app *app, const char *path);

/* The states that are kept for each file. app_keep_state, when the shown volume is left: keeps what is set for its file.
 * app_name_state, when a file was opened: notes under which name its state is kept. app_restore_state: shows it as it was
 * left, unless the command line says how. */
void app_keep_state(struct app *app);
void app_name_state(struct app *app);
void app_restore_state(struct app *app);

#ifdef __cplusplus
}
#endif
#endif
