/* Translucent surfaces, in the window: which order of the triangles is shown, and who sorts.
 *
 * What is quick is sorted before it is drawn. On the CPU, what is not is sorted by a worker of its own, beside that of the
 * steps; until it is done the order of the view before is shown, or of a new mesh that in which it was made. CUDA sorts in
 * the frame; where a rung is slow, not while the view turns. */
#include "app_steps.h"

#include <GLFW/glfw3.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define TURN_MS 10.0  /* what takes longer does not belong into a frame of a view that turns, */
#define REST_MS 50.0  /* or into any, unless the drawing takes longer still: better once, and right */
#define GUESS_MS 1e-4 /* for a triangle, before anything is known */

static void wake(void) { glfwPostEmptyEvent(); }

/* The surface stays; it is opaque again. */
static void give_up(struct app *app, const struct err *found)
{
    struct err err = *found;
    app_mark(app, STALE_DRAW);
    if (found->cause == CAUSE_BACKEND && app_leave_cuda(app, found)) {
        app_mark(app, STALE_STATS);
        return;
    }
    app->translucent = false;
    err_set(&err, found->code, "the surface is opaque again: %.900s", found->text);
    app_fail(app, &err);
}

/* Before the first order; opaque surfaces need none of this. */
static int open_sorted(struct app *app, struct sorted *s, struct err *err)
{
    const bool cuda = s == &app->sorted && app->iso.exec.backend == BACKEND_CUDA;
    int code = app->sorter.wake ? ERR_NONE : worker_open(&app->sorter, wake, err);
    if (!code && !s->iso) code = sorted_open(s, cuda ? &app->iso : NULL, app->setup->threads, app->options->staging, err);
    return code;
}

/* The CPU's sort with the rungs that were chosen for the pipeline's backend, if that is the CPU too. */
static void take_rungs(const struct app *app, struct sorted *s)
{
    static const enum stage sides[] = { AUX_GEMV, AUX_SORT };
    for (int i = 0; i < 2 && app->iso.exec.backend == BACKEND_CPU; i++) s->iso->rung[sides[i]] = app->iso.rung[sides[i]];
}

/* Whether an order can be made before the mesh is drawn. */
static bool is_quick(const struct app *app, const struct sorted *s, const struct mesh *mesh)
{
    const bool turns = app->drag != DRAG_NONE && sorted_is_of(s, mesh);
    if (s != &app->sorted) return true; /* a coarse surface is small */
    if (s->iso != &s->own) return !turns || s->ms < REST_MS;
    const double each = s->ms > 0 ? s->ms / (double)s->triangles : GUESS_MS;
    return each * (double)mesh->triangles < (turns ? TURN_MS : fmax(REST_MS, series_last(&app->times.draw)));
}

static void log_order(const struct app *app, const struct sorted *s)
{
    app_log(app, "order of %" PRIu64 " triangles: gemv %.2f ms, sort %.2f ms, all %.2f ms%s", s->triangles,
            s->iso->stage[AUX_GEMV].ms, s->iso->stage[AUX_SORT].ms, s->ms, s == &app->sorted ? "" : ", coarse");
}

/* The times of the full surface's orders, which are those that the panel shows. */
static void note_order(struct app *app)
{
    const struct sorted *s = &app->sorted;
    if (!s->iso || app->sorting || app->lent) return;
    app->iso.stage[AUX_GEMV] = s->iso->stage[AUX_GEMV];
    app->iso.stage[AUX_SORT] = s->iso->stage[AUX_SORT];
    steps_note(app);
}

static int sort_now(struct app *app, struct sorted *s, struct mesh *mesh, const float along[3], struct err *err)
{
    const int code = sorted_update(s, mesh, along, err);
    if (code) return code;
    log_order(app, s);
    note_order(app);
    return ERR_NONE;
}

static int sort_later(struct app *app, struct sorted *s, struct mesh *mesh, const float along[3], struct err *err)
{
    const int code = sorted_begin(s, mesh, along, err);
    if (code) return code;
    s->own.exec.cancel = &app->sorter.cancel;
    app->sorting = true;
    worker_start(&app->sorter, sorted_run, s);
    return ERR_NONE;
}

const struct mesh *sorted_for_drawing(struct app *app, struct mesh *mesh)
{
    struct sorted *s = mesh == &app->mesh ? &app->sorted : &app->sorted_coarse;
    struct err err = { 0 };
    float along[3];
    if (!mesh->triangles || mesh->queued) return mesh;
    int code = open_sorted(app, s, &err);
    if (!code) {
        const bool busy = app->sorting && s == &app->sorted;
        sorted_along(&app->camera, along);
        take_rungs(app, s);
        if (!busy && !sorted_is_now(s, mesh, along)) {
            if (is_quick(app, s, mesh)) code = sort_now(app, s, mesh, along, &err);
            else if (s->iso == &s->own) code = sort_later(app, s, mesh, along, &err);
        }
    }
    if (code) {
        give_up(app, &err);
        return mesh;
    }
    return sorted_is_of(s, mesh) ? sorted_mesh(s, mesh) : mesh;
}

static int end_sorting(struct app *app, struct err *err)
{
    app->sorting = false;
    app->sorted.own.exec.cancel = NULL;
    return sorted_end(&app->sorted, err);
}

void sorted_take(struct app *app)
{
    struct err err = { 0 };
    if (!app->sorting || !worker_take(&app->sorter)) {
        note_order(app);
        return;
    }
    if (end_sorting(app, &err)) give_up(app, &err);
    else log_order(app, &app->sorted);
    note_order(app);
    app_mark(app, app->translucent ? STALE_DRAW : STALE_PANEL);
}

static void close_sorted(struct app *app)
{
    sorted_close(&app->sorted);
    sorted_close(&app->sorted_coarse);
}

bool sorted_drop(struct app *app)
{
    if (!app->translucent || app->sorted.iso != &app->iso) return false;
    app->translucent = false;
    close_sorted(app);
    app_log(app, "translucent off, for want of memory");
    return true;
}

void sorted_stop(struct app *app)
{
    struct err unused;
    if (app->sorting) {
        worker_cancel(&app->sorter);
        worker_wait(&app->sorter);
        worker_take(&app->sorter);
        end_sorting(app, &unused);
    }
    close_sorted(app);
}

/* ---- what keys and panel do ------------------------------------------------------------------------------------ */

void app_flip_translucent(struct app *app)
{
    app->translucent = !app->translucent;
    app_log(app, "translucent %s, opacity %.2f", app->translucent ? "on" : "off", app->opacity);
    if (app->translucent) app_notice(app, "translucent, opacity %.2f", app->opacity);
    else app_notice(app, "opaque");
    if (!app->translucent && !app->sorting) close_sorted(app); /* some 70 bytes a triangle */
    app_mark(app, STALE_DRAW);
}

void app_set_opacity(struct app *app, double opacity)
{
    app->opacity = fmax(0, fmin(1, opacity));
    app->translucent = true;
    app_log(app, "opacity %.2f", app->opacity);
    app_mark(app, STALE_DRAW);
}
