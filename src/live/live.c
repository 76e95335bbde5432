#include "live_parts.h"
#include "extent.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct live_limits live_limits = { .coarse_voxels = COARSE_VOXELS,
                                         .preview_bytes = (uint64_t)1 << 30,
                                         .thin_read = (uint64_t)8 << 30,
                                         .slow_ms = 50,
                                         .coarse_ms = 40,
                                         .rest_ms = 150,
                                         .turn_ms = 10,
                                         .sort_ms = 50,
                                         .filter_ms = 4 };

/* ---- messages ------------------------------------------------------------------------------------------------------ */

double live_now(const struct live *live) { return live->host.clock(live->host.context); }

static void tell(const struct live *live, enum live_kind kind, const char *format, va_list args)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    live->host.tell(live->host.context, kind, ERR_NONE, text);
}

void live_log(const struct live *live, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tell(live, LIVE_LOG, format, args);
    va_end(args);
}

void live_notice(const struct live *live, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tell(live, LIVE_NOTICE, format, args);
    va_end(args);
}

void live_warn(const struct live *live, const char *text) { live->host.tell(live->host.context, LIVE_WARNING, 0, text); }

void live_fail(const struct live *live, const struct err *err)
{
    char text[ERR_SENTENCE];
    live->host.tell(live->host.context, LIVE_ERROR, err->code, err_sentence(err, text));
}

/* ---- what has run -------------------------------------------------------------------------------------------------- */

void live_time(struct series *series, bool *cold, double ms)
{
    const bool first = !series->count;
    if (series->count == 1 && *cold) *series = (struct series){ 0 };
    *cold = first;
    series_add(series, ms);
}

/* A run may have been started before the rungs were changed. Its time is not one of the present rungs. */
void live_note(struct live *live)
{
    const struct live_wish *wish = live->wish ? live->wish : &live->seen;
    bool present = true; /* this rung and, for a stage, those of the stages before it */
    for (int s = 0; s < STAGE_ALL; s++) {
        present = (present || s >= STAGE_COUNT) && live->iso.rung[s] == wish->rung[s];
        if (live->iso.stage[s].runs == live->runs[s]) continue;
        live->stage[s] = live->iso.stage[s];
        live->runs[s] = live->stage[s].runs;
        if (present) live_time(&live->times.stage[s], &live->times.cold[s], live->stage[s].ms);
    }
}

void live_note_aux(struct live *live, enum stage side, const struct iso *iso)
{
    if (iso == &live->iso) {
        live_note(live);
        return;
    }
    live->stage[side] = iso->stage[side];
    live_time(&live->times.stage[side], &live->times.cold[side], iso->stage[side].ms);
}

void live_reset_stages(struct live *live, enum stage first)
{
    for (int s = first; s < STAGE_COUNT; s++) live->times.stage[s] = (struct series){ 0 };
    live->times.compute = (struct series){ 0 };
}

void live_reset_times(struct live *live)
{
    live->times = (struct live_times){ 0 };
    for (int i = 0; i < LIVE_SURFACES; i++) live->surface[i].full_ms = 0, live->surface[i].warm = false;
    for (int s = 0; s < STAGE_ALL; s++) {
        live->stage[s] = live->iso.stage[s];
        live->runs[s] = live->stage[s].runs;
    }
    live->runs[AUX_UPLOAD] = 0; /* an upload that has run before counts */
}

/* ---- the turn ------------------------------------------------------------------------------------------------------ */

static void end_turn(struct live *live)
{
    live->wish = NULL;
    if (!live->work.lent) live->iso_bytes = iso_memory(&live->iso);
}

void live_poll(struct live *live, struct live_wish *wish)
{
    bool again;
    live->wish = wish;
    live_surface_resolve_all(live); /* nobody has drawn them */
    if (live->failed.code && !live_backend_find_way(live, &live->failed)) live_fail(live, &live->failed);
    live->failed.code = ERR_NONE;
    live_steps_compare(live);
    live_steps_take(live);
    live_sorted_take(live);
    live_filtered_take(live);
    live_steps_cancel(live);
    live_surface_drop(live);
    for (unsigned i = 0; i < LIVE_SURFACES; i++) live_surface_show_coarse(live, i);
    do {
        again = false;
        while (live_steps_next(live)) {
        }
        for (unsigned i = 0; i < LIVE_SURFACES; i++) again = !live_surface_choose(live, i) || again;
        again = !live_merged_choose(live) || again;
    } while (again);
    live->deadline = live_steps_deadline(live);
    live->seen = *wish;
    end_turn(live);
}

bool live_resolve(struct live *live, struct live_wish *wish)
{
    bool again = false, any = false;
    live->wish = wish;
    for (unsigned i = 0; i < LIVE_SURFACES; i++) {
        if (!live->surface[i].mesh.queued) continue;
        any = true;
        again = live_surface_resolve(live, i) || again;
        live_surface_choose(live, i);
    }
    if (any) live_merged_choose(live);
    if (any && live_steps_are_due(live, wish)) live->deadline = live_now(live); /* it failed; try something else */
    end_turn(live); /* changes of the wish while the picture was drawn are left to the next poll */
    return again;
}

void live_cancel(struct live *live, struct live_wish *wish)
{
    struct live_surface *s = &live->surface[live->work.surface];
    if (live->due_export) { /* whatever is under way is not what was asked for last */
        live_export_drop(live);
        return;
    }
    if (live->work.task == LIVE_SURFACE) s->tried = live_surface_wanted(live, wish, live->work.surface);
    if (live->work.task == LIVE_STATS) live->counting.tried = live->counting.wanted;
    if (live->work.task == LIVE_SMOOTH) {
        live->smoothing.tried = live->smoothing.wanted;
        wish->sigma = live->sigma;
        live_log(live, "smooth stays at sigma %g", (double)wish->sigma);
    }
    if (live->work.task == LIVE_REFINE) live_refined_cancel(live);
    if (live->work.task != LIVE_IDLE) worker_cancel(&live->worker);
}

/* ---- what there is ------------------------------------------------------------------------------------------------- */

double live_progress(const struct live *live)
{
    const size_t *done = &live->job->smooth.done;
    const enum live_task task = live->work.task;
    if (task == LIVE_LOAD || task == LIVE_EXPORT || task == LIVE_REFINE) return worker_progress(&live->worker);
    if (task != LIVE_SMOOTH) return -1;
    return (double)__atomic_load_n(done, __ATOMIC_RELAXED) / (double)iso_smooth_work(&live->volume.grid);
}

bool live_is_uploading(const struct live *live)
{
    return live->work.task == LIVE_LOAD && __atomic_load_n(&live->job->load.uploading, __ATOMIC_RELAXED);
}

bool live_is_coming(const struct live *live, unsigned surface)
{
    const enum live_task task = live->work.task;
    return live_steps_miss(live, &live->seen, surface) || task == LIVE_SMOOTH || task == LIVE_STATS || task == LIVE_SURFACE;
}

bool live_any_is_coming(const struct live *live)
{
    bool coming = false;
    for (unsigned i = 0; i < LIVE_SURFACES; i++) coming = coming || live_is_coming(live, i);
    return coming;
}

bool live_is_idle(const struct live *live)
{
    const bool works = live->work.task != LIVE_IDLE && live->work.task != LIVE_COPY_RATE;
    return !works && !live->due_export && !live->sorting && !live->filtering && live->volume.grid.voxels &&
           !live_steps_are_due(live, &live->seen) && !live_refined_is_due(live, &live->seen);
}

/* In units of the pipeline that made the surface; the whole grid if there is no surface yet. */
static int find_box(struct live *live, const struct live_surface *s, double low[3], double high[3])
{
    if (s->coarse_shown) return iso_bounds_at(&live->coarse.iso, s->coarse.value, low, high, &live->failed);
    if (isnan(s->made.value)) return iso_bounds(&live->iso, low, high, &live->failed);
    return iso_bounds_at(&live->iso, volume_iso(&live->volume, s->made.value), low, high, &live->failed);
}

bool live_bounds(struct live *live, unsigned surface, double low[3], double high[3])
{
    const struct live_surface *s = &live->surface[surface];
    const double step = s->coarse_shown ? s->coarse.step : 1;
    if (!live->volume.grid.voxels || (!s->coarse_shown && s->mesh.queued)) return false;
    if (!s->coarse_shown && live->work.lent) {
        memcpy(low, s->low, sizeof s->low);
        memcpy(high, s->high, sizeof s->high);
        return s->boxed && s->made.epoch == live->epoch;
    }
    if (find_box(live, s, low, high)) {
        live->deadline = live_now(live);
        return false;
    }
    for (int a = 0; a < 3; a++) low[a] *= step, high[a] *= step;
    return true;
}

bool live_extent(const struct live *live, unsigned surface, const double low[3], const double high[3],
                 const double (*plane)[4], double *most, size_t planes)
{
    const struct grid *grid = &live->volume.grid; /* not the coarse level, which changes with the speed of drawing */
    const double value = live->wish ? live->wish->value[surface] : live->seen.value[surface];
    struct extent_of of = { .grid = grid, .pick = extent_pick(grid), .step = 1, .iso = volume_iso(&live->volume, value) };
    memcpy(of.low, low, sizeof of.low);
    memcpy(of.high, high, sizeof of.high);
    return grid->voxels && extent_most(&of, plane, most, planes);
}

uint64_t live_memory(const struct live *live)
{
    const struct grid *g = &live->volume.grid;
    const struct live_together *t = &live->together;
    uint64_t bytes = (uint64_t)grid_voxels(g) * voxel_bytes(g->type) + live->iso_bytes + coarse_bytes(&live->coarse);
    bytes += live->refined_bytes;
    bytes += merged_bytes(&t->merged) + merged_bytes(&t->merged_coarse) + t->sorted.bytes + t->sorted_coarse.bytes;
    for (int i = 0; i < LIVE_SURFACES; i++) {
        const struct live_surface *s = &live->surface[i];
        bytes += mesh_bytes(&s->mesh) + mesh_bytes(&s->spare) + mesh_bytes(&s->coarse.mesh) + s->filtered.bytes +
                 mesh_bytes(&s->refined.mesh) + mesh_bytes(&s->refined.spare) + mesh_bytes(&s->capped.mesh) +
                 mesh_bytes(&s->capped_coarse.mesh) + s->sorted.bytes + s->sorted_coarse.bytes;
    }
    return bytes;
}

void live_count(struct live *live)
{
    if (live->counting.done != live->counting.wanted) live->counting.tried = 0;
}

/* ---- start and end ------------------------------------------------------------------------------------------------- */

int live_open(struct live *live, const struct live_host *host, const struct setup *setup, struct live_wish *wish,
              struct err *err)
{
    memset(live, 0, sizeof *live);
    *wish = (struct live_wish){ .opens = 1, .open = *setup, .close = setup->close };
    wish->use[0] = LIVE_SHOWN;
    live->host = *host;
    live->setup = setup;
    live->wish = wish;
    live->first_value = live->demo_value = NAN;
    live->deadline = INFINITY;
    for (int i = 0; i < LIVE_SURFACES; i++) {
        wish->value[i] = NAN;
        live->surface[i].made = live->surface[i].tried = (struct live_cut){ NAN, 0 };
    }
    live->job = calloc(1, sizeof *live->job);
    int code = live->job ? ERR_NONE : err_set(err, ERR_FAILED, "not enough memory for the window's jobs");
    if (!code) code = coarse_open(&live->coarse, setup->threads, err);
    for (int i = 0; i < LIVE_SURFACES && !code; i++)
        mesh_open(&live->surface[i].coarse.mesh, host->target, &live->coarse.iso.exec);
    if (!code) code = live_backend_open(live, setup, err);
    if (!code) code = worker_open(&live->worker, host->executor, host->wake, host->context, err);
    live->seen = *wish;
    end_turn(live);
    if (code) live_close(live);
    return code;
}

void live_close(struct live *live)
{
    if (!live->setup) return;
    worker_close(&live->worker);
    live_sorted_stop(live);
    live_filtered_stop(live);
    worker_close(&live->sorter);
    if (live->work.task == LIVE_LOAD) live_load_drop(&live->job->load);
    if (live->work.task == LIVE_SMOOTH) coarse_drop(&live->job->smooth.level);
    live_refined_drop(live);
    for (int i = 0; i < LIVE_SURFACES; i++) {
        live_surface_close(&live->surface[i]);
        live_capped_close(&live->surface[i]);
        slice_drop(&live->contours[i]);
        mesh_close(&live->surface[i].coarse.mesh);
    }
    coarse_close(&live->coarse);
    iso_close(&live->iso);
    volume_free(&live->volume);
    free(live->job);
    memset(live, 0, sizeof *live);
}
