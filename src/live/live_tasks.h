/* Internal to live: the jobs of the worker. Each job has a struct for its input and its results; no job knows struct
 * live. */
#ifndef ISO_LIVE_TASKS_H
#define ISO_LIVE_TASKS_H

#include "coarse.h"
#include "export.h"
#include "live.h"
#include "refiner.h"
#include "setup.h"
#include "stats.h"
#include "worker.h"

#ifdef __cplusplus
extern "C" {
#endif

struct live_host;

struct task { /* common to all tasks */
    struct worker *worker;
    const struct live_host *host; /* for its clock and limits */
    uint64_t epoch;               /* set and compared by the code that starts the task */
    struct err err;               /* code 0: done */
    double ms;                    /* duration */
};

struct task_load {
    struct task task;
    struct setup setup;     /* setup.file NULL: the procedural volume */
    char path[4096];        /* what setup.file points to */
    struct volume volume;   /* the result; owned by the taker */
    struct load_desc whole; /* as setup.load, before it was changed to read a part */
    bool refining;          /* it replaces a preview */
    uint64_t part;          /* the result is a preview with one voxel per `part` along each axis; 1: it is the whole */
    double demo_value;      /* NaN for a file */
    struct coarse_level level;
    enum backend backend; /* CUDA: the volume is uploaded as well */
    int device;
    const char *rung;           /* that uploads */
    bool uploading;             /* the upload has begun; read and written atomically */
    struct iso_volume uploaded; /* empty if the upload failed: the taker, who has more ways to free memory, tries again */
};

struct task_smooth {
    struct task task;
    struct iso *iso;
    float sigma, part[3];      /* as for iso_smooth */
    size_t done;               /* work done so far, see iso_smooth_work() */
    struct coarse_level level; /* of the result */
};

struct task_stats {
    struct task task;
    struct iso *iso;
    const struct volume *volume; /* that iso holds */
    struct stats stats;
};

struct task_surface {
    struct task task;
    struct iso *iso;
    double real_value;       /* of the surface */
    float value;             /* the same in stored units */
    struct mesh_buffers out; /* mapped for it */
    bool counted;            /* iso->counts are known from an earlier run */
    bool fits;               /* false: `out` is too small for iso->counts; run it again with more */
};

struct task_export {
    struct task task;
    struct setup setup; /* setup.file: the whole file is read slab by slab (stream.h); NULL: the input is `volume` */
    struct iso *iso;    /* NULL: the meshes are in `file` already, or are not made from `volume` */
    const struct volume *volume;
    size_t count; /* of surfaces */
    struct {
        double value; /* real units */
        struct export_edit edit;
        struct export_look look;
    } part[LIVE_SURFACES];
    const struct export_format *format;
    unsigned surface; /* which one, if count is 1 */
    char path[512];
    struct export_file file; /* its meshes are gone when the job is done */
};

struct task_refine {
    struct task task;
    struct refiner *refiner; /* opened if it is not */
    struct setup setup;      /* of the volume in memory */
    struct volume shown;
    bool looks;              /* looks at the blocks that are left, once the rest is made */
    struct refine_desc desc; /* what to make otherwise; the job sets the progress */
    struct refined out;
    bool copies;        /* copies what it has made */
    struct mesh_out to; /* where to copy it; mapped for the task */
};

struct task_copy_rate {
    struct task task;
    struct iso *iso;
    double rate; /* GB/s */
};

union live_tasks { /* one at a time */
    struct task task;
    struct task_load load;
    struct task_smooth smooth;
    struct task_stats stats;
    struct task_surface surface;
    struct task_export exporting;
    struct task_refine refine;
    struct task_copy_rate copy_rate;
};

/* Makes the parts of the file. Error: as export_add. */
int live_tasks_make_parts(struct task_export *t, struct iso *iso, const struct progress *progress, struct err *err);

void live_tasks_load(void *task_load);
void live_tasks_smooth(void *task_smooth);
void live_tasks_stats(void *task_stats);
void live_tasks_surface(void *task_surface);
void live_tasks_export(void *task_export);
void live_tasks_refine(void *task_refine);
void live_tasks_refine_copy(void *task_refine);
void live_tasks_copy_rate(void *task_copy_rate);

#ifdef __cplusplus
}
#endif
#endif
