/* The frames of a file: one after the other, or one of them. */
#ifndef ISO_APP_TIME_H
#define ISO_APP_TIME_H

#ifdef __cplusplus
extern "C" {
#endif

struct app;

void app_step_time(struct app *app, int step); /* to another frame of the file */
void app_play(struct app *app);                /* or stop */

/* Goes on to the next frame, if they play; and the ms until then. */
void app_follow_time(struct app *app);
double app_time_wait(const struct app *app);

#ifdef __cplusplus
}
#endif
#endif
