/* What is cut away: beyond slices, and before the knife. */
#include "app.h"

#include <math.h>

void app_cut_slice(struct app *app, int axis)
{
    struct slice_plane *plane = &app->slices.plane[axis];
    const char name = (char)('x' + axis);
    float along[3];
    camera_along(&app->camera, along);
    const int near = along[axis] > 0 ? -1 : 1; /* the viewer's side */
    plane->cut = !plane->on || !plane->cut ? near : plane->cut == near ? -near : 0;
    plane->on = true;
    app->cutter = axis;
    if (plane->cut) app_log(app, "slice %c cuts %s %zu", name, plane->cut > 0 ? "above" : "below", plane->index);
    else app_log(app, "slice %c cuts nothing", name);
    if (plane->cut) app_notice(app, "slice %c: hides what lies %s it", name, plane->cut > 0 ? "above" : "below");
    else app_notice(app, "slice %c: hides nothing", name);
    app_mark_scene(app);
}

void app_flip_knife(struct app *app)
{
    struct slices *slices = &app->slices;
    double low[3], high[3], middle[3];
    float along[3];
    if (slices->knife.on) slices->knife.on = false;
    else {
        const bool known = live_bounds(&app->live, 0, low, high);
        for (int a = 0; a < 3; a++) middle[a] = known ? 0.5 * (low[a] + high[a]) : 0.5 * (double)(slices->dims[a] - 1);
        camera_along(&app->camera, along);
        slices_place_knife(slices, along, middle);
        app->cutter = SLICE_AXES;
    }
    app_log(app, "knife %s", slices->knife.on ? "on" : "off");
    app_notice(app, slices->knife.on ? "cut across the view; Ctrl+wheel moves it" : "cut across the view: off");
    app_mark_scene(app);
}

void app_set_knife(struct app *app, double part)
{
    double range[2];
    slices_knife_range(&app->slices, range);
    app->slices.knife.offset = range[0] + fmax(0, fmin(1, part)) * (range[1] - range[0]);
    app->cutter = SLICE_AXES;
    app_log(app, "knife at %.6g", app->slices.knife.offset);
    app_mark_scene(app);
}

double app_knife_part(const struct app *app)
{
    double range[2];
    slices_knife_range(&app->slices, range);
    return range[1] > range[0] ? (app->slices.knife.offset - range[0]) / (range[1] - range[0]) : 0;
}

static bool is_on(const struct app *app, int cutter)
{
    return cutter < SLICE_AXES ? app->slices.plane[cutter].on : app->slices.knife.on;
}

void app_move_cutter(struct app *app, int step)
{
    int cutter = app->cutter;
    for (int i = 0; i <= SLICE_AXES && !is_on(app, cutter); i++) cutter = i;
    if (!is_on(app, cutter)) {
        app_notice(app, "there is no slice and no cut to move: 2, 4, 6 and K switch them on");
        return;
    }
    if (cutter == SLICE_AXES) {
        slices_move_knife(&app->slices, step);
        app_log(app, "knife at %.6g", app->slices.knife.offset);
        app_mark_scene(app);
        return;
    }
    const double index = (double)app->slices.plane[cutter].index + step;
    app_set_slice(app, cutter, index > 0 ? (size_t)index : 0);
}
