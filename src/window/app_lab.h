/* The lab page: its rows, and its times, which can be paused, compared, copied as a table or logged. */
#ifndef ISO_APP_LAB_H
#define ISO_APP_LAB_H

#ifdef __cplusplus
extern "C" {
#endif

struct app;

void app_pick_row(struct app *app, int step); /* the row of the table whose rung the arrows change */
void app_pause_lab(struct app *app);          /* stops or continues the updating of the times shown */
void app_pin_lab(struct app *app);            /* pins the present times to compare later ones with, or unpins */
void app_copy_lab(struct app *app);           /* the times to the clipboard, as a Markdown table */
void app_log_lab(struct app *app);            /* starts or ends a log of each new time, a file in the current folder */

void app_follow_lab(struct app *app); /* before the page is drawn: updates its times, unless paused */
void app_follow_log(struct app *app); /* logs what was measured since the last call, if a log was asked for */

#ifdef __cplusplus
}
#endif
#endif
