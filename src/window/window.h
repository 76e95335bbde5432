/* The window, from its opening to its end: events, frames, and what stands in them. */
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

/* Before window_close: ends recording and replay, and says what the window's end means for the command. Returns the code:
 * ERR_NONE, that of a first volume that could not be opened, ERR_GL if OpenGL complained in a replay, ERR_FAILED if events
 * could not be written. */
int window_end(struct app *app, struct err *err);

/* Waits for something to do and does it. False: the window is to be closed. */
bool window_frame(struct app *app);

#ifdef __cplusplus
}
#endif
#endif
