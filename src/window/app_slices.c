/* Slices in the window: actions of keys and panel, and what is drawn. */
#include "app_slices.h"
#include "app.h"
#include "app_value.h"

#include <math.h>
#include <string.h>

#define PLACE_GRAIN 1e-6 /* of a voxel; anything less is a rounding error */

/* Takes live's contours, in the colours of their surfaces. */
static int take_contours(struct app *app, struct err *err)
{
    int code = ERR_NONE;
    for (int i = 0; i < LIVE_SURFACES && !code; i++) {
        const bool shown = app->wish.use[i] == LIVE_SHOWN;
        code = slices_take(&app->slices, i, shown ? app->live.contours[i].contour : NULL, err);
    }
    return code;
}

static void colour_lines(struct app *app)
{
    for (int i = 0; i < LIVE_SURFACES; i++)
        slices_colour_line(&app->slices, i, app->look[i].coloured ? app->look[i].colour : NULL);
}

void app_follow_slices(struct app *app)
{
    struct err err = { 0 }, off;
    double window[2];
    app_window(app, window);
    colour_lines(app);
    slices_set_window(&app->slices, &app->live.volume, window);
    int code = app->contours == app->live.contours_version ? ERR_NONE : take_contours(app, &err);
    app->contours = app->live.contours_version;
    if (!code) code = slices_update(&app->slices, &app->live.volume.grid, &err);
    if (!code) return;
    err_set(&off, err.code, "%.900s; slices are switched off", err.text);
    app_fail(app, &off);
    app_log(app, "slices off");
}

void app_first_slices(struct app *app)
{
    const struct view_options *options = app->options;
    struct err err = { 0 };
    if (slices_choose(&app->slices, options->slice_given, options->slice, options->slice_cut, &err)) app_fail(app, &err);
    if (slices_choose_crop(&app->slices, options->crop_given, options->crop, &err)) app_fail(app, &err);
    if (options->knife_given) slices_choose_knife(&app->slices, options->knife);
    app->window_given = options->window_given;
    memcpy(app->window, options->window, sizeof app->window);
}

void app_set_map(struct app *app, int map)
{
    app->slices.map = map;
    app_log(app, "slice map %s", colour_maps[map].name);
    app_mark_scene(app);
}

void app_window(const struct app *app, double window[2])
{
    window[0] = app->window_given ? app->window[0] : app->live.stats.real_min;
    window[1] = app->window_given ? app->window[1] : app->live.stats.real_max;
}

void app_set_window(struct app *app, double low, double high)
{
    app->window_given = true;
    app->window[0] = low;
    app->window[1] = fmax(low, high);
    const int digits = app_value_digits(app);
    app_log(app, "slice window %.*g %.*g", digits, app->window[0], digits, app->window[1]);
    app_mark_scene(app);
}

void app_type_window(struct app *app, double low, double high)
{
    app->window_types = true;
    app->window_typed[0] = low, app->window_typed[1] = high;
}

void app_end_window(struct app *app, bool taken_back)
{
    const double low = app->window_typed[0], high = app->window_typed[1];
    if (app->window_types && !taken_back && low < high) app_set_window(app, low, high);
    else if (app->window_types && !taken_back) {
        const int digits = app_value_digits(app);
        app_log(app, "no slice window %.*g %.*g", digits, low, digits, high);
        app_notice(app, "colours from %.*g to %.*g: the first value must be below the second; change the other value first",
                   digits, low, digits, high);
    }
    app->window_types = false;
}

void app_reset_window(struct app *app)
{
    app->window_given = false;
    app_log(app, "slice window all");
    app_mark_scene(app);
}

/* Removes rounding errors, so that 0 is written as 0. */
static double place_of(const struct app *app, int axis, int along)
{
    const struct volume *v = &app->live.volume;
    const double index = (double)app->slices.plane[axis].index, spacing = volume_spacing(v, axis),
                 grain = spacing * PLACE_GRAIN;
    const double place = along < 0 ? spacing * index : v->origin[along] + v->direction[along][axis] * index;
    return grain > 0 ? round(place / grain) * grain + 0.0 : place;
}

double app_slice_place(const struct app *app, int axis, int *along)
{
    int axes[3];
    *along = volume_aligned(&app->live.volume, axes) ? axes[axis] : -1;
    return place_of(app, axis, *along);
}

size_t app_slice_voxel(const struct app *app, int axis)
{
    return slices_voxel(&app->slices, axis, app->slices.plane[axis].index);
}

static void say_slice(struct app *app, int axis)
{
    const struct slice_plane *plane = &app->slices.plane[axis];
    const char name = (char)('x' + axis), *const unit = app->live.volume.unit;
    int along;
    const double place = app_slice_place(app, axis, &along);
    const size_t voxel = app_slice_voxel(app, axis);
    app->cutter = axis;
    app_log(app, plane->on ? "slice %c on at %zu" : "slice %c off", name, voxel);
    if (!plane->on) app_notice(app, "slice %c: off", name);
    else if (along < 0)
        app_notice(app, "slice %c: voxel %zu, %.5g%s%s from voxel 0", name, voxel, place, *unit ? " " : "", unit);
    else
        app_notice(app, "slice %c: voxel %zu, at %c = %.*g%s%s", name, voxel, 'x' + along,
                   volume_digits(&app->live.volume, along, 5), place, *unit ? " " : "", unit);
    app_mark_scene(app);
}

void app_flip_slice(struct app *app, int axis)
{
    app->slices.plane[axis].on = !app->slices.plane[axis].on;
    say_slice(app, axis);
}

void app_set_slice(struct app *app, int axis, size_t index)
{
    const size_t last = app->slices.dims[axis] - 1;
    app->slices.plane[axis].index = index < last ? index : last;
    say_slice(app, axis);
}

void app_hold_slice(struct app *app, bool held)
{
    if (held == app->sliding) return;
    app->sliding = held;
    app_log(app, "slice %s", held ? "held" : "released");
    app_mark_scene(app); /* to draw the full surface again */
}

void app_move_slices(struct app *app, int step)
{
    if (!slices_any(&app->slices)) app_notice(app, "no slice is on: 2, 4 and 6 switch on the slices across x, y and z");
    for (int a = 0; a < SLICE_AXES; a++) {
        const struct slice_plane *plane = &app->slices.plane[a];
        const size_t down = step < 0 ? (size_t)-step : 0;
        if (plane->on)
            app_set_slice(app, a,
                          step < 0 ? plane->index - (down < plane->index ? down : plane->index)
                                   : plane->index + (size_t)step);
    }
}
