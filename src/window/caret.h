/* The caret of a text field. shown: a text field has the keyboard. */
#ifndef ISO_CARET_H
#define ISO_CARET_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;

bool app_caret_blinks(const struct app *app);             /* at present; false: it stands still */
double app_caret_wait(const struct app *app, bool shown); /* ms until it must be drawn again */
void app_follow_caret(struct app *app, bool shown);       /* has it drawn when that time comes */

#ifdef __cplusplus
}
#endif
#endif
