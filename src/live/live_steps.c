/* Which step is next, who does it, and when; smoothing and counting. */
#include "live_parts.h"

#include <math.h>
#include <string.h>

/* ---- what is missing ----------------------------------------------------------------------------------------------- */

static bool is_due(const struct live_need *need) { return need->done != need->wanted && need->tried != need->wanted; }

static bool misses_smoothing(const struct live *live, const struct live_wish *wish)
{
    if (!live->volume.grid.voxels) return false;
    return wish->sigma != live->sigma || (wish->sigma > 0 && is_due(&live->smoothing));
}

bool live_steps_replace_voxels(const struct live *live, const struct live_wish *wish)
{
    return misses_smoothing(live, wish) || live->upload_again;
}

static bool misses_stats(const struct live *live) { return live->volume.grid.voxels && is_due(&live->counting); }

bool live_steps_miss(const struct live *live, const struct live_wish *wish, unsigned surface)
{
    const struct live_surface *s = &live->surface[surface];
    const struct live_cut wanted = live_surface_wanted(live, wish, surface);
    if (!live->volume.grid.voxels || isnan(wanted.value)) return false;
    return misses_smoothing(live, wish) || (!live_surface_is(s->made, wanted) && !live_surface_is(s->tried, wanted));
}

bool live_steps_are_due(const struct live *live, const struct live_wish *wish)
{
    const bool whole = live->refine && live->work.task != LIVE_LOAD;
    bool due = wish->opens != live->opened || whole || wish->backend != live->iso.exec.backend ||
               misses_smoothing(live, wish) || misses_stats(live);
    for (unsigned i = 0; i < LIVE_SURFACES; i++) due = due || live_steps_miss(live, wish, i);
    return due;
}

bool live_steps_are_slow(const struct live *live, const struct live_surface *s)
{
    const struct live_limits *limits = &live->host.limits;
    const bool making = live->work.task == LIVE_SURFACE || live->work.task == LIVE_SMOOTH;
    const struct live_wish *wish = live->wish ? live->wish : &live->seen;
    if (!live->coarse.level.step || wish->full) return false;
    if (s->full_ms + wish->draw_ms > limits->slow_ms) return true;
    return making && live_now(live) >= live->work.since + limits->rest_ms; /* as in live_steps_deadline */
}

static bool any_is_slow(const struct live *live)
{
    bool slow = false;
    for (int i = 0; i < LIVE_SURFACES; i++) slow = slow || live_steps_are_slow(live, &live->surface[i]);
    return slow;
}

void live_steps_renew(struct live *live)
{
    live->grid = live->iso.grid;
    live->sigma = live->iso.sigma;
    live->grid_epoch++;
    live->epoch++;
    live->counting.wanted++;
    live_reset_stages(live, STAGE_BRICKS);
    live->times.stage[AUX_REDUCE] = live->times.stage[AUX_HISTOGRAM] = (struct series){ 0 };
}

/* ---- the wish ------------------------------------------------------------------------------------------------------ */

/* Marks what must be done again because this stage has another rung. */
static void compare_rung(struct live *live, enum stage stage)
{
    live->times.stage[stage] = (struct series){ 0 };         /* times of another rung say nothing about this one */
    if (stage < STAGE_COUNT) live_reset_stages(live, stage); /* nor about the stages that use its results */
    if (stage < STAGE_COUNT) live->epoch++;
    if (stage == AUX_UPLOAD) live->upload_again = live->iso.exec.backend != BACKEND_CPU;
    if (stage == AUX_REDUCE || stage == AUX_HISTOGRAM || stage == AUX_LOWER_BOUND) live->counting.wanted++;
    if (stage == AUX_GAUSSIAN) live->smoothing.wanted++;
}

void live_steps_compare(struct live *live)
{
    const struct live_wish *wish = live->wish, *seen = &live->seen;
    bool moved = wish->sigma != seen->sigma, rungs = false, slow = any_is_slow(live);
    for (int i = 0; i < LIVE_SURFACES; i++)
        if (wish->use[i] != LIVE_OFF && (wish->value[i] != seen->value[i] || wish->use[i] != seen->use[i])) {
            live->surface[i].tried.epoch = 0; /* returning to a value is a new request */
            moved = true;
        }
    for (int s = 0; s < STAGE_ALL && wish->backend == seen->backend; s++)
        if (wish->rung[s] != seen->rung[s]) {
            compare_rung(live, (enum stage)s);
            rungs = true;
        }
    if (wish->sigma != seen->sigma) slow = slow || live->stage[AUX_GAUSSIAN].ms > live->host.limits.slow_ms;
    live_refined_compare(live);
    if (moved || rungs) live->due_at = live_now(live) + (slow ? live->host.limits.rest_ms : 0);
}

/* Gives the pipeline the rungs of the wish. The pipeline must not be lent. */
static void take_rungs(struct live *live)
{
    struct err err = { 0 };
    for (int s = 0; s < STAGE_ALL; s++) {
        if (live->wish->rung[s] == live->iso.rung[s]) continue;
        if (iso_set_rung(&live->iso, (enum stage)s, live->wish->rung[s]->name, &err)) {
            live_fail(live, &err);
            live->wish->rung[s] = live->iso.rung[s];
        }
    }
}

/* ---- tasks of the worker ------------------------------------------------------------------------------------------- */

union live_tasks *live_steps_task(struct live *live)
{
    memset(live->job, 0, sizeof *live->job);
    live->job->task.worker = &live->worker;
    live->job->task.host = &live->host;
    return live->job;
}

void live_steps_start(struct live *live, enum live_task task, bool lent, void (*run)(void *task))
{
    live->work.task = task;
    live->work.since = live_now(live);
    live->work.lent = lent;
    if (lent) {
        live->iso_bytes = iso_memory(&live->iso);
        live->iso.exec.cancel = &live->worker.cancel;
    }
    worker_start(&live->worker, run, live->job);
}

/* ---- smoothing ----------------------------------------------------------------------------------------------------- */

/* The volume keeps its old smoothing, or none if memory was short. */
static void keep_unsmoothed(struct live *live)
{
    live->wish->sigma = live->iso.sigma;
    live->smoothing.tried = live->smoothing.wanted;
    live_log(live, "smooth stays at sigma %g", (double)live->iso.sigma);
}

static void take_smooth(struct live *live, uint64_t epoch)
{
    live->smoothing.done = epoch;
    live_note(live);
    live_log(live, "smooth sigma %g: %s, %.2f ms", (double)live->iso.sigma, live->iso.rung[AUX_GAUSSIAN]->name,
             live->iso.sigma > 0 ? live->stage[AUX_GAUSSIAN].ms : 0);
    live_steps_renew(live);
}

static void fail_smooth(struct live *live, const struct err *err)
{
    if (err->cause == CAUSE_BACKEND && live_backend_leave(live, err)) return;
    live_fail(live, err);
    keep_unsmoothed(live);
    if (live->iso.sigma != live->sigma) live_steps_renew(live);
}

static void smooth_now(struct live *live)
{
    struct err err = { 0 };
    if (iso_smooth(&live->iso, live->wish->sigma, live->coarse.part, NULL, &err)) fail_smooth(live, &err);
    else take_smooth(live, live->smoothing.wanted);
}

static void begin_smooth(struct live *live)
{
    struct task_smooth *t = &live_steps_task(live)->smooth;
    t->iso = &live->iso;
    t->sigma = live->wish->sigma;
    memcpy(t->part, live->coarse.part, sizeof t->part);
    t->task.epoch = live->smoothing.wanted;
    live_steps_start(live, LIVE_SMOOTH, true, live_tasks_smooth);
}

static void finish_smooth(struct live *live, bool cancelled)
{
    struct task_smooth *t = &live->job->smooth;
    if (!cancelled && !t->task.err.code) {
        if (t->level.step && t->level.step == live->coarse.level.step)
            coarse_take_smoothed(&live->coarse, &t->level, t->sigma);
        coarse_drop(&t->level);
        take_smooth(live, t->task.epoch);
        return;
    }
    coarse_drop(&t->level);
    if (!cancelled) fail_smooth(live, &t->task.err);
    else if (live->iso.sigma != live->sigma || !t->task.err.code) live_steps_renew(live); /* too late, or for room */
}

/* ---- statistics ---------------------------------------------------------------------------------------------------- */

static void take_stats(struct live *live, const struct stats *stats, uint64_t epoch)
{
    struct err err = { 0 };
    const bool other = stats->real_min != live->stats.real_min || stats->real_max != live->stats.real_max;
    if (other) live->scene++; /* slices are coloured over this range */
    live->stats = *stats;
    live->counting.done = epoch;
    live_note(live);
    live->first_value = isnan(live->demo_value) ? stats->first_value : live->demo_value;
    for (int i = 0; i < LIVE_SURFACES; i++) {
        double *value = &live->wish->value[i];
        if (!isnan(*value) || live->wish->use[i] == LIVE_OFF) continue;
        *value = live->first_value;
        const double number = live->awaited[i];
        if (!isnan(number) && live_aux_isovalue(live, live->awaited_in[i], number, value, &err)) live_fail(live, &err);
    }
    live_log(live, "stats: %.9g to %.9g, first value %.9g, reduce %.2f ms, histogram %.2f ms", stats->real_min,
             stats->real_max, live->first_value, live->stage[AUX_REDUCE].ms, live->stage[AUX_HISTOGRAM].ms);
}

static void fail_stats(struct live *live, const struct err *err, uint64_t epoch)
{
    if (live_backend_find_way(live, err)) return;
    live_fail(live, err);
    live->counting.tried = epoch;
}

static void count_now(struct live *live)
{
    struct stats stats;
    struct err err = { 0 };
    if (stats_compute(&stats, &live->iso, &live->volume, &err)) fail_stats(live, &err, live->counting.wanted);
    else take_stats(live, &stats, live->counting.wanted);
}

static void begin_stats(struct live *live)
{
    struct task_stats *t = &live_steps_task(live)->stats;
    t->iso = &live->iso;
    t->volume = &live->volume;
    t->task.epoch = live->counting.wanted;
    live_steps_start(live, LIVE_STATS, true, live_tasks_stats);
}

static void finish_stats(struct live *live, bool cancelled)
{
    const struct task_stats *t = &live->job->stats;
    if (cancelled && live->counting.tried == live->counting.wanted) { /* not to be repeated */
        live->stats = (struct stats){ .bins = 0 };                    /* the old ones may be of another volume */
        live_log(live, "stats cancelled");
        live_notice(live, "counting the values was cancelled");
    } else if (!cancelled && t->task.err.code) fail_stats(live, &t->task.err, t->task.epoch);
    else if (!cancelled) take_stats(live, &t->stats, t->task.epoch);
}

/* ---- the worker's turn --------------------------------------------------------------------------------------------- */

static void take(struct live *live)
{
    static void (*const finish[])(
        struct live *, bool) = { [LIVE_LOAD] = live_load_finish,     [LIVE_SMOOTH] = finish_smooth,
                                 [LIVE_STATS] = finish_stats,        [LIVE_SURFACE] = live_surface_finish,
                                 [LIVE_EXPORT] = live_export_finish, [LIVE_COPY_RATE] = live_aux_finish_copy_rate,
                                 [LIVE_REFINE] = live_refined_finish };
    const enum live_task task = live->work.task;
    if (live->work.lent) {
        live->iso.exec.cancel = NULL;
        live_note(live);
    }
    live->work.lent = false;
    live->work.task = LIVE_IDLE;
    finish[task](live, worker_is_cancelled(&live->worker));
}

void live_steps_take(struct live *live)
{
    if (live->work.task != LIVE_IDLE && worker_take(&live->worker)) take(live);
}

void live_steps_stop(struct live *live)
{
    if (!live->work.lent) return;
    worker_cancel(&live->worker);
    worker_wait(&live->worker);
    live_steps_take(live);
}

/* Whether the worker's task has become useless. */
static bool is_useless(const struct live *live)
{
    const struct live_wish *wish = live->wish;
    const union live_tasks *job = live->job;
    const bool load = wish->opens != live->opened;
    struct live_cut cut;
    switch (live->work.task) {
    case LIVE_LOAD: return load;
    case LIVE_SMOOTH: return load || job->smooth.sigma != wish->sigma || job->task.epoch != live->smoothing.wanted;
    case LIVE_STATS: return load || misses_smoothing(live, wish) || job->task.epoch != live->counting.wanted;
    case LIVE_SURFACE:
        cut = (struct live_cut){ job->surface.real_value, job->task.epoch };
        if (load || misses_smoothing(live, wish) || misses_stats(live)) return true;
        if (wish->use[live->work.surface] != LIVE_SHOWN) return true;
        return !live_surface_is(cut, live_surface_wanted(live, wish, live->work.surface)) &&
               live_steps_are_slow(live, &live->surface[live->work.surface]);
    case LIVE_COPY_RATE: return live_steps_are_due(live, wish) || live_refined_is_due(live, wish);
    case LIVE_REFINE: return load || live->due_export || live_refined_is_useless(live);
    default: return false;
    }
}

void live_steps_cancel(struct live *live)
{
    if (is_useless(live)) worker_cancel(&live->worker);
}

/* SMOOTH and STATS. Returns whether one was done or begun. *waits: one is missing, but must wait. */
static bool prepare(struct live *live, bool *waits)
{
    const bool cpu = live->iso.exec.backend == BACKEND_CPU;
    take_rungs(live);
    if (live->upload_again) {
        live->upload_again = false;
        live_load_upload_again(live);
        return true;
    }
    if (misses_smoothing(live, live->wish)) {
        *waits = cpu && live->wish->held && live_now(live) < live->due_at;
        if (!*waits) (cpu ? begin_smooth : smooth_now)(live);
        return !*waits;
    }
    if (!misses_stats(live)) return false;
    (cpu ? begin_stats : count_now)(live);
    return true;
}

/* Makes or begins one full surface that is missing. */
static bool make_surface(struct live *live)
{
    const bool cpu = live->iso.exec.backend == BACKEND_CPU;
    for (unsigned i = 0; i < LIVE_SURFACES; i++) {
        if (!live_steps_miss(live, live->wish, i)) continue;
        if (live->wish->held && live_now(live) < live->due_at) continue;
        (cpu ? live_surface_begin : live_surface_make)(live, i);
        return true;
    }
    return false;
}

bool live_steps_next(struct live *live)
{
    const bool idle = live->work.task == LIVE_IDLE;
    const bool ready = idle || live->iso.exec.backend != BACKEND_CPU; /* no job needs the pipeline */
    bool waits = false;
    if (live->wish->backend != live->iso.exec.backend) {
        live_backend_follow(live);
        return true;
    }
    if (live->wish->opens != live->opened && idle) {
        live_load_begin(live);
        return true;
    }
    if (!live->volume.grid.voxels) return false;
    if (ready && prepare(live, &waits)) return true;
    if (live_aux_contours(live)) return true;
    if (!ready || waits) return false;
    if (make_surface(live)) return true;
    if (!idle) return false;
    if (live->refine) live_load_begin_whole(live);
    else if (live->due_export) live_export_begin(live);
    else return live_refined_begin(live);
    return true;
}

double live_steps_deadline(const struct live *live)
{
    const struct live_wish *wish = live->wish;
    const bool making = live->work.task == LIVE_SURFACE || live->work.task == LIVE_SMOOTH;
    const bool ready = live->work.task == LIVE_IDLE || live->iso.exec.backend != BACKEND_CPU;
    bool due = misses_smoothing(live, wish);
    double deadline = live_refined_deadline(live);
    for (unsigned i = 0; i < LIVE_SURFACES; i++) {
        if (!live_steps_miss(live, wish, i)) continue;
        due = true;
        const struct live_surface *s = &live->surface[i];
        const bool again = live_surface_is(s->again, live_surface_wanted(live, wish, i)); /* the old one is still shown */
        if (making && !again && !s->coarse_shown && live->coarse.level.step && !wish->full)
            deadline = fmin(deadline, live->work.since + live->host.limits.rest_ms);
    }
    return due && ready && wish->held ? fmin(deadline, live->due_at) : deadline;
}
