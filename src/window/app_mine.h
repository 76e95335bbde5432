/* The rung of --rung-file: compiled and checked at the start, and again whenever its file is saved. */
#ifndef ISO_APP_MINE_H
#define ISO_APP_MINE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;
struct err;

/* Starts compiling the rung, if the command line names one. */
int app_open_mine(struct app *app, struct err *err);
/* Takes the worker's result, and looks whether the file was saved; and returns the ms until the next look. */
void app_follow_mine(struct app *app);
double app_mine_wait(const struct app *app);

/* Whether there is a message about what is wrong with it; and closes that message, until the next version that is wrong. */
bool app_has_complaint(const struct app *app);
void app_drop_complaint(struct app *app);

void app_close_mine(struct app *app);

#ifdef __cplusplus
}
#endif
#endif
