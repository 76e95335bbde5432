#include "live_tasks.h"

#include "load.h"
#include "stream.h"
#include "voxels.h"

#include <string.h>

static double now(const struct task *task) { return task->host->clock(task->host->context); }

/* For struct progress. It checks for cancellation whenever progress is told, every few megabytes. */
static bool tell_progress(void *context, double fraction)
{
    struct worker *worker = context;
    worker_tell(worker, fraction);
    return !worker_is_cancelled(worker);
}

/* Uploads on an exec of this thread's own, concurrently with the frames. */
static void upload(struct task_load *t)
{
    struct iso iso;
    struct err unused, err = { 0 };
    __atomic_store_n(&t->uploading, true, __ATOMIC_RELAXED);
    worker_tell(t->task.worker, 0);
    if (iso_open(&iso, t->backend, t->device, 1, &unused)) return;
    if (!iso_set_rung(&iso, AUX_UPLOAD, t->rung, &unused) &&
        !iso_upload(&iso, &t->volume.grid, &t->setup.load.progress, &err))
        iso_give_volume(&iso, &t->uploaded);
    if (worker_is_cancelled(t->task.worker)) t->task.err = err;
    iso_close(&iso);
}

void live_tasks_load(void *task_load)
{
    struct task_load *t = task_load;
    const double start = now(&t->task);
    const struct live_limits *limits = &t->task.host->limits;
    t->setup.load.progress = (struct progress){ tell_progress, t->task.worker };
    t->part = 1;
    t->whole = t->setup.load;
    if (t->setup.preview && t->setup.file)
        t->part = load_look(&t->setup.load, t->setup.file, limits->preview_bytes, limits->coarse_voxels);
    t->setup.load.thins = true, t->setup.load.thin_read = limits->thin_read;
    if (!setup_open_volume(&t->volume, &t->demo_value, &t->setup, &t->task.err)) {
        coarse_pick(&t->level, &t->volume.grid, t->task.host->limits.coarse_voxels);
        if (t->backend != BACKEND_CPU) upload(t);
    }
    t->task.ms = now(&t->task) - start;
}

void live_tasks_smooth(void *task_smooth)
{
    struct task_smooth *t = task_smooth;
    const double start = now(&t->task);
    if (!iso_smooth(t->iso, t->sigma, t->part, &t->done, &t->task.err) && t->sigma > 0)
        coarse_pick(&t->level, &t->iso->grid, t->task.host->limits.coarse_voxels);
    t->task.ms = now(&t->task) - start;
}

void live_tasks_stats(void *task_stats)
{
    struct task_stats *t = task_stats;
    const double start = now(&t->task);
    stats_compute(&t->stats, t->iso, t->volume, &t->task.err);
    t->task.ms = now(&t->task) - start;
}

/* Counts, unless an earlier run has, and writes if there is room. */
void live_tasks_surface(void *task_surface)
{
    struct task_surface *t = task_surface;
    struct iso *iso = t->iso;
    const double start = now(&t->task);
    if (iso_is_fused(iso)) iso_fuse(iso, t->value, &t->out, &t->fits, &t->task.err);
    else if (t->counted || !iso_count(iso, t->value, &t->task.err)) {
        t->counted = true;
        t->fits = iso->counts.vertices <= t->out.vertices && iso->counts.triangles <= t->out.triangles;
        if (t->fits) iso_emit(iso, &t->out.mesh, &t->task.err);
    }
    t->task.ms += now(&t->task) - start;
}

/* Extracts from the whole file, with the memory that the volume leaves. */
static void export_slabs(struct task_export *t)
{
    struct stream_desc desc = { .progress = { tell_progress, t->task.worker } };
    struct stream_file files[LIVE_SURFACES];
    struct store store;
    struct iso iso;
    char why[256];
    bool is;
    t->file.format = t->format;
    desc.joined = t->count > 1;
    for (size_t i = 0; i < t->count; i++)
        files[i] = (struct stream_file){ .value = t->part[i].value, .path = t->path, .file = &t->file };
    if (load_store(&store, t->setup.file, &t->setup.load, &is, &t->task.err)) return;
    desc.store = &store;
    desc.memory = voxels_memory(&t->setup.load) - (t->setup.load.memory ? grid_bytes(&t->volume->grid) : 0);
    if (!is) err_set(&t->task.err, ERR_FAILED, "%s: the file has changed since it was opened", t->setup.file);
    else if (!setup_open_iso(&iso, &t->setup, -1, why, sizeof why, &t->task.err)) {
        stream_extract(&desc, &iso, files, t->count, &t->task.err);
        iso_close(&iso);
    }
    store_close(&store);
    export_free(&t->file);
}

int live_tasks_make_parts(struct task_export *t, struct iso *iso, const struct progress *progress, struct err *err)
{
    int code = export_open(&t->file, iso, t->volume, err);
    for (size_t i = 0; i < t->count && !code; i++) {
        t->file.edit = t->part[i].edit, t->file.look = t->part[i].look;
        t->file.edit.progress = *progress;
        code = export_add(&t->file, iso, t->volume, t->part[i].value, err);
    }
    return code;
}

void live_tasks_export(void *task_export)
{
    struct task_export *t = task_export;
    const struct progress progress = { tell_progress, t->task.worker };
    if (t->setup.file) {
        export_slabs(t);
        return;
    }
    if (t->iso && live_tasks_make_parts(t, t->iso, &progress, &t->task.err)) return;
    t->file.format = t->format;
    if (t->file.count) export_write(&t->file, t->path, &progress, &t->task.err);
    export_free(&t->file);
}

void live_tasks_refine(void *task_refine)
{
    struct task_refine *t = task_refine;
    const struct progress progress = { tell_progress, t->task.worker };
    const double start = now(&t->task);
    const bool opened = t->refiner->is_open || !refiner_open(t->refiner, &t->setup, &t->shown, &t->task.err);
    t->desc.progress = &progress;
    if (opened && t->looks) refiner_look(t->refiner, &t->desc, &t->out, &t->task.err);
    else if (opened) refiner_make(t->refiner, &t->desc, &t->out, &t->task.err);
    t->desc.progress = NULL;
    t->task.ms = now(&t->task) - start;
}

/* Copies until it is cancelled. */
static void copy(const struct worker *worker, void *to, const void *from, uint64_t bytes)
{
    enum { PIECE = 1 << 24 };
    for (uint64_t at = 0; at < bytes && !worker_is_cancelled(worker); at += PIECE)
        memcpy((char *)to + at, (const char *)from + at, bytes - at < PIECE ? bytes - at : PIECE);
}

void live_tasks_refine_copy(void *task_refine)
{
    struct task_refine *t = task_refine;
    const struct mesh_host *from = &t->refiner->mesh.mesh;
    const double start = now(&t->task);
    copy(t->task.worker, t->to.vertices, from->vertices, from->vertex_count * sizeof *from->vertices);
    copy(t->task.worker, t->to.indices, from->indices, from->triangle_count * 3 * sizeof *from->indices);
    t->task.ms += now(&t->task) - start;
}

void live_tasks_copy_rate(void *task_copy_rate)
{
    struct task_copy_rate *t = task_copy_rate;
    iso_copy_rate(t->iso, &t->rate, &t->task.err);
}
