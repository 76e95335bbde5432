/* What the worker does for the window: load a volume, smooth it, learn its statistics, make a surface, write it to a file.
 * Each takes what it needs in a struct job, and leaves its result there; none knows OpenGL or the window. */
#ifndef ISO_JOB_H
#define ISO_JOB_H

#include "coarse.h"
#include "export.h"
#include "setup.h"
#include "stats.h"
#include "worker.h"

#ifdef __cplusplus
extern "C" {
#endif

struct job {
    struct worker *worker; /* for progress, and to know when to stop */
    struct err err;        /* code 0: done */
    double ms;             /* that it took */

    /* load */
    struct setup setup;   /* setup.file NULL: the procedural volume */
    char path[4096];      /* what setup.file points to; export: to write */
    struct volume volume; /* the result, owned by whoever takes the job back */
    double demo_value;    /* NaN for a file */
    struct coarse_level level;
    enum backend backend; /* CUDA: the volume is uploaded as well, */
    int device;
    const char *rung;           /* by this one, */
    bool uploading;             /* which is what it does now: see job_is_uploading() */
    struct iso_volume uploaded; /* to this; none if that failed, so that the taker tries, who has more ways to make room */

    /* smoothing, statistics, surface: the pipeline is lent to the job, its buffers with it */
    struct iso iso;
    float sigma;             /* smoothing: voxels; `level` is of its result */
    size_t done;             /* how far it is, by iso_smooth_work() */
    const struct volume *of; /* statistics, export: the volume that the pipeline holds */
    struct stats stats;

    double real_value;       /* surface, export: its value, */
    float value;             /* and the same in stored units */
    struct mesh_buffers out; /* surface: mapped for it */
    bool counted;            /* surface: iso.counts are known from a run before */
    struct export_file file; /* export: its mesh is gone when the job is done */
    bool made;               /* export: the mesh is there, and the pipeline is not lent */
    bool fits;               /* surface: false: `room` is too small for iso.counts; run it again with more */
};

static inline bool job_is_uploading(const struct job *job) { return __atomic_load_n(&job->uploading, __ATOMIC_RELAXED); }

void job_load(void *job);
void job_smooth(void *job);
void job_stats(void *job);
void job_surface(void *job);
void job_export(void *job);

#ifdef __cplusplus
}
#endif
#endif
