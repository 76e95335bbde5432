/* Slices and percentiles in the window: what keys and panel do to them, and the ops beside the pipeline that they need. */
#include "app_steps.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ---- a pipeline for the ops beside it ------------------------------------------------------------------------------- */

/* The window's own; while that is lent to the worker, which is on the CPU only, that of the coarse surface, which is the
 * CPU's too, with the same rung, but one thread: the worker's have the cores, and waiting for a turn can take 100 ms. What it
 * does must be small: it runs on this thread. */
static struct iso *side_begin(struct app *app, enum stage side)
{
    struct iso *other = &app->coarse.iso;
    if (!app->lent) return &app->iso;
    other->rung[side] = app->iso.rung[side];
    other->stage[side] = app->iso.stage[side];
    other->exec.threads = 1;
    return other;
}

static void side_end(struct app *app, enum stage side, struct iso *iso)
{
    iso->exec.threads = app->iso.exec.threads; /* on CUDA it is itself */
    app->iso.stage[side] = iso->stage[side];
    steps_note(app);
}

/* ---- slices -------------------------------------------------------------------------------------------------------- */

/* A lost GPU is left for the CPU; where there is too little memory, there are no slices, but the surface stays. */
static void lose_slices(struct app *app, const struct err *err)
{
    struct err off;
    err_set(&off, err->code, "%s; slices are switched off", err->text);
    if (app->iso.exec.backend == BACKEND_CUDA && iso_is_lost(&app->iso) && app_leave_cuda(app, err))
        app_mark(app, STALE_STATS);
    else app_fail(app, &off);
    app_log(app, "slices off");
}

static uint64_t segments_shown(const struct app *app, int axis)
{
    return app->slices.plane[axis].on ? app->slices.plane[axis].segments : 0;
}

void app_follow_slices(struct app *app)
{
    struct err err = { 0 };
    bool made;
    if (!slices_any(&app->slices) || app->mesh.queued) return;
    struct iso *iso = side_begin(app, AUX_MARCHING_SQUARES);
    const struct grid *host = &app->volume.grid; /* pictures are of the volume as it came, contours of what is smoothed, */
    const struct grid *grid = app->work == STALE_SMOOTH ? host : &app->iso.grid; /* unless the worker is exchanging it */
    const float value = isnan(app->value) ? NAN : volume_iso(&app->volume, app->value);
    app->slices.low = app->stats.lo, app->slices.high = app->stats.hi;
    const int code = slices_update(&app->slices, iso, grid, host, value, &made, &err);
    side_end(app, AUX_MARCHING_SQUARES, iso);
    if (code) lose_slices(app, &err);
    else if (made)
        app_log(app, "slices: %" PRIu64 " %" PRIu64 " %" PRIu64 " segments at %.9g, marching_squares=%s %.2f ms",
                segments_shown(app, 0), segments_shown(app, 1), segments_shown(app, 2), app->value,
                iso->rung[AUX_MARCHING_SQUARES]->name, iso->stage[AUX_MARCHING_SQUARES].ms);
}

double app_slice_place(const struct app *app, int axis)
{
    double voxel[3], at[3];
    int along = 0; /* the world's axis that the volume's is nearest to */
    for (int a = 0; a < 3; a++) {
        voxel[a] = a == axis ? (double)app->slices.plane[a].index : 0.5 * (double)(app->slices.dims[a] - 1);
        if (fabs(app->volume.direction[a][axis]) > fabs(app->volume.direction[along][axis])) along = a;
    }
    volume_to_world(&app->volume, voxel, at);
    return at[along];
}

static void say_slice(struct app *app, int axis)
{
    const struct slice_plane *plane = &app->slices.plane[axis];
    const char name = (char)('x' + axis);
    app_log(app, plane->on ? "slice %c on at %zu" : "slice %c off", name, plane->index);
    if (plane->on) app_notice(app, "slice %c: voxel %zu, at %.5g", name, plane->index, app_slice_place(app, axis));
    else app_notice(app, "slice %c: off", name);
    app_mark(app, STALE_DRAW);
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
    app_mark(app, STALE_DRAW); /* the full surface again */
}

void app_move_slices(struct app *app, int step)
{
    if (!slices_any(&app->slices)) app_notice(app, "no slice is on: 2, 4 and 6 switch those across x, y and z");
    for (int a = 0; a < SLICE_AXES; a++) {
        const struct slice_plane *plane = &app->slices.plane[a];
        const size_t down = step < 0 ? (size_t)-step : 0;
        if (plane->on)
            app_set_slice(app, a,
                          step < 0 ? plane->index - (down < plane->index ? down : plane->index)
                                   : plane->index + (size_t)step);
    }
}

/* ---- percentiles --------------------------------------------------------------------------------------------------- */

void app_step_percent(struct app *app, double percent)
{
    struct err err = { 0 };
    double value = app->value;
    struct iso *iso = side_begin(app, AUX_LOWER_BOUND);
    const int code = stats_step(&app->stats, iso, &app->volume, percent / 100, &value, &err);
    side_end(app, AUX_LOWER_BOUND, iso);
    if (code) {
        app_fail(app, &err);
        return;
    }
    const double below = 100 * stats_part_below(&app->stats, &app->volume, value);
    app_set_value(app, value);
    app_log(app, "percent %.4f below %.9g, search=%s %.3f ms", below, value, iso->rung[AUX_LOWER_BOUND]->name,
            iso->stage[AUX_LOWER_BOUND].ms);
    app_notice(app, "value %.6g: %.4g %% of the voxels are below", value, below);
}

void app_set_percent(struct app *app, double percent)
{
    struct err err = { 0 };
    double value = app->value;
    struct iso *iso = side_begin(app, AUX_LOWER_BOUND);
    const int code = stats_percentile(&app->stats, iso, &app->volume, percent / 100, &value, &err);
    side_end(app, AUX_LOWER_BOUND, iso);
    if (code) app_fail(app, &err);
    else app_set_value(app, value);
}
