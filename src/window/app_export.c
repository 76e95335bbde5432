/* The surface as a file, from the window: extracted and written by the worker; with CUDA extracted by this thread, which
 * alone may use it, and written by the worker. */
#include "app_steps.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

void app_export(struct app *app)
{
    if (app->due_export || app->work == WORK_EXPORT)
        app_notice(app, "one file at a time: wait for the first, or press Esc");
    else app->due_export = true;
    app_mark(app, STALE_PANEL);
}

static void say_empty(struct app *app)
{
    app_log(app, "export: no surface");
    app_notice(app, "there is no surface to write");
}

static void fail(struct app *app, const struct err *err)
{
    if (err->cause == CAUSE_BACKEND && app_leave_cuda(app, err)) app_mark(app, STALE_STATS);
    else app_fail(app, err);
}

void export_begin(struct app *app)
{
    struct job *job = &app->job;
    struct err err = { 0 };
    char value[40];
    app->due_export = false;
    if (!app->volume.grid.voxels || app->empty[0] || isnan(app->value)) {
        say_empty(app);
        return;
    }
    if (app->iso.exec.backend == BACKEND_CPU) steps_lend(app);
    else {
        *job = (struct job){ .worker = &app->worker, .made = true };
        if (export_make(&job->file, &app->iso, &app->volume, app->value, &err)) {
            fail(app, &err);
            return;
        }
    }
    job->of = &app->volume;
    job->real_value = app->value;
    snprintf(value, sizeof value, "_%.6g", app->value);
    app_free_name(app, job->path, value, export_formats[0].ending);
    steps_start(app, WORK_EXPORT, job_export);
}

void export_finish(struct app *app, bool cancelled)
{
    const struct export_file *e = &app->job.file;
    char folder[3072];
    app_mark(app, STALE_PANEL);
    steps_note(app);
    if (cancelled) app_notice(app, "the file was cancelled: nothing was written");
    else if (app->job.err.code) fail(app, &app->job.err);
    else if (!e->bytes) say_empty(app);
    else {
        app_log(app,
                "export %s: %" PRIu64 " triangles, %" PRIu64 " vertices, %" PRIu64 " bytes, make %.2f ms, gemm %.2f ms, "
                "write %.2f ms",
                app->job.path, e->triangles, e->vertices, e->bytes, e->make_ms, app->iso.stage[AUX_GEMM].ms, e->write_ms);
        app_notice(app, "wrote %s/%s (%.1f MB)%s%s", getcwd(folder, sizeof folder) ? folder : ".", app->job.path,
                   (double)e->bytes * 1e-6, e->note[0] ? "; " : "", e->note);
    }
}
