/* The caret of a text field blinks for some seconds after the last event, as in GTK. Then it stands still and costs no more
 * drawing. */
#include "caret.h"
#include "app.h"
#include "timing.h"

#include <math.h>

#define BLINK_MS 300.0 /* between two drawings of the caret */
#define STILL_MS 5000.0

bool app_caret_blinks(const struct app *app) { return timing_ms() < app->marked + STILL_MS; }

double app_caret_wait(const struct app *app, bool shown) { return shown ? fmax(10, app->blink - timing_ms()) : INFINITY; }

void app_follow_caret(struct app *app, bool shown)
{
    if (!shown || timing_ms() < app->blink) return;
    if (app->redraw < 1) app->redraw = 1;
    app->blink = app_caret_blinks(app) ? timing_ms() + BLINK_MS : INFINITY;
}
