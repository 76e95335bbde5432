/* The window from opening to closing: its events and frames. */
#ifndef ISO_WINDOW_H
#define ISO_WINDOW_H

#include "setup.h"
#include "view_options.h"

#ifdef __cplusplus
extern "C" {
#endif

struct app;

/* Opens the window and loads the first volume. On error nothing is left open. */
int window_open(struct app *app, const struct setup *setup, const struct view_options *options, struct err *err);
void window_close(struct app *app);

/* Call it before window_close: ends recording and replay. Returns the code for the command: ERR_NONE; the code of the first
 * volume if that could not be opened; ERR_GL if OpenGL reported an error in a replay; ERR_FAILED if events could not be
 * written. */
int window_end(struct app *app, struct err *err);

/* Waits for something to do and does it. False: the window must close. */
bool window_frame(struct app *app);

#ifdef __cplusplus
}
#endif
#endif
