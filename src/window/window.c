#include "window.h"
#include "app.h"
#include "app_actions.h"
#include "app_cut.h"
#include "app_files.h"
#include "app_frame.h"
#include "app_mine.h"
#include "app_probe.h"
#include "app_sets.h"
#include "app_slices.h"
#include "app_state.h"
#include "app_style.h"
#include "app_surfaces.h"
#include "app_tape.h"
#include "app_time.h"
#include "app_value.h"
#include "app_view.h"
#include "caret.h"
#include "export.h"
#include "input.h"
#include "mesh_gl.h"
#include "panel.h"
#include "scene.h"
#include "text.h"
#include "trace.h"

#include <GLFW/glfw3.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TICK_MS 50.0 /* between two drawings of the progress */

/* Takes what live says. */
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
    case LIVE_ERROR:
        err_set(&err, code, "%s", text);
        app_fail(app, &err);
        if (!app->live.volumes) app->unopened = code;
    }
}

static void reload_shaders(struct app *app)
{
    struct err err;
    if (render_reload(&app->render, &app->slices, &err)) {
        app->error.code = ERR_NONE; /* it was about a shader that did not compile */
        app_log(app, "shaders reloaded");
        app_mark_scene(app);
    }
    if (err.code) app_fail(app, &err);
}

/* ---- following the wish ---------------------------------------------------------------------------------------- */

/* The view in which surfaces are refined. */
static void set_view(const struct app *app, struct refine_view *view)
{
    struct camera_matrices matrices;
    struct cut cut;
    slices_cut(&app->slices, -1, &cut);
    *view = (struct refine_view){ .width = app->scene[2], .height = app->scene[3], .hides = !cut_is_any(&cut) };
    if (view->width <= 0 || view->height <= 0 || !app_has_scene(app)) return;
    camera_transform(&app->camera, (double)view->width / view->height, &matrices);
    memcpy(view->clip_from_voxel, matrices.clip_from_voxel, sizeof view->clip_from_voxel);
}

/* Fills in what the wish takes from the scene and the mouse, all of it each time. */
static void complete_wish(struct app *app)
{
    struct live_wish *wish = &app->wish;
    if (!tape_button(&app->tape, GLFW_MOUSE_BUTTON_LEFT))
        app_hold_value(app, false), app_hold_slice(app, false); /* a panel that is not drawn cannot let go */
    wish->moving = scene_moves(app);
    wish->cut = app->cuts_capped && app_is_cut(app);
    wish->draw_ms = app->haste_ms > 0 ? app->haste_ms : series_last(&app->draw);
    wish->coarse_ms = app->coarse_ms;
    wish->coarse_step = app->coarse_step;
    camera_along(&app->camera, wish->along);
    set_view(app, &wish->view);
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

/* A reloaded volume of the same size keeps the places of planes, knife and crop box, and so does the whole after its
 * preview. */
static void replace_slices(struct app *app)
{
    const struct slices before = app->slices;
    slices_set_volume(&app->slices, &app->live.volume);
    const bool same = !memcmp(before.dims, app->slices.dims, sizeof before.dims);
    if (app->live.refined || (app->reloading && same)) slices_keep_places(&app->slices, &before);
}

/* Takes over a new volume. Its slices are in the middle, and those that were on stay on; for the first volume, the command
 * line decides. */
static void take_volume(struct app *app)
{
    const bool dropped = app->live.volumes > 1;
    if (!app->reloading && !app->live.refined) app_keep_state(app);
    app->volumes = app->live.volumes;
    app->sigma_mm = app->live.from.smooth_mm;
    app_name_state(app);
    app_opened(app);
    const bool touched = app->live.refined && history_any(&app->history);
    replace_slices(app);
    /* In a preview, they were only about where the command line says. */
    if (!dropped || (app->live.volumes == 2 && app->live.refined && !touched)) app_first_slices(app);
    if (!dropped) app_first_surfaces(app);
    else if (!app->reloading && !app->live.refined) app->window_given = false;
    app_take_tint(app);
    app->ruler.count = 0;
    app->probe = (struct probe){ .shown = false };
    app->axis.from = app->axis.to = 0;
    set_first_view(app, dropped);
    if (!app->reloading) {
        history_begin(app);
        if (app->live.preview <= 1 && !touched) app_restore_state(app); /* planes are in voxels of the whole volume */
    }
    app->reloading = false;
    app_name_window(app);
    app_mark_scene(app);
}

static void follow_wish(struct app *app)
{
    const enum backend backend = app->live.iso.exec.backend;
    complete_wish(app);
    const bool cut = app->wish.cut;
    const bool lent = app->live.work.lent;
    app_poll(app);
    if (lent && !app->live.work.lent && app->fit) app_mark_scene(app); /* its bounds could not be asked for until now */
    for (int a = 0; a < SLICE_AXES; a++)
        app->slices.plane[a].on = app->wish.slice_on[a]; /* live may have switched it off for lack of memory */
    app_follow_surfaces(app);
    if (cut && !app->wish.cut) app->cuts_capped = false;
    app_follow_probe(app);
    const bool loaded = app->volumes != app->live.volumes;
    if (loaded) take_volume(app);
    if (loaded || backend != app->live.iso.exec.backend) {
        app->draw = app->frame = (struct series){ 0 }, app->coarse_step = 0, app->haste_ms = 0;
        frames_forget(&app->frames);
    }
    if (app->scene_of != app->live.scene || app->contours != app->live.contours_version) app_mark_scene(app);
    app->scene_of = app->live.scene;
}

/* ---- frames ---------------------------------------------------------------------------------------------------- */

static void measure(struct app *app)
{
    int width, height;
    glfwGetWindowSize(app->gl.window, &width, &height);
    glfwGetFramebufferSize(app->gl.window, &app->width, &app->height);
    app->pixels = width > 0 ? (double)app->width / width : 1;
    app->resized = false;
}

/* Divides the framebuffer between panel and scene. */
static void lay_out(struct app *app)
{
    if (app->resized) measure(app);
    const int left = app_panel_beside(app);
    const int scene[4] = { left, 0, app->width - left, app->height };
    if (!memcmp(scene, app->scene, sizeof scene)) {
        app->sight.volumes = app->volumes; /* the view of a new volume was chosen for this scene */
        return;
    }
    const double before = app_has_scene(app) ? (double)app->scene[2] / app->scene[3] : 0;
    memcpy(app->scene, scene, sizeof scene);
    app->line_height = 0; /* the line, if there still is one, may now have another number of rows */
    app_keep_in_sight(app, before);
    app_log(app, "widget scene: %d %d %d %d", left, 0, app->width, app->height);
    app_mark_scene(app);
}

/* Has the panel drawn now and then while the worker works. With slow OpenGL, these drawings of the panel must not take more
 * than a tenth of the time; drawings of the scene do not count. */
static void tick(struct app *app)
{
    double fraction;
    const char *text = app_work_text(app, &fraction);
    if (!text || timing_ms() < app->tick) return;
    if (app->redraw < 1) app->redraw = 1;
    app_log(app, fraction < 0 ? "work: %s, frame %.1f ms" : "work: %s, frame %.1f ms, %.0f %%", text, app->frame_ms,
            100 * fraction);
    app->tick = timing_ms() + fmax(TICK_MS, 9 * app->panel_ms);
}

static bool is_stale(const struct app *app) { return app->redraw > 0 || (app->scene_stale && app_has_scene(app)); }

/* Whether a file or picture that was asked for is still to be written. */
static bool has_unwritten(const struct app *app)
{
    return live_is_writing(&app->live) || (scene_has_screenshot(app) && app_has_scene(app));
}

/* Whether the window ends. It writes first what was asked for, unless it is asked to end once more; and stays if that
 * fails, so that somebody sees why. */
static bool ends(struct app *app)
{
    const bool asked = app_is_to_end(app);
    if (asked && !app->leaving && has_unwritten(app)) {
        app_end_later(app);
        return false;
    }
    if (app->error.code) app->leaving = false;
    return asked || (app->leaving && !has_unwritten(app));
}

/* The copy rate, to which the table compares rates, takes a moment to measure. So it waits until there is a picture and
 * nobody is doing anything. */
static bool waits_to_measure(const struct app *app)
{
    return app->live.volume.grid.voxels && !app->live.copy_rate_tried && app->input.drag == DRAG_NONE;
}

static double seconds_to_wait(const struct app *app)
{
    const double now = timing_ms();
    double seconds = 10; /* nothing to do: sleep */
    if (app->leaving && !has_unwritten(app)) return 0;
    if (is_stale(app) || scene_is_due(app) || (app->glide.on && app_has_scene(app))) return 0;
    if (render_time_pending(&app->render)) seconds = 0.01;
    else if (app->live.work.task != LIVE_IDLE) seconds = TICK_MS * 1e-3;
    else if (waits_to_measure(app)) seconds = 0.05;
    else if (app->notice[0]) seconds = fmax(0.01, (app->notice_end - now) * 1e-3);
    if (app->zooming > 0) seconds = fmin(seconds, fmax(0.001, (app->zooming - now) * 1e-3));
    seconds = fmin(seconds, fmin(app_time_wait(app), fmin(app_watch_wait(app), history_wait(app))) * 1e-3);
    seconds = fmin(seconds, fmin(app_caret_wait(app, panel_takes_text()), app_mine_wait(app)) * 1e-3);
    seconds = fmin(seconds, app_look_wait(app) * 1e-3);
    if (scene_is_rough(app)) seconds = fmin(seconds, fmax(0, app->samples.rest - now) * 1e-3);
    return fmin(seconds, fmax(0, fmin(app->live.deadline, app->render.reload_due) - now) * 1e-3);
}

static enum tape_state state_of(const struct app *app)
{
    const struct live *live = &app->live;
    const struct import *import = &app->files.import;
    const bool idle = live->volume.grid.voxels ? live_is_idle(live) : live->work.task == LIVE_IDLE && app->frame_ms > 0;
    const bool pending = app->own.busy || app->glide.on || app_fit_waits(app) || scene_has_screenshot(app) ||
                         import->opens || import->changed || import->cancels || app->files.look.busy;
    if (!idle || pending || !app_rival_rests(app) || (app->scene_stale && app_has_scene(app))) return TAPE_BUSY;
    const bool quiet = !is_stale(app) && !scene_is_rough(app) && !(app->zooming > 0) && !render_time_pending(&app->render);
    return quiet ? TAPE_REST : TAPE_IDLE;
}

/* Logs when nothing is left to do: pictures are finished, and changed settings have become a step to undo. */
static void note_rest(struct app *app, enum tape_state state)
{
    const bool measured = app->live.copy_rate_tried && app->live.work.task != LIVE_COPY_RATE;
    const bool rests = state == TAPE_REST && isinf(app->history.rest) && measured;
    if (rests && !app->rests) app_log(app, "rest");
    app->rests = rests;
}

static void wait_for_events(struct app *app)
{
    const enum tape_state state = state_of(app);
    const bool stepped = app_play_tape(app, state);
    note_rest(app, stepped ? TAPE_BUSY : state);
    const double seconds = stepped ? 0 : seconds_to_wait(app);
    if (seconds > 0 && app_has_scene(app)) raster_prepare(&app->render.raster, &app->live.iso.exec);
    app_wait(app, seconds);

    app_follow_caret(app, panel_takes_text());
    if (app->zooming > 0 && timing_ms() >= app->zooming) {
        app->zooming = 0;
        app_mark_scene(app);
    }
    if (app->notice[0] && timing_ms() >= app->notice_end) {
        app->notice[0] = '\0';
        app_mark(app);
    }
    const bool idle = !is_stale(app) && !render_time_pending(&app->render) && live_is_idle(&app->live);
    if (idle && waits_to_measure(app)) live_aux_copy_rate(&app->live);
}

static void take_probe(struct app *app)
{
    const struct render_view view = scene_view(app);
    app_take_probe(app, &view);
}

bool window_frame(struct app *app)
{
    wait_for_events(app);
    app_read_timers(app);
    if (ends(app)) return false;
    reload_shaders(app);
    const double start = timing_ms();
    app_begin_frame(app, start);
    if (panel_is_held(app)) {
        const enum frame_part part = app_enter(app, FRAME_PANEL);
        panel_follow(app);
        app_enter(app, part);
    }
    app_take_import(app);
    app_watch(app);
    app_follow_mine(app);
    app_follow_dialog(app);
    app_follow_look(app);
    app_follow_time(app);
    app_follow_glide(app);
    follow_wish(app);
    lay_out(app); /* the first volume brings the panel */
    tick(app);
    history_follow(app);
    const bool smoothes = scene_is_due(app);
    if (!is_stale(app) && !smoothes) return true;
    const bool scene_changes = app->scene_stale && app_has_scene(app);
    trace_push("frame", NULL);
    const enum frame_part part = app_enter(app, FRAME_DRAW);
    if (scene_changes) scene_update(app);
    else if (smoothes) scene_smooth(app);
    app_enter(app, part);
    if (app->gl.is_software) app_wait(app, 0); /* with software OpenGL, showing takes long too */
    const bool drawn = scene_changes && app->render.complete, stale = app->scene_stale && app_has_scene(app);
    if (!stale && app->probe.asked) take_probe(app);
    if (app->redraw > 0) app->redraw--;
    scene_show(app);
    trace_pop();
    const double end = timing_ms();
    app->frame_ms = end - start;
    if (!scene_changes && !smoothes) app->panel_ms = app->frame_ms;
    app_end_frame(app, drawn, end);
    if (app->tape.plays) pace_frame(&app->tape.pace, drawn ? frames_last(&app->frames) : NULL, app->tape.down != 0);
    return true;
}

/* ---- start and end --------------------------------------------------------------------------------------------- */

static double clock_now(void *unused)
{
    (void)unused;
    return timing_ms();
}

/* Opens live. The first file is loaded in the first frames. */
static int start_live(struct app *app, struct err *err)
{
    const struct live_host host = { .target = app->options->staging ? &mesh_gl_staged : &mesh_gl,
                                    .executor = &worker_thread,
                                    .clock = clock_now,
                                    .wake = app_wake,
                                    .tell = take_message,
                                    .context = app,
                                    .limits = live_limits };
    const int code = live_open(&app->live, &host, app->setup, &app->wish, err);
    if (code) return code;
    app->wish.open.preview = true;
    app_first_surface(app);
    snprintf(app->path, sizeof app->path, "%s", app->setup->file ? app->setup->file : "");
    app_leave_foreign_folder(app);
    if (app->path[0]) app->wish.open.file = app->path;
    if (app->path[0] && app_ask_shape(app, app->path, &app->setup->load)) {
        app->path[0] = 0;
        app->wish.opens = 0; /* as if no file had been asked for */
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
    const int way = raster_way_find(options->draw, err);
    if (mode < 0 || way < 0) return ERR_USAGE;
    app->mode = (unsigned)mode;
    if (app_first_maps(app, err)) return ERR_USAGE;
    app->camera.orthographic = options->orthographic;
    app->box = options->box;
    app->cuts_capped = !options->open_cuts;
    app->wireframe = options->edges;
    int code = tape_open(&app->tape, options->record, options->replay, err);
    if (code) return code;
    code = gl_open_window(&app->gl, "isoscope", options->width ? options->width : WINDOW_WIDTH,
                          options->height ? options->height : WINDOW_HEIGHT, app->tape.plays, err);
    if (code) {
        window_close(app);
        return code;
    }
    glfwSwapInterval(1);
    app_first_style(app);
    app_choose_size(app);
    measure(app);
    input_open(app);
    app->files.recent.forgets = !app_remembers(app);
    recent_read(&app->files.recent);
    read_page(app);
    if (!panel_open(app)) code = err_set(err, ERR_GL, "the panel could not start on %s", app->gl.version);
    else app_attach_tape(app);
    if (!code) code = render_open(&app->render, app->gl.is_software, err);
    app->render.raster.way = (enum raster_way)way;
    if (!code) code = start_live(app, err);
    if (!code) code = app_open_mine(app, err);
    if (code) window_close(app);
    return code;
}

int window_end(struct app *app, struct err *err)
{
    int code = app->volumes || !app->unopened ? ERR_NONE : err_set(err, app->unopened, "no volume was opened");
    if (tape_close(&app->tape, code ? NULL : err) && !code) code = err->code;
    if (app->gl.complaints && !code)
        code = err_set(err, ERR_GL, "OpenGL has reported %u invalid %s: see the lines above that begin with OpenGL",
                       app->gl.complaints, text_word(app->gl.complaints, "call", "calls"));
    return code;
}

void window_close(struct app *app)
{
    if (app->gl.window) glfwHideWindow(app->gl.window); /* a rung that cannot be cancelled may take seconds to end */
    history_flush(app);
    app_keep_state(app);
    lab_log_close(&app->lab.log);
    tape_close(&app->tape, NULL);
    app_close_mine(app);
    turned_close(&app->turned);
    rival_close(&app->rival);
    live_close(&app->live);
    dialog_close(&app->files.dialog);
    app_close_look(app);
    browse_close(&app->files.browse);
    import_close(&app->files.import);
    slices_close(&app->slices);
    tint_drop(&app->tint);
    render_close(&app->render);
    if (app->gl.window) panel_close();
    gl_close(&app->gl);
}
