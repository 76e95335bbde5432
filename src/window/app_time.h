/* The frames of a file: to step through them and to play them. */
#ifndef ISO_APP_TIME_H
#define ISO_APP_TIME_H

#ifdef __cplusplus
extern "C" {
#endif

struct app;

void app_step_time(struct app *app, int step); /* to another frame of the file */
void app_play(struct app *app);                /* or stops */

/* While playing, goes on to the next frame when it is due; and returns the ms until then. */
void app_follow_time(struct app *app);
double app_time_wait(const struct app *app);

#ifdef __cplusplus
}
#endif
#endif
