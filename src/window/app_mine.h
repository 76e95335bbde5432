/* The rung of --rung-file: compiled, checked, and again whenever its file is saved. */
#ifndef ISO_APP_MINE_H
#define ISO_APP_MINE_H

#ifdef __cplusplus
extern "C" {
#endif

struct app;
struct err;

/* Begins with the rung, if the command line names one. */
int app_open_mine(struct app *app, struct err *err);
/* Takes what the worker has found, and looks whether the file was saved; and the ms until the next look. */
void app_follow_mine(struct app *app);
double app_mine_wait(const struct app *app);
void app_close_mine(struct app *app);

#ifdef __cplusplus
}
#endif
#endif
