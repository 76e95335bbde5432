/* What cuts the scene open: sides of slices, the cut across the view, the crop box. */
#ifndef ISO_APP_CUT_H
#define ISO_APP_CUT_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;

void app_cut_slice(struct app *app, int axis);    /* the viewer's side is hidden, then the other, then none */
void app_flip_knife(struct app *app);             /* across the present view */
void app_set_knife(struct app *app, double part); /* of its way through the volume, 0 to 1 */
double app_knife_part(const struct app *app);
void app_flip_crop(struct app *app);
void app_flip_cut_caps(struct app *app);
bool app_is_cut(const struct app *app);                         /* by what has no picture */
void app_move_cutter(struct app *app, double step);             /* voxels; what was used last. Slices by whole ones */
double app_cutter_place(const struct app *app, int cutter);     /* voxels */
void app_set_cutter(struct app *app, int cutter, double place); /* as far as it can go */
const char *app_cutter_name(int cutter);

#ifdef __cplusplus
}
#endif
#endif
