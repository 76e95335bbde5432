/* The window's state, and what all its parts need. What can be done to it stands in the parts' own headers, each beside
 * the file that does it: app_value.h, app_surfaces.h, app_slices.h, app_cut.h, app_view.h, app_probe.h, app_files.h,
 * app_state.h, app_style.h, app_lab.h, app_sets.h, app_turn.h, app_mine.h, app_time.h, app_tape.h, app_frame.h, caret.h,
 * and app_actions.h for the rest.
 *
 * Keys, mouse and panel change the wish (live.h), or what concerns only the picture. window_frame then lets live follow the
 * wish, draws the scene if it has changed, draws the panel, and sleeps until there is something to do:
 *
 *    events -> wish -> live_poll -> scene -> panel -> window
 *
 * Each of app, keys, panel, scene, input and window may include those before it. */
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

#ifdef __cplusplus
extern "C" {
#endif

enum panel_page { PAGE_VIEW, PAGE_LAB, PANEL_PAGES };
enum panel_form { PANEL_FULL, PANEL_LINE, PANEL_OFF, PANEL_FORMS };

enum { WINDOW_WIDTH = 1280, WINDOW_HEIGHT = 800 }; /* at scale 1, screen units */

enum { INPUT_TAPS = 16 };

enum drag { DRAG_NONE, DRAG_ORBIT, DRAG_PAN, DRAG_GRIP };

/* What cuts: a slice, from 0 on by its axis; the cut across the view; a side of the crop box, from CUTTER_CROP on. */
enum { CUTTER_KNIFE = SLICE_AXES, CUTTER_CROP, CUTTERS = CUTTER_CROP + CROP_SIDES };

enum probe_use {
    PROBE_NONE,
    PROBE_LABEL, /* says what is there */
    PROBE_VALUE, /* and on a slice its value becomes the isovalue */
    PROBE_RULER
};

enum { PROBE_SURFACE = -1, PROBE_CUT = SLICE_AXES, PROBE_BORDER }; /* caps on cuts, and on the volume's border */

struct probe {            /* of a point of the scene: app_probe.c */
    enum probe_use asked; /* once the scene is drawn, */
    double where[2];      /* and at which place of the window */
    bool shown;
    int axis;               /* of the slice that it lies on, or PROBE_... */
    int surface;            /* that it lies on, or whose caps */
    double voxel[3], at[3]; /* voxel coordinates; world */
    double value;           /* real units */
    double iso;             /* of that surface, */
    float sigma;            /* and its smoothing */
};

enum { RULER_POINTS = 3 };

struct ruler {                                          /* app_ruler.c */
    int count;                                          /* points so far */
    double voxel[RULER_POINTS][3], at[RULER_POINTS][3]; /* voxel coordinates; world */
};

struct held { /* a cut that the mouse drags: grip.c */
    int cutter;
    double shift[2]; /* pixels, y downwards, for a voxel */
    double place;    /* voxels; it may lie farther out than the cut can go */
};

struct axis {        /* of the histogram */
    double from, to; /* parts of all its bins; both 0: all are shown */
    bool linear;     /* heights are counts, not their logarithms */
};

struct samples {   /* of the scene, for smooth edges: window.c */
    unsigned done; /* that the picture is the mean of; 0: it was drawn in haste */
    double rest;   /* timing_ms() from which on the view rests */
};

struct glide { /* of the camera: app_view.c */
    bool on;
    double start;           /* timing_ms() */
    struct camera from, to; /* `to` may still change */
    bool looks, fits;       /* what the log says in the end */
};

struct input { /* mouse and keyboard */
    enum drag drag;
    double pressed[2];               /* where the cursor was when the button went down, */
    bool clicking;                   /* and from where it has not moved far: it may become a click */
    double cursor[2];                /* framebuffer pixels, y downwards */
    int modifiers;                   /* of the last key, as GLFW gives them */
    bool repeated;                   /* the last key event came from a key that is held */
    int taps[INPUT_TAPS], tap_count; /* keys pressed since the panel was drawn, also those that are up again */
};

enum { TYPED_VALUE, TYPED_PERCENT, TYPED_FIELDS };

struct typed { /* a text field of the panel */
    bool on;   /* it has the keyboard */
    char first[64], text[64];
    void (*take)(struct app *app, const char *text);
};

struct number {     /* typed into a slider, or into the box for RAW files */
    unsigned field; /* Dear ImGui's; 0: none */
    char first[64], text[64];
};

struct own {              /* the rung of --rung-file: app_mine.c */
    struct worker worker; /* compiles and checks; not open: there is no such file */
    bool busy;            /* the worker has `mine` and `err`, but for the file's name */
    struct mine mine;
    struct err err; /* what was found wrong; code 0: nothing */
    double look_at; /* at the file, timing_ms() */
    struct timespec modified;
    uint64_t size;
    bool changing;
};

struct app {
    const struct setup *setup; /* what the command line asked for */
    const struct view_options *options;
    struct gl gl;
    struct render render;
    struct camera camera;
    struct glide glide;
    struct live_wish wish; /* what is asked for; wish.open.file is `path`, or of the command line */
    struct live live;      /* what there is */
    char path[4096];       /* of the file that is opened; "": a procedural volume */
    struct files files;
    struct own own;
    bool reloading;    /* the file that is opened is the one that is shown: the view stays */
    unsigned volumes;  /* live.volumes, */
    uint64_t scene_of; /* live.scene and */
    uint64_t contours; /* live.contours_version that the scene was last made from */

    unsigned mode; /* row of render_modes */
    bool wireframe;
    struct slices slices;
    struct tint tint;       /* colours of the surfaces */
    double window[2];       /* values of the slices' first and last colour, real units, */
    bool window_given;      /* or those of the whole volume */
    double window_typed[2]; /* what is being typed for them */
    bool window_types;
    int cutter;       /* that was used last */
    bool cuts_capped; /* what they cut open is closed by caps */
    int grip;         /* the cutter whose grip the mouse is on; 0: none */
    struct held held;
    struct probe probe;
    struct ruler ruler;
    int gizmo; /* end of the gizmo that the mouse is on, from 1; 0: none */
    bool box;  /* the volume's box and a scale bar are shown */
    struct surface_look look[LIVE_SURFACES];
    int active;       /* the surface that keys, wheel and fields speak of; it is always one that the wish has */
    int export_as;    /* row of export_formats that E writes */
    bool sliding;     /* a slice is moved by the mouse */
    bool fit;         /* the camera is to be fitted to the surface before the next drawing */
    bool scene_stale; /* the scene is to be drawn again */
    bool drawing;     /* a long drawing of the scene is under way, and the panel is drawn meanwhile */
    bool rests;       /* nothing is left to do, as the log says */
    double zooming;   /* until when more turns of the wheel are expected; timing_ms() */
    struct samples samples;
    int redraw; /* frames still to draw, so that the panel comes to rest */

    struct err error;     /* in a banner until Esc; code 0: none */
    char notice[512];     /* shown until notice_end */
    double notice_end;    /* timing_ms() */
    double coarse_ms;     /* to draw the last coarse surface, or the one before if that was quicker, by OpenGL's clock, */
    double coarse_last;   /* the last alone, */
    unsigned coarse_step; /* and its step */
    struct series draw, frame; /* ms: full mesh -> scene, by OpenGL's own clock; all of one frame with a new scene */
    double haste_ms; /* that the last full mesh would take while it moves, where that is known to be less; 0: not known */
    struct frames frames; /* the same frames, part by part */
    double made_ms;       /* live.made_ms when the last of them was shown */
    struct lab lab;
    struct turned turned; /* vertices by gemm */
    struct rival rival;   /* makes the surface by the other set of rungs, while the scene is split */

    struct tape tape; /* of events */
    struct input input;
    struct axis axis;  /* of the histogram */
    unsigned auto_way; /* how the last automatic value was found */
    struct typed typed[TYPED_FIELDS];
    struct number number;
    enum panel_form panel;
    enum panel_page page;
    int line_height; /* of the panel, while it is a line over the scene, pixels */
    int split_foot;  /* of the labels of a split scene, from the top; 0: it is not split */
    int foot_height; /* of the box at the foot of the window that says what is wrong with a rung of one's own; 0: none */
    bool panel_over; /* where the panel leaves the scene no room: it was asked for, and lies over the scene */
    struct {
        bool shown, source; /* with the rung's code */
        int stage;
        const struct rung *rung; /* whose lesson was found; NULL: none was */
        struct lesson lesson;
    } card; /* of a stage's rung */
    bool help;
    bool playing;    /* the frames of the file, one after the other; */
    double play_due; /* the next one then: timing_ms() */
    struct palette palette;
    struct history history;
    char help_find[40];         /* what the help is filtered by */
    bool help_asks;             /* its field is to take the keyboard */
    double scale, styled_scale; /* of text and controls: as wished, and as panel.cpp has set it */
    int theme, styled_theme;    /* THEME_DARK or THEME_LIGHT; in the same way */
    int width, height;          /* framebuffer, pixels; 0 when minimised */
    double pixels;              /* per screen unit of GLFW's */
    bool resized;               /* since these were asked for: to ask waits until the display has shown the last picture */
    int scene[4];               /* where the scene is in it: x, y from the lower left, width, height */
    struct {
        unsigned volumes;                    /* of which volume; */
        double aspect, distance;             /* of the scene in which somebody chose the view, and that of its camera; */
        double kept;                         /* the camera's since then, unless somebody has moved it; */
        struct camera fitted;                /* as the last fit left it */
    } sight;                                 /* what is to stay in sight while the scene changes its shape */
    int windowed[4];                         /* place and size to go back to from full screen */
    bool screenshot, screenshot_scene, quit; /* to take at the end of this frame: all, or without the panel; to end */
    int enlarge;  /* to take or being drawn: the scene, so many times as wide and high; 0: nothing, or no longer */
    bool cut_out; /* that, without the background */

    double opened, frame_ms,
        tick;             /* timing_ms() at the start; of the last frame; when the work's progress is drawn again */
    double marked, blink; /* timing_ms() of the last app_mark(); when the caret of a text field is drawn again */
    double panel_ms;      /* of the last frame in which the panel alone was drawn */
    double panel_time;    /* timing_ms() of Dear ImGui's last frame */
};

void app_set_panel(struct app *app, enum panel_form form);
void app_set_page(struct app *app, enum panel_page page); /* remembered for the next run */

extern const char *const app_page_name[PANEL_PAGES];

/* The form that the panel has, as far as there is room for panel and scene: it may be a line instead. */
enum panel_form app_panel_form(const struct app *app);

/* Pixels at the left of the window that are not the scene's; and those where the panel takes the mouse, also where it lies
 * over the scene. */
int app_panel_beside(const struct app *app);
int app_panel_over(const struct app *app);

/* The panel must be drawn again; and the scene too. */
void app_mark(struct app *app);
void app_mark_scene(struct app *app);

/* A line on the screen for a few seconds. */
void app_notice(struct app *app, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An error: in the banner and on stderr. */
void app_fail(struct app *app, const struct err *err);

/* A line on stderr, with the seconds since the start, if options->verbose. */
void app_log(const struct app *app, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What one run leaves to the next: a word under a name; recall: "" if there is none. A recording and its replay must begin
 * alike, wherever and whenever they are played: they neither find nor leave anything. */
bool app_remembers(const struct app *app);
void app_recall(const struct app *app, const char *name, char word[32]);
void app_remember(const struct app *app, const char *name, const char *word);

/* The active surface's value, and what there is of it. */
static inline double app_value(const struct app *app) { return app->wish.value[app->active]; }
static inline const struct live_surface *app_surface(const struct app *app) { return &app->live.surface[app->active]; }

/* What the worker does, for the window; NULL: nothing that has taken long. *fraction: how far it is, negative: not known;
 * NULL: nobody asks. */
const char *app_work_text(const struct app *app, double *fraction);

#ifdef __cplusplus
}
#endif
#endif
