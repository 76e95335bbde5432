/* live: a surface that follows a wish. It needs no window, no OpenGL and no particular clock.
 *
 * The caller keeps a struct live_wish: file, isovalue, smoothing, backend, rungs, slices, view direction, and whether
 * the mouse holds something. It may change any of it at any time. It calls live_poll with the whole wish after every
 * change, after every wake(), and at `deadline`. The struct live then says what to draw.
 *
 *    events -> wish -> live_poll -> draw -> live_resolve -> sleep until an event, wake() or `deadline`
 *
 * STEPS. live compares the wish with what exists and does the earliest missing step first:
 *
 *    LOAD file -> volume   SMOOTH volume -> volume   STATS volume -> range, histogram   SURFACE volume -> mesh
 *
 * live does not record how a wish came about, so no order of events can leave it in a wrong state. When nothing runs
 * any more, either the surface of the last wish is shown, or an error was reported. A step that failed is not repeated
 * until the wish changes. live corrects the wish if it cannot be met: another backend after the GPU was lost, a rung
 * that needs less memory, the previous sigma after smoothing was cancelled, the first value of a new file. The
 * corrected wish is the caller's new wish.
 *
 * OWNERSHIP. live owns the volume, the pipeline, all meshes and both workers. The caller owns the wish. It may read the
 * members of struct live that are not marked "private", between two calls and on the thread that calls live_poll.
 *
 * THREADS. On the CPU backend each step is a job of the worker, one job at a time. On CUDA the caller's thread runs the
 * steps, which are quick; only LOAD (with the upload) and file output are jobs. Contours, percentiles and coarse
 * surfaces are always computed on the caller's thread. A job borrows the pipeline (work.lent), which nobody else
 * touches until the job has ended; live keeps copies of what the caller may read meanwhile. A job writes to a spare
 * mesh, which then replaces the drawn one. The second worker sorts the triangles of a translucent surface if that takes
 * long.
 *
 * CANCELLING. A job is cancelled when the wish no longer needs its result. There is one exception: if full surfaces
 * keep up with the mouse, the job is finished although the value has moved on. Otherwise a mouse that never rests would
 * never see a full surface.
 *
 * COARSE SURFACES. If a full surface takes too long to follow the mouse, a coarse one (coarse.h) is made for each value
 * at once. The full one is made when the mouse lets go or has rested for limits.rest_ms.
 *
 * FALLING BACK. After an error the step is repeated with another rung or on the CPU if setup_find_way allows it. If
 * memory is short, a translucent surface becomes opaque first.
 *
 * DRAWING EARLY. If CUDA shares the mesh, live_poll leaves the mesh queued (mesh.h). It can be drawn while CUDA still
 * writes it; live_resolve then waits for CUDA and says whether to draw again. A caller that cannot draw skips both: the
 * next live_poll resolves the mesh.
 *
 * SEVERAL SURFACES. A wish has up to LIVE_SURFACES values. Each is a surface of its own. The surfaces go through the
 * same steps one after the other, and a surface is dropped when it leaves the wish. Translucent ones that are drawn
 * together are merged into one mesh and sorted as one (merged.h); then either all of them are coarse, or none.
 *
 * One struct live serves one volume with its surfaces. There is no global state: for several volumes use several of
 * them. */
#ifndef ISO_LIVE_H
#define ISO_LIVE_H

#include "capped.h"
#include "coarse.h"
#include "filtered.h"
#include "merged.h"
#include "refine_view.h"
#include "export.h"
#include "setup.h"
#include "slice.h"
#include "sorted.h"
#include "stats.h"
#include "series.h"
#include "worker.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LIVE_SURFACES = MERGED_MOST };

/* ---- input ---------------------------------------------------------------------------------------------------------- */

enum live_kind {
    LIVE_LOG,     /* what happened, for a log */
    LIVE_NOTICE,  /* the answer to something the user did */
    LIVE_WARNING, /* no error, but the user must know */
    LIVE_ERROR
};

struct live_limits {
    size_t coarse_voxels; /* most voxels of a coarse level, see coarse_pick */
    double slow_ms;       /* a full surface that takes longer to make and draw does not follow the mouse */
    double rest_ms; /* a held value that rests this long gets a full surface; a job that takes longer gets a coarse one */
    uint64_t preview_bytes; /* files from this size on get a preview first */
    uint64_t thin_read;     /* most to read of a file that does not fit; the rest is read where it is in view; 0: any */
    double turn_ms;         /* the longest sort within a frame while the view turns, */
    double sort_ms;         /* and while it does not, unless drawing takes longer */
    double filter_ms;       /* the longest time to leave out parts within a frame */
    double coarse_ms;       /* a coarse surface that takes longer to draw is made coarser */
};

extern const struct live_limits live_limits; /* the defaults */

struct live_host { /* live copies it; what it points to must outlive live */
    const struct mesh_target *target;
    const struct executor *executor;
    double (*clock)(void *context); /* ms; called on any thread */
    void (*wake)(void *context);    /* live_poll has something to do; called on any thread */
    void (*tell)(void *context, enum live_kind kind, int code, const char *text); /* code: of an error */
    void *context;
    struct live_limits limits;
};

enum live_use {              /* of one of the surfaces */
                LIVE_OFF,    /* it does not exist, and its memory is freed */
                LIVE_HIDDEN, /* neither drawn nor made; what exists of it stays */
                LIVE_SHOWN
};

struct live_wish {
    unsigned opens;    /* change it to load open.file */
    bool again;        /* the same file has changed on disk: surfaces after the first stay */
    struct setup open; /* the file, how to read it, its first value and sigma; the caller keeps the strings */
    enum live_use use[LIVE_SURFACES]; /* a new file has surface 0 alone */
    double value[LIVE_SURFACES];      /* isovalue, real units; NaN: automatic, set when STATS is done */
    float sigma;                      /* of the smoothing, voxels */
    enum backend backend;
    const struct rung *rung[STAGE_ALL]; /* of that backend */
    bool slice_on[SLICE_AXES];
    size_t slice[SLICE_AXES];                      /* index of each plane; a plane outside the volume has no contour */
    struct component_filter filter[LIVE_SURFACES]; /* parts of each surface to leave out */
    bool close; /* draw caps where the volume's border cuts the surface; its parts are then those of the closed surface */
    bool cut;   /* cut open: caps are needed, even invisible ones; without `close`, none while parts are left out */
    bool measured; /* parts, area, volume and box are wanted even if no part is left out */
    bool translucent[LIVE_SURFACES];
    bool switched_off;       /* parts, measures, caps, translucency or slices were switched off; history resets it */
    struct refine_view view; /* the view to refine surfaces for; width 0: nobody looks */
    float along[3];          /* direction of larger depth, voxel coordinates; translucent triangles are sorted by it */
    bool held;               /* the mouse holds the value or sigma: more changes will come */
    bool moving;             /* the view turns, or a slice slides */
    bool full;               /* only full surfaces, none given up, as a rival makes them; rival_leave sets it */
    double draw_ms;          /* time to draw a full surface */
    double coarse_ms;        /* time to draw the last coarse surface */
    unsigned coarse_step;    /* step of that coarse surface; 0: none was drawn */
};

/* ---- output --------------------------------------------------------------------------------------------------------- */

enum live_task { LIVE_IDLE, LIVE_LOAD, LIVE_SMOOTH, LIVE_STATS, LIVE_SURFACE, LIVE_EXPORT, LIVE_COPY_RATE, LIVE_REFINE };

struct live_drawn {
    const struct mesh *mesh; /* NULL: the surface is not shown */
    unsigned step;           /* voxels of the volume per unit of the mesh: 1, or the step of the coarse level */
    bool ordered;            /* triangles come from back to front */
    uint64_t version;        /* of the content */
    const struct mesh *caps; /* in the same unit; NULL: none */
    uint64_t caps_version;
};

struct live_cut { /* what a surface was made from */
    double value;
    uint64_t epoch; /* of the volume and the rungs */
};

struct live_refined_of { /* what a refined surface was made from */
    struct live_cut cut;
    struct refine_view view;
};

struct live_refined { /* the part in view, made from finer voxels than those in memory */
    struct mesh mesh; /* in voxels of the volume in memory */

    /* private */
    struct mesh spare;                /* the worker writes here */
    struct live_refined_of of, tried; /* what was made; what failed or was given up */
    bool is_finer;                    /* than the full surface; false: the full one is fine enough, or nothing finer fits */
    size_t hidden, left;              /* blocks in view: not made yet; where small parts may have been missed */
    uint64_t version;                 /* of the refiner's mesh that was copied to `mesh`; 0: none */
    char text[96], limit[256];        /* its level; why there is none, or no finer one */
};

struct live_surface {
    struct live_drawn drawn;
    struct mesh mesh;          /* the full surface */
    struct coarse_mesh coarse; /* the coarse surface */
    bool coarse_shown;         /* only the coarse surface belongs to the present wish */
    struct live_cut made;      /* what `mesh` shows; value NaN: nothing */
    bool fused;                /* whether a fused rung made `mesh` and its counts */
    struct iso_counts counts;  /* of `mesh` */
    struct filtered filtered;  /* its facts are valid if filtered_is_of() `mesh` */
    struct live_refined refined;
    char empty[512]; /* why `mesh` has no triangles; "": it has some, or was not made yet */

    /* private */
    struct capped capped, capped_coarse;
    struct mesh spare;      /* the worker writes here */
    struct live_cut again;  /* made once more although it exists: live_repeat */
    struct live_cut tried;  /* what failed or was given up */
    double low[3], high[3]; /* box around `mesh`, if boxed; used while the pipeline is lent for another surface */
    bool boxed;
    struct sorted sorted, sorted_coarse;
    bool warm;              /* a full surface of this volume was made by this backend */
    double full_ms;         /* estimate for the next full surface; 0: none */
    double map_ms, make_ms; /* of the surface being made: mapping so far, the rest until it was queued */
};

struct live_together {             /* translucent surfaces in one order, if several are drawn */
    struct live_drawn drawn;       /* replaces their meshes, but not their caps; mesh NULL: each is drawn by itself */
    uint32_t first[LIVE_SURFACES]; /* first vertex of surface i; the next entry is its end */

    /* private */
    struct merged merged, merged_coarse;
    struct sorted sorted, sorted_coarse;
};

/* Times in ms. They are cleared when the volume or the backend changes, or whatever else changes the work. The first
 * run is cold: it allocates memory, and neither data nor instructions are in caches. It counts only until there is
 * another run. */
struct live_times {
    struct series stage[STAGE_ALL];
    struct series map;                  /* getting the mesh to the target; cold runs count */
    struct series compute;              /* value -> mesh, without map */
    bool cold[STAGE_ALL], cold_compute; /* the only time is that of the first run; false if there is no time */
};

struct live_need { /* a step is missing if `wanted` equals neither of the others */
    uint64_t wanted, done, tried;
};

struct live {
    struct volume volume; /* grid.voxels NULL: none yet */
    struct setup from;    /* how `volume` was opened; from.file NULL: it is procedural */
    unsigned volumes;     /* number of volumes loaded so far */
    uint64_t preview;     /* voxels of the file per voxel of the volume along an axis; 1: it is no preview */
    bool refined;         /* the volume has replaced its own preview */
    struct stats stats;
    double first_value; /* the automatic isovalue, real units; NaN: not known yet */
    struct coarse coarse;
    struct live_surface surface[LIVE_SURFACES];
    struct live_together together;
    struct slice_set contours[LIVE_SURFACES]; /* meaningless for a surface that is not shown */
    uint64_t contours_version;                /* grows when a contour changes */
    struct stage_stats stage[STAGE_ALL];      /* last run of each stage and side */
    struct live_times times;
    char backend_why[256]; /* which backend computes, and why */
    double copy_rate;      /* GB/s of the backend's memory; 0: not known */
    double made_ms;        /* total time to make full surfaces, without mapping, on any thread */
    double mapped_ms;      /* total time that the caller's thread spent mapping meshes */
    bool copy_rate_tried;

    uint64_t scene;  /* grows when the scene to draw changes */
    double deadline; /* when to poll again, by the host's clock; INFINITY: after an event or wake() */
    struct {
        enum live_task task; /* the worker's */
        unsigned surface;    /* that the task is for */
        double since;        /* start of the task, by the host's clock */
        bool lent;           /* the task has the pipeline */
    } work;

    /* private */
    struct live_host host;
    const struct setup *setup; /* of live_open */
    char from_path[4096];      /* what from.file points to */
    struct iso iso;            /* the pipeline; while it is lent, only `ops`, exec.backend and exec.threads can be read */
    struct grid grid;          /* what the stages read */
    float sigma;               /* of the smoothing of `grid` */
    double demo_value;         /* isovalue of the procedural volume; NaN for a file */
    double awaited[LIVE_SURFACES];           /* number for the value that will replace a NaN; NaN: none was asked for */
    enum isovalue awaited_in[LIVE_SURFACES]; /* what kind of number that is */
    char cuda_lost[256];                     /* why CUDA will not work again; "": it may */
    uint64_t runs[STAGE_ALL];                /* runs of iso.stage that `stage` has taken over */
    uint64_t iso_bytes;                      /* memory of iso when it was not lent */
    unsigned opened;                         /* wish.opens of the last load */
    uint64_t epoch;                          /* grows with every change of the volume or of a rung that makes surfaces */
    uint64_t grid_epoch;                     /* grows with every change of the volume */
    struct live_need smoothing, counting;
    const struct export_format *due_format;
    struct export_look due_look[LIVE_SURFACES];
    unsigned finest;                 /* step of the coarse level first picked for the volume */
    struct refiner *refiner;         /* of the volume; belongs to the task while it refines; NULL: none yet */
    struct live_refined_of refining; /* what the task makes */
    double refine_at;                /* earliest time to begin refining */
    unsigned no_levels;              /* value of `volumes` for which no levels were found */
    uint64_t refined_bytes;          /* memory of the refiner when the task last did not have it */
    bool refine;                     /* the volume is a preview; load the whole once its surface exists, */
    struct load_desc whole;          /* as this says */
    bool upload_again;               /* with another rung */
    double due_at;                   /* when to begin a full surface although the value is held */
    unsigned
        due_export; /* 1 + the surface to write as due_format (see live_export) when nothing else is missing; 0: none */
    struct sorted *sorting;         /* what the sorter works on; NULL: it does not sort */
    struct live_surface *filtering; /* whose parts the sorter filters; NULL: none. At most one of the two is set */
    struct err failed;              /* error between two turns; code 0: none */
    struct worker worker, sorter;
    union live_tasks *job;        /* of the task */
    struct live_wish seen, *wish; /* of the last poll; of this turn */
};

/* Opens the backend, the pipelines and the worker. Writes the first wish, as `setup` describes it, to *wish; the first
 * live_poll loads its file. On error nothing is left open. */
int live_open(struct live *live, const struct live_host *host, const struct setup *setup, struct live_wish *wish,
              struct err *err);

/* Cancels and waits for the workers, and frees everything. Does nothing for a zero struct. */
void live_close(struct live *live);

/* Takes over finished work, starts what is missing, and chooses what to draw. May correct *wish. */
void live_poll(struct live *live, struct live_wish *wish);

/* Call it after drawing: waits for the queued surfaces. Returns whether to draw again. May correct *wish. */
bool live_resolve(struct live *live, struct live_wish *wish);

/* Gives up the file that is due, or else the worker's task until the wish changes. Sets wish->sigma back if that was
 * smoothing. */
void live_cancel(struct live *live, struct live_wish *wish);

/* Makes the surface once more, to time it again. Does nothing while it is queued, because it is being made then. */
void live_repeat(struct live *live, unsigned surface);

/* Progress of the worker's task, 0 to 1; negative: not known. */
double live_progress(const struct live *live);

/* Returns whether the task is LOAD, and the file has been read. */
bool live_is_uploading(const struct live *live);

/* Return whether the full surface of the wish is still to come, for one surface or for any. */
bool live_is_coming(const struct live *live, unsigned surface);
bool live_any_is_coming(const struct live *live);

/* Returns whether nothing runs and nothing is missing. The copy rate does not count: nobody waits for it. */
bool live_is_idle(const struct live *live);

/* Returns whether a file that live_export was asked for is still to be written. */
bool live_is_writing(const struct live *live);

/* Gives a box around the surface, or around the coarse one if only that exists, in voxel coordinates. Returns false if
 * it is not known yet, or on an error, which the next live_poll handles. */
bool live_bounds(struct live *live, unsigned surface, double low[3], double high[3]);

/* Gives the largest value of each plane (plane[0..2] . point + plane[3], voxel coordinates) over what the surface
 * encloses, estimated from the volume's voxels. Points outside the box from `low` to `high` are moved to it. Returns
 * false if no voxel is enclosed. */
bool live_extent(const struct live *live, unsigned surface, const double low[3], const double high[3],
                 const double (*plane)[4], double *most, size_t planes);

/* Memory in use, bytes: volume, working memory and meshes. */
uint64_t live_memory(const struct live *live);

/* Repeats STATS if it failed or was given up. */
void live_count(struct live *live);

/* live_refined.c: writes how the surface is refined, or why it is not, as one line for people; "": there is nothing to
 * refine. */
void live_refined_text(const struct live *live, unsigned surface, char *text, size_t size);

/* Returns whether the surface drawn for that wish is refined. */
bool live_refined_is_shown(const struct live *live, const struct live_wish *wish, unsigned surface);

/* live_export.c: writes the shown surfaces to a file of this format in the current folder as soon as nothing else is
 * missing. Writes `surface` alone if the format holds only one, or if none is shown. looks: of all surfaces, for
 * formats that store looks; NULL: their defaults. */
void live_export(struct live *live, unsigned surface, const struct export_format *format, const struct export_look *looks);

/* live_aux.c: stats_isovalue and stats_step, also while the pipeline is lent. */
int live_aux_isovalue(struct live *live, enum isovalue kind, double number, double *value, struct err *err);

/* Sets the wish's value of the surface, which must be NaN, to this once STATS is done. */
void live_aux_await(struct live *live, unsigned surface, enum isovalue kind, double number);

int live_aux_step(struct live *live, double step, double *value, struct err *err);

/* live_aux.c: measures copy_rate; on the CPU it only begins to. Only while live is idle, because it takes a moment. */
void live_aux_copy_rate(struct live *live);

#ifdef __cplusplus
}
#endif
#endif
