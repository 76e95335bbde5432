/* Parts that are left out, and measures of a surface: what is done before the surface is drawn, and what the sorter
 * does.
 *
 * At rest the surface is drawn without those parts as soon as they are known. CUDA finds them within the frame. So does
 * the CPU if that is quick; otherwise the sorter finds them. Until then the whole surface is shown, or what an earlier
 * filter has kept of it. While the value is dragged, only quick work is done. */
#include "live_parts.h"

#include <inttypes.h>

#define GUESS_MS 5e-5 /* per triangle, before anything was measured */

bool live_filtered_is_wanted(const struct live *live, unsigned surface)
{
    return live->wish->measured || component_filter_is_on(&live->wish->filter[surface]);
}

static void switch_off(struct live *live)
{
    for (int i = 0; i < LIVE_SURFACES; i++) live->wish->filter[i] = (struct component_filter){ .keep = 0 };
    live->wish->measured = false;
    live->wish->switched_off = true;
}

/* A soup (triangles without common vertices) has no parts to leave out. But here the wish has another rung by now, and
 * its surface will follow. */
static bool is_passing(const struct live *live, const struct live_surface *s, const struct err *found)
{
    return found->code == ERR_USAGE && s->made.epoch != live->epoch;
}

/* Shows the whole surface again. False: live left the backend. */
static bool give_up(struct live *live, const struct err *found)
{
    struct err err = *found;
    if (found->cause == CAUSE_BACKEND && live_backend_leave(live, found)) return false;
    switch_off(live);
    if (found->code == ERR_USAGE) { /* a soup */
        live_notice(live, "the whole surface is shown: %s", found->text);
        return true;
    }
    err_set(&err, found->code, "the whole surface is shown: %.900s", found->text);
    live_fail(live, &err);
    return true;
}

static int open_filtered(struct live *live, struct filtered *f, struct err *err)
{
    const struct live_host *host = &live->host;
    const bool cuda = live->iso.exec.backend == BACKEND_CUDA;
    if (!live->sorter.executor && worker_open(&live->sorter, host->executor, host->wake, host->context, err))
        return ERR_FAILED;
    if (!f->iso && filtered_open(f, host->target, cuda ? &live->iso : NULL, live->setup->threads, err)) return ERR_FAILED;
    if (!cuda) f->iso->rung[AUX_COMPONENTS] = live->wish->rung[AUX_COMPONENTS];
    return ERR_NONE;
}

static bool is_quick(const struct live *live, const struct filtered *f, const struct mesh *mesh)
{
    const double each = f->ms > 0 ? f->ms / (double)f->triangles : GUESS_MS;
    return each * (double)mesh->triangles < live->host.limits.filter_ms;
}

static void note(struct live *live, const struct filtered *f)
{
    live_log(live, "parts: %" PRIu64 " of %" PRIu64 " shown, %" PRIu64 " triangles, components %.2f ms, all %.2f ms",
             f->facts.kept, f->facts.parts, f->facts.measure.triangles, f->iso->stage[AUX_COMPONENTS].ms, f->ms);
    live_note_aux(live, AUX_COMPONENTS, f->iso);
}

static int filter_now(struct live *live, struct live_surface *s, const struct filtered_by *by, struct err *err)
{
    struct filtered *f = &s->filtered;
    const int code = filtered_update(f, &s->mesh, &live->volume, by, err);
    if (!code) note(live, f);
    return code;
}

static int filter_later(struct live *live, struct live_surface *s, const struct filtered_by *by, struct err *err)
{
    const int code = filtered_begin(&s->filtered, &s->mesh, &live->volume, by, err);
    if (code) return code;
    s->filtered.own.exec.cancel = &live->sorter.cancel;
    live->filtering = s;
    worker_start(&live->sorter, filtered_run, &s->filtered);
    return ERR_NONE;
}

static int filter(struct live *live, struct live_surface *s, struct err *err)
{
    struct filtered *f = &s->filtered;
    struct filtered_by by = { .filter = live->wish->filter[live_surface_number(live, s)] };
    if (live->filtering == s) return ERR_NONE;
    if (open_filtered(live, f, err)) return ERR_FAILED;
    if (!live_capped_describe(live, s, &by, err)) return err->code;
    if (filtered_is_now(f, &s->mesh, &by)) return ERR_NONE;
    const bool quick = is_quick(live, f, &s->mesh), cuda = f->iso != &f->own;
    if (quick || (cuda && !live->wish->held)) return filter_now(live, s, &by, err);
    return cuda || live->wish->held || live->filtering || live->sorting ? ERR_NONE : filter_later(live, s, &by, err);
}

bool live_filtered_choose(struct live *live, struct live_surface *s, struct mesh **mesh)
{
    const unsigned number = live_surface_number(live, s);
    struct err err = { 0 };
    if (!live_filtered_is_wanted(live, number)) {
        live_filtered_close(live, s); /* frees some 80 bytes per triangle */
        return true;
    }
    if (!s->mesh.triangles || s->mesh.queued) return true;
    if (filter(live, s, &err)) return is_passing(live, s, &err) || give_up(live, &err);
    if (component_filter_is_on(&live->wish->filter[number]) && filtered_is_of(&s->filtered, &s->mesh) &&
        component_filter_is_on(&s->filtered.by[0].filter))
        *mesh = &s->filtered.shown;
    return true;
}

/* ---- the sorter -------------------------------------------------------------------------------------------------- */

static int end_filtering(struct live *live, struct err *err)
{
    struct live_surface *s = live->filtering;
    live->filtering = NULL;
    s->filtered.own.exec.cancel = NULL;
    return filtered_end(&s->filtered, err);
}

void live_filtered_take(struct live *live)
{
    struct live_surface *s = live->filtering;
    struct err err = { 0 };
    if (!s || !worker_take(&live->sorter)) return;
    if (!end_filtering(live, &err)) note(live, &s->filtered);
    else if (!is_passing(live, s, &err)) give_up(live, &err);
}

void live_filtered_close(struct live *live, struct live_surface *s)
{
    if (live->filtering != s) filtered_close(&s->filtered);
}

bool live_filtered_drop(struct live *live)
{
    bool any = false;
    for (int i = 0; i < LIVE_SURFACES; i++) any = any || live->surface[i].filtered.iso == &live->iso;
    if (!any) return false;
    switch_off(live);
    for (int i = 0; i < LIVE_SURFACES; i++) live_filtered_close(live, &live->surface[i]);
    live_log(live, "parts are not told apart, for want of memory");
    return true;
}

void live_filtered_stop(struct live *live)
{
    struct err unused;
    if (live->filtering) {
        worker_cancel(&live->sorter);
        worker_wait(&live->sorter);
        worker_take(&live->sorter);
        end_filtering(live, &unused);
    }
    for (int i = 0; i < LIVE_SURFACES; i++) live_filtered_close(live, &live->surface[i]);
}
