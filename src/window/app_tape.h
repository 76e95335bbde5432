/* Recordings of events, as the window makes and plays them. */
#ifndef ISO_APP_TAPE_H
#define ISO_APP_TAPE_H

#include "tape.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;

/* Puts the tape before the callbacks of the window, after input.c and the panel. */
void app_attach_tape(struct app *app);

/* tape_step, before each look at events; after the last one, ends the window. False: nothing was handed on. */
bool app_play_tape(struct app *app, enum tape_state state);

/* Waits for events, at most so many seconds; 0: only takes those that are there. */
void app_wait(struct app *app, double seconds);

#ifdef __cplusplus
}
#endif
#endif
