#include "app_steps.h"

#include <GLFW/glfw3.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SLOW_MS 50.0  /* a full surface that takes longer, made and drawn, does not follow the hand */
#define REST_MS 150.0 /* a value that was not moved for so long is worth a full surface; so long is one waited for */

bool steps_are_slow(const struct app *app)
{
    if (!app->coarse.level.step) return false;
    if (app->full_ms + series_last(&app->times.draw) > SLOW_MS) return true;
    return (app->work == STALE_ISO || app->work == STALE_SMOOTH) && timing_ms() - app->work_since > REST_MS;
}

/* What went wrong in a step, unless there is another way to do it. */
static void fail_step(struct app *app, const struct err *err)
{
    if (app_find_other_way(app, err)) app_mark(app, STALE_STATS);
    else app_fail(app, err);
}

/* ---- the coarse surface ---------------------------------------------------------------------------------------- */

static void show_coarse(struct app *app)
{
    struct err err = { 0 };
    const double start = timing_ms();
    if (coarse_update(&app->coarse, volume_iso(&app->volume, app->value), app->sigma, &err)) {
        app_log(app, "no coarse surface: %s", err.text);
        app->coarse_shown = false;
        return;
    }
    app->coarse_shown = true;
    app->empty[0] = '\0';
    app_log(app, "coarse 1/%u at %.9g: %" PRIu64 " triangles, sigma %g, compute %.2f ms", app->coarse.level.step,
            app->value, app->coarse.mesh.triangles, (double)app->sigma, timing_ms() - start);
    app_mark(app, STALE_DRAW);
}

void steps_note(struct app *app)
{
    for (int s = 0; s < STAGE_ALL; s++)
        if (app->iso.stage[s].runs != app->times.runs[s]) {
            series_add(&app->times.stage[s], app->iso.stage[s].ms);
            app->times.runs[s] = app->iso.stage[s].runs;
        }
}

/* ---- loading --------------------------------------------------------------------------------------------------- */

void steps_start(struct app *app, enum stale step, void (*run)(void *job))
{
    app->work = step;
    app->work_since = timing_ms();
    app->lent = app->job.iso.ops != NULL;
    worker_start(&app->worker, run, &app->job);
}

static void begin_load(struct app *app)
{
    struct job *job = &app->job;
    *job = (struct job){ .worker = &app->worker, .setup = *app->setup };
    snprintf(job->path, sizeof job->path, "%s", app->path);
    job->setup.file = job->path[0] ? job->path : NULL;
    if (app->dropped) job->setup.load = (struct load_desc){ 0 };
    job->backend = app->iso.exec.backend;
    job->device = app->iso.exec.device;
    job->rung = app->iso.rung[AUX_UPLOAD]->name;
    steps_start(app, STALE_LOAD, job_load);
}

/* Hands the volume to the backend; where that cannot take it and was not asked for by name, to the CPU. */
static int place_volume(struct app *app, const struct volume *volume, struct err *err)
{
    const int code = iso_set_volume(&app->iso, &volume->grid, err);
    if (!code || !app_leave_cuda(app, err)) return code;
    return iso_set_volume(&app->iso, &volume->grid, err);
}

static void set_first_view(struct app *app)
{
    const struct view_options *options = app->options;
    app->camera.up = app->dropped ? UP_Z : options->up;
    camera_set_volume(&app->camera, &app->volume);
    if (options->view_given && !app->dropped) camera_look(&app->camera, options->azimuth, options->elevation);
    else camera_look(&app->camera, CAMERA_AZIMUTH, CAMERA_ELEVATION);
    app->fit = true;
    app->drag = DRAG_NONE;
}

static void log_upload(struct app *app)
{
    const struct stage_stats *upload = &app->iso.stage[AUX_UPLOAD];
    steps_note(app);
    if (upload->runs)
        app_log(app, "upload %s: %.1f MB, %.2f ms", app->iso.rung[AUX_UPLOAD]->name, 0.5e-6 * (double)upload->bytes,
                upload->ms);
}

/* In the middle, what was on stays on; or as the command line says. */
static void set_first_slices(struct app *app)
{
    struct err err = { 0 };
    slices_set_volume(&app->slices, &app->volume.grid);
    app->probe = (struct probe){ .shown = false };
    if (!app->dropped && slices_choose(&app->slices, app->options->slice_given, app->options->slice, &err))
        app_fail(app, &err);
}

/* Puts the new volume in place of the present one. */
static void replace_volume(struct app *app)
{
    struct job *job = &app->job;
    volume_free(&app->volume);
    app->volume = job->volume;
    job->volume = (struct volume){ .slope = 0 };
    app->mesh.vertices = app->mesh.triangles = 0; /* of the volume before */
    coarse_take(&app->coarse, &job->level);
    app->coarse_shown = app->scene_coarse = false;
    app->due[STALE_ISO] = false;
    app_reset_times(app);
    app->first_value = app->value = app->demo_value = job->demo_value;
    app->sigma = app->dropped ? 0 : (float)app->setup->smooth;
    if (app->setup->iso_given && !app->dropped) app->value = app->setup->iso_percent ? NAN : app->setup->iso;
    set_first_slices(app);
    set_first_view(app);

    char title[300];
    snprintf(title, sizeof title, "%s - isoscope", app->volume.name);
    glfwSetWindowTitle(app->gl.window, title);
    const struct grid *g = &app->volume.grid;
    app_log(app, "load %s: %zux%zux%zu %s, %.1f ms%s%s", app->volume.name, g->nx, g->ny, g->nz, voxel_type_name[g->type],
            job->ms, app->volume.note[0] ? ", " : "", app->volume.note);
    log_upload(app);
    app_mark(app, STALE_STATS);
}

/* The present volume stays if anything fails. */
static void finish_load(struct app *app, bool cancelled)
{
    struct job *job = &app->job;
    struct err err = job->err;
    const bool wanted = !err.code && !cancelled;
    const bool placed = wanted && (iso_take_volume(&app->iso, &job->uploaded) || !place_volume(app, &job->volume, &err));
    iso_drop_volume(&job->uploaded); /* if it was not taken */
    if (placed) {
        replace_volume(app);
        return;
    }
    volume_free(&job->volume);
    coarse_drop(&job->level);
    app_mark(app, STALE_PANEL);
    if (app->due[STALE_LOAD]) return;               /* another file */
    if (!app->volume.grid.voxels) app->error = err; /* there is nothing to show it over: app_init answers with it */
    else if (cancelled) app_notice(app, "loading was cancelled");
    else app_fail(app, &err);
}

/* ---- lending the pipeline -------------------------------------------------------------------------------------- */

/* Until the job is taken back the pipeline's buffers belong to it; what remains here tells of the surface before, and
 * takes new choices of rungs. */
void steps_lend(struct app *app)
{
    app->job = (struct job){ .worker = &app->worker, .iso = app->iso };
    app->job.iso.exec.cancel = &app->worker.cancel;
}

static void take_back(struct app *app)
{
    struct err unused;
    struct iso *iso = &app->job.iso;
    iso->exec.cancel = NULL;
    for (int s = 0; s < STAGE_ALL; s++) {
        iso_set_rung(iso, (enum stage)s, app->iso.rung[s]->name, &unused);
        if (app->iso.stage[s].runs > iso->stage[s].runs) iso->stage[s] = app->iso.stage[s]; /* ran here meanwhile */
    }
    app->iso = *iso;
    app->lent = false;
}

/* ---- smoothing ------------------------------------------------------------------------------------------------- */

/* The volume is there as it was, mostly; the surface too, but for one that was coarse. */
static void keep_unsmoothed(struct app *app)
{
    app->sigma = app->iso.sigma;
    app_log(app, "smooth stays at sigma %g", (double)app->sigma);
    app_mark(app, app->iso.bricks_stale ? STALE_STATS : app->coarse_shown ? STALE_ISO : STALE_PANEL);
}

static void fail_smooth(struct app *app, const struct err *err)
{
    if (err->cause == CAUSE_BACKEND && app_leave_cuda(app, err)) {
        app_mark(app, STALE_SMOOTH);
        return;
    }
    app_fail(app, err);
    keep_unsmoothed(app);
}

static void take_smooth(struct app *app)
{
    steps_note(app);
    app->slices.rung = NULL; /* its contours are of the volume before */
    app_log(app, "smooth sigma %g: %s, %.2f ms", (double)app->iso.sigma, app->iso.rung[AUX_GAUSSIAN]->name,
            app->iso.sigma > 0 ? app->iso.stage[AUX_GAUSSIAN].ms : 0);
}

static void begin_smooth(struct app *app)
{
    if (app->iso.exec.backend != BACKEND_CPU) { /* it has changed meanwhile */
        app_mark(app, STALE_SMOOTH);
        return;
    }
    steps_lend(app);
    app->job.sigma = app->sigma;
    steps_start(app, STALE_SMOOTH, job_smooth);
}

static void finish_smooth(struct app *app, bool cancelled)
{
    struct job *job = &app->job;
    if (cancelled || job->err.code) {
        coarse_drop(&job->level);
        if (cancelled && !app->given_up) app->due[STALE_SMOOTH] = true;
        else if (cancelled) keep_unsmoothed(app);
        else fail_smooth(app, &job->err);
        return;
    }
    if (job->level.step) coarse_take_smoothed(&app->coarse, &job->level, job->sigma);
    take_smooth(app);
    app->due[STALE_ISO] = false; /* after STATS */
    app_mark(app, STALE_STATS);
}

/* ---- statistics ------------------------------------------------------------------------------------------------ */

static void begin_stats(struct app *app)
{
    steps_lend(app);
    app->job.of = &app->volume;
    steps_start(app, STALE_STATS, job_stats);
}

static void take_stats(struct app *app, const struct stats *stats)
{
    app->stats = *stats;
    steps_note(app);
    app->first_value = isnan(app->demo_value) ? app->stats.first_value : app->demo_value;
    if (isnan(app->value)) {
        app->value = app->first_value;
        if (app->setup->iso_percent && !app->dropped) app_set_percent(app, app->setup->iso);
    }
    app_log(app, "stats: %.9g to %.9g, first value %.9g, reduce %.2f ms, histogram %.2f ms", app->stats.real_min,
            app->stats.real_max, app->first_value, app->iso.stage[AUX_REDUCE].ms, app->iso.stage[AUX_HISTOGRAM].ms);
}

static void finish_stats(struct app *app, bool cancelled)
{
    if (cancelled && !app->given_up) return;
    if (cancelled) {
        app->stats = (struct stats){ .bins = 0 }; /* they may be of the volume before */
        app_log(app, "stats cancelled");
        app_notice(app, "counting the values was cancelled; A counts them again");
        app_mark(app, STALE_DRAW); /* without a surface of the volume before */
    } else if (app->job.err.code) fail_step(app, &app->job.err);
    else take_stats(app, &app->job.stats);
    if (!isnan(app->value)) app_mark(app, STALE_ISO);
}

/* ---- the full surface ------------------------------------------------------------------------------------------ */

/* The mesh is there: what the panel says of it. iso: with the rungs that made it. */
static void take_surface(struct app *app, const struct iso *iso, double value, double compute, double map)
{
    app->empty[0] = '\0';
    app->coarse_shown = false;
    if (!iso->counts.triangles) setup_explain_empty(app->empty, sizeof app->empty, &app->volume, &app->stats, value);
    if (app->times.compute.count) app->full_ms = compute; /* the first has the bricks to make, and cold caches */
    series_add(&app->times.map, map);
    series_add(&app->times.compute, compute);
    steps_note(app);
    char rungs[256];
    for (int s = 0, used = 0; s < STAGE_COUNT; s++)
        used += snprintf(rungs + used, sizeof rungs - (size_t)used, " %s=%s", stage_name[s], iso->rung[s]->name);
    app_log(app, "iso %.9g: %" PRIu64 " triangles, %" PRIu64 " vertices, compute %.2f ms, map %.2f ms, backend %s, rungs%s",
            value, iso->counts.triangles, iso->counts.vertices, compute, map, iso->ops->name, rungs);
}

/* On CUDA, which is quick. Staged, until room for the new surface is there, an error leaves the old one. */
static void make_surface(struct app *app)
{
    struct err err = { 0 };
    const double before = timing_ms();
    app->queued_value = app->value;
    if (surface_begin(&app->mesh, &app->iso, volume_iso(&app->volume, app->value), &app->work_map, &err)) {
        fail_step(app, &err);
        return;
    }
    app->work_ms = timing_ms() - before - app->work_map;
    if (!app->mesh.queued) take_surface(app, &app->iso, app->value, app->work_ms, app->work_map);
    else if (app->fit || app->translucent) steps_settle(app); /* the camera, or the sort, needs to know it first */
    app_mark(app, STALE_DRAW);
}

bool steps_settle(struct app *app)
{
    struct err err = { 0 };
    bool again;
    double map;
    if (!app->mesh.queued) return false;
    const double before = timing_ms();
    if (surface_end(&app->mesh, &app->iso, volume_iso(&app->volume, app->queued_value), &again, &map, &err)) {
        fail_step(app, &err);
        return true;
    }
    take_surface(app, &app->iso, app->queued_value, app->work_ms + timing_ms() - before - map, app->work_map + map);
    return again;
}

/* The worker writes to a mesh that is not drawn, in OpenGL's memory, which stays mapped until it has ended. */
static void start_surface(struct app *app)
{
    struct job *job = &app->job;
    struct err err = { 0 };
    const double before = timing_ms();
    app->spare_mapped = app->spare.bytes[MESH_VERTICES] > 0;
    if (app->spare_mapped && mesh_map(&app->spare, &job->out, &err)) {
        app->spare_mapped = false;
        fail_step(app, &err);
        return;
    }
    app->work_map += timing_ms() - before;
    steps_start(app, STALE_ISO, job_surface);
}

static void begin_surface(struct app *app)
{
    if (app->iso.exec.backend != BACKEND_CPU) {
        make_surface(app);
        return;
    }
    steps_lend(app);
    app->job.real_value = app->value;
    app->job.value = volume_iso(&app->volume, app->value);
    app->work_map = 0;
    start_surface(app);
}

static int unmap_spare(struct app *app, bool written, struct err *err)
{
    const struct iso_counts *counts = &app->job.iso.counts;
    const double before = timing_ms();
    if (!app->spare_mapped) return ERR_NONE;
    app->spare_mapped = false;
    const int code = mesh_unmap(&app->spare, written ? counts->vertices : 0, written ? counts->triangles : 0, err);
    app->work_map += timing_ms() - before;
    return code;
}

/* The same value again, with as much room as it was found to need. */
static void start_again(struct app *app)
{
    struct job *job = &app->job;
    struct err err = { 0 };
    const double since = app->work_since, before = timing_ms();
    if (mesh_reserve(&app->spare, app->iso.counts.vertices, app->iso.counts.triangles, &err)) {
        fail_step(app, &err);
        return;
    }
    app->work_map += timing_ms() - before;
    job->iso = app->iso;
    job->iso.exec.cancel = &app->worker.cancel;
    job->counted = app->iso.counted; /* not if another rung was chosen meanwhile */
    start_surface(app);
    app->work_since = since;
}

static void finish_surface(struct app *app, bool cancelled)
{
    struct job *job = &app->job;
    struct err err = job->err;
    const bool written = !cancelled && !err.code && job->fits;
    const int unmapped = unmap_spare(app, written, written ? &err : NULL);
    if (cancelled) {
        if (!app->given_up) app->due[STALE_ISO] = true;
        app->full_ms = fmax(app->full_ms, timing_ms() - app->work_since); /* at least */
        app_mark(app, STALE_PANEL);
        app_log(app, "surface cancelled after %.1f ms", timing_ms() - app->work_since);
    } else if (err.code || (written && unmapped)) fail_step(app, &err);
    else if (!job->fits) start_again(app);
    else {
        const struct mesh old = app->mesh;
        app->mesh = app->spare;
        app->spare = old;
        take_surface(app, &job->iso, job->real_value, job->ms, app->work_map);
        app_mark(app, STALE_DRAW);
    }
}

/* ---- who does what, and when ----------------------------------------------------------------------------------- */

static void begin_due(struct app *app)
{
    static void (*const begin[])(struct app *) = { begin_load, begin_smooth, begin_stats, begin_surface };
    for (enum stale step = STALE_LOAD; step <= STALE_ISO && app->work == STALE_NOTHING; step++) {
        if (!app->due[step]) continue;
        if ((step == STALE_ISO || step == STALE_SMOOTH) && app->held && timing_ms() < app->due_at) return;
        app->due[step] = app->given_up = false;
        begin[step](app);
    }
    if (app->work == STALE_NOTHING && app->due_export) export_begin(app);
}

/* A step for the worker. What it does now is stopped if it is made vain; but where full surfaces follow the hand, the one
 * in work is let be, or under a hand that does not rest there would never be one. */
static void want(struct app *app, enum stale step)
{
    const bool slow = steps_are_slow(app) || (step == STALE_SMOOTH && app->iso.stage[AUX_GAUSSIAN].ms > SLOW_MS);
    app->due[step] = true;
    if (step == STALE_ISO || step == STALE_SMOOTH) {
        if (slow && app->coarse.level.step && !isnan(app->value)) show_coarse(app);
        app->due_at = timing_ms() + (slow ? REST_MS : 0);
    }
    if (app->work < STALE_NOTHING && app->work >= step && (step < STALE_ISO || slow)) worker_cancel(&app->worker);
}

/* SMOOTH and STATS, as far as they are asked for, on CUDA, which is quick. What is next; STALE_NOTHING: one has failed. */
static enum stale do_at_once(struct app *app, enum stale step)
{
    struct stats stats;
    struct err err = { 0 };
    if (step == STALE_SMOOTH) {
        if (iso_smooth(&app->iso, app->sigma, NULL, &err)) {
            fail_smooth(app, &err);
            return STALE_NOTHING;
        }
        take_smooth(app);
    }
    if (step <= STALE_STATS) {
        if (stats_compute(&stats, &app->iso, &app->volume, &err)) fail_step(app, &err);
        else take_stats(app, &stats);
    }
    return isnan(app->value) ? STALE_NOTHING : STALE_ISO;
}

/* By another rung. Whether that failed; then the volume is there as it was. */
static bool upload_again(struct app *app)
{
    struct err err = { 0 };
    app->upload_again = false;
    if (app->iso.exec.backend == BACKEND_CPU) return false;
    if (!place_volume(app, &app->volume, &err)) log_upload(app);
    else app_fail(app, &err);
    return err.code != ERR_NONE;
}

void steps_do(struct app *app, enum stale step)
{
    if (step > STALE_LOAD && !app->volume.grid.voxels) return;
    if (app->upload_again && upload_again(app)) return;
    if (step == STALE_ISO && isnan(app->value)) step = STALE_STATS; /* they failed before */
    if (step <= STALE_ISO && step > STALE_LOAD && app->iso.sigma != app->sigma && app->work != STALE_SMOOTH)
        step = STALE_SMOOTH; /* another volume or backend */
    if (step > STALE_LOAD && app->iso.exec.backend != BACKEND_CPU) step = do_at_once(app, step);
    if (step == STALE_NOTHING) return;
    if (step == STALE_ISO && app->iso.exec.backend != BACKEND_CPU && !steps_are_slow(app)) make_surface(app);
    else want(app, step);
    begin_due(app);
}

static void take(struct app *app)
{
    static void (*const finish[])(struct app *, bool) = { finish_load, finish_smooth, finish_stats, finish_surface };
    const enum stale step = app->work;
    if (step != STALE_NOTHING && worker_take(&app->worker)) {
        if (app->lent) take_back(app);
        app->work = STALE_NOTHING;
        (step == WORK_EXPORT ? export_finish : finish[step])(app, worker_is_cancelled(&app->worker));
    }
}

void steps_take(struct app *app)
{
    take(app);
    begin_due(app);
    if ((app->work == STALE_ISO || app->work == STALE_SMOOTH) && !app->coarse_shown && !isnan(app->value) &&
        steps_are_slow(app))
        show_coarse(app);
}

void steps_stop(struct app *app)
{
    if (!app->lent) return;
    worker_cancel(&app->worker);
    worker_wait(&app->worker);
    take(app);
}

double steps_next(const struct app *app)
{
    const bool made = app->work == STALE_ISO || app->work == STALE_SMOOTH;
    if (made && !app->coarse_shown && app->coarse.level.step) return app->work_since + REST_MS;
    if (app->work == STALE_NOTHING && (app->due[STALE_ISO] || app->due[STALE_SMOOTH])) return app->held ? app->due_at : 0;
    return INFINITY;
}
