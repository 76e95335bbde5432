/* The lab page: pausing, comparing, copying and logging its times; and the row whose rung the arrows change. */
#include "app_lab.h"
#include "app.h"
#include "app_actions.h"
#include "export.h"
#include "file_io.h"

#include <GLFW/glfw3.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- times ------------------------------------------------------------------------------------------------------- */

static void take_times(const struct app *app, struct lab_times *times)
{
    const struct live *live = &app->live;
    const struct grid *grid = &live->volume.grid;
    times->live = live->times;
    memcpy(times->stage, live->stage, sizeof times->stage);
    memcpy(times->rung, app->wish.rung, sizeof times->rung);
    times->draw = app->draw;
    times->frame = app->frame;
    times->frames = app->frames;
    times->backend = live->iso.exec.backend;
    times->fused = app_surface(app)->fused;
    times->copy_rate = live->copy_rate;
    times->value = app_value(app);
    times->triangles = app_surface(app)->mesh.triangles;
    snprintf(times->volume, sizeof times->volume, "%.255s", live->volume.name);
    const size_t dims[3] = { grid->nx, grid->ny, grid->nz };
    memcpy(times->dims, dims, sizeof dims);
}

void app_follow_lab(struct app *app)
{
    if (!app->lab.paused) take_times(app, &app->lab.shown);
}

void app_follow_log(struct app *app)
{
    struct err err = { 0 };
    struct lab_times times;
    if (!app->lab.log.file) return;
    take_times(app, &times); /* even while the page is paused */
    if (lab_log_add(&app->lab.log, &times, timing_ms(), &err)) app_fail(app, &err);
}

void app_pause_lab(struct app *app)
{
    app_follow_lab(app);
    app->lab.paused = !app->lab.paused;
    app_log(app, "times %s", app->lab.paused ? "paused" : "go on");
    app_notice(app, app->lab.paused ? "the lab's times are paused" : "the lab's times are running again");
}

void app_pin_lab(struct app *app)
{
    struct lab *lab = &app->lab;
    app_follow_lab(app);
    lab->pinned = !lab->pinned;
    lab->pin = lab->shown;
    app_log(app, "times %s", lab->pinned ? "pinned" : "no longer pinned");
    app_notice(app, lab->pinned ? "these times are pinned: later ones are compared with them" : "no times are pinned");
}

void app_copy_lab(struct app *app)
{
    char text[8192];
    app_follow_lab(app);
    lab_markdown(&app->lab, text, sizeof text);
    glfwSetClipboardString(app->gl.window, text);
    app_log(app, "copied times\n%s", text);
    app_notice(app, "the times were copied as a Markdown table");
}

void app_log_lab(struct app *app)
{
    struct lab_log *log = &app->lab.log;
    char path[512], where[FILE_WHERE];
    struct err err = { 0 };
    if (log->file) {
        lab_log_close(log);
        app_log(app, "times no longer logged");
        app_notice(app, "times are no longer logged");
        return;
    }
    export_free_name(path, app->live.volume.name, " times", ".csv");
    if (lab_log_open(log, path, timing_ms(), &err)) {
        app_fail(app, &err);
        return;
    }
    app_follow_log(app);
    app_log(app, "times logged in %s", path);
    app_notice(app, "each new time is logged in %s", file_where(path, where));
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

void app_pick_row(struct app *app, int step)
{
    struct lab *lab = &app->lab;
    lab->row = (lab->row + step + STAGE_ALL) % STAGE_ALL;
    lab->moved = true;
    if (app->card.shown) app_show_card(app, (enum stage)lab->row);
    app_log(app, "row %s", stage_name[lab->row]);
    app_mark(app);
}
