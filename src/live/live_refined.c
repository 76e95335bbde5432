/* Refines what is in view, if the volume in memory does not have all voxels of its file. The worker makes it when
 * nothing moves and nothing else is missing. It is drawn instead of the full surface as long as value and view stay the
 * same. */
#include "live_parts.h"

#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct live_refined_of none = { .cut = { NAN, 0 } };
static const char no_room[] = "hidden parts need a larger --cache";

static bool is_same(const struct live_refined_of *a, const struct live_refined_of *b)
{
    return live_surface_is(a->cut, b->cut) && refine_view_is_same(&a->view, &b->view);
}

/* ---- what is wanted ---------------------------------------------------------------------------------------------- */

/* Whether the file has finer levels, as far as known, and the volume is not about to be replaced. */
static bool has_levels(const struct live *live)
{
    return live->volume.grid.voxels && live->volume.finer && !live->refine && live->from.file &&
           live->no_levels != live->volumes;
}

/* Why the surface cannot be refined under the present wish; NULL: it can, or there is nothing to refine. */
static const char *reason_against(const struct live *live, unsigned surface)
{
    const struct live_wish *wish = live->wish ? live->wish : &live->seen;
    if (!has_levels(live)) return NULL;
    return wish->sigma > 0                                  ? "smoothing needs the whole volume"
           : component_filter_is_on(&wish->filter[surface]) ? "leaving out parts needs the whole surface"
           : wish->close || wish->cut                       ? "caps need the whole surface"
           : wish->translucent[surface]                     ? "translucent surfaces are not refined"
                                                            : NULL;
}

/* What to refine for the present wish; value NaN: nothing, the full surface is enough. */
static struct live_refined_of wanted_of(const struct live *live, const struct live_wish *wish, unsigned surface)
{
    struct live_refined_of of = { live_surface_wanted(live, wish, surface), wish->view };
    const bool made = live_surface_is(live->surface[surface].made, of.cut);
    if (!made || !wish->view.width || wish->held || wish->moving || reason_against(live, surface) || !has_levels(live))
        return none;
    return of;
}

static bool misses(const struct live *live, const struct live_wish *wish, unsigned surface)
{
    const struct live_refined *r = &live->surface[surface].refined;
    const struct live_refined_of wanted = wanted_of(live, wish, surface);
    return !isnan(wanted.cut.value) && (!is_same(&r->of, &wanted) || r->hidden || r->left) && !is_same(&r->tried, &wanted);
}

bool live_refined_is_due(const struct live *live, const struct live_wish *wish)
{
    bool due = false;
    for (unsigned i = 0; i < LIVE_SURFACES; i++) due = due || misses(live, wish, i);
    return due;
}

double live_refined_deadline(const struct live *live)
{
    const bool waits = live->work.task == LIVE_IDLE && live_refined_is_due(live, live->wish);
    return waits ? live->refine_at : INFINITY;
}

void live_refined_compare(struct live *live)
{
    const struct live_wish *wish = live->wish;
    if (wish->moving || wish->held || !refine_view_is_same(&wish->view, &live->seen.view))
        live->refine_at = live_now(live) + live->host.limits.rest_ms;
}

/* ---- by the worker ----------------------------------------------------------------------------------------------- */

bool live_refined_begin(struct live *live)
{
    unsigned i = 0;
    if (live_now(live) < live->refine_at) return false;
    while (i < LIVE_SURFACES && !misses(live, live->wish, i)) i++;
    if (i == LIVE_SURFACES) return false;
    if (!live->refiner) live->refiner = calloc(1, sizeof *live->refiner);
    struct task_refine *t = &live_steps_task(live)->refine;
    const struct live_refined_of of = wanted_of(live, live->wish, i);
    live->refining = of;
    live->work.surface = i;
    if (!live->refiner) {
        live->surface[i].refined.tried = of;
        return false;
    }
    t->refiner = live->refiner;
    t->setup = live->from;
    t->setup.topology = live->setup->topology, t->setup.exact_positions = live->setup->exact_positions;
    t->setup.threads = live->setup->threads;
    t->shown = live->volume;
    t->desc.view = of.view;
    const struct live_refined *r = &live->surface[i].refined;
    t->desc.part = is_same(&r->of, &of) ? REFINE_ALL : REFINE_SEEN;
    t->looks = t->desc.part == REFINE_ALL && !r->hidden;
    t->desc.value = volume_iso(&live->volume, of.cut.value);
    t->out.level = -1;
    live_steps_start(live, LIVE_REFINE, false, live_tasks_refine);
    return true;
}

bool live_refined_is_useless(const struct live *live)
{
    const struct live_refined_of wanted = wanted_of(live, live->wish, live->work.surface);
    return !is_same(&live->refining, &wanted);
}

void live_refined_cancel(struct live *live) { live->surface[live->work.surface].refined.tried = live->refining; }

/* Whether the mesh must be copied to where it is drawn from: there is one, and it was not copied yet for an earlier
 * view. */
static bool misses_copy(const struct live_refined *r, const struct task_refine *t)
{
    return t->out.level >= 0 && (!t->looks || t->out.found) && r->version != t->refiner->version;
}

/* The worker copies to a mesh that is not drawn. The mesh is in the target's memory and stays mapped until the job has
 * ended. */
static int begin_copy(struct live *live, struct live_refined *r, struct task_refine *t, struct err *err)
{
    const struct mesh_host *from = &t->refiner->mesh.mesh;
    struct mesh_buffers out;
    const double since = live->work.since;
    mesh_open(&r->spare, live->host.target, &live->coarse.iso.exec);
    const bool any = from->triangle_count > 0;
    if (any && (mesh_reserve(&r->spare, from->vertex_count, from->triangle_count, err) || mesh_map(&r->spare, &out, err))) {
        mesh_close(&r->spare);
        return ERR_FAILED;
    }
    t->copies = true;
    t->to = any ? out.mesh : (struct mesh_out){ NULL, NULL };
    live_steps_start(live, LIVE_REFINE, false, live_tasks_refine_copy);
    live->work.since = since;
    return ERR_NONE;
}

/* Replaces the drawn mesh by the copy. */
static int end_copy(struct live_refined *r, const struct task_refine *t, bool cancelled, struct err *err)
{
    const struct mesh_host *from = &t->refiner->mesh.mesh;
    int code = cancelled ? ERR_NONE : mesh_unmap(&r->spare, from->vertex_count, from->triangle_count, err);
    if (cancelled || code) {
        mesh_close(&r->spare);
        return code;
    }
    mesh_close(&r->mesh);
    r->mesh = r->spare;
    r->spare = (struct mesh){ NULL };
    r->version = t->refiner->version;
    return ERR_NONE;
}

/* Records what is shown, and why it is not finer. */
static void take(struct live *live, struct live_refined *r, const struct task_refine *t)
{
    const struct refined *out = &t->out;
    char most[32];
    r->of = live->refining;
    r->is_finer = out->level >= 0;
    r->hidden = out->hidden, r->left = out->left;
    r->text[0] = '\0';
    if (r->is_finer) levels_name(&t->refiner->levels, out->level, r->text, sizeof r->text);
    live->refined_bytes = t->refiner->blocks.bytes + refine_mesh_bytes(&t->refiner->mesh);
    if (out->lacks)
        snprintf(r->limit, sizeof r->limit, "finer voxels in view need --cache %s", text_memory(most, out->lacks));
    else if (!r->is_finer) snprintf(r->limit, sizeof r->limit, "finer voxels would be smaller than pixels");
    else snprintf(r->limit, sizeof r->limit, "%s", out->full ? no_room : "");
    live_log(live, "refined %s%s: %" PRIu64 " triangles, %zu blocks, %" PRIu64 " read, %zu left, %zu made, %.1f ms%s%s",
             r->hidden ? "what is seen, " : "", r->is_finer ? r->text : "nothing", r->mesh.triangles, out->blocks,
             out->read, out->left, out->made, t->task.ms, *r->limit ? ", " : "", r->limit);
}

/* The look at the remaining blocks has found nothing. */
static void end(struct live *live, struct live_refined *r, const struct task_refine *t)
{
    r->left = 0;
    live->refined_bytes = t->refiner->blocks.bytes + refine_mesh_bytes(&t->refiner->mesh);
    live_log(live, "refined no more: %zu blocks, %" PRIu64 " read, %.1f ms", t->out.blocks, t->out.read, t->task.ms);
}

/* Keeps the visible part, although there is no room for the hidden part or for the remaining blocks. */
static void keep(struct live *live, struct live_refined *r, const struct err *err)
{
    r->hidden = r->left = 0;
    snprintf(r->limit, sizeof r->limit, "%s", no_room);
    live_log(live, "refined no more: %s", err->text);
}

/* On an error the full surface is shown. The user is told of errors of the file; those of memory appear in the panel. */
static void fail(struct live *live, struct live_refined *r, const struct err *err)
{
    r->tried = live->refining;
    r->of = none;
    snprintf(r->limit, sizeof r->limit, "%.250s", err->text);
    live_log(live, "refined nothing: %s", err->text);
    if (err->code == ERR_INPUT) live_fail(live, err);
}

void live_refined_finish(struct live *live, bool cancelled)
{
    struct task_refine *t = &live->job->refine;
    struct live_refined *r = &live->surface[live->work.surface].refined;
    struct err err = t->task.err;
    int code = err.code;
    if (t->copies) code = end_copy(r, t, cancelled, &err);
    else if (!cancelled && !code && misses_copy(r, t)) code = begin_copy(live, r, t, &err);
    if (cancelled) live_log(live, "refining cancelled after %.1f ms", live_now(live) - live->work.since);
    else if (code && err.cause == CAUSE_VOLUME && t->desc.part == REFINE_ALL) keep(live, r, &err);
    else if (code) fail(live, r, &err);
    else if (!t->refiner->levels.count) live->no_levels = live->volumes;
    else if (t->looks && !t->out.found) end(live, r, t);
    else if (live->work.task == LIVE_IDLE) take(live, r, t); /* else it is being copied first */
}

/* ---- what is drawn ----------------------------------------------------------------------------------------------- */

bool live_refined_is_shown(const struct live *live, const struct live_wish *wish, unsigned surface)
{
    const struct live_refined *r = &live->surface[surface].refined;
    const struct live_refined_of wanted = wanted_of(live, wish, surface);
    return !isnan(wanted.cut.value) && r->is_finer && is_same(&r->of, &wanted);
}

void live_refined_text(const struct live *live, unsigned surface, char *text, size_t size)
{
    const struct live_refined *r = &live->surface[surface].refined;
    const char *const against = reason_against(live, surface);
    const struct task_refine *t = &live->job->refine;
    char name[64] = "";
    text[0] = '\0';
    if (live->work.task == LIVE_REFINE && live->work.surface == surface) {
        const int level = __atomic_load_n(&t->out.level, __ATOMIC_ACQUIRE);
        if (level >= 0) levels_name(&t->refiner->levels, level, name, sizeof name);
        snprintf(text, size, "%s %.0f %%%s%s",
                 t->looks                     ? "looking for small parts,"
                 : t->desc.part == REFINE_ALL ? "refining hidden parts,"
                                              : "refining",
                 100 * (t->copies ? 1 : worker_progress(&live->worker)), level >= 0 ? ", " : "", name);
    } else if (against) snprintf(text, size, "not refined: %s", against);
    else if (live_refined_is_shown(live, &live->seen, surface))
        snprintf(text, size, "%s%s%s", r->text, *r->limit ? "; " : "", r->limit);
    else if (has_levels(live)) snprintf(text, size, "%s%s", *r->limit ? "not refined: " : "when nothing moves", r->limit);
}

void live_refined_close(struct live_refined *r)
{
    mesh_close(&r->mesh);
    mesh_close(&r->spare);
    *r = (struct live_refined){ .of = none, .tried = none };
}

void live_refined_drop(struct live *live)
{
    if (live->refiner) refiner_close(live->refiner);
    free(live->refiner);
    live->refiner = NULL;
    live->refined_bytes = 0;
    for (int i = 0; i < LIVE_SURFACES; i++) live_refined_close(&live->surface[i].refined);
}
