/* The window: all of its state, and what can be done to it.
 *
 * Data flows one way, and `stale` is the earliest step to redo. A key or the panel changes a field and lowers `stale`;
 * app_frame then redoes that step and all below it:
 *
 *    LOAD file -> volume   STATS range, histogram   ISO volume -> mesh   DRAW mesh -> scene   PANEL scene -> window */
#ifndef ISO_APP_H
#define ISO_APP_H

#include "camera.h"
#include "gl.h"
#include "iso.h"
#include "mesh.h"
#include "options.h"
#include "render.h"
#include "stats.h"
#include "surface.h"
#include "timing.h"

#ifdef __cplusplus
extern "C" {
#endif

enum stale { STALE_LOAD, STALE_STATS, STALE_ISO, STALE_DRAW, STALE_PANEL, STALE_NOTHING };

enum panel_form { PANEL_FULL, PANEL_LINE, PANEL_OFF, PANEL_FORMS };

enum drag { DRAG_NONE, DRAG_ORBIT, DRAG_PAN };

struct app_times {                     /* ms; emptied when the backend changes */
    struct series stage[STAGE_COUNT];
    uint64_t runs[STAGE_COUNT];        /* iso.stage[].runs that `stage` has taken */
    struct series map;                 /* getting the mesh to OpenGL */
    struct series compute;             /* value -> mesh, without map */
    struct series draw;                /* mesh -> scene, by OpenGL's own clock */
    struct series frame;               /* all of one frame in which something changed */
};

struct app {
    const struct options *options;
    struct gl gl;
    struct render render;
    struct camera camera;

    char path[4096];                   /* to load next; "": the procedural volume */
    bool dropped;                      /* path was dropped on the window: the command line's options are not for it */
    struct volume volume;
    struct stats stats;
    struct iso iso;                    /* iso.ops NULL: not open */
    struct mesh mesh;
    char backend_why[256];             /* which backend computes, and why */
    char cuda_lost[256];               /* CUDA broke down for good, and why; "": it did not */
    double copy_rate;                  /* GB/s of the backend's memory; 0: not measured yet */
    bool copy_rate_tried;

    double value, first_value;         /* real units: shown; chosen by the histogram or the demo */
    unsigned mode;                     /* row of render_modes */
    bool wireframe;
    bool fit;                          /* the camera is to be fitted to the surface before the next drawing */
    enum stale stale;

    struct err error;                  /* in a banner until Esc; code 0: none */
    char empty[512];                   /* why there is no surface; "": there is one */
    char notice[512];                  /* shown until notice_end */
    double notice_end;                 /* timing_ms() */
    struct app_times times;

    enum panel_form panel;
    bool help;
    double scale;                      /* of text and controls */
    int width, height;                 /* framebuffer, pixels; 0 when minimised */
    int scene[4];                      /* where the scene is in it: x, y from the lower left, width, height */
    int redraw;                        /* frames still to draw, so that the panel comes to rest */
    enum drag drag;
    double cursor[2];                  /* framebuffer pixels, y downwards */
    int modifiers;                     /* of the last key, as GLFW gives them */
    int windowed[4];                   /* place and size to go back to from full screen */
    bool screenshot, screenshot_scene; /* to take at the end of this frame: all, or without the panel */
    bool quit;

    bool loading, cancelled;           /* inside a load; Esc was pressed in it */
    double loading_next;               /* when the progress bar is due again, timing_ms() */
};

/* Opens the window and loads the first volume. On error nothing is left open. */
int app_init(struct app *app, const struct options *options, struct err *err);
void app_free(struct app *app);

/* Waits for something to do and does it. False: the window is to be closed. */
bool app_frame(struct app *app);

/* ---- what keys, mouse and panel do ---- */

void app_load(struct app *app, const char *path);
void app_set_value(struct app *app, double value);     /* real units; what is not finite is refused */
void app_step_value(struct app *app, double part);     /* of the range */
void app_auto_value(struct app *app);
void app_set_rung(struct app *app, enum stage stage, const struct rung *rung);
void app_next_rung(struct app *app, enum stage stage, int step);
void app_flip_rungs(struct app *app);                  /* all textbook <-> all default */
bool app_is_textbook(const struct app *app);
void app_flip_backend(struct app *app);
void app_next_mode(struct app *app, int step);
void app_flip_wireframe(struct app *app);
void app_look(struct app *app, double azimuth, double elevation);
void app_next_up(struct app *app, int step);            /* another axis points up */
void app_fit(struct app *app);
void app_flip_fullscreen(struct app *app);
void app_screenshot(struct app *app, bool scene_only);
void app_next_panel(struct app *app);
void app_flip_help(struct app *app);
void app_escape(struct app *app);                      /* closes or cancels the topmost thing */

/* Something below `stale` changed; and: the window must be drawn again. */
void app_mark(struct app *app, enum stale stale);

/* A line on the screen for a few seconds. */
void app_notice(struct app *app, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An error: in the banner and on stderr. */
void app_fail(struct app *app, const struct err *err);

/* A line on stderr, if options->verbose. */
void app_log(const struct app *app, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Bytes held: volume, working memory and mesh. */
uint64_t app_memory(const struct app *app);

#ifdef __cplusplus
}
#endif
#endif
