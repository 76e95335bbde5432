/* Translucent surfaces: which order of the triangles is shown, and who sorts.
 *
 * If sorting is quick, it is done before drawing. On the CPU, slower sorting is done by a second worker, concurrently
 * with the first. Until it is done, the order of the previous view is shown; a new mesh is shown in the order in which
 * it was made. CUDA sorts within the frame; if a rung is slow, it does not sort while the view turns. */
#include "live_parts.h"

#include <inttypes.h>
#include <math.h>

#define GUESS_MS 1e-4 /* per triangle, before anything was measured */

static const enum stage sides[] = { AUX_GEMV, AUX_SORT };

static void switch_off(struct live *live)
{
    for (int i = 0; i < LIVE_SURFACES; i++) live->wish->translucent[i] = false;
    live->wish->switched_off = true;
}

/* Makes the surfaces opaque again. False: live left the backend. */
bool live_sorted_give_up(struct live *live, const struct err *found)
{
    if (!live_do_without(live, "the surface is opaque again", found)) return false;
    switch_off(live);
    return true;
}

/* Opens what sorting needs, before the first order; opaque surfaces do without it. */
static int open_sorted(struct live *live, struct sorted *sorted, bool coarse, struct err *err)
{
    const struct live_host *host = &live->host;
    const bool cuda = !coarse && live->iso.exec.backend == BACKEND_CUDA;
    if (!live->sorter.executor && worker_open(&live->sorter, host->executor, host->wake, host->context, err))
        return ERR_FAILED;
    return sorted->iso ? ERR_NONE : sorted_open(sorted, host->target, cuda ? &live->iso : NULL, live->setup->threads, err);
}

/* Gives the CPU's sort the chosen rungs, if they are the CPU's. */
static void take_rungs(const struct live *live, struct sorted *sorted)
{
    if (live->iso.exec.backend != BACKEND_CPU) return;
    for (int i = 0; i < 2; i++) sorted->iso->rung[sides[i]] = live->wish->rung[sides[i]];
}

/* Whether an order can be made before the mesh is drawn. */
static bool is_quick(const struct live *live, const struct sorted *sorted, const struct mesh *mesh)
{
    const struct live_limits *limits = &live->host.limits;
    const bool turns = live->wish->moving && sorted_is_of(sorted, mesh);
    if (sorted->iso != &sorted->own) return !turns || sorted->ms < limits->sort_ms;
    const double each = sorted->ms > 0 ? sorted->ms / (double)sorted->triangles : GUESS_MS;
    return each * (double)mesh->triangles < (turns ? limits->turn_ms : fmax(limits->sort_ms, live->wish->draw_ms));
}

/* Logs the order. Times are kept only for full surfaces. */
static void note_order(struct live *live, const struct sorted *sorted, bool coarse)
{
    const struct stage_stats *stage = sorted->iso->stage;
    live_log(live, "order of %" PRIu64 " triangles: gemv %.2f ms, sort %.2f ms, all %.2f ms%s", sorted->triangles,
             stage[AUX_GEMV].ms, stage[AUX_SORT].ms, sorted->ms, coarse ? ", coarse" : "");
    for (int i = 0; i < 2 && !coarse; i++) live_note_aux(live, sides[i], sorted->iso);
}

static int sort_now(struct live *live, struct sorted *sorted, bool coarse, struct mesh *mesh, struct err *err)
{
    const int code = sorted_update(sorted, mesh, live->wish->along, err);
    if (!code) note_order(live, sorted, coarse);
    return code;
}

static int sort_later(struct live *live, struct sorted *sorted, struct mesh *mesh, struct err *err)
{
    const int code = sorted_begin(sorted, mesh, live->wish->along, err);
    if (code) return code;
    sorted->own.exec.cancel = &live->sorter.cancel;
    live->sorting = sorted;
    worker_start(&live->sorter, sorted_run, sorted);
    return ERR_NONE;
}

static int sort(struct live *live, struct sorted *sorted, bool coarse, struct mesh *mesh, struct err *err)
{
    if (live->sorting == sorted) return ERR_NONE;
    take_rungs(live, sorted);
    if (sorted_is_now(sorted, mesh, live->wish->along)) return ERR_NONE;
    if (coarse || is_quick(live, sorted, mesh)) return sort_now(live, sorted, coarse, mesh, err);
    return sorted->iso == &sorted->own && !live->sorting && !live->filtering ? sort_later(live, sorted, mesh, err)
                                                                             : ERR_NONE;
}

bool live_sorted_choose(struct live *live, struct sorted *sorted, bool coarse, struct mesh *mesh, struct live_drawn *drawn)
{
    struct err err = { 0 };
    if (!mesh->triangles || mesh->queued) return true;
    if (open_sorted(live, sorted, coarse, &err) || sort(live, sorted, coarse, mesh, &err))
        return live_sorted_give_up(live, &err);
    if (!sorted_is_of(sorted, mesh)) return true;
    drawn->mesh = sorted_mesh(sorted, mesh);
    drawn->version = drawn->mesh->version;
    drawn->ordered = true;
    return true;
}

/* ---- the sorter ------------------------------------------------------------------------------------------------------ */

static int end_sorting(struct live *live, struct err *err)
{
    struct sorted *sorted = live->sorting;
    live->sorting = NULL;
    sorted->own.exec.cancel = NULL;
    return sorted_end(sorted, err);
}

void live_sorted_take(struct live *live)
{
    struct sorted *sorted = live->sorting;
    struct err err = { 0 };
    if (!sorted || !worker_take(&live->sorter)) return;
    if (end_sorting(live, &err)) live_sorted_give_up(live, &err);
    else note_order(live, sorted, false);
}

void live_sorted_close(struct live *live, struct sorted *sorted, struct sorted *coarse)
{
    if (live->sorting == sorted) return;
    sorted_close(sorted);
    sorted_close(coarse);
}

static void close_all(struct live *live)
{
    for (int i = 0; i < LIVE_SURFACES; i++)
        live_sorted_close(live, &live->surface[i].sorted, &live->surface[i].sorted_coarse);
    live_merged_close(live);
}

bool live_sorted_drop(struct live *live)
{
    bool any = live->together.sorted.iso == &live->iso;
    for (int i = 0; i < LIVE_SURFACES; i++) any = any || live->surface[i].sorted.iso == &live->iso;
    if (!any) return false;
    switch_off(live);
    close_all(live);
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
    close_all(live);
}
