/* Who computes: opening, changing and leaving backends. */
#include "app_steps.h"

#include <stdio.h>
#include <string.h>

void app_reset_times(struct app *app)
{
    app->times = (struct app_times){ 0 };
    app->full_ms = 0;
    for (int s = 0; s < STAGE_ALL; s++) app->times.runs[s] = app->iso.stage[s].runs;
    app->times.runs[AUX_UPLOAD] = 0; /* the one that has run before */
}

int app_open_backend(struct app *app, const struct setup *setup, struct err *err)
{
    struct iso iso;
    char why[sizeof app->backend_why];
    const int device = setup->backend == CHOICE_CPU ? -1 : mesh_device();
    int code = setup_open_iso(&iso, setup, device, why, sizeof why, err);
    if (code) return code;
    if (app->volume.grid.voxels) code = iso_set_volume(&iso, &app->volume.grid, err);
    if (code) {
        iso_close(&iso);
        return code;
    }
    steps_stop(app);
    sorted_stop(app);
    mesh_close(&app->mesh);
    mesh_close(&app->spare);
    if (app->iso.ops) iso_close(&app->iso);
    app->iso = iso;
    memcpy(app->backend_why, why, sizeof why);
    mesh_open(&app->mesh, &app->iso.exec, app->options->staging);
    mesh_open(&app->spare, &app->iso.exec, app->options->staging);
    app_reset_times(app);
    app->copy_rate = 0;
    app->copy_rate_tried = false;
    app_log(app, "backend %s: %s", app->iso.ops->name, app->backend_why);
    return ERR_NONE;
}

static int switch_backend(struct app *app, enum backend_choice choice, struct err *err)
{
    struct setup setup = *app->setup;
    setup.backend = choice;
    memset(setup.rung, 0, sizeof setup.rung); /* each backend has rungs of its own */
    return app_open_backend(app, &setup, err);
}

void app_flip_backend(struct app *app)
{
    const enum backend_choice other = app->iso.exec.backend == BACKEND_CPU ? CHOICE_CUDA : CHOICE_CPU;
    char text[256];
    struct err err = { 0 };
    if (app->lent && app->work == WORK_EXPORT) app_notice(app, "a file is being written: wait for it, or press Esc");
    else if (other == CHOICE_CUDA && app->cuda_lost[0]) app_notice(app, "%s", app->cuda_lost);
    else if (other == CHOICE_CUDA && !backend_cuda.available(text, sizeof text)) app_notice(app, "no CUDA: %s", text);
    else if (switch_backend(app, other, &err)) app_fail(app, &err);
    else {
        app_notice(app, "computing with %s", app->backend_why);
        app_mark(app, STALE_STATS);
    }
}

/* Something that is no error, but should not go by unseen. */
static void say(struct app *app, const char *text)
{
    fprintf(stderr, "isoscope: %s\n", text);
    app_notice(app, "%s", text);
}

bool app_leave_cuda(struct app *app, const struct err *broken)
{
    struct err err = { 0 };
    if (app->iso.exec.backend != BACKEND_CUDA) return false;
    const bool lost = iso_is_lost(&app->iso), chosen = app->setup->backend == CHOICE_CUDA;
    if (!lost && (chosen || broken->cause == CAUSE_OTHER)) return false;
    if (lost) snprintf(app->cuda_lost, sizeof app->cuda_lost, "CUDA has stopped until isoscope is started again");
    if (switch_backend(app, CHOICE_CPU, &err)) {
        app_fail(app, &err);
        return false;
    }
    err_set(&err, broken->code, "%s; %sthe CPU goes on", broken->text, lost ? "CUDA has stopped, " : "");
    snprintf(app->backend_why, sizeof app->backend_why, "%.255s", err.text);
    if (lost) app_fail(app, &err);
    else say(app, err.text);
    return true;
}

bool app_find_other_way(struct app *app, const struct err *err)
{
    char text[sizeof app->notice];
    if (err->cause == CAUSE_MEMORY && sorted_drop(app)) {
        snprintf(text, sizeof text, "%.400s; going on with an opaque surface", err->text);
        say(app, text);
        return true;
    }
    if (!iso_use_less(&app->iso, err, text, sizeof text)) return app_leave_cuda(app, err);
    say(app, text);
    return true;
}
