/* Slices through the volume, and the window of values that their colours show. */
#ifndef ISO_APP_SLICES_H
#define ISO_APP_SLICES_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;

void app_flip_slice(struct app *app, int axis);
void app_set_slice(struct app *app, int axis, size_t index);
void app_hold_slice(struct app *app, bool held); /* the mouse has one, or has let it go */
void app_move_slices(struct app *app, int step); /* those that are on */

/* Where the slice is along the world's axis `along`; -1: an axis is oblique, and it is the length from voxel 0. */
double app_slice_place(const struct app *app, int axis, int *along);

void app_first_slices(struct app *app);                   /* as the command line says */
void app_set_map(struct app *app, int map);               /* row of colour_maps */
void app_window(const struct app *app, double window[2]); /* as it is, real units */
void app_set_window(struct app *app, double low, double high);

/* Keeps what is being typed. app_end_window takes it once the field is left, or says why not; taken_back: it is
 * forgotten. */
void app_type_window(struct app *app, double low, double high);
void app_end_window(struct app *app, bool taken_back);
void app_reset_window(struct app *app);

/* Makes the slices' pictures and contours follow, before the scene is drawn. */
void app_follow_slices(struct app *app);

#ifdef __cplusplus
}
#endif
#endif
