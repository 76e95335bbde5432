/* The window's state, and what can be done to it.
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
    struct tint tint;  /* colours of the surfaces */
    double window[2];  /* values of the slices' first and last colour, real units, */
    bool window_given; /* or those of the whole volume */
    int cutter;        /* that was used last */
    bool cuts_capped;  /* what they cut open is closed by caps */
    int grip;          /* the cutter whose grip the mouse is on; 0: none */
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
    enum panel_form panel;
    enum panel_page page;
    int line_height; /* of the panel, while it is a line over the scene, pixels */
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
    char help_find[40];                      /* what the help is filtered by */
    bool help_asks;                          /* its field is to take the keyboard */
    double scale, styled_scale;              /* of text and controls: as wished, and as panel.cpp has set it */
    int theme, styled_theme;                 /* THEME_DARK or THEME_LIGHT; in the same way */
    int width, height;                       /* framebuffer, pixels; 0 when minimised */
    int scene[4];                            /* where the scene is in it: x, y from the lower left, width, height */
    int windowed[4];                         /* place and size to go back to from full screen */
    bool screenshot, screenshot_scene, quit; /* to take at the end of this frame: all, or without the panel; to end */
    int enlarge;  /* to take or being drawn: the scene, so many times as wide and high; 0: nothing, or no longer */
    bool cut_out; /* that, without the background */

    double opened, frame_ms,
        tick;             /* timing_ms() at the start; of the last frame; when the work's progress is drawn again */
    double marked, blink; /* timing_ms() of the last app_mark(); when the caret of a text field is drawn again */
    double panel_ms;      /* of the last frame in which the panel alone was drawn */
};

/* ---- what keys, mouse and panel do ---- */

void app_load(struct app *app, const char *path); /* asks for the shape of a RAW file first */
bool app_ask_shape(struct app *app, const char *path, const struct load_desc *desc); /* false: there is nothing to ask */
void app_ask_file(struct app *app);                                 /* by the desktop's dialog, or a list of our own */
void app_browse(struct app *app, const char *name, bool is_folder); /* of that list: enters the folder or opens the file */
void app_close_browse(struct app *app);
void app_type_browse(struct app *app, unsigned character); /* what is typed, and GLFW keys, while that list is shown */
void app_press_browse(struct app *app, int key);
void app_cancel_import(struct app *app);
void app_take_import(struct app *app);                  /* does what the box was told in the frame before */
void app_step_file(struct app *app, int step);          /* through the volumes of the folder */
void app_set_value(struct app *app, double value);      /* real units; what is not finite is refused */
double app_other_value(struct app *app);                /* that no surface has; NaN: there is none yet */
void app_type_value(struct app *app, const char *text); /* as --iso takes it; else it says why not */
void app_type_percent(struct app *app, const char *text);
void app_hold_value(struct app *app, bool held);        /* the mouse has it, or has let it go */
void app_step_value(struct app *app, double part);      /* of the range */
void app_reset_value(struct app *app);                  /* to the automatic one */
void app_auto_value(struct app *app);                   /* the same; from there on to others that are often good */
void app_step_percent(struct app *app, double percent); /* of the voxels */
void app_set_sigma(struct app *app, double sigma);      /* of the smoothing, voxels; clamped */
void app_step_sigma(struct app *app, int step);         /* to the next, the last half voxel */
void app_set_rung(struct app *app, enum stage stage, const struct rung *rung);
void app_next_rung(struct app *app, enum stage stage, int step);
void app_show_card(struct app *app, enum stage stage); /* what the stage's rung does */
void app_hide_card(struct app *app);
void app_flip_rungs(struct app *app);               /* all textbook <-> all default */
void app_pick_row(struct app *app, int step);       /* the next row of the lab's table, whose rung the arrows step */
void app_flip_sets(struct app *app);                /* the rungs of set A, or of B: app_sets.c */
void app_split_sets(struct app *app);               /* both at once, each in its half of the scene; or no more */
void app_race(struct app *app);                     /* the same for the textbook and the fastest rungs */
const char *app_lacks_split(const struct app *app); /* why the scene cannot be split; NULL: it can */
void app_flip_gemm(struct app *app);                /* vertices by the gemm op, or by OpenGL: app_turn.c */
const char *app_lacks_gemm(const struct app *app);  /* why OpenGL does it all the same; NULL: it does not */
void app_pause_lab(struct app *app);                /* the times on the lab page stand still, or go on */
void app_pin_lab(struct app *app);  /* the present times are what later ones are compared with; or no more */
void app_copy_lab(struct app *app); /* the times as a table in Markdown; to the clipboard */
void app_log_lab(struct app *app);  /* each new time, to a file in the current folder; or no more */
bool app_is_textbook(const struct app *app);
void app_flip_backend(struct app *app);
void app_next_mode(struct app *app, int step);
void app_set_mode(struct app *app, unsigned mode);
void app_flip_wireframe(struct app *app);
void app_flip_translucent(struct app *app);
void app_flip_close(struct app *app);
void app_set_opacity(struct app *app, double opacity); /* of the active surface, 0 to 1; and translucent it is */
void app_set_dust(struct app *app,
                  double percent); /* its parts shorter than so much of the longest are left out; 0: none */
void app_add_surface(struct app *app, bool mirrored); /* at another automatic value, or at minus that of the active one */
void app_drop_surface(struct app *app, int surface);  /* not the last one */
void app_pick_surface(struct app *app, int surface);  /* it becomes the active one */
void app_next_surface(struct app *app, int step);
void app_flip_surface(struct app *app, int surface);                 /* shown or hidden */
void app_give_opacity(struct app *app, int surface, double opacity); /* 1: it is opaque */
void app_set_colour(struct app *app, int surface, const float colour[3]);
void app_set_tint(struct app *app, enum tint_by by);              /* of all surfaces, by a quantity */
void app_set_tint_map(struct app *app, int map);                  /* row of colour_maps */
void app_flip_measured(struct app *app);                          /* area, volume and box of the surface */
void app_look(struct app *app, double azimuth, double elevation); /* by a movement, as app_fit */
void app_look_down(struct app *app);                              /* the same from the top */
void app_fit(struct app *app);
void app_next_up(struct app *app, int step); /* another axis points up */
void app_set_up(struct app *app, enum camera_up up);
void app_flip_orthographic(struct app *app);
void app_next_way(struct app *app); /* of drawing opaque surfaces: raster.h */
void app_flip_box(struct app *app);
void app_flip_slice(struct app *app, int axis);
void app_set_slice(struct app *app, int axis, size_t index);
void app_hold_slice(struct app *app, bool held); /* the mouse has one, or has let it go */
void app_move_slices(struct app *app, int step); /* those that are on */
/* Where the slice is along the world's axis `along`; -1: an axis is oblique, and it is the length from voxel 0. */
double app_slice_place(const struct app *app, int axis, int *along);
void app_first_slices(struct app *app);                   /* as the command line says */
void app_set_map(struct app *app, int map);               /* row of colour_maps */
void app_window(const struct app *app, double window[2]); /* as it is, real units */
void app_set_window(struct app *app, double low, double high);
void app_reset_window(struct app *app);
void app_cut_slice(struct app *app, int axis);    /* the viewer's side is hidden, then the other, then none */
void app_flip_knife(struct app *app);             /* across the present view */
void app_set_knife(struct app *app, double part); /* of its way through the volume, 0 to 1 */
double app_knife_part(const struct app *app);
void app_flip_crop(struct app *app);
void app_flip_cut_caps(struct app *app);
bool app_is_cut(const struct app *app);                         /* by what has no picture */
void app_move_cutter(struct app *app, double step);             /* voxels; what was used last. Slices by whole ones */
double app_cutter_place(const struct app *app, int cutter);     /* voxels */
void app_set_cutter(struct app *app, int cutter, double place); /* as far as it can go */
const char *app_cutter_name(int cutter);
void app_ask_probe(struct app *app, enum probe_use use);
void app_flip_fullscreen(struct app *app);
void app_step_time(struct app *app, int step); /* to another frame of the file */
void app_play(struct app *app);                /* or stop */
void app_screenshot(struct app *app, bool scene_only);
void app_ask_enlarged(struct app *app, int times, bool cut_out); /* a picture of the scene as the window has not */
void app_cancel_enlarged(struct app *app);
void app_name_window(struct app *app); /* by the volume */
void app_export(struct app *app);      /* the surface, as a file in the current folder */
void app_next_panel(struct app *app);
void app_set_page(struct app *app, enum panel_page page); /* remembered for the next run */
void app_step_scale(struct app *app,
                    int step); /* of text and controls; 0: as the display has it. Remembered, as the next: */
void app_flip_theme(struct app *app);
void app_first_style(struct app *app); /* as the command line says, or as remembered */
void app_choose_size(struct app *app); /* of the window: the default, scaled with text, as far as the monitor has room */
void app_flip_help(struct app *app);
void app_find_help(struct app *app);
void app_flip_palette(struct app *app); /* palette.c */
void app_undo(struct app *app);         /* history.c */
void app_redo(struct app *app);
void app_copy_command(struct app *app); /* that draws the same picture; to the clipboard */
void app_save_state(struct app *app);   /* to a file in the current folder */
void app_escape(struct app *app);       /* closes or cancels the topmost thing */

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

/* app_frame.c: live_poll and live_resolve, and the frame's parts meanwhile; and the times that OpenGL's clock has ready. */
void app_poll(struct app *app);
bool app_resolve(struct app *app);
void app_begin_frame(struct app *app, double now);
enum frame_part app_enter(struct app *app, enum frame_part part); /* what was done before, to go back to */
void app_end_frame(struct app *app, bool scene, double now);      /* scene: it has a new picture of it */
void app_read_timers(struct app *app);

/* app_lab.c: what the lab page shows is up to date, unless it is paused; before it is drawn. */
void app_follow_lab(struct app *app);
void app_follow_log(struct app *app); /* and what was measured since is logged, if that was asked for */

/* app_sets.c: before and after live_poll: the rival stops, or goes on. Whether nothing of it is missing. What the scene
 * shows of it: each set in its half. The times that a set took: in the lab. */
void app_leave_rival(struct app *app);
void app_follow_rival(struct app *app);
bool app_rival_rests(const struct app *app);
void app_split_view(const struct app *app, struct render_view *view);

/* app_turn.c: has gemm transform the vertices of the view, if that was asked for. */
void app_turn_view(struct app *app, struct render_view *view);

/* The active surface's value, and what there is of it. */
static inline double app_value(const struct app *app) { return app->wish.value[app->active]; }
static inline const struct live_surface *app_surface(const struct app *app) { return &app->live.surface[app->active]; }

/* Whether the scene holds a coarse surface. */
bool app_shows_coarse(const struct app *app);

/* app_surfaces.c: the first surface, as the command line has it. After live_poll: the first alone where a new file has
 * come. What is drawn of a surface. How many there are. Whether it has a bar of its own colour, and which, red, green and
 * blue. */
void app_first_surface(struct app *app);
void app_first_surfaces(struct app *app); /* and the others, once there is a volume */
void app_follow_surfaces(struct app *app);
int app_first_maps(struct app *app, struct err *err); /* app_tint.c: colours of slices and surfaces, as options have them */
void app_take_tint(struct app *app);                  /* of another volume */
void app_show_surface(const struct app *app, int surface, struct render_surface *shown);
int app_count_surfaces(const struct app *app);
struct labels;
void app_labels(const struct app *app, struct labels *labels); /* what the scene says in words (labels.h) */
void app_surface_colour(const struct app *app, int surface, float colour[3]);

/* app_tape.c: puts the tape before the callbacks of the window, after input.c and the panel. */
void app_attach_tape(struct app *app);

/* app_tape.c: tape_step, before each look at events; after the last one, ends the window. False: nothing was handed on. And
 * that look: waits for events, at most so long; 0: only takes those that are there. */
bool app_play_tape(struct app *app, enum tape_state state);
void app_wait(struct app *app, double seconds);

/* app_view.c: moves the camera on, if a movement is under way; and ends one, where it goes or where it is. */
void app_follow_glide(struct app *app);
void app_end_glide(struct app *app);
void app_stop_glide(struct app *app);

/* app_view.c: the lines and ticks of the box, as the camera stands. */
void app_plan_box(const struct app *app, struct box_plan *plan);

/* app_view.c: false if the window is minimised, or the panel leaves no room. */
bool app_has_scene(const struct app *app);

/* app_view.c: fits the camera to the full surface; while that is not there, to the coarse one, for the time being. And:
 * whether that has to wait for a pipeline that is lent, which knows what encloses the surface. */
void app_fit_camera(struct app *app);
bool app_fit_waits(const struct app *app);

/* app_files.c: opens the file again, or another part of it, seen as it is now. */
void app_load_again(struct app *app, const struct load_desc *desc);

/* app_time.c: goes on to the next frame, if they play; and the ms until then. */
void app_follow_time(struct app *app);
double app_time_wait(const struct app *app);

/* caret.c: that of a text field: whether it blinks now; the ms until it is drawn again; and has it drawn. */
bool app_caret_blinks(const struct app *app);
double app_caret_wait(const struct app *app);
void app_follow_caret(struct app *app);

/* app_open.c: opens the file that was chosen in the dialog. */
void app_follow_dialog(struct app *app);

/* app_files.c: looks whether the file has changed, if that was asked for; and the ms until the next look. */
void app_watch(struct app *app);
double app_watch_wait(const struct app *app);

/* app_mine.c: begins with the rung of --rung-file, if there is one. Takes what the worker has found, and looks whether the
 * file was saved; and the ms until the next look. */
int app_open_mine(struct app *app, struct err *err);
void app_follow_mine(struct app *app);
double app_mine_wait(const struct app *app);
void app_close_mine(struct app *app);

/* app_state.c: writes what is set to a file. And: sets what it says, if its name is that of a state; else false. */
int app_write_state(const struct app *app, const char *path, struct err *err);
bool app_load_state(struct app *app, const char *path);

/* app_state.c: the volume that was shown is left: what was set is kept for its file. And: a file was opened, whose state is
 * to be kept; and it is shown as it was left, unless the command line says how. */
void app_keep_state(struct app *app);
void app_name_state(struct app *app);
void app_restore_state(struct app *app);

/* app_files.c: the loading of `path` has begun. */
void app_began(struct app *app);

/* app_files.c: pictures and surfaces are written into the current folder; where that is not for them, it becomes the user's
 * own. */
void app_leave_foreign_folder(struct app *app);

/* app_files.c: a file was opened: it is remembered, and it is turned as it was when it was last open. And: it was
 * turned. */
void app_opened(struct app *app);
void app_keep_up(struct app *app);

/* Makes the slices' pictures and contours follow, before the scene is drawn; and says what was clicked at, as
 * app->probe.asked wants it, after `view` was. */
void app_follow_slices(struct app *app);
void app_take_probe(struct app *app, const struct render_view *view);

/* Where the point lies along an axis, in voxels of the file: of a volume that was thinned, only some of them are here. */
double app_probe_place(const struct app *app, int axis);

/* The unit and the frame of its coordinates in the world: "mm LPS". */
void app_probe_frame(const struct app *app, char *text, size_t size);

/* A point for the ruler; after the last, the first of another. The length from point `from` to the next, and the angle at
 * the second point in degrees. */
void app_measure_to(struct app *app, const double voxel[3]);
void app_drop_ruler(struct app *app);
double app_ruler_length(const struct ruler *ruler, int from);
double app_ruler_angle(const struct ruler *ruler);

/* Closes the label of a point that is no longer on the surface, or on its slice, or that is cut away. */
void app_follow_probe(struct app *app);

/* What the worker does, for the window; NULL: nothing that has taken long. *fraction: how far it is, negative: not known;
 * NULL: nobody asks. */
const char *app_work_text(const struct app *app, double *fraction);

#ifdef __cplusplus
}
#endif
#endif
