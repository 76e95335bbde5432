#include "scene.h"
#include "app.h"
#include "app_actions.h"
#include "app_cut.h"
#include "app_frame.h"
#include "app_sets.h"
#include "app_slices.h"
#include "app_surfaces.h"
#include "app_tape.h"
#include "app_turn.h"
#include "app_view.h"
#include "file_io.h"
#include "image.h"
#include "labels.h"
#include "panel.h"
#include "pictures.h"
#include "trace.h"

#include <GL/glew.h>

#include <GLFW/glfw3.h>

#include <math.h>
#include <string.h>

#define REST_MS 300.0  /* the view rests after so long without a change of the scene */
#define SAMPLES_MS 8.0 /* for the samples of one frame; at least one is drawn */
#define MOVING_MS 2.0  /* the same while the scene changes and the user waits for it */
#define WHOLE_MS 40.0  /* a coarse surface that takes no longer is drawn in one piece */

bool scene_moves(const struct app *app)
{
    return app->input.drag != DRAG_NONE || app->sliding || app->zooming > 0 || app->glide.on;
}

unsigned scene_samples(const struct app *app) { return app->options->samples ? app->options->samples : RENDER_SAMPLES; }

/* Saves the scene with its labels, but without what can be clicked. */
static int save_scene(struct app *app, const char *path, struct err *err)
{
    const struct tile whole = tile_whole(app->render.width, app->render.height);
    struct labels labels;
    app_labels(app, &labels);
    labels.left = labels.top = labels.under = 0;
    labels.axes = labels.box;
    app->scene_stale = app->scene_stale || labels_any(&labels); /* the labels must not stay in the scene */
    const int code = labels_draw(&labels, app->render.resolved, &whole, err);
    return code ? code : image_save(app->render.resolved, 0, 0, whole.whole[0], whole.whole[1], path, err);
}

static void save_screenshot(struct app *app)
{
    char path[512], where[FILE_WHERE];
    struct err err = { 0 };
    const bool scene_only = app->screenshot_scene;
    app->screenshot = app->screenshot_scene = false;
    int code = pictures_free_name(path, &app->live.volume, &app->live.from, &err);
    if (!code && scene_only) code = save_scene(app, path, &err);
    else if (!code) code = image_save(0, 0, 0, app->width, app->height, path, &err);
    if (code) {
        app_fail(app, &err);
        return;
    }
    app_log(app, "screenshot %s", path);
    app_notice(app, "saved %s", file_where(path, where));
}

/* Whether a picture to be saved must still wait: for the full surface, for the end of a movement, or for a fit that needs
 * the pipeline while it is lent. */
static bool full_is_coming(const struct app *app)
{
    const bool others = app_count_surfaces(app) > 1 && live_any_is_coming(&app->live);
    return app->drawing || app->live.sorting || app->live.filtering || app->glide.on || app->zooming > 0 || others ||
           app_fit_waits(app) || (app_shows_coarse(app) && (live_any_is_coming(&app->live) || scene_moves(app)));
}

bool scene_has_screenshot(const struct app *app) { return app->screenshot || app->screenshot_scene || app->enlarge; }

bool scene_is_rough(const struct app *app)
{
    return app->render.width && app_has_scene(app) && app->samples.done < scene_samples(app) && !scene_moves(app) &&
           !full_is_coming(app) && !live_any_is_coming(&app->live);
}

/* The samples of a picture to be saved do not wait until the view rests. */
bool scene_is_due(const struct app *app)
{
    return scene_is_rough(app) && !app->scene_stale && (scene_has_screenshot(app) || timing_ms() >= app->samples.rest);
}

void scene_show(struct app *app)
{
    if (app->width <= 0 || app->height <= 0) return; /* minimised */
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    const enum frame_part part = app_enter(app, FRAME_DRAW);
    if (app_has_scene(app) && app->render.resolved) render_show(&app->render, app->scene[0], app->scene[1]);
    else glClear(GL_COLOR_BUFFER_BIT); /* no scene, or none yet */
    gl_push_group("panel");
    trace_push("panel", NULL);
    app_enter(app, FRAME_PANEL);
    panel_draw(app);
    app_enter(app, part);
    trace_pop();
    gl_pop_group();
    const bool stopped = app->scene_stale && app_has_scene(app);
    const bool complete = scene_has_screenshot(app) && !stopped && !full_is_coming(app) && !scene_is_rough(app);
    if (complete && !app->enlarge) save_screenshot(app);
    trace_push("swap", NULL); /* if OpenGL queues its work, this waits for the drawing */
    app_enter(app, FRAME_WAIT);
    glfwSwapBuffers(app->gl.window);
    app_enter(app, part);
    trace_pop();
    if (complete && app->enlarge) scene_enlarge(app); /* slow; the notice just shown says so */
}

/* Software OpenGL may draw for seconds. Meanwhile events come in, and the panel follows them. A change of the scene ends
 * the drawing, since the scene will be drawn again. Coarse surfaces are drawn to the end, or somebody who keeps moving the
 * mouse would never see one. */
struct drawing {
    struct app *app;
    bool coarse;
    struct live_wish wish; /* at the beginning */
};

static bool go_on(void *context)
{
    const struct drawing *drawing = context;
    struct app *app = drawing->app;
    GLint framebuffer;
    app_play_tape(app, live_is_idle(&app->live) ? TAPE_IDLE : TAPE_BUSY);
    app_wait(app, 0);
    if (drawing->coarse) return !app_is_to_end(app);
    if (app->redraw > 0 && !app->render.half_done) {
        app->redraw--;
        glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &framebuffer);
        scene_show(app);
        glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)framebuffer);
    }
    return !app->scene_stale && !app_is_to_end(app) && !memcmp(&drawing->wish, &app->wish, sizeof app->wish);
}

/* Whether the drawing is so quick that events may wait for its end. */
static bool is_quick(const struct app *app)
{
    if (!app->gl.is_software) return true;
    return app_shows_coarse(app) && app->coarse_step == app->live.coarse.level.step && app->coarse_ms < WHOLE_MS;
}

struct render_view scene_view(const struct app *app)
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
    app_split_view(app, &view);
    return view;
}

enum motion { RESTS, CHANGED, MOVES }; /* of the scene since the last picture; MOVES: and it will soon change again */

/* Draws the next samples, as many as one frame has time for. If the scene moves, these are fewer, and software OpenGL draws
 * only one, in haste. Only the first samples of a changed scene are timed, so each line about a drawing in the log is about
 * a change. */
static void draw_samples(struct app *app, enum motion motion)
{
    const bool changed = motion != RESTS, moving = motion == MOVES;
    const bool haste = moving && app->gl.is_software;
    const double ms = series_last(&app->draw), start = timing_ms(); /* ms 0: not known */
    const double budget = moving ? MOVING_MS : SAMPLES_MS;
    const unsigned end = app->samples.done + (ms > 0 ? (unsigned)fmax(1, fmin(budget / ms, VIEW_MOST_SAMPLES)) : 1);
    /* Copies, since events change these meanwhile, and a slice that is new then has no shader program yet. */
    const struct camera camera = app->camera;
    const struct slices slices = app->slices;
    const struct tint tint = app->tint;
    struct err err = { 0 };
    struct drawing drawing = { .app = app, .coarse = app_shows_coarse(app) };
    memcpy(&drawing.wish, &app->wish, sizeof drawing.wish); /* padding too: go_on() compares all bytes */
    const struct pause pause = { go_on, &drawing };
    struct render_view view = scene_view(app);
    struct box_plan plan = { .lines = 0 };
    if (app->box) app_plan_box(app, &plan);
    view.camera = &camera, view.slices = &slices, view.tint = &tint;
    app_turn_view(app, &view);
    view.box = app->box ? &plan : NULL;
    view.pause = is_quick(app) || app->lab.split ? NULL : &pause;
    view.timed = changed, view.moving = moving;
    view.sample = app->samples.done, view.samples = haste ? 1 : scene_samples(app);
    app->drawing = app->render.complete = true;
    for (; view.sample < view.samples && view.sample < end && !err.code && app->render.complete; view.sample++)
        if (render_draw(&app->render, &view, &err)) app_fail(app, &err);
    app->drawing = false;
    if (err.code && app_is_cut(app) && app->cuts_capped) { /* memory may suffice without caps */
        app->cuts_capped = false;
        app->wish.switched_off = true;
        app_mark_scene(app);
    }
    app->samples.done = err.code ? scene_samples(app) : haste || !app->render.complete ? 0 : view.sample;
    if (app->haste_ms > 0 && app->render.complete && !drawing.coarse) /* the first sample may have waited for memory */
        app->haste_ms = fmin(app->haste_ms, render_haste(&app->render, &view));
    if (app->render.complete) return;
    app->scene_stale = true;
    const double took = timing_ms() - start; /* the whole drawing takes longer */
    if (changed && !app_shows_coarse(app) && took > series_last(&app->draw)) series_add(&app->draw, took);
    if (haste && !drawing.coarse && app->haste_ms > 0) app->haste_ms = fmax(app->haste_ms, took);
    app_log(app, "drawing stopped after %.1f ms", took);
}

static void draw_scene(struct app *app)
{
    app_follow_slices(app);
    app->samples.done = 0;
    draw_samples(app, scene_moves(app) || app->wish.held || timing_ms() < app->samples.rest ? MOVES : CHANGED);
}

/* OpenGL draws a surface that CUDA may still be making. Only afterwards it is known whether all of it was there; if not,
 * the scene is drawn again. */
void scene_update(struct app *app)
{
    if (!app_has_scene(app)) return; /* lay_out() asks for the drawing once there is one */
    app->scene_stale = false;
    if (app->fit || raster_needs_sizes(&app->render.raster))
        app_resolve(app); /* the camera, or the choice of who draws, needs the sizes first */
    if (app->fit) app_fit_camera(app), history_fitted(app);
    draw_scene(app);
    app->samples.rest = timing_ms() + REST_MS;
    if (app->scene_stale) return; /* stopped: the next live_poll must see what has changed; then it is drawn in haste */
    const uint64_t drawn = app->live.scene;
    if (app_resolve(app) || app->live.scene != drawn) {
        if (app->fit) app_fit_camera(app), history_fitted(app);
        draw_scene(app);
    }
    app->scene_of = app->live.scene;
    app->samples.rest = timing_ms() + REST_MS;
}

void scene_smooth(struct app *app) { draw_samples(app, RESTS); }
