/* The lab page: its rows, and its times as a table, as a log, or to be compared with. */
#ifndef ISO_APP_LAB_H
#define ISO_APP_LAB_H

#ifdef __cplusplus
extern "C" {
#endif

struct app;

void app_pick_row(struct app *app, int step); /* the next row of the lab's table, whose rung the arrows step */
void app_pause_lab(struct app *app);          /* the times on the lab page stand still, or go on */
void app_pin_lab(struct app *app);            /* the present times are what later ones are compared with; or no more */
void app_copy_lab(struct app *app);           /* the times as a table in Markdown; to the clipboard */
void app_log_lab(struct app *app);            /* each new time, to a file in the current folder; or no more */

/* What the lab page shows is up to date, unless it is paused; before it is drawn. */
void app_follow_lab(struct app *app);
void app_follow_log(struct app *app); /* and what was measured since is logged, if that was asked for */

#ifdef __cplusplus
}
#endif
#endif
