/* How the window records events and replays them. */
#ifndef ISO_APP_TAPE_H
#define ISO_APP_TAPE_H

#include "tape.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;

/* Puts the tape in front of the window's callbacks. Call it after input.c and the panel have set theirs. */
void app_attach_tape(struct app *app);

/* Calls tape_step, before each look at events. Closes the window after the last event. False: nothing was handed on. */
bool app_play_tape(struct app *app, enum tape_state state);

/* Waits for events, at most `seconds`; 0: only takes those that are there. */
void app_wait(struct app *app, double seconds);

#ifdef __cplusplus
}
#endif
#endif
