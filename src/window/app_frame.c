/* What a frame spends its time on, and OpenGL's times, which arrive later. */
#include "app_frame.h"
#include "app.h"
#include "app_lab.h"
#include "app_sets.h"

#include <math.h>

void app_begin_frame(struct app *app, double now) { frames_begin(&app->frames, now); }

enum frame_part app_enter(struct app *app, enum frame_part part) { return frames_enter(&app->frames, part, timing_ms()); }

/* Ends a call of live: its time counts as computing, except the mapping. */
static void leave_live(struct app *app, enum frame_part part, double mapped_before)
{
    app_enter(app, part);
    frames_move(&app->frames, FRAME_COMPUTE, FRAME_MAP, app->live.mapped_ms - mapped_before);
}

void app_poll(struct app *app)
{
    const double mapped = app->live.mapped_ms;
    const enum frame_part part = app_enter(app, FRAME_COMPUTE);
    app_leave_rival(app);
    live_poll(&app->live, &app->wish);
    const bool needs_all = app->lab.split || app->lab.gemm; /* the whole surface must be known before it is drawn */
    if (needs_all && live_resolve(&app->live, &app->wish)) app_mark_scene(app);
    app_follow_rival(app);
    leave_live(app, part, mapped);
}

bool app_resolve(struct app *app)
{
    const double mapped = app->live.mapped_ms;
    const enum frame_part part = app_enter(app, FRAME_COMPUTE);
    const bool again = live_resolve(&app->live, &app->wish);
    leave_live(app, part, mapped);
    return again;
}

void app_end_frame(struct app *app, bool scene, double now)
{
    const double made = app->live.made_ms - app->made_ms;
    app->frames.now.made = made > 0;
    app->frames.now.worker = app->live.iso.exec.backend == BACKEND_CPU ? made : 0;
    frames_end(&app->frames, scene, now);
    if (!scene) return;
    app->made_ms = app->live.made_ms;
    series_add(&app->frame, app->frame_ms);
    app_follow_log(app);
}

/* A single slow drawing says nothing about its level, since something else may have been at work. So the quicker of the
 * last two counts. */
static void take_coarse_time(struct app *app, double ms, unsigned step)
{
    app->coarse_ms = step == app->coarse_step ? fmin(ms, app->coarse_last) : ms;
    app->coarse_last = ms;
    app->coarse_step = step;
}

void app_read_timers(struct app *app)
{
    char who[256];
    struct render_timing t;
    while (render_time(&app->render, &t)) {
        if (!t.step) continue;
        if (t.step == 1) series_add(&app->draw, t.ms), app->haste_ms = t.haste;
        else take_coarse_time(app, t.ms, t.step);
        app_log(app, "draw %.2f ms, frame %.2f ms%s", t.ms, series_last(&app->frame), t.step > 1 ? ", coarse" : "");
        if (app->render.culled) {
            render_who(&app->render, who, sizeof who);
            app_log(app, "drawing: %s", who);
        }
        if (t.raster_why[0]) app_log(app, "raster %.2f ms; %s", t.raster_ms, t.raster_why);
        app_mark(app);
    }
}
