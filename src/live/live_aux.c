/* Ops that no surface waits for: contours on slices, percentiles, and the copy rate of the memory.
 *
 * They run on the pipeline. While that is lent, which happens only on the CPU, they run on the coarse surface's
 * pipeline, which is the CPU's too. They use the same rung there, but one thread: the worker's threads have the cores,
 * and waiting for a turn can take 100 ms. Such work must be small, because it runs on the caller's thread. */
#include "live_parts.h"

#include <inttypes.h>
#include <math.h>

/* Gives the pipeline to use. *runs: how often it has run this op so far. */
static struct iso *begin(struct live *live, enum stage side, uint64_t *runs)
{
    const struct live_wish *wish = live->wish ? live->wish : &live->seen;
    struct iso *iso = live->work.lent ? &live->coarse.iso : &live->iso;
    *runs = iso->stage[side].runs;
    if (!live->work.lent) return iso;
    iso->rung[side] = wish->rung[side];
    iso->exec.threads = 1;
    return iso;
}

/* Ends the use of what begin() gave. */
static void give_back(struct live *live, struct iso *iso)
{
    if (iso != &live->iso) iso->exec.threads = live->iso.exec.threads;
}

/* The same, and takes over the time if the op has run. */
static void end(struct live *live, enum stage side, struct iso *iso, uint64_t runs)
{
    give_back(live, iso);
    if (iso->stage[side].runs != runs) live_note_aux(live, side, iso);
}

/* ---- slices -------------------------------------------------------------------------------------------------------- */

/* Changes to the CPU if the GPU is lost. If memory is short, slices are switched off, but the surface stays. */
static void lose_slices(struct live *live, const struct err *err)
{
    struct err off;
    err_set(&off, err->code, "%.900s; slices are switched off", err->text);
    if (live->iso.exec.backend != BACKEND_CUDA || !iso_is_lost(&live->iso) || !live_backend_leave(live, err))
        live_fail(live, &off);
    for (int a = 0; a < SLICE_AXES; a++) live->wish->slice_on[a] = false;
    live->wish->switched_off = true;
    live_log(live, "slices off");
}

static uint64_t segments_shown(const struct live *live, unsigned surface, int axis)
{
    return live->wish->slice_on[axis] ? live->contours[surface].contour[axis].count : 0;
}

/* Finds the planes that need contours. False: none. */
static bool find_planes(const struct live *live, struct slice_wish *slices)
{
    const struct live_wish *wish = live->wish;
    size_t dims[SLICE_AXES];
    bool any = false;
    slice_dims(&live->volume.grid, dims);
    for (int a = 0; a < SLICE_AXES; a++) {
        slices->index[a] = wish->slice[a];
        slices->on[a] = wish->slice_on[a] && wish->slice[a] < dims[a];
        any = any || slices->on[a];
    }
    return any;
}

/* Makes the contours of one surface. Returns whether any were missing. While the job replaces the smoothed voxels, missing
 * ones are made from the original. These get an epoch of their own, so that they are made again if the job is given up. */
static bool make_contours(struct live *live, unsigned surface, struct slice_wish *slices)
{
    const double value = live->wish->value[surface];
    const bool smooths = live->work.task == LIVE_SMOOTH;
    const uint64_t epoch = live->grid_epoch, original = ~epoch;
    struct slice_set *set = &live->contours[surface];
    struct err err = { 0 };
    uint64_t runs;
    bool made;
    if (live->wish->use[surface] != LIVE_SHOWN || isnan(value)) return false;
    slices->value = volume_iso(&live->volume, value);
    slices->epoch = smooths && set->epoch == original ? original : epoch;
    struct iso *iso = begin(live, AUX_MARCHING_SQUARES, &runs);
    const int code = slice_follow(set, iso, smooths ? &live->volume.grid : &live->grid, slices, &made, &err);
    if (code || !made) {
        give_back(live, iso);
        if (code) lose_slices(live, &err);
        return code != ERR_NONE;
    }
    if (smooths) set->epoch = original;
    end(live, AUX_MARCHING_SQUARES, iso, runs);
    live->contours_version++;
    live_log(live, "slices: %" PRIu64 " %" PRIu64 " %" PRIu64 " segments at %.9g, marching_squares=%s %.2f ms",
             segments_shown(live, surface, 0), segments_shown(live, surface, 1), segments_shown(live, surface, 2), value,
             iso->rung[AUX_MARCHING_SQUARES]->name, iso->stage[AUX_MARCHING_SQUARES].ms);
    return true;
}

bool live_aux_contours(struct live *live)
{
    struct slice_wish slices;
    bool any = false;
    for (unsigned i = 0; i < LIVE_SURFACES && !any; i++)
        any = find_planes(live, &slices) && make_contours(live, i, &slices);
    return any;
}

/* ---- percentiles --------------------------------------------------------------------------------------------------- */

int live_aux_isovalue(struct live *live, enum isovalue kind, double number, double *value, struct err *err)
{
    if (kind != ISOVALUE_PERCENT) return stats_isovalue(&live->stats, NULL, &live->volume, kind, number, value, err);
    uint64_t runs;
    struct iso *iso = begin(live, AUX_LOWER_BOUND, &runs);
    const int code = stats_isovalue(&live->stats, iso, &live->volume, kind, number, value, err);
    end(live, AUX_LOWER_BOUND, iso, runs);
    return code;
}

void live_aux_await(struct live *live, unsigned surface, enum isovalue kind, double number)
{
    live->awaited[surface] = number;
    live->awaited_in[surface] = kind;
}

int live_aux_step(struct live *live, double step, double *value, struct err *err)
{
    uint64_t runs;
    struct iso *iso = begin(live, AUX_LOWER_BOUND, &runs);
    const int code = stats_step(&live->stats, iso, &live->volume, step, value, err);
    end(live, AUX_LOWER_BOUND, iso, runs);
    if (code) return code;
    live_log(live, "percent %.4f below %.9g, search=%s %.3f ms",
             100 * stats_part_below(&live->stats, &live->volume, *value), *value, iso->rung[AUX_LOWER_BOUND]->name,
             iso->stage[AUX_LOWER_BOUND].ms);
    return ERR_NONE;
}

/* ---- the yardstick ------------------------------------------------------------------------------------------------- */

static void take_copy_rate(struct live *live, double rate, const struct err *err)
{
    live->copy_rate = err->code ? 0 : rate;
    if (err->code && iso_is_lost(&live->iso)) live->failed = *err;
    live_log(live, "copy rate %.2f GB/s", live->copy_rate);
}

void live_aux_copy_rate(struct live *live)
{
    struct err err = { 0 };
    double rate = 0;
    live->copy_rate_tried = true;
    if (live->iso.exec.backend == BACKEND_CPU) {
        live_steps_task(live)->copy_rate.iso = &live->iso;
        live_steps_start(live, LIVE_COPY_RATE, true, live_tasks_copy_rate);
        return;
    }
    iso_copy_rate(&live->iso, &rate, &err);
    take_copy_rate(live, rate, &err);
}

void live_aux_finish_copy_rate(struct live *live, bool cancelled)
{
    const struct task_copy_rate *t = &live->job->copy_rate;
    if (cancelled) live->copy_rate_tried = false; /* to be tried again */
    else take_copy_rate(live, t->rate, &t->task.err);
}
