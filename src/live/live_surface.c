/* The full surface, made by the worker or by CUDA; the coarse one; and which of them is drawn. */
#include "live_parts.h"
#include "surface.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const struct live_cut none = { NAN, 0 };

struct live_cut live_surface_wanted(const struct live *live, const struct live_wish *wish, unsigned surface)
{
    return (struct live_cut){ wish->use[surface] == LIVE_SHOWN ? wish->value[surface] : NAN, live->epoch };
}

unsigned live_surface_number(const struct live *live, const struct live_surface *s)
{
    return (unsigned)(s - live->surface);
}

bool live_surface_is(struct live_cut a, struct live_cut b) { return a.value == b.value && a.epoch == b.epoch; }

void live_surface_open(struct live *live, struct live_surface *s)
{
    mesh_open(&s->mesh, live->host.target, &live->iso.exec);
    mesh_open(&s->spare, live->host.target, &live->iso.exec);
    s->made = none;
    s->drawn = (struct live_drawn){ .mesh = &s->mesh, .step = 1 };
}

void live_surface_close(struct live_surface *s)
{
    mesh_close(&s->spare);
    mesh_close(&s->mesh);
}

static void close_orders(struct live *live, struct live_surface *s)
{
    live_sorted_close(live, &s->sorted, &s->sorted_coarse); /* some 70 bytes per triangle */
}

/* If a job or the sorter still works for a surface, its memory is freed in a later turn, after that has ended. */
void live_surface_drop(struct live *live)
{
    for (unsigned i = 0; i < LIVE_SURFACES; i++) {
        struct live_surface *s = &live->surface[i];
        const enum live_task task = live->work.task;
        const bool busy = (task == LIVE_SURFACE || task == LIVE_REFINE) && live->work.surface == i;
        if (live->wish->use[i] != LIVE_OFF) continue;
        close_orders(live, s);
        live_filtered_close(live, s);
        if (busy || live->sorting == &s->sorted || live->filtering == s) continue;
        live_capped_close(s);
        live_refined_close(&s->refined);
        if (s->mesh.store || s->spare.store) {
            live_surface_close(s);
            live_surface_open(live, s);
        }
        if (s->coarse.mesh.store) {
            mesh_close(&s->coarse.mesh);
            mesh_open(&s->coarse.mesh, live->host.target, &live->coarse.iso.exec);
            s->coarse.epoch = 0;
        }
        slice_drop(&live->contours[i]);
        s->made = s->tried = s->again = none;
        s->coarse_shown = s->warm = false;
        s->full_ms = 0;
        s->empty[0] = '\0';
    }
}

static bool is_one_of_several(const struct live *live)
{
    int count = 0;
    for (int i = 0; i < LIVE_SURFACES; i++) count += live->wish->use[i] != LIVE_OFF;
    return count > 1;
}

/* Reports the error, unless something else can be tried. */
static void fail(struct live *live, struct live_surface *s, struct live_cut cut, const struct err *found)
{
    struct err err = *found;
    if (live_backend_find_way(live, found)) return;
    if (is_one_of_several(live))
        err_set(&err, found->code, "the surface at %.6g could not be made: %.900s", cut.value, found->text);
    live_fail(live, &err);
    s->tried = cut;
}

/* Stores the box around the surface. On the CPU the pipeline may be lent for the next surface before anyone asks for
 * the box. CUDA's pipeline is available in each frame. */
static void note_box(struct live *live, struct live_surface *s, double value)
{
    struct err unused;
    s->boxed = is_one_of_several(live) && live->iso.exec.backend == BACKEND_CPU &&
               !iso_bounds_at(&live->iso, volume_iso(&live->volume, value), s->low, s->high, &unused);
}

static void note_map(struct live *live, struct live_surface *s, double ms)
{
    s->map_ms += ms;
    live->mapped_ms += ms;
}

/* Takes over the finished full surface; `iso` still has the rungs that made it. */
static void take(struct live *live, struct live_surface *s, struct live_cut cut, double compute)
{
    const struct iso *iso = &live->iso;
    char rungs[256];
    s->made = cut;
    s->again = none;
    note_box(live, s, cut.value);
    s->counts = iso->counts;
    s->fused = iso_is_fused(iso);
    s->empty[0] = '\0';
    s->coarse_shown = false;
    if (!s->counts.triangles) setup_explain_empty(s->empty, sizeof s->empty, &live->volume, &live->stats, cut.value);
    live->made_ms += compute;
    if (s->warm) s->full_ms = compute; /* the first run also makes the bricks, with cold caches */
    s->warm = true;
    series_add(&live->times.map, s->map_ms);
    if (cut.epoch == live->epoch) live_time(&live->times.compute, &live->times.cold_compute, compute);
    live_note(live);
    for (int stage = 0, used = 0; stage < STAGE_COUNT; stage++)
        used += snprintf(rungs + used, sizeof rungs - (size_t)used, " %s=%s", stage_name[stage], iso->rung[stage]->name);
    live_log(live,
             "iso %.9g: %" PRIu64 " triangles, %" PRIu64 " vertices, compute %.2f ms, map %.2f ms, backend %s, rungs%s",
             cut.value, s->counts.triangles, s->counts.vertices, compute, s->map_ms, iso->ops->name, rungs);
}

void live_repeat(struct live *live, unsigned surface)
{
    struct live_surface *s = &live->surface[surface];
    if (s->mesh.queued) return; /* it is being made, and `made` already has its value */
    s->again = s->made;
    s->made = none;
    live->host.wake(live->host.context);
}

/* ---- by this thread: CUDA, which is quick ---------------------------------------------------------------------------- */

/* With separate stages, an error leaves the old surface until there is room for the new one. */
void live_surface_make(struct live *live, unsigned surface)
{
    struct live_surface *s = &live->surface[surface];
    const struct live_cut cut = live_surface_wanted(live, live->wish, surface);
    struct err err = { 0 };
    live_surface_resolve_all(live);
    const double before = live_now(live);
    s->made = none;
    if (surface_begin(&s->mesh, &live->iso, volume_iso(&live->volume, cut.value), &s->map_ms, &err)) {
        fail(live, s, cut, &err);
        return;
    }
    s->make_ms = live_now(live) - before - s->map_ms;
    live->mapped_ms += s->map_ms;
    s->made = cut; /* assumed, if it is queued */
    if (!s->mesh.queued) take(live, s, cut, s->make_ms);
    else if (live->wish->translucent[surface] || live_filtered_is_wanted(live, surface))
        live_surface_resolve(live, surface); /* these need its counts first */
}

bool live_surface_resolve(struct live *live, unsigned surface)
{
    struct live_surface *s = &live->surface[surface];
    const struct live_cut cut = s->made;
    struct err err = { 0 };
    bool again;
    double map;
    if (!s->mesh.queued) return false;
    const double before = live_now(live);
    if (surface_end(&s->mesh, &live->iso, volume_iso(&live->volume, cut.value), &again, &map, &err)) {
        s->made = none;
        fail(live, s, cut, &err);
        return true;
    }
    note_map(live, s, map);
    take(live, s, cut, s->make_ms + live_now(live) - before - map);
    return again;
}

void live_surface_resolve_all(struct live *live)
{
    for (unsigned i = 0; i < LIVE_SURFACES; i++) live_surface_resolve(live, i);
}

/* ---- by the worker --------------------------------------------------------------------------------------------------- */

static struct live_cut cut_of(const struct task_surface *t) { return (struct live_cut){ t->real_value, t->task.epoch }; }

/* The job writes to a mesh that is not drawn. The mesh is in the target's memory and stays mapped until the job has
 * ended. */
static void start(struct live *live, struct live_surface *s)
{
    struct task_surface *t = &live->job->surface;
    struct err err = { 0 };
    const double before = live_now(live);
    t->out = (struct mesh_buffers){ { NULL, NULL }, 0, 0 }; /* before the first surface: only counts */
    if (s->spare.store && mesh_map(&s->spare, &t->out, &err)) {
        fail(live, s, cut_of(t), &err);
        return;
    }
    note_map(live, s, live_now(live) - before);
    live_steps_start(live, LIVE_SURFACE, true, live_tasks_surface);
}

void live_surface_begin(struct live *live, unsigned surface)
{
    const struct live_cut cut = live_surface_wanted(live, live->wish, surface);
    struct task_surface *t = &live_steps_task(live)->surface;
    t->iso = &live->iso;
    t->real_value = cut.value;
    t->value = volume_iso(&live->volume, cut.value);
    t->task.epoch = cut.epoch;
    live->work.surface = surface;
    live->surface[surface].map_ms = 0;
    start(live, &live->surface[surface]);
}

/* Starts the same value again, with the room that it was found to need; unless another value is wanted by now. */
static void start_again(struct live *live, struct live_surface *s)
{
    struct task_surface *t = &live->job->surface;
    struct err err = { 0 };
    const double since = live->work.since, before = live_now(live);
    const struct live_cut wanted = live_surface_wanted(live, live->wish, live->work.surface), cut = cut_of(t);
    if (isnan(wanted.value) || cut.epoch != wanted.epoch || (cut.value != wanted.value && live_steps_are_slow(live, s)))
        return;
    if (mesh_reserve(&s->spare, live->iso.counts.vertices, live->iso.counts.triangles, &err)) {
        fail(live, s, cut, &err);
        return;
    }
    note_map(live, s, live_now(live) - before);
    start(live, s);
    live->work.since = since;
}

static int unmap_spare(struct live *live, struct live_surface *s, bool written, struct err *err)
{
    const struct iso_counts *counts = &live->iso.counts;
    const double before = live_now(live);
    const int code = mesh_unmap(&s->spare, written ? counts->vertices : 0, written ? counts->triangles : 0, err);
    note_map(live, s, live_now(live) - before);
    return code;
}

void live_surface_finish(struct live *live, bool cancelled)
{
    const struct task_surface *t = &live->job->surface;
    struct live_surface *s = &live->surface[live->work.surface];
    struct err err = t->task.err;
    const bool written = !cancelled && !err.code && t->fits;
    const int unmapped = unmap_spare(live, s, written, written ? &err : NULL);
    if (cancelled) {
        const double ms = live_now(live) - live->work.since;
        s->full_ms = fmax(s->full_ms, ms); /* at least */
        live_log(live, "surface cancelled after %.1f ms", ms);
    } else if (err.code || (written && unmapped)) fail(live, s, cut_of(t), &err);
    else if (!t->fits) start_again(live, s);
    else {
        const struct mesh old = s->mesh;
        s->mesh = s->spare;
        s->spare = old;
        take(live, s, cut_of(t), t->task.ms);
    }
}

/* ---- what is drawn --------------------------------------------------------------------------------------------------- */

/* Estimates how long a coarse surface of that step takes to draw, from the times of the last one and of the full one. A
 * level has a quarter of the triangles of the level with half its step. The rest of the time is for pixels, and is the
 * same for all levels. If the full surface's time cannot be used, because it was drawn for another value, all of the
 * time is taken to be for triangles. */
static double draw_at(const struct live_wish *wish, unsigned step)
{
    const double last = 1 / ((double)wish->coarse_step * wish->coarse_step), part = 1 / ((double)step * step);
    const bool known = wish->draw_ms > wish->coarse_ms && last < 1;
    const double full = known ? (wish->draw_ms - wish->coarse_ms) / (1 - last) : wish->coarse_ms / last;
    return wish->coarse_ms + full * (part - last);
}

/* Makes the coarse surface coarser until it is drawn in time, as long as that helps, and finer again if there is time
 * to spare. The factor `room` keeps it from changing back and forth. Before the first coarse surface was drawn, the
 * time is estimated from the full one. */
static unsigned choose_step(const struct live *live)
{
    enum { COARSEST = 1 << 10 };
    static const double helps = 0.8, room = 0.6;
    const struct live_wish *wish = live->wish;
    const double most = live->host.limits.coarse_ms, ms = wish->coarse_ms;
    unsigned step = live->coarse.level.step;
    if (!wish->coarse_step)
        while (wish->draw_ms > most * step * step && step < COARSEST) step *= 2;
    else if (wish->coarse_step != step) return step; /* no surface of this level was drawn yet */
    else if (ms > most && step < COARSEST && draw_at(wish, 2 * step) < helps * ms) step *= 2;
    else if (ms < most && step > live->finest && draw_at(wish, step / 2) < room * most) step /= 2;
    return step;
}

static void adapt_level(struct live *live)
{
    struct coarse_level level;
    const unsigned before = live->coarse.level.step, step = before ? choose_step(live) : 0;
    if (step == before) return;
    coarse_pick_step(&level, &live->volume.grid, step);
    if (!level.step) return;
    coarse_take(&live->coarse, &level);
    live_log(live, "coarse level 1/%u", step);
}

/* Makes the coarse surface of the wish if the full one is missing and would not follow the mouse. */
void live_surface_show_coarse(struct live *live, unsigned surface)
{
    struct live_surface *s = &live->surface[surface];
    const double value = live->wish->value[surface], start = live_now(live);
    const float sigma = live->wish->sigma;
    const uint64_t before = s->coarse.mesh.version;
    struct err err = { 0 };
    if (live_surface_is(s->again, live_surface_wanted(live, live->wish, surface))) { /* the full one is still there */
        s->coarse_shown = false;
        return;
    }
    if (!live_steps_miss(live, live->wish, surface) || !live_steps_are_slow(live, s)) return;
    adapt_level(live);
    if (coarse_update(&live->coarse, &s->coarse, volume_iso(&live->volume, value), sigma, &err)) {
        live_log(live, "no coarse surface: %s", err.text);
        s->coarse_shown = false;
        return;
    }
    if (!s->coarse_shown || s->coarse.mesh.version != before)
        live_log(live, "coarse 1/%u at %.9g: %" PRIu64 " triangles, sigma %g, compute %.2f ms", s->coarse.step, value,
                 s->coarse.mesh.triangles, (double)sigma, live_now(live) - start);
    s->coarse_shown = true;
}

/* Whether a surface that is sorted together with this one exists only as a coarse one. */
static bool joins_coarse(const struct live *live, unsigned surface)
{
    bool coarse = false;
    if (!live_merged_has(live, surface)) return false;
    for (unsigned i = 0; i < LIVE_SURFACES; i++)
        coarse = coarse || (live_merged_has(live, i) && live->surface[i].coarse_shown);
    return coarse;
}

/* Whether to draw the coarse surface: because there is no other, because the scene moves and the full one is slow, or
 * because the surfaces that it is sorted with are coarse. */
static bool choose_coarse(struct live *live, struct live_surface *s, double value)
{
    const struct live_wish *wish = live->wish;
    const bool moves = wish->moving && !wish->full && wish->draw_ms >= live->host.limits.slow_ms;
    const bool joins = joins_coarse(live, live_surface_number(live, s));
    struct err unused;
    if ((s->coarse_shown && !joins) || !live->coarse.level.step || isnan(value) || (!moves && !joins) ||
        !(s->mesh.triangles || s->coarse_shown))
        return s->coarse_shown;
    if (moves) adapt_level(live);
    return !coarse_update(&live->coarse, &s->coarse, volume_iso(&live->volume, value), wish->sigma, &unused);
}

static void hide(struct live *live, struct live_surface *s)
{
    if (s->drawn.mesh || s->drawn.caps) live->scene++, live->contours_version++;
    s->drawn = (struct live_drawn){ .mesh = NULL, .step = 1 };
    close_orders(live, s);
}

bool live_surface_choose(struct live *live, unsigned surface)
{
    struct live_surface *s = &live->surface[surface];
    const struct live_wish *wish = live->wish;
    const struct live_drawn before = s->drawn;
    bool fine = true;
    if (s->coarse_shown && !live_steps_miss(live, wish, surface) &&
        live_surface_is(s->made, live_surface_wanted(live, wish, surface))) { /* the value is back where it was */
        s->coarse_shown = false;
        live_log(live, "iso %.9g: %" PRIu64 " triangles, %" PRIu64 " vertices, kept", s->made.value, s->counts.triangles,
                 s->counts.vertices);
    }
    if (wish->use[surface] != LIVE_SHOWN) {
        hide(live, s);
        return true;
    }
    const bool coarse = choose_coarse(live, s, wish->value[surface]);
    struct mesh *mesh = coarse ? &s->coarse.mesh : &s->mesh;
    if (!coarse) fine = live_filtered_choose(live, s, &mesh);
    if (mesh == &s->mesh && live_refined_is_shown(live, wish, surface)) mesh = &s->refined.mesh;
    const struct filtered *left = mesh == &s->filtered.shown ? &s->filtered : NULL;
    s->drawn = (struct live_drawn){ .mesh = mesh, .step = coarse ? s->coarse.step : 1, .version = mesh->version };
    const bool alone = wish->translucent[surface] && !live_merged_has(live, surface);
    if (fine && alone) fine = live_sorted_choose(live, coarse ? &s->sorted_coarse : &s->sorted, coarse, mesh, &s->drawn);
    if (!alone) close_orders(live, s);
    if (fine) fine = live_capped_choose(live, s, coarse, left);
    const struct live_drawn *now = &s->drawn;
    if (!before.mesh) live->contours_version++; /* the contours exist, but were not drawn */
    if (now->caps_version != before.caps_version) live->scene++;
    if (now->mesh != before.mesh || now->version != before.version || now->step != before.step) live->scene++;
    return fine;
}
