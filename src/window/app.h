/* The state of the window, and what all its parts share. The functions that change the state have a header per subject,
 * beside the file that defines them: app_value.h, app_surfaces.h, app_slices.h, app_cut.h, app_view.h, app_probe.h,
 * app_files.h, app_state.h, app_style.h, app_lab.h, app_sets.h, app_turn.h, app_mine.h, app_time.h, app_tape.h,
 * app_frame.h, caret.h, and app_actions.h for the rest.
 *
 * Keys, mouse and panel change the wish (live.h), or fields that concern only the picture. Then window_frame lets live
 * follow the wish, draws the scene if it has changed, draws the panel, and sleeps until there is something to do:
 *
 *    events -> wish -> live_poll -> scene -> panel -> window
 *
 * App, keys, panel, scene, input and window: each may include those before it. */
#ifndef ISO_APP_H
#define ISO_APP_H

#include "camera.h"
#include "files.h"
#include "gl.h"
#include "history.h"
#include "lab.h"
#include "lesson.h"
#include "live.h"
#include "mine.h"
#include "palette.h"
#include "render.h"
#include "rival.h"
#include "setup.h"
#include "slices.h"
#include "tape.h"
#include "theme.h"
#include "timing.h"
#include "turned.h"
#include "view_options.h"
#include "watched.h"

#ifdef __cplusplus
extern "C" {
#endif

enum panel_page { PAGE_VIEW, PAGE_LAB, PANEL_PAGES };
enum panel_form { PANEL_FULL, PANEL_LINE, PANEL_OFF, PANEL_FORMS };

enum { WINDOW_WIDTH = 1280, WINDOW_HEIGHT = 800 }; /* at scale 1, screen units */

enum { INPUT_TAPS = 16, INPUT_TYPED = 256 };

enum drag { DRAG_NONE, DRAG_ORBIT, DRAG_PAN, DRAG_GRIP };

/* What can cut the scene: the slices, numbered by axis from 0; the cut across the view; the sides of the crop box, from
 * CUTTER_CROP on. */
enum { CUTTER_KNIFE = SLICE_AXES, CUTTER_CROP, CUTTERS = CUTTER_CROP + CROP_SIDES };

enum probe_use {
    PROBE_NONE,
    PROBE_LABEL, /* show a label that says what is there */
    PROBE_VALUE, /* the same; the value on a slice or cap also becomes the isovalue */
    PROBE_RULER  /* add a point to the ruler */
};

/* What a probed point may lie on besides a slice: a surface, a cap on a cut, a cap on the volume's border. */
enum { PROBE_SURFACE = -1, PROBE_CUT = SLICE_AXES, PROBE_BORDER };

struct probe {            /* a point of the scene: app_probe.c */
    enum probe_use asked; /* to be done once the scene is drawn */
    double where[2];      /* place of the click: framebuffer pixels, y downwards */
    bool shown;
    int axis;               /* of the slice that the point is on, or PROBE_... */
    int surface;            /* that the point, or the cap under it, belongs to */
    double voxel[3], at[3]; /* voxel coordinates; world */
    double value;           /* real units */
    double iso;             /* isovalue of that surface */
    float sigma;            /* smoothing of the volume then */
};

enum { RULER_POINTS = 3 };

struct ruler {                                          /* app_ruler.c */
    int count;                                          /* points so far */
    double voxel[RULER_POINTS][3], at[RULER_POINTS][3]; /* voxel coordinates; world */
};

struct held { /* a cut that the mouse drags: grip.c */
    int cutter;
    double shift[2]; /* pixels of the drag per voxel, y downwards */
    double place;    /* voxels; may be beyond where the cut can go */
};

struct axis {        /* of the histogram */
    double from, to; /* the part that is shown: 0 to 1 of all bins; both 0: all */
    bool linear;     /* heights are counts, not their logarithms */
};

struct samples {   /* of the scene, for smooth edges: scene.c */
    unsigned done; /* samples that the picture is the mean of; 0: it was drawn in haste */
    double rest;   /* timing_ms() from which the view counts as resting */
};

struct glide { /* an animated movement of the camera: app_view.c */
    bool on;
    double start;           /* timing_ms() */
    struct camera from, to; /* `to` may still change */
    bool looks, fits;       /* what the log says at the end */
};

struct tap {
    int key, modifiers; /* of GLFW */
    int typed;          /* how many of the characters that the panel has not seen came before */
};

struct input { /* mouse and keyboard */
    enum drag drag;
    double pressed[2];           /* where the cursor was when the button went down */
    bool clicking;               /* the cursor has hardly moved since: it may become a click */
    double cursor[2];            /* framebuffer pixels, y downwards */
    int modifiers;               /* of the last key, as GLFW gives them */
    bool repeated;               /* the last key event came from a key that is held */
    struct tap taps[INPUT_TAPS]; /* keys pressed since the panel was drawn, even if released */
    int tap_count;
    unsigned typed[INPUT_TYPED]; /* characters typed since the panel was drawn */
    int typed_count;
};

enum { TYPED_VALUE, TYPED_PERCENT, TYPED_FIELDS };

struct typed { /* a text field of the panel */
    bool on;   /* it has the keyboard */
    char first[64], text[64];
    void (*take)(struct app *app, const char *text);
};

struct number {     /* being typed into a slider or the box for RAW files */
    unsigned field; /* Dear ImGui's ID; 0: none */
    char first[64], text[64];
};

struct own {              /* the rung of --rung-file: app_mine.c */
    struct worker worker; /* compiles and checks; not open: no such file was given */
    bool busy;            /* `mine` and `err` are the worker's, except the file's name */
    struct mine mine;
    struct err err; /* what is wrong; code 0: nothing */
    int threads;    /* to check with, as in struct mine_request */
    double look_at; /* when to look at the file next, timing_ms() */
    struct watched seen;
    bool changing;
};

struct app {
    const struct setup *setup; /* what the command line asked for */
    const struct view_options *options;
    struct gl gl;
    struct render render;
    struct camera camera;
    struct glide glide;
    struct live_wish wish; /* what is asked for; wish.open.file is `path`, or the command line's */
    struct live live;      /* what there is */
    char path[4096];       /* of the file last asked for; live.from.file is the one shown. "": a procedural volume */
    struct files files;
    struct own own;
    bool sigma_mm;     /* sigma is shown and written in mm, the same along each axis */
    bool reloading;    /* the file being opened is the one that is shown: the view stays */
    unsigned volumes;  /* live.volumes that was last taken over */
    uint64_t scene_of; /* live.scene, and */
    uint64_t contours; /* live.contours_version, that the scene was last made from */

    unsigned mode; /* row of render_modes */
    bool wireframe;
    struct slices slices;
    struct tint tint;       /* colours of the surfaces */
    double window[2];       /* values of the slices' first and last colour, real units */
    bool window_given;      /* somebody chose them; else: from the whole volume */
    double window_typed[2]; /* what is being typed for `window` */
    bool window_types;
    int cutter;       /* the one used last */
    bool cuts_capped; /* surfaces that are cut open are closed by caps */
    int grip;         /* cutter whose grip the mouse is over; 0: none */
    struct held held;
    struct probe probe;
    struct ruler ruler;
    int gizmo; /* end of the gizmo that the mouse is over, from 1; 0: none */
    bool box;  /* the volume's box and a scale bar are shown */
    struct surface_look look[LIVE_SURFACES];
    int active;       /* surface that keys, wheel and fields act on; the wish always has it */
    int export_as;    /* row of export_formats that E writes */
    bool sliding;     /* the mouse is moving a slice */
    bool fit;         /* fit the camera to the surface before the next drawing */
    bool scene_stale; /* the scene must be drawn again */
    bool drawing;     /* the scene is being drawn; events and panel may come in between */
    bool rests;       /* nothing is left to do, and the log says so */
    double zooming;   /* timing_ms() until which more notches of the wheel are expected; 0: not zooming */
    struct samples samples;
    int redraw; /* frames still to be drawn until the panel has settled */

    struct err error;          /* in a banner until Esc; code 0: none */
    int unopened;              /* code of the last error before there was a volume; 0: none */
    char notice[512];          /* shown until notice_end */
    double notice_end;         /* timing_ms() */
    double coarse_ms;          /* to draw a coarse surface, by OpenGL's clock: the quicker of the last two of one step */
    double coarse_last;        /* to draw the last one */
    unsigned coarse_step;      /* step of the last one */
    struct series draw, frame; /* ms: drawing a full mesh, by OpenGL's clock; a whole frame with a new scene */
    double haste_ms;           /* to draw the last full mesh in motion, if known to be less; 0: not known */
    struct frames frames;      /* the same frames, part by part */
    double made_ms;            /* live.made_ms when the last of these frames was shown */
    struct lab lab;
    struct turned turned; /* vertices by gemm */
    struct rival rival;   /* makes the surface with the other set of rungs while the scene is split */

    struct tape tape; /* of events */
    struct input input;
    struct axis axis;  /* of the histogram */
    unsigned auto_way; /* how the last automatic value was found */
    struct typed typed[TYPED_FIELDS];
    struct number number;
    enum panel_form panel;
    enum panel_page page;
    int line_height; /* of the panel while it is a line over the scene, pixels */
    int split_foot;  /* lower end of the labels of a split scene, pixels from the top; 0: not split */
    int foot_height; /* of the box at the window's foot with the errors of --rung-file, pixels; 0: none */
    bool panel_over; /* the window is too narrow, but the full panel was asked for: it covers the scene */
    struct {
        bool shown, source; /* source: with the rung's code */
        int stage;
        const struct rung *rung; /* that `lesson` is of; NULL: none was found */
        struct lesson lesson;
    } card; /* of a stage's rung */
    bool help;
    bool playing;    /* the frames of the file, one after the other */
    double play_due; /* when the next one is due, timing_ms() */
    struct palette palette;
    struct history history;
    char help_find[40];         /* what the help is filtered by */
    float help_top;             /* where the help begins while it is not filtered: framebuffer pixels */
    bool help_asks;             /* the filter's field is to take the keyboard */
    double scale, styled_scale; /* of text and controls: wanted; last applied by panel.cpp */
    int theme, styled_theme;    /* THEME_DARK or THEME_LIGHT: wanted; last applied */
    int width, height;          /* framebuffer, pixels; 0 when minimised */
    double pixels;              /* framebuffer pixels per GLFW screen unit */
    bool resized;               /* the sizes are out of date. Not asked for in each frame: asking waits for the display */
    int scene[4];               /* the scene in the framebuffer: x, y from the lower left, width, height */
    struct {
        unsigned volumes;                    /* `volumes` at the last change of shape */
        double aspect, distance;             /* of scene and camera when the user chose the view */
        double kept;                         /* distance set since; if the camera's differs, the user moved it */
        struct camera fitted;                /* after the last fit */
    } sight;                                 /* to keep in sight what was seen when the scene changes its shape */
    int windowed[4];                         /* place and size to return to from full screen */
    bool screenshot, screenshot_scene, quit; /* to take after this frame: a picture, one without the panel; to end */
    bool leaving;                            /* the window ends when what is to be written is written */
    int enlarge;  /* due or being drawn: a picture of the scene, this many times as wide and high; 0: none */
    bool cut_out; /* the enlarged picture has no background */

    double opened, frame_ms, tick; /* timing_ms() at the start; ms of the last frame; when progress is drawn again */
    double marked, blink;          /* timing_ms() of the last app_mark(); when a text field's caret is drawn again */
    double panel_ms;               /* ms of the last frame that drew only the panel */
    double panel_time;             /* timing_ms() of Dear ImGui's last frame */
};

void app_set_panel(struct app *app, enum panel_form form);
void app_set_page(struct app *app, enum panel_page page); /* remembered for the next run */

extern const char *const app_page_name[PANEL_PAGES];

/* The form in which the panel is shown: if panel and scene have no room beside each other, a line instead of the full
 * panel. */
enum panel_form app_panel_form(const struct app *app);

/* Width in pixels at the left of the window: that the panel takes from the scene; and in which the panel takes the mouse,
 * even where it covers the scene. */
int app_panel_beside(const struct app *app);
int app_panel_over(const struct app *app);

/* Ends the window's wait for events. For workers, on any thread. */
void app_wake(void *unused);

/* Have the panel drawn again; app_mark_scene: and the scene. */
void app_mark(struct app *app);
void app_mark_scene(struct app *app);

/* Shows a line of text for a few seconds. */
void app_notice(struct app *app, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Shows an error in the banner and prints it on stderr. */
void app_fail(struct app *app, const struct err *err);

/* Prints a line on stderr, with the seconds since the start, if options->verbose. */
void app_log(const struct app *app, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What one run remembers for the next: a word per name. app_recall gives "" if there is none. A recording and its replay
 * must begin alike, wherever and whenever they run, so they neither read nor write any of it: app_remembers is false. */
bool app_remembers(const struct app *app);
void app_recall(const struct app *app, const char *name, char word[32]);
void app_remember(const struct app *app, const char *name, const char *word);

/* The active surface: its value, and its present state. */
static inline double app_value(const struct app *app) { return app->wish.value[app->active]; }
static inline const struct live_surface *app_surface(const struct app *app) { return &app->live.surface[app->active]; }

/* What the worker does, as text; NULL: nothing, or not yet for long. *fraction: its progress, negative if not known;
 * fraction may be NULL. */
const char *app_work_text(const struct app *app, double *fraction);

#ifdef __cplusplus
}
#endif
#endif
