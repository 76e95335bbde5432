/* What a frame spends its time on. app_poll and app_resolve call live_poll and live_resolve, and account for their time.
 * app_read_timers takes the times that OpenGL's clock has ready. */
#ifndef ISO_APP_FRAME_H
#define ISO_APP_FRAME_H

#include "frames.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;

void app_poll(struct app *app);
bool app_resolve(struct app *app);
void app_begin_frame(struct app *app, double now);
enum frame_part app_enter(struct app *app, enum frame_part part); /* returns the part before, to go back to */
void app_end_frame(struct app *app, bool scene, double now);      /* scene: it was drawn anew */
void app_read_timers(struct app *app);

#ifdef __cplusplus
}
#endif
#endif
