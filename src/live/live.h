/* A surface that follows a wish, without a window.
 *
 * The caller says in a struct live_wish what it wants to see: a file, a value, how much the volume is smoothed, which backend
 * and rungs compute, which slices, from where. It says all of it each time, and calls live_poll, again and again: after every
 * change, after every wake(), and when `deadline` has come. What there is to draw then stands in struct live.
 *
 *    events -> wish -> live_poll -> draw -> live_resolve -> sleep until an event, wake() or `deadline`
 *
 * Wish and state. live compares the wish with what there is, and does what is missing, the earliest step first:
 *
 *    LOAD file -> volume   SMOOTH volume -> volume   STATS range, histogram   SURFACE volume -> mesh
 *
 * Nothing is remembered of how the wish came about, so that no order of events can leave anything behind: at rest, what is
 * shown is what was last wished, or an error was told and is not tried again before the wish changes. Where a wish cannot be
 * fulfilled live amends it: the backend after a GPU was lost, a rung that needs less memory, the sigma that there was before
 * smoothing was cancelled, the value of a new file. The caller takes the amended wish as its own.
 *
 * Who does what. On the CPU backend the steps, and LOAD and writing a file on any backend, are jobs of one worker, one at a
 * time; the caller's thread does the rest: all that CUDA computes (but uploading), coarse surfaces, contours, percentiles.
 * While a job has the pipeline (`iso`), nobody else touches it; live keeps apart what the caller may want to read. The worker
 * writes to a spare mesh, which changes places with the drawn one when it is complete. A second worker sorts the triangles of
 * a translucent surface, where that takes long. A job that the wish has made useless is cancelled, with one exception: where
 * full surfaces keep up with the hand, the one being made is finished, or a hand that never rests would never see one.
 *
 * A coarse surface. Where a full surface takes so long that it does not follow the hand, a coarse one (coarse.h) is made for
 * each value at once. The full one is begun when the hand lets go, or has rested for limits.rest_ms.
 *
 * Falling back. After an error the steps go on with another rung, or on the CPU, where setup_find_way says that this may
 * help. For want of memory a translucent surface becomes opaque first.
 *
 * Drawing early. Where CUDA shares the mesh, live_poll leaves it queued (mesh.h): it can be drawn while it is being made, and
 * live_resolve afterwards says whether it must be drawn once more. Whoever cannot draw leaves that to the next live_poll.
 *
 * One struct live follows one volume and its surfaces, on the thread that opened it. Nothing is global: several volumes are
 * several of them. Messages come through tell() as they arise. */
#ifndef ISO_LIVE_H
#define ISO_LIVE_H

#include "coarse.h"
#include "setup.h"
#include "slice.h"
#include "sorted.h"
#include "stats.h"
#include "timing.h"
#include "worker.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LIVE_SURFACES = 1 };

/* ---- what live is given --------------------------------------------------------------------------------------------- */

enum live_kind {
    LIVE_LOG,     /* what happened, for a log */
    LIVE_NOTICE,  /* an answer to what the user did */
    LIVE_WARNING, /* something that is no error, but should not go by unseen */
    LIVE_ERROR
};

struct live_limits {
    size_t coarse_voxels; /* of a coarse level, see coarse_pick */
    double slow_ms;       /* a full surface that takes longer, made and drawn, does not follow the hand */
    double rest_ms;       /* a value that was not moved for so long is worth a full surface; so long is one waited for */
    double turn_ms;       /* sorting that takes longer does not belong into a frame of a view that turns, */
    double sort_ms;       /* or into any, unless the drawing takes longer still: better once, and right */
};

extern const struct live_limits live_limits;

struct live_host { /* copied; what it refers to must outlive the struct live */
    const struct mesh_target *target;
    const struct executor *executor;
    double (*clock)(void *context); /* ms, on any thread */
    void (*wake)(void *context);    /* on any thread: live_poll has something to do */
    void (*tell)(void *context, enum live_kind kind, int code, const char *text); /* code: of an error */
    void *context;
    struct live_limits limits;
};

struct live_wish {
    unsigned opens;              /* another number: load open.file now */
    struct setup open;           /* file, how to read it, and its first value and sigma; its strings are the caller's */
    double value[LIVE_SURFACES]; /* real units; NaN: automatic, once the values are counted */
    float sigma;                 /* of the smoothing, voxels */
    enum backend backend;
    const struct rung *rung[STAGE_ALL]; /* of that backend */
    bool slice_on[SLICE_AXES];
    size_t slice[SLICE_AXES]; /* index of each plane; of one that the volume does not have, no contour is made */
    bool translucent;
    float along
        [3];     /* the direction of larger depth, voxel coordinates: triangles of a translucent surface are sorted by it */
    bool held;   /* the mouse has the value or sigma, so that more will come */
    bool moving; /* the view turns, or a slice slides */
    double draw_ms; /* that drawing a full surface takes */
};

/* ---- what there is: for the caller to read -------------------------------------------------------------------------- */

enum live_task { LIVE_IDLE, LIVE_LOAD, LIVE_SMOOTH, LIVE_STATS, LIVE_SURFACE, LIVE_EXPORT };

struct live_drawn {
    const struct mesh *mesh;
    unsigned step;    /* voxels of the volume per unit of the mesh: 1, or that of the coarse level */
    bool ordered;     /* its triangles come from back to front */
    uint64_t version; /* of the content */
};

struct live_cut { /* a surface is of a value, and of a volume and the rungs that make it */
    double value;
    uint64_t epoch;
};

struct live_surface {
    struct live_drawn drawn;
    struct mesh mesh;          /* the full surface */
    struct coarse_mesh coarse; /* the coarse one */
    bool coarse_shown;         /* of the present wish there is only that */
    bool fused;                /* how `counts` were counted */
    struct iso_counts counts;  /* of the full surface */
    char empty[512];           /* why that has no triangle; "": it has, or there is none yet */

    /* live's own */
    struct mesh spare;
    struct live_cut made, tried; /* what `mesh` is of; what has failed or was given up */
    struct sorted sorted, sorted_coarse;
    double full_ms; /* that the next full surface will take to make, as far as known; 0: not */
    double map_ms;  /* spent on mapping for the one in the making, */
    double make_ms; /* and otherwise, before it was queued */
};

struct live_times { /* ms; emptied when volume or backend change */
    struct series stage[STAGE_ALL];
    struct series map;     /* getting the mesh to the target */
    struct series compute; /* value -> mesh, without map */
};

struct live_need { /* something is to be done where `wanted` is neither */
    uint64_t wanted, done, tried;
};

struct live {
    struct volume volume; /* grid.voxels NULL: none so far */
    unsigned volumes;     /* that were loaded so far */
    struct stats stats;
    double first_value; /* real units: by the histogram, or the demo's own; NaN: not known yet */
    struct coarse coarse;
    struct live_surface surface[LIVE_SURFACES];
    struct slice_set contours; /* of surface 0, */
    uint64_t contours_version; /* which grows when any was made */
    struct stage_stats stage[STAGE_ALL];
    struct live_times times;
    char backend_why[256]; /* which backend computes, and why */
    double copy_rate;      /* GB/s of the backend's memory; 0: not known */
    bool copy_rate_tried;

    uint64_t scene;  /* grows when there is something else to draw */
    double deadline; /* when to poll again, by the host's clock; INFINITY: after an event or wake() */
    struct {
        enum live_task task; /* that the worker does, */
        unsigned surface;    /* for this one, */
        double since;        /* as of then */
        bool lent;           /* it has the pipeline */
    } work;

    /* live's own */
    struct live_host host;
    const struct setup *setup; /* what the program was asked for */
    struct iso iso;            /* the job's while work.lent; ops and exec.backend can be read even then */
    struct grid grid;          /* as the stages see it, */
    float sigma;               /* smoothed by this */
    double demo_value;         /* NaN for a file */
    double percent;            /* of voxels: the first value is to be the one above so many; NaN: not */
    char cuda_lost[256];       /* CUDA broke down for good, and why; "": it did not */
    uint64_t runs[STAGE_ALL];  /* of iso.stage that `stage` has taken */
    unsigned opened;           /* wish.opens that was acted on */
    uint64_t epoch;            /* of volume and rungs: see live_cut */
    uint64_t grid_epoch;       /* of the volume */
    uint64_t iso_bytes;        /* that iso held when it was not lent */
    struct live_need smoothing, counting;
    bool upload_again;            /* by another rung */
    double due_at;                /* when a full surface is begun while the value is held */
    unsigned due_export;          /* surface + 1 that is to be written once nothing else is to be done; 0: none */
    struct live_surface *sorting; /* what the sorter does; NULL: nothing */
    struct err failed;            /* since the last turn; code 0: nothing */
    struct worker worker, sorter;
    union live_tasks *job; /* the worker's while work.task says so */
    struct live_wish seen, *wish;
};

/* Opens backend, pipelines and worker, and writes the wish that `setup` asks for to *wish: its file is loaded by the first
 * live_poll. On error nothing is left open. */
int live_open(struct live *live, const struct live_host *host, const struct setup *setup, struct live_wish *wish,
              struct err *err);

/* Cancels what runs, waits for it and frees everything. One that was never opened is fine. */
void live_close(struct live *live);

/* Takes what has been done, begins what is to be done, says what to draw. Amends *wish (see above). */
void live_poll(struct live *live, struct live_wish *wish);

/* After drawing: learns what has become of a surface that was queued. True: draw it again. */
bool live_resolve(struct live *live, struct live_wish *wish);

/* Gives up what the worker does, until the wish changes. Amends *wish: the sigma is that which there is. */
void live_cancel(struct live *live, struct live_wish *wish);

/* How far the worker's task is, 0..1; negative: not known. And whether a load is at uploading. */
double live_progress(const struct live *live);
bool live_is_uploading(const struct live *live);

/* Whether the full surface of the wish is still to come. */
bool live_is_coming(const struct live *live, unsigned surface);

/* Whether nothing runs and nothing is to be done. */
bool live_is_idle(const struct live *live);

/* A box that holds the surface, in voxel coordinates: of the full one, or of the coarse one where only that is there. False:
 * it cannot be told yet, or has failed, with which the next live_poll deals. */
bool live_bounds(struct live *live, unsigned surface, double low[3], double high[3]);

uint64_t live_memory(const struct live *live); /* bytes held: volume, working memory and meshes */

/* Counts the values again, where that has failed or was given up. */
void live_count(struct live *live);

/* live_export.c: writes the surface to a file in the current folder, once nothing else is to be done. */
void live_export(struct live *live, unsigned surface);

/* live_sides.c: the value below which `part` (0..1) of the voxels lie; that which `step` (-1..1) more of them are below of
 * than of *value (see stats.h); a yardstick for the backend's memory, of which copy_rate tells: only while live is idle. */
int live_sides_percentile(struct live *live, double part, double *value, struct err *err);
int live_sides_step(struct live *live, double step, double *value, struct err *err);
void live_sides_copy_rate(struct live *live);

#ifdef __cplusplus
}
#endif
#endif
