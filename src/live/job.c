#include "job.h"

#include "timing.h"

/* struct progress: an order to stop is looked for as often as progress is told, every few megabytes. */
static bool tell_progress(void *context, double fraction)
{
    struct worker *worker = context;
    worker_tell(worker, fraction);
    return !worker_is_cancelled(worker);
}

/* On an exec of this thread's own, beside the frames of the window's. */
static void upload(struct job *job)
{
    struct iso iso;
    struct err unused, err = { 0 };
    __atomic_store_n(&job->uploading, true, __ATOMIC_RELAXED);
    worker_tell(job->worker, 0);
    if (iso_open(&iso, job->backend, job->device, 1, &unused)) return;
    if (!iso_set_rung(&iso, AUX_UPLOAD, job->rung, &unused) &&
        !iso_upload(&iso, &job->volume.grid, &job->setup.load.progress, &err))
        iso_give_volume(&iso, &job->uploaded);
    if (worker_is_cancelled(job->worker)) job->err = err;
    iso_close(&iso);
}

void job_load(void *context)
{
    struct job *job = context;
    const double start = timing_ms();
    job->setup.load.progress = (struct progress){ tell_progress, job->worker };
    if (!setup_open_volume(&job->volume, &job->demo_value, &job->setup, &job->err)) {
        coarse_pick(&job->level, &job->volume.grid);
        if (job->backend != BACKEND_CPU) upload(job);
    }
    job->ms = timing_ms() - start;
}

void job_smooth(void *context)
{
    struct job *job = context;
    const double start = timing_ms();
    if (!iso_smooth(&job->iso, job->sigma, &job->done, &job->err) && job->sigma > 0)
        coarse_pick(&job->level, &job->iso.grid);
    job->ms = timing_ms() - start;
}

void job_stats(void *context)
{
    struct job *job = context;
    const double start = timing_ms();
    stats_compute(&job->stats, &job->iso, job->of, &job->err);
    job->ms = timing_ms() - start;
}

/* Counts, unless a run before this one has, and writes if there is room. */
void job_surface(void *context)
{
    struct job *job = context;
    struct iso *iso = &job->iso;
    const double start = timing_ms();
    if (iso_is_fused(iso)) iso_fuse(iso, job->value, &job->out, &job->fits, &job->err);
    else if (job->counted || !iso_count(iso, job->value, &job->err)) {
        job->counted = true;
        job->fits = iso->counts.vertices <= job->out.vertices && iso->counts.triangles <= job->out.triangles;
        if (job->fits) iso_emit(iso, &job->out.mesh, &job->err);
    }
    job->ms += timing_ms() - start;
}

void job_export(void *context)
{
    struct job *job = context;
    const struct progress progress = { tell_progress, job->worker };
    if (!job->made && export_make(&job->file, &job->iso, job->of, job->real_value, &job->err)) return;
    job->file.format = &export_formats[0];
    if (job->file.mesh.triangle_count) export_write(&job->file, job->path, &progress, &job->err);
    export_free(&job->file);
}
