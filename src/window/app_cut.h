/* What cuts the scene open: slices that hide one side, the cut across the view, the crop box. */
#ifndef ISO_APP_CUT_H
#define ISO_APP_CUT_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;

void app_cut_slice(struct app *app, int axis);    /* hides the viewer's side, then the other, then none */
void app_flip_knife(struct app *app);             /* across the present view */
void app_set_knife(struct app *app, double part); /* 0 to 1 of its way through the volume */
double app_knife_part(const struct app *app);
void app_flip_crop(struct app *app);
void app_flip_cut_caps(struct app *app);
bool app_is_cut(const struct app *app);                         /* by anything but a slice, which has a picture */
void app_move_cutter(struct app *app, double step);             /* the last one used; voxels, whole ones for slices */
double app_cutter_place(const struct app *app, int cutter);     /* voxels */
void app_set_cutter(struct app *app, int cutter, double place); /* as far as it can go */
const char *app_cutter_name(int cutter);

#ifdef __cplusplus
}
#endif
#endif
