#include "rival.h"

#include "live_parts.h"
#include "surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_cpu(const struct rival *r) { return r->iso.exec.backend == BACKEND_CPU; }

void rival_close(struct rival *r)
{
    if (r->worker.executor) worker_close(&r->worker);
    if (r->open) {
        if (r->spare.mapped) mesh_unmap(&r->spare, 0, 0, NULL);
        mesh_close(&r->spare);
        mesh_close(&r->mesh);
        iso_close(&r->iso);
    }
    free(r->job);
    *r = (struct rival){ .open = false };
}

/* Makes the pipeline read the grid of live's stages, without a copy. */
static void borrow(struct iso *iso, const struct live *live)
{
    iso->original = live->grid;
    iso->owned = false;
    iso_unsmooth(iso);
    iso->exact = live->iso.exact;
}

static int open_pipeline(struct rival *r, const struct live *live, struct err *err)
{
    const struct exec *exec = &live->iso.exec;
    *r = (struct rival){ .time = { .value = NAN }, .job = calloc(1, sizeof *r->job), .live_made = live->made_ms };
    if (!r->job) return err_set(err, ERR_FAILED, "not enough memory for a second pipeline");
    int code = iso_open(&r->iso, exec->backend, exec->device, exec->threads, err);
    if (code) {
        rival_close(r);
        return code;
    }
    r->open = true;
    mesh_open(&r->mesh, live->host.target, &r->iso.exec);
    mesh_open(&r->spare, live->host.target, &r->iso.exec);
    code = worker_open(&r->worker, live->host.executor, live->host.wake, live->host.context, err);
    if (!code) code = iso_set_topology(&r->iso, live->iso.topology, err);
    borrow(&r->iso, live);
    r->epoch = live->grid_epoch;
    r->iso.exec.cancel = &r->worker.cancel;
    if (code) rival_close(r);
    return code;
}

/* Whether live changes the volume, or is about to: because of something new in this turn's wish, or because of a
 * request that waits while the pipeline is lent. */
static bool volume_changes(const struct live *live, const struct live_wish *wish)
{
    const bool rungs = wish->rung[AUX_GAUSSIAN] != live->seen.rung[AUX_GAUSSIAN] ||
                       wish->rung[AUX_UPLOAD] != live->seen.rung[AUX_UPLOAD];
    return live->work.task == LIVE_LOAD || live->work.task == LIVE_SMOOTH || wish->opens != live->opened ||
           live_steps_replace_voxels(live, wish) || wish->backend != live->iso.exec.backend || rungs || live->failed.code;
}

void rival_leave(struct rival *r, const struct live *live, struct live_wish *wish)
{
    if (r->open && volume_changes(live, wish)) rival_close(r);
    wish->full = r->open;
}

/* ---- a surface ----------------------------------------------------------------------------------------------------- */

static int start(struct rival *r, struct err *err)
{
    struct task_surface *t = r->job;
    t->out = (struct mesh_buffers){ { NULL, NULL }, 0, 0 }; /* before the first surface: only counts */
    if (r->spare.store && mesh_map(&r->spare, &t->out, err)) return ERR_FAILED;
    r->busy = true;
    worker_start(&r->worker, live_tasks_surface, t);
    return ERR_NONE;
}

static int begin(struct rival *r, const struct live *live, double value, struct err *err)
{
    *r->job = (struct task_surface){ .task = { .worker = &r->worker, .host = &live->host },
                                     .iso = &r->iso,
                                     .real_value = value,
                                     .value = volume_iso(&live->volume, value) };
    r->disturbed = live->work.task != LIVE_IDLE;
    return start(r, err);
}

static void take(struct rival *r, double value, double ms, bool shared)
{
    r->time = (struct rival_time){ value, ms, shared };
    r->first = !r->warm;
    r->warm = true;
}

/* Returns whether `mesh` has changed. */
static bool finish(struct rival *r, struct err *err)
{
    const struct task_surface *t = r->job;
    const struct iso_counts *counts = &r->iso.counts;
    const bool written = !t->task.err.code && t->fits && r->spare.mapped;
    struct err unmapped = { 0 };
    r->busy = false;
    *err = t->task.err;
    mesh_unmap(&r->spare, written ? counts->vertices : 0, written ? counts->triangles : 0, &unmapped);
    if (!err->code) *err = unmapped;
    if (err->code) return false;
    if (!t->fits) {
        if (!mesh_reserve(&r->spare, counts->vertices, counts->triangles, err)) start(r, err);
        return false;
    }
    const struct mesh old = r->mesh;
    r->mesh = r->spare;
    r->spare = old;
    take(r, t->real_value, t->task.ms, r->disturbed);
    return true;
}

/* Makes the surface at once, on CUDA. */
static bool make(struct rival *r, const struct live *live, double value, struct err *err)
{
    const double before = live->host.clock(live->host.context);
    double map;
    if (surface_update(&r->mesh, &r->iso, volume_iso(&live->volume, value), &map, err)) return false;
    take(r, value, live->host.clock(live->host.context) - before - map, false);
    if (r->first) live->host.wake(live->host.context);
    return true;
}

/* Sets the rungs of the next surface. The time of a surface made by other rungs no longer counts. */
static void set_rungs(struct rival *r, const struct rung *const rung[STAGE_ALL])
{
    struct err unused;
    if (!memcmp(r->rung, rung, sizeof r->rung)) return;
    memcpy(r->rung, rung, sizeof r->rung);
    for (int s = 0; s < STAGE_ALL; s++) iso_set_rung(&r->iso, (enum stage)s, rung[s]->name, &unused);
    r->time.value = NAN;
    r->warm = false;
}

/* Whether live has its surface, and no change is about to come. */
static bool is_quiet(const struct live *live, const struct live_wish *wish, unsigned surface)
{
    return !wish->held && live->work.task == LIVE_IDLE && live->surface[surface].made.value == wish->value[surface];
}

static bool is_missing(const struct rival *r, const struct live *live, const struct live_wish *wish, unsigned surface)
{
    const bool quiet = is_quiet(live, wish, surface);
    return !(r->time.value == wish->value[surface]) || ((r->time.shared || r->first) && quiet && !r->live_shared);
}

/* If live made a surface while the rival was at work, both make theirs again when they rest, live first. */
static void watch(struct rival *r, struct live *live, const struct live_wish *wish, unsigned surface)
{
    if (live->made_ms != r->live_made) r->live_shared = (r->busy || r->overlaps) && is_cpu(r);
    r->live_made = live->made_ms;
    r->overlaps = live->work.task != LIVE_IDLE && (r->overlaps || r->busy);
    r->disturbed = r->disturbed || live->work.task != LIVE_IDLE;
    if (!r->live_shared || r->busy || !is_quiet(live, wish, surface)) return;
    r->live_shared = false;
    live_repeat(live, surface);
}

bool rival_follow(struct rival *r, struct live *live, const struct live_wish *wish, unsigned surface,
                  const struct rung *const rung[STAGE_ALL], struct err *err)
{
    const double value = wish->value[surface];
    bool changed = false;
    err->code = ERR_NONE;
    if (r->open && r->epoch != live->grid_epoch) rival_close(r);
    if (volume_changes(live, wish) || !live->volume.grid.voxels || isnan(value)) return false;
    if (!r->open && open_pipeline(r, live, err)) return false;
    watch(r, live, wish, surface);
    if (r->busy && worker_take(&r->worker)) changed = finish(r, err);
    if (!r->busy && !err->code) {
        set_rungs(r, rung);
        const bool missing = is_missing(r, live, wish, surface);
        if (missing && is_cpu(r)) begin(r, live, value, err);
        else if (missing) changed = make(r, live, value, err);
    }
    if (err->code) rival_close(r);
    return changed;
}

bool rival_rests(const struct rival *r, const struct live *live, const struct live_wish *wish, unsigned surface)
{
    const bool shared = r->live_shared && is_quiet(live, wish, surface);
    return r->open && !r->busy && !shared && !is_missing(r, live, wish, surface);
}
