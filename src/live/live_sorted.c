/* Translucent surfaces: which order of the triangles is shown, and who sorts.
 *
 * What is quick is sorted before it is drawn. On the CPU, what is not is sorted by a worker of its own, concurrently with
 * the other; until it is done the order of the view before is shown, or of a new mesh that in which it was made. CUDA sorts
 * in the frame; where a rung is slow, not while the view turns. */
#include "live_parts.h"

#include <inttypes.h>
#include <math.h>

#define GUESS_MS 1e-4 /* for a triangle, before anything is known */

static const enum stage sides[] = { AUX_GEMV, AUX_SORT };

/* The surface stays; it is opaque again. False: the backend was left. */
static bool give_up(struct live *live, const struct err *found)
{
    if (!live_do_without(live, "the surface is opaque again", found)) return false;
    live->wish->translucent = false;
    return true;
}

/* Before the first order; opaque surfaces need none of this. */
static int open_sorted(struct live *live, struct live_surface *s, struct sorted *sorted, struct err *err)
{
    const struct live_host *host = &live->host;
    const bool cuda = sorted == &s->sorted && live->iso.exec.backend == BACKEND_CUDA;
    if (!live->sorter.executor && worker_open(&live->sorter, host->executor, host->wake, host->context, err))
        return ERR_FAILED;
    return sorted->iso ? ERR_NONE : sorted_open(sorted, host->target, cuda ? &live->iso : NULL, live->setup->threads, err);
}

/* The CPU's sort has the rungs that were chosen for the pipeline's backend, if that is the CPU too. */
static void take_rungs(const struct live *live, struct sorted *sorted)
{
    if (live->iso.exec.backend != BACKEND_CPU) return;
    for (int i = 0; i < 2; i++) sorted->iso->rung[sides[i]] = live->wish->rung[sides[i]];
}

/* Whether an order can be made before the mesh is drawn. */
static bool is_quick(const struct live *live, const struct live_surface *s, const struct sorted *sorted,
                     const struct mesh *mesh)
{
    const struct live_limits *limits = &live->host.limits;
    const bool turns = live->wish->moving && sorted_is_of(sorted, mesh);
    if (sorted != &s->sorted) return true; /* a coarse surface is small */
    if (sorted->iso != &sorted->own) return !turns || sorted->ms < limits->sort_ms;
    const double each = sorted->ms > 0 ? sorted->ms / (double)sorted->triangles : GUESS_MS;
    return each * (double)mesh->triangles < (turns ? limits->turn_ms : fmax(limits->sort_ms, live->wish->draw_ms));
}

/* The times of the full surface's orders are those that are kept. */
static void note_order(struct live *live, const struct sorted *sorted, bool full)
{
    const struct stage_stats *stage = sorted->iso->stage;
    live_log(live, "order of %" PRIu64 " triangles: gemv %.2f ms, sort %.2f ms, all %.2f ms%s", sorted->triangles,
             stage[AUX_GEMV].ms, stage[AUX_SORT].ms, sorted->ms, full ? "" : ", coarse");
    for (int i = 0; i < 2 && full; i++) live_note_aux(live, sides[i], sorted->iso);
}

static int sort_now(struct live *live, struct live_surface *s, struct sorted *sorted, struct mesh *mesh, struct err *err)
{
    const int code = sorted_update(sorted, mesh, live->wish->along, err);
    if (!code) note_order(live, sorted, sorted == &s->sorted);
    return code;
}

static int sort_later(struct live *live, struct live_surface *s, struct mesh *mesh, struct err *err)
{
    const int code = sorted_begin(&s->sorted, mesh, live->wish->along, err);
    if (code) return code;
    s->sorted.own.exec.cancel = &live->sorter.cancel;
    live->sorting = s;
    worker_start(&live->sorter, sorted_run, &s->sorted);
    return ERR_NONE;
}

static int sort(struct live *live, struct live_surface *s, struct sorted *sorted, struct mesh *mesh, struct err *err)
{
    if (live->sorting == s && sorted == &s->sorted) return ERR_NONE;
    take_rungs(live, sorted);
    if (sorted_is_now(sorted, mesh, live->wish->along)) return ERR_NONE;
    if (is_quick(live, s, sorted, mesh)) return sort_now(live, s, sorted, mesh, err);
    return sorted->iso == &sorted->own && !live->sorting && !live->filtering ? sort_later(live, s, mesh, err) : ERR_NONE;
}

bool live_sorted_choose(struct live *live, struct live_surface *s, struct mesh *mesh, struct live_drawn *drawn)
{
    struct sorted *sorted = mesh == &s->coarse.mesh ? &s->sorted_coarse : &s->sorted;
    struct err err = { 0 };
    if (!mesh->triangles || mesh->queued) return true;
    if (open_sorted(live, s, sorted, &err) || sort(live, s, sorted, mesh, &err)) return give_up(live, &err);
    if (!sorted_is_of(sorted, mesh)) return true;
    drawn->mesh = sorted_mesh(sorted, mesh);
    drawn->version = drawn->mesh->version;
    drawn->ordered = true;
    return true;
}

/* ---- the sorter ------------------------------------------------------------------------------------------------------ */

static int end_sorting(struct live *live, struct err *err)
{
    struct live_surface *s = live->sorting;
    live->sorting = NULL;
    s->sorted.own.exec.cancel = NULL;
    return sorted_end(&s->sorted, err);
}

void live_sorted_take(struct live *live)
{
    struct live_surface *s = live->sorting;
    struct err err = { 0 };
    if (!s || !worker_take(&live->sorter)) return;
    if (end_sorting(live, &err)) give_up(live, &err);
    else note_order(live, &s->sorted, true);
}

void live_sorted_close(struct live *live, struct live_surface *s)
{
    if (live->sorting == s) return;
    sorted_close(&s->sorted);
    sorted_close(&s->sorted_coarse);
}

bool live_sorted_drop(struct live *live)
{
    if (!live->wish->translucent || live->surface[0].sorted.iso != &live->iso) return false;
    live->wish->translucent = false;
    for (int i = 0; i < LIVE_SURFACES; i++) live_sorted_close(live, &live->surface[i]);
    live_log(live, "translucent off, for want of memory");
    return true;
}

void live_sorted_stop(struct live *live)
{
    struct err unused;
    if (live->sorting) {
        worker_cancel(&live->sorter);
        worker_wait(&live->sorter);
        worker_take(&live->sorter);
        end_sorting(live, &unused);
    }
    for (int i = 0; i < LIVE_SURFACES; i++) live_sorted_close(live, &live->surface[i]);
}
