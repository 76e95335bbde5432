/* The isovalue of the active surface, and the smoothing of the volume. */
#ifndef ISO_APP_VALUE_H
#define ISO_APP_VALUE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;

int app_value_digits(const struct app *app);            /* significant digits that tell values apart, at least 6 */
void app_set_value(struct app *app, double value);      /* real units; refused if not finite */
double app_other_value(struct app *app);                /* one that no surface has; NaN: none is known yet */
void app_type_value(struct app *app, const char *text); /* takes what --iso takes; else says why not */
void app_type_percent(struct app *app, const char *text);
void app_hold_value(struct app *app, bool held);        /* the mouse holds it, or has let go */
void app_step_value(struct app *app, double part);      /* of the range */
void app_reset_value(struct app *app);                  /* to the automatic one */
void app_auto_value(struct app *app);                   /* the same; pressed again, other values that are often good */
void app_step_percent(struct app *app, double percent); /* of the voxels */
void app_set_sigma(struct app *app, double sigma);      /* of the smoothing, voxels; clamped */
void app_step_sigma(struct app *app, int step);         /* to the next multiple of half a voxel */

#ifdef __cplusplus
}
#endif
#endif
