/* The window: all of its state, and what can be done to it.
 *
 * Data flows one way, and `stale` is the earliest step to redo. A key or the panel changes a field and lowers `stale`;
 * app_frame then redoes that step and all below it:
 *
 *    LOAD file -> volume   SMOOTH volume -> volume   STATS range, histogram   ISO volume -> mesh   DRAW mesh -> scene
 *    PANEL scene -> window
 *
 * LOAD, and on the CPU backend SMOOTH, STATS and ISO too, are done by the worker, one at a time, while the window goes on
 * drawing what is there. `due` says which of them are to be done next, `work` which one is being done. All state is this
 * thread's; only what a struct job was given is the worker's until it is taken back: the volume that is being loaded, and the
 * pipeline, which is lent to SMOOTH, STATS, ISO and an export. What stays in `iso` meanwhile tells of the surface before, and takes
 * new rungs. The worker writes to `spare`, which is not drawn, and which changes places with `mesh` when it is complete.
 *
 * Where a full surface does not follow the hand, made and drawn, a coarse one (coarse.h) is made by this thread for each
 * value; the full one is begun when the hand lets go or rests, and stopped when the value moves on. */
#ifndef ISO_APP_H
#define ISO_APP_H

#include "camera.h"
#include "coarse.h"
#include "gl.h"
#include "iso.h"
#include "job.h"
#include "mesh.h"
#include "render.h"
#include "setup.h"
#include "slices.h"
#include "sorted.h"
#include "stats.h"
#include "surface.h"
#include "timing.h"
#include "view_options.h"
#include "worker.h"

#ifdef __cplusplus
extern "C" {
#endif

enum stale {
    STALE_LOAD,
    STALE_SMOOTH,
    STALE_STATS,
    STALE_ISO,
    STALE_DRAW,
    STALE_PANEL,
    STALE_NOTHING,
    WORK_EXPORT
}; /* no step, but the worker does it */

enum panel_form { PANEL_FULL, PANEL_LINE, PANEL_OFF, PANEL_FORMS };

enum drag { DRAG_NONE, DRAG_ORBIT, DRAG_PAN };

struct probe {              /* of a point of the scene: app_probe.c */
    bool asked, sets_value; /* once the scene is drawn; and the value of a slice becomes the isovalue */
    bool shown;
    int axis;               /* of the slice that it lies on; -1: the surface */
    double voxel[3], at[3]; /* voxel coordinates; world */
    double value;           /* real units */
};

struct app_times { /* ms; emptied when the backend changes */
    struct series stage[STAGE_ALL];
    uint64_t runs[STAGE_ALL]; /* iso.stage[].runs that `stage` has taken */
    struct series map;        /* getting the mesh to OpenGL */
    struct series compute;    /* value -> mesh, without map */
    struct series draw;       /* full mesh -> scene, by OpenGL's own clock */
    struct series frame;      /* all of one frame in which something changed */
};

struct app {
    const struct setup *setup; /* what the command line asked for; so is the next */
    const struct view_options *options;
    struct gl gl;
    struct render render;
    struct camera camera;

    char path[4096]; /* to load next; "": the procedural volume */
    bool dropped;    /* path was dropped on the window: the command line's options are not for it */
    struct volume volume;
    struct stats stats;
    struct iso iso;   /* iso.ops NULL: not open */
    struct mesh mesh; /* the full surface */
    struct coarse coarse;
    bool coarse_shown;     /* of the present value there is but the coarse surface */
    bool scene_coarse;     /* which is what the scene holds now */
    char backend_why[256]; /* which backend computes, and why */
    char cuda_lost[256];   /* CUDA broke down for good, and why; "": it did not */
    double copy_rate;      /* GB/s of the backend's memory; 0: not measured yet */
    bool copy_rate_tried;

    double value, first_value; /* real units: shown; chosen by the histogram or the demo */
    double demo_value;         /* the demo's own; NaN for a file */
    float sigma;               /* of the smoothing that is asked for, voxels; iso.sigma: that there is */
    unsigned mode;             /* row of render_modes */
    bool wireframe;
    struct slices slices;
    struct probe probe;
    bool translucent;
    double opacity;                      /* of a translucent surface */
    struct sorted sorted, sorted_coarse; /* the triangles of `mesh` and `coarse.mesh`, while they are translucent */
    struct worker sorter;                /* sorts `mesh` on the CPU where that takes long */
    bool sorting;                        /* that is what it does */
    bool held;                           /* by the mouse: more values will come */
    bool sliding;                        /* a slice is moved by the mouse */
    bool fit;                            /* the camera is to be fitted to the surface before the next drawing */
    enum stale stale;
    bool upload_again; /* another rung of upload was chosen */

    struct worker worker;
    struct job job;               /* the worker's while `work` says so */
    enum stale work;              /* the step that the worker does; STALE_NOTHING: none */
    double work_since;            /* timing_ms() */
    double full_ms;               /* that the next full surface will take to make, as far as known; 0: not */
    double work_map;              /* ms spent on mapping for it */
    double work_ms, queued_value; /* of a surface that was queued to be drawn while CUDA makes it: ms so far, value */
    bool lent;                    /* the pipeline is, to the job */
    bool due_export;              /* once the worker has nothing else to do */
    bool given_up;                /* it was cancelled for good */
    bool due[STALE_DRAW];         /* steps for the worker to do next, the earliest first */
    double due_at;                /* when SMOOTH or ISO is, while the value is held; timing_ms() */
    struct mesh spare;            /* of the worker; CPU backend */
    bool spare_mapped;

    struct err error;  /* in a banner until Esc; code 0: none */
    char empty[512];   /* why there is no surface; "": there is one */
    char notice[512];  /* shown until notice_end */
    double notice_end; /* timing_ms() */
    struct app_times times;

    enum panel_form panel;
    bool help;
    double scale;      /* of text and controls */
    int width, height; /* framebuffer, pixels; 0 when minimised */
    int scene[4];      /* where the scene is in it: x, y from the lower left, width, height */
    int redraw;        /* frames still to draw, so that the panel comes to rest */
    enum drag drag;
    double pressed[2];                 /* where the cursor was when the button went down, */
    bool clicking;                     /* and from where it has not moved far: it may become a click */
    double cursor[2];                  /* framebuffer pixels, y downwards */
    int modifiers;                     /* of the last key, as GLFW gives them */
    bool repeated;                     /* the last key event came from a key that is held */
    int windowed[4];                   /* place and size to go back to from full screen */
    bool screenshot, screenshot_scene; /* to take at the end of this frame: all, or without the panel */
    bool quit;

    double opened;   /* timing_ms() at the start, for the log */
    double frame_ms; /* of the last frame */
    double tick;     /* when what says that work goes on is to be drawn again, timing_ms() */
};

/* Opens the window and loads the first volume. On error nothing is left open. */
int app_init(struct app *app, const struct setup *setup, const struct view_options *options, struct err *err);
void app_free(struct app *app);

/* Waits for something to do and does it. False: the window is to be closed. */
bool app_frame(struct app *app);

/* ---- what keys, mouse and panel do ---- */

void app_load(struct app *app, const char *path);
void app_set_value(struct app *app, double value); /* real units; what is not finite is refused */
void app_hold_value(struct app *app, bool held);   /* the mouse has it, or has let it go */
void app_step_value(struct app *app, double part); /* of the range */
void app_auto_value(struct app *app);
void app_step_percent(struct app *app, double percent); /* of the voxels */
void app_set_percent(struct app *app, double percent);  /* the value below which so many lie */
void app_set_sigma(struct app *app, double sigma);      /* of the smoothing, voxels; clamped */
void app_step_sigma(struct app *app, int step);         /* to the next, the last half voxel */
void app_set_rung(struct app *app, enum stage stage, const struct rung *rung);
void app_next_rung(struct app *app, enum stage stage, int step);
void app_flip_rungs(struct app *app); /* all textbook <-> all default */
bool app_is_textbook(const struct app *app);
void app_flip_backend(struct app *app);
void app_next_mode(struct app *app, int step);
void app_flip_wireframe(struct app *app);
void app_flip_translucent(struct app *app);
void app_set_opacity(struct app *app, double opacity); /* 0 to 1; and translucent it is */
void app_look(struct app *app, double azimuth, double elevation);
void app_next_up(struct app *app, int step); /* another axis points up */
void app_fit(struct app *app);
void app_flip_slice(struct app *app, int axis);
void app_set_slice(struct app *app, int axis, size_t index);
void app_hold_slice(struct app *app, bool held);         /* the mouse has one, or has let it go */
void app_move_slices(struct app *app, int step);         /* those that are on */
double app_slice_place(const struct app *app, int axis); /* along the world's axis next to this; real units */
void app_ask_probe(struct app *app, bool sets_value);
void app_flip_fullscreen(struct app *app);
void app_screenshot(struct app *app, bool scene_only);
void app_export(struct app *app); /* the surface, as a file in the current folder */
void app_next_panel(struct app *app);
void app_flip_help(struct app *app);
void app_escape(struct app *app); /* closes or cancels the topmost thing */

/* Something below `stale` changed; and: the window must be drawn again. */
void app_mark(struct app *app, enum stale stale);

/* A line on the screen for a few seconds. */
void app_notice(struct app *app, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An error: in the banner and on stderr. */
void app_fail(struct app *app, const struct err *err);

/* A line on stderr, with the seconds since the start, if options->verbose. */
void app_log(const struct app *app, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A name that no file has: NAME, `middle`, a number where that is needed, `ending`; NAME is the volume's. */
void app_free_name(const struct app *app, char path[512], const char *middle, const char *ending);

/* Bytes held: volume, working memory and meshes. */
uint64_t app_memory(const struct app *app);

/* What the worker does, for the window; NULL: nothing that has taken long. *fraction: how far it is, negative: not known;
 * NULL: nobody asks. */
const char *app_work_text(const struct app *app, double *fraction);

#ifdef __cplusplus
}
#endif
#endif
