#include "window.h"
#include "app.h"
#include "export.h"
#include "image.h"
#include "input.h"
#include "mesh_gl.h"
#include "panel.h"
#include "trace.h"

#include <GL/glew.h>

#include <GLFW/glfw3.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WIDTH 1280 /* of the window at scale 1, screen units */
#define HEIGHT 800
#define LEAST_WIDTH 320 /* that the user can give it */
#define LEAST_HEIGHT 240
#define REST_MS 300.0  /* without a change of the scene, after which the view rests */
#define SAMPLES_MS 8.0 /* that one frame may take to make edges smooth, but at least one sample */
#define MOVING_MS 2.0  /* the same while the scene changes: the hand waits for it */
#define TICK_MS 50.0   /* between two drawings of how far it is */

/* What live says. */
static void take_message(void *context, enum live_kind kind, int code, const char *text)
{
    struct app *app = context;
    struct err err;
    app_mark(app);
    switch (kind) {
    case LIVE_LOG: app_log(app, "%s", text); break;
    case LIVE_NOTICE: app_notice(app, "%s", text); break;
    case LIVE_WARNING:
        fprintf(stderr, "isoscope: %s\n", text);
        app_notice(app, "%s", text);
        break;
    case LIVE_ERROR: err_set(&err, code, "%s", text); app_fail(app, &err);
    }
}

static void reload_shaders(struct app *app)
{
    struct err err;
    if (render_reload(&app->render, &app->slices, &err)) {
        app->error.code = ERR_NONE; /* a shader that did not compile before */
        app_log(app, "shaders reloaded");
        app_mark_scene(app);
    }
    if (err.code) app_fail(app, &err);
}

/* ---- following the wish ---------------------------------------------------------------------------------------- */

static bool scene_moves(const struct app *app)
{
    return app->input.drag != DRAG_NONE || app->sliding || app->zooming > 0 || app->glide.on;
}

/* What the wish has from the scene and the mouse: all of it each time. */
static void complete_wish(struct app *app)
{
    struct live_wish *wish = &app->wish;
    if (!tape_button(&app->tape, GLFW_MOUSE_BUTTON_LEFT))
        app_hold_value(app, false), app_hold_slice(app, false); /* a panel that is not drawn does not let go */
    wish->moving = scene_moves(app);
    wish->cut = app->cuts_capped && app_any_opaque(app) && app_is_cut(app);
    wish->draw_ms = series_last(&app->draw);
    wish->coarse_ms = app->coarse_ms;
    wish->coarse_step = app->coarse_step;
    camera_along(&app->camera, wish->along);
    for (int a = 0; a < SLICE_AXES; a++) {
        wish->slice_on[a] = app->slices.plane[a].on;
        wish->slice[a] = app->slices.plane[a].index;
    }
}

static void set_first_view(struct app *app, bool dropped)
{
    const struct view_options *options = app->options;
    app_end_glide(app);
    camera_set_volume(&app->camera, &app->live.volume);
    if (app->reloading || app->live.refined) return;
    if (options->view_given && !dropped) camera_look(&app->camera, options->azimuth, options->elevation);
    else camera_look(&app->camera, CAMERA_AZIMUTH, CAMERA_ELEVATION);
    app->fit = true;
    app->input.drag = DRAG_NONE;
    if (!options->target_given || dropped) return;
    memcpy(app->camera.target, options->target, sizeof app->camera.target);
    app->camera.distance = options->distance;
    app->fit = false;
}

/* A volume that takes the place of one of the same size keeps its planes. */
static void replace_slices(struct app *app)
{
    struct slices *slices = &app->slices;
    size_t dims[3], index[SLICE_AXES];
    memcpy(dims, slices->dims, sizeof dims);
    for (int a = 0; a < SLICE_AXES; a++) index[a] = slices->plane[a].index;
    slices_set_volume(slices, &app->live.volume.grid);
    if (!app->reloading || memcmp(dims, slices->dims, sizeof dims) != 0) return;
    for (int a = 0; a < SLICE_AXES; a++) slices->plane[a].index = index[a];
}

/* Slices stand in the middle of a new volume, and those that were on stay on; or as the command line says. */
static void take_volume(struct app *app)
{
    const bool dropped = app->live.volumes > 1;
    char title[300];
    if (!app->reloading && !app->live.refined) app_keep_state(app);
    app->volumes = app->live.volumes;
    app_name_state(app);
    app_opened(app);
    replace_slices(app);
    if (!dropped) app_first_slices(app), app_first_surfaces(app);
    else if (!app->reloading && !app->live.refined) app->window_given = false;
    app_take_tint(app);
    app->ruler.count = 0;
    app->probe = (struct probe){ .shown = false };
    app->axis.from = app->axis.to = 0;
    set_first_view(app, dropped);
    if (!app->reloading) {
        const bool touched = app->live.refined && history_any(&app->history);
        history_begin(app);
        if (app->live.preview <= 1 && !touched) app_restore_state(app); /* planes are in voxels of the whole */
    }
    app->reloading = false;
    snprintf(title, sizeof title, "%s - isoscope", app->live.volume.name);
    glfwSetWindowTitle(app->gl.window, title);
    app_mark_scene(app);
}

static void follow_wish(struct app *app)
{
    const enum backend backend = app->live.iso.exec.backend;
    complete_wish(app);
    const bool cut = app->wish.cut;
    live_poll(&app->live, &app->wish);
    for (int a = 0; a < SLICE_AXES; a++)
        app->slices.plane[a].on = app->wish.slice_on[a]; /* it may have run out of memory */
    app_follow_surfaces(app);
    if (cut && !app->wish.cut) app->cuts_capped = false;
    app_follow_probe(app);
    const bool loaded = app->volumes != app->live.volumes;
    if (loaded) take_volume(app);
    if (loaded || backend != app->live.iso.exec.backend)
        app->draw = app->frame = (struct series){ 0 }, app->coarse_step = 0;
    if (app->scene_of != app->live.scene || app->contours != app->live.contours_version) app_mark_scene(app);
    app->scene_of = app->live.scene;
}

/* ---- frames ---------------------------------------------------------------------------------------------------- */

/* False: the window is minimised. */
static bool has_scene(const struct app *app) { return app->scene[2] > 0 && app->scene[3] > 0; }

static unsigned samples_wanted(const struct app *app)
{
    return app->options->samples ? app->options->samples : RENDER_SAMPLES;
}

static void save_screenshot(struct app *app)
{
    char path[512], folder[3072];
    struct err err = { 0 };
    const bool scene_only = app->screenshot_scene;
    app->screenshot = app->screenshot_scene = false;
    export_free_name(path, app->live.volume.name[0] ? app->live.volume.name : "isoscope", "", ".png");
    const int code = scene_only ? image_save(app->render.resolved, 0, 0, app->render.width, app->render.height, path, &err)
                                : image_save(0, 0, 0, app->width, app->height, path, &err);
    if (code) {
        app_fail(app, &err);
        return;
    }
    app_log(app, "screenshot %s", path);
    app_notice(app, "saved %s/%s", getcwd(folder, sizeof folder) ? folder : ".", path);
}

/* A picture waits for the full surface, and for the end of a movement. */
static bool full_is_coming(const struct app *app)
{
    const bool others = app_count_surfaces(app) > 1 && live_any_is_coming(&app->live);
    return app->drawing || app->live.sorting || app->live.filtering || app->glide.on || app->zooming > 0 || others ||
           (app_shows_coarse(app) && (live_any_is_coming(&app->live) || scene_moves(app)));
}

static bool has_screenshot(const struct app *app) { return app->screenshot || app->screenshot_scene; }

/* Whether more samples are to be drawn once the view rests. */
static bool is_rough(const struct app *app)
{
    return app->render.width && has_scene(app) && app->samples.done < samples_wanted(app) && !scene_moves(app) &&
           !full_is_coming(app) && !live_any_is_coming(&app->live);
}

/* Nobody waits for a picture to rest. */
static bool samples_are_due(const struct app *app)
{
    return is_rough(app) && !app->scene_stale && (has_screenshot(app) || timing_ms() >= app->samples.rest);
}

static void draw_window(struct app *app)
{
    if (app->width <= 0 || app->height <= 0) return; /* minimised */
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    if (has_scene(app) && app->render.resolved) render_show(&app->render, app->scene[0], app->scene[1]);
    else glClear(GL_COLOR_BUFFER_BIT); /* there is no scene, or none yet */
    gl_push_group("panel");
    trace_push("panel", NULL);
    panel_draw(app);
    trace_pop();
    gl_pop_group();
    const bool stopped = app->scene_stale && has_scene(app);
    if (has_screenshot(app) && !stopped && !full_is_coming(app) && !is_rough(app)) save_screenshot(app);
    trace_push("swap", NULL); /* waits for the drawing where OpenGL has a queue */
    glfwSwapBuffers(app->gl.window);
    trace_pop();
}

/* Software OpenGL may draw for seconds. Meanwhile events come in, and the panel follows them; what changes the scene ends the
 * drawing, for it will be drawn again. Not so of a coarse surface, which is quick: a hand that moves on would never see one. */
struct drawing {
    struct app *app;
    struct live_wish wish; /* at the beginning */
};

static bool go_on(void *context)
{
    const struct drawing *drawing = context;
    struct app *app = drawing->app;
    GLint framebuffer;
    app_wait(app, 0);
    app_play_tape(app, TAPE_BUSY);
    if (app->redraw > 0) {
        app->redraw--;
        glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &framebuffer);
        draw_window(app);
        glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)framebuffer);
    }
    return !app->scene_stale && !app->quit && !memcmp(&drawing->wish, &app->wish, sizeof app->wish);
}

static struct render_view view_of(const struct app *app)
{
    const struct live_together *together = &app->live.together;
    struct render_view view = { .together = together->drawn.mesh,
                                .together_step = together->drawn.step,
                                .camera = &app->camera,
                                .mode = app->mode,
                                .wireframe = app->wireframe,
                                .border_open = !app->wish.close,
                                .cuts_capped = app->cuts_capped,
                                .slices = &app->slices,
                                .tint = &app->tint,
                                .width = app->scene[2],
                                .height = app->scene[3] };
    memcpy(view.together_first, together->first, sizeof view.together_first);
    for (int i = 0; i < LIVE_SURFACES; i++) app_show_surface(app, i, &view.surface[i]);
    return view;
}

/* Draws the next samples, as many as one frame has time for. moving: fewer, and software OpenGL draws one in haste. changed: they
 * are the first of another scene; only these are timed, so that each line of the log about a drawing is of a change. */
static void draw_samples(struct app *app, bool changed, bool moving)
{
    const bool haste = moving && app->gl.is_software;
    const double ms = series_last(&app->draw), start = timing_ms(); /* ms 0: not known */
    const double budget = moving ? MOVING_MS : SAMPLES_MS;
    const unsigned end = app->samples.done + (ms > 0 ? (unsigned)fmax(1, fmin(budget / ms, RENDER_MOST_SAMPLES)) : 1);
    const struct camera camera = app->camera; /* events change it meanwhile */
    struct err err = { 0 };
    struct drawing drawing = { .app = app };
    memcpy(&drawing.wish, &app->wish, sizeof drawing.wish); /* padding too: go_on() compares all bytes */
    const struct mesh_gl_pause pause = { go_on, &drawing };
    struct render_view view = view_of(app);
    struct box_plan plan = { .lines = 0 };
    if (app->box) app_plan_box(app, &plan);
    view.camera = &camera;
    view.box = app->box ? &plan : NULL;
    view.pause = app->gl.is_software && !app_shows_coarse(app) ? &pause : NULL;
    view.timed = changed, view.moving = moving;
    view.sample = app->samples.done, view.samples = haste ? 1 : samples_wanted(app);
    app->drawing = app->render.complete = true;
    for (; view.sample < view.samples && view.sample < end && !err.code && app->render.complete; view.sample++)
        if (render_draw(&app->render, &view, &err)) app_fail(app, &err);
    app->drawing = false;
    if (err.code && app_is_cut(app) && app->cuts_capped) { /* there may be memory for a picture without them */
        app->cuts_capped = false;
        app_mark_scene(app);
    }
    app->samples.done = err.code ? samples_wanted(app) : haste || !app->render.complete ? 0 : view.sample;
    if (app->render.complete) return;
    app->scene_stale = true;
    const double took = timing_ms() - start; /* it takes longer than this */
    if (changed && !app_shows_coarse(app) && took > series_last(&app->draw)) series_add(&app->draw, took);
    app_log(app, "drawing stopped after %.1f ms", took);
}

static void draw_scene(struct app *app)
{
    app_follow_slices(app);
    app->samples.done = 0;
    draw_samples(app, true, scene_moves(app) || app->wish.held || timing_ms() < app->samples.rest);
}

/* A surface that CUDA is still making is drawn meanwhile; only afterwards it is known whether all of it was there. */
static void update_scene(struct app *app)
{
    if (!has_scene(app)) return; /* lay_out() asks for the drawing once there is one */
    app->scene_stale = false;
    if (app->fit) live_resolve(&app->live, &app->wish); /* the camera needs to know it first */
    if (app->fit) app_fit_camera(app), history_fitted(app);
    draw_scene(app);
    app->samples.rest = timing_ms() + REST_MS;
    if (app->scene_stale)
        return; /* stopped: the next live_poll must see what has changed meanwhile; and it is drawn in haste */
    const uint64_t drawn = app->live.scene;
    if (live_resolve(&app->live, &app->wish) || app->live.scene != drawn) {
        if (app->fit) app_fit_camera(app), history_fitted(app);
        draw_scene(app);
    }
    app->scene_of = app->live.scene;
    app->samples.rest = timing_ms() + REST_MS;
}

/* Divides the framebuffer among panel and scene. */
static void lay_out(struct app *app)
{
    glfwGetFramebufferSize(app->gl.window, &app->width, &app->height);
    const int left = app_panel_beside(app);
    const int scene[4] = { left, 0, app->width - left, app->height };
    if (!memcmp(scene, app->scene, sizeof scene)) return;
    memcpy(app->scene, scene, sizeof scene);
    app_log(app, "widget scene: %d %d %d %d", left, 0, app->width, app->height);
    app_mark_scene(app);
}

/* One that was slow alone says nothing of its level: something else was at work too. */
static void take_coarse_time(struct app *app, double ms, unsigned step)
{
    app->coarse_ms = step == app->coarse_step ? fmin(ms, app->coarse_last) : ms;
    app->coarse_last = ms;
    app->coarse_step = step;
}

static void read_timers(struct app *app)
{
    double ms;
    unsigned step;
    while (render_time(&app->render, &ms, &step)) {
        if (!step) continue;
        if (step == 1) series_add(&app->draw, ms);
        else take_coarse_time(app, ms, step);
        app_log(app, "draw %.2f ms, frame %.2f ms%s", ms, series_last(&app->frame), step > 1 ? ", coarse" : "");
        app_mark(app);
    }
}

/* Draws the panel now and then while the worker works. Where OpenGL is slow, that must not take more than a tenth of the
 * time. */
static void tick(struct app *app)
{
    double fraction;
    const char *text = app_work_text(app, &fraction);
    if (!text || timing_ms() < app->tick) return;
    if (app->redraw < 1) app->redraw = 1;
    app_log(app, fraction < 0 ? "work: %s, frame %.1f ms" : "work: %s, frame %.1f ms, %.0f %%", text, app->frame_ms,
            100 * fraction);
    app->tick = timing_ms() + fmax(TICK_MS, 9 * app->frame_ms);
}

static bool is_stale(const struct app *app) { return app->redraw > 0 || (app->scene_stale && has_scene(app)); }

static double seconds_to_wait(const struct app *app)
{
    const double now = timing_ms();
    double seconds = 10; /* nothing to do: sleep */
    if (is_stale(app) || samples_are_due(app) || (app->glide.on && has_scene(app))) return 0;
    if (render_time_pending(&app->render)) seconds = 0.01;
    else if (app->live.work.task != LIVE_IDLE) seconds = TICK_MS * 1e-3;
    else if (!app->live.copy_rate_tried && app->input.drag == DRAG_NONE) seconds = 0.05;
    else if (app->notice[0]) seconds = fmax(0.01, (app->notice_end - now) * 1e-3);
    if (app->zooming > 0) seconds = fmin(seconds, fmax(0.001, (app->zooming - now) * 1e-3));
    seconds = fmin(seconds, fmin(app_time_wait(app), fmin(app_watch_wait(app), history_wait(app))) * 1e-3);
    seconds = fmin(seconds, app_caret_wait(app) * 1e-3);
    if (is_rough(app)) seconds = fmin(seconds, fmax(0, app->samples.rest - now) * 1e-3);
    return fmin(seconds, fmax(0, fmin(app->live.deadline, app->render.reload_due) - now) * 1e-3);
}

static enum tape_state state_of(const struct app *app)
{
    const struct live *live = &app->live;
    const struct import *import = &app->files.import;
    const bool idle = live->volume.grid.voxels ? live_is_idle(live) : live->work.task == LIVE_IDLE && app->frame_ms > 0;
    const bool pending = app->glide.on || has_screenshot(app) || import->opens || import->changed || import->cancels;
    if (!idle || pending || (app->scene_stale && has_scene(app))) return TAPE_BUSY;
    const bool quiet = !is_stale(app) && !is_rough(app) && !(app->zooming > 0) && !render_time_pending(&app->render);
    return quiet ? TAPE_REST : TAPE_IDLE;
}

static void wait_for_events(struct app *app)
{
    const bool stepped = app_play_tape(app, state_of(app));
    app_wait(app, stepped ? 0 : seconds_to_wait(app));

    app_follow_caret(app);
    if (app->zooming > 0 && timing_ms() >= app->zooming) {
        app->zooming = 0;
        app_mark_scene(app);
    }
    if (app->notice[0] && timing_ms() >= app->notice_end) {
        app->notice[0] = '\0';
        app_mark(app);
    }
    /* The yardstick of the table takes a moment, so it waits until there is a picture and nobody is doing anything. */
    const bool idle = !is_stale(app) && !render_time_pending(&app->render) && live_is_idle(&app->live);
    if (idle && !app->live.copy_rate_tried && app->input.drag == DRAG_NONE) live_aux_copy_rate(&app->live);
}

bool window_frame(struct app *app)
{
    wait_for_events(app);
    read_timers(app);
    if (app->quit || glfwWindowShouldClose(app->gl.window)) return false;
    reload_shaders(app);
    const double start = timing_ms();
    app_take_import(app);
    app_watch(app);
    app_follow_dialog(app);
    app_follow_time(app);
    app_follow_glide(app);
    follow_wish(app);
    lay_out(app); /* the panel comes with the first volume */
    tick(app);
    history_follow(app);
    const bool smoothes = samples_are_due(app);
    if (!is_stale(app) && !smoothes) return true;
    const bool scene_changes = app->scene_stale && has_scene(app);
    trace_push("frame", NULL);
    if (scene_changes) update_scene(app);
    else if (smoothes) draw_samples(app, false, false);
    const bool stopped = app->scene_stale && has_scene(app);
    if (!stopped) app_take_probe(app);
    if (app->redraw > 0) app->redraw--;
    draw_window(app);
    trace_pop();
    app->frame_ms = timing_ms() - start;
    if (scene_changes && !stopped) series_add(&app->frame, app->frame_ms);
    if (app->tape.plays)
        pace_frame(&app->tape.pace, app->frame_ms, scene_changes && !stopped, app->tape.down != 0,
                   app->input.drag == DRAG_NONE);
    return true;
}

/* ---- start and end --------------------------------------------------------------------------------------------- */

/* Scales the default size with text and controls, as far as the monitor has room. */
static void choose_size(const struct app *app)
{
    GLFWwindow *window = app->gl.window;
    GLFWmonitor *monitor = glfwGetPrimaryMonitor();
    int place[4], width, pixels, unused;
    glfwSetWindowSizeLimits(window, LEAST_WIDTH, LEAST_HEIGHT, GLFW_DONT_CARE, GLFW_DONT_CARE);
    if (app->options->width || !monitor) return;
    glfwGetMonitorWorkarea(monitor, &place[0], &place[1], &place[2], &place[3]);
    glfwGetWindowSize(window, &width, &unused);
    glfwGetFramebufferSize(window, &pixels, &unused);
    const double scale = fmax(1, app->scale * width / fmax(1, pixels)); /* screen units may be several pixels wide */
    glfwSetWindowSize(window, (int)fmin(WIDTH * scale, place[2]), (int)fmin(HEIGHT * scale, place[3]));
}

static double clock_now(void *unused)
{
    (void)unused;
    return timing_ms();
}

static void wake(void *unused)
{
    (void)unused;
    glfwPostEmptyEvent();
}

/* Pictures and surfaces are written into the current folder. A launcher of the desktop may start programs in one that is not for
 * that: then it is the user's own. */
static void leave_foreign_folder(struct app *app)
{
    char here[PATH_MAX], path[PATH_MAX];
    const char *home = getenv("HOME");
    const bool fine = getcwd(here, sizeof here) && strcmp(here, "/") != 0 && !access(".", W_OK);
    if (fine || !home || (app->path[0] && !realpath(app->path, path)) || chdir(home)) return;
    if (app->path[0]) snprintf(app->path, sizeof app->path, "%s", path);
    app_log(app, "folder %s", home);
}

/* The first frames load the first file. */
static int start_live(struct app *app, struct err *err)
{
    const struct live_host host = { .target = app->options->staging ? &mesh_gl_staged : &mesh_gl,
                                    .executor = &worker_thread,
                                    .clock = clock_now,
                                    .wake = wake,
                                    .tell = take_message,
                                    .context = app,
                                    .limits = live_limits };
    const int code = live_open(&app->live, &host, app->setup, &app->wish, err);
    if (code) return code;
    app->wish.open.preview = true;
    app_first_surface(app);
    snprintf(app->path, sizeof app->path, "%s", app->setup->file ? app->setup->file : "");
    leave_foreign_folder(app);
    if (app->path[0]) app->wish.open.file = app->path;
    if (app->path[0] && app_ask_shape(app, app->path, &app->setup->load)) {
        app->path[0] = 0;
        app->wish.opens = 0; /* as before the first file */
    }
    app_began(app);
    return ERR_NONE;
}

static void read_page(struct app *app)
{
    char word[32];
    app_recall(app, "page", word);
    for (int page = 0; page < PANEL_PAGES; page++)
        if (!strcmp(word, app_page_name[page])) app->page = (enum panel_page)page;
}

int window_open(struct app *app, const struct setup *setup, const struct view_options *options, struct err *err)
{
    memset(app, 0, sizeof *app);
    app->setup = setup;
    app->options = options;
    app->opened = timing_ms();
    const int mode = render_mode_find(options->shading, err);
    if (mode < 0) return ERR_USAGE;
    app->mode = (unsigned)mode;
    if (app_first_maps(app, err)) return ERR_USAGE;
    app->camera.orthographic = options->orthographic;
    app->box = options->box;
    app->cuts_capped = !options->open_cuts;
    app->wireframe = options->edges;
    int code = tape_open(&app->tape, options->record, options->replay, err);
    if (code) return code;
    code = gl_open_window(&app->gl, "isoscope", options->width ? options->width : WIDTH,
                          options->height ? options->height : HEIGHT, app->tape.plays, err);
    if (code) {
        window_close(app);
        return code;
    }
    glfwSwapInterval(1);
    app_first_style(app);
    choose_size(app);
    input_open(app);
    app->files.recent.forgets = !app_remembers(app);
    recent_read(&app->files.recent);
    read_page(app);
    if (!panel_open(app)) code = err_set(err, ERR_GL, "the panel could not start on %s", app->gl.version);
    else app_attach_tape(app);
    if (!code) code = render_open(&app->render, app->gl.is_software, err);
    if (!code) code = start_live(app, err);
    if (code) window_close(app);
    return code;
}

int window_end(struct app *app, struct err *err)
{
    int code = app->volumes || !app->error.code ? ERR_NONE : err_set(err, app->error.code, "no volume was opened");
    if (tape_close(&app->tape, code ? NULL : err) && !code) code = err->code;
    if (app->gl.complaints && !code)
        code = err_set(err, ERR_GL, "OpenGL has found %u wrong calls: the lines above that begin with OpenGL say which",
                       app->gl.complaints);
    return code;
}

void window_close(struct app *app)
{
    history_flush(app);
    app_keep_state(app);
    tape_close(&app->tape, NULL);
    live_close(&app->live);
    dialog_close(&app->files.dialog);
    browse_close(&app->files.browse);
    import_close(&app->files.import);
    slices_close(&app->slices);
    tint_drop(&app->tint);
    render_close(&app->render);
    if (app->gl.window) panel_close();
    gl_close(&app->gl);
}
