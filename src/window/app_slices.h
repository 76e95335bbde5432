/* Slices through the volume, and the range of values that their colours cover (the window). */
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
void app_hold_slice(struct app *app, bool held); /* the mouse holds one, or has let go */
void app_move_slices(struct app *app, int step); /* all that are on */

/* The place of the slice along the world's axis *along. If the volume's axes are oblique to the world's, *along is -1 and
 * the place is the distance from voxel 0. */
double app_slice_place(const struct app *app, int axis, int *along);

size_t app_slice_voxel(const struct app *app, int axis);  /* where the plane is, in voxels of the file */
void app_first_slices(struct app *app);                   /* as the command line says */
void app_set_map(struct app *app, int map);               /* row of colour_maps */
void app_window(const struct app *app, double window[2]); /* the present one, real units */
void app_set_window(struct app *app, double low, double high);

/* app_type_window keeps what is being typed. Once the field is left, app_end_window takes it over or says why not;
 * taken_back: discards it. */
void app_type_window(struct app *app, double low, double high);
void app_end_window(struct app *app, bool taken_back);
void app_reset_window(struct app *app);

/* Before the scene is drawn: brings the slices' pictures and contours up to date. */
void app_follow_slices(struct app *app);

#ifdef __cplusplus
}
#endif
#endif
