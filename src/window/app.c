#include "app_steps.h"
#include "image.h"
#include "input.h"
#include "panel.h"

#include <GL/glew.h>

#include <GLFW/glfw3.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WIDTH 1280 /* of the window at scale 1, screen units */
#define HEIGHT 800
#define LEAST_WIDTH 320 /* that the user can give it */
#define LEAST_HEIGHT 240
#define NOTICE_MS 4000.0
#define LOAD_SHOWN_MS 300.0 /* work that is done sooner needs no word */
#define WORK_SHOWN_MS 500.0
#define TICK_MS 50.0      /* between two drawings of how far it is */
#define SLOW_DRAW_MS 50.0 /* a surface that takes longer to draw does not turn with the hand */
#define PANEL_FRAMES 3    /* an event can change the panel twice before it comes to rest */

/* ---- messages -------------------------------------------------------------------------------------------------- */

void app_log(const struct app *app, const char *format, ...)
{
    if (!app->options->verbose) return;
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%8.3f ", (timing_ms() - app->opened) * 1e-3);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

void app_mark(struct app *app, enum stale stale)
{
    if (stale < app->stale) app->stale = stale;
    app->redraw = PANEL_FRAMES;
}

void app_notice(struct app *app, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(app->notice, sizeof app->notice, format, args);
    va_end(args);
    app->notice_end = timing_ms() + NOTICE_MS;
    app_mark(app, STALE_PANEL);
}

void app_fail(struct app *app, const struct err *err)
{
    char text[ERR_SENTENCE];
    app->error = *err;
    fprintf(stderr, "isoscope: %s\n", err_sentence(err, text));
    app_mark(app, STALE_PANEL);
}

static void reload_shaders(struct app *app)
{
    struct err err;
    if (render_reload(&app->render, &app->slices, &err)) {
        app->error.code = ERR_NONE; /* a shader that did not compile before */
        app_log(app, "shaders reloaded");
        app_mark(app, STALE_DRAW);
    }
    if (err.code) app_fail(app, &err);
}

/* ---- frames ---------------------------------------------------------------------------------------------------- */

/* To the box of the full surface; while it is not there, to that of the coarse one, for the time being. */
static int fit_camera(struct app *app, struct err *err)
{
    double low[3], high[3];
    struct iso *iso = app->coarse_shown ? &app->coarse.iso : &app->iso;
    const double step = app->coarse_shown ? app->coarse.level.step : 1;
    if (!app->volume.grid.voxels || (app->lent && !app->coarse_shown)) return ERR_NONE;
    const int code = iso_bounds(iso, low, high, err);
    if (code) return code;
    for (int a = 0; a < 3; a++) low[a] *= step, high[a] *= step;
    slices_extend(&app->slices, low, high);
    camera_fit(&app->camera, (double)app->scene[2] / app->scene[3], low, high);
    app->fit = app->coarse_shown;
    return ERR_NONE;
}

static bool scene_moves(const struct app *app) { return app->drag != DRAG_NONE || app->sliding; }

/* Whether the coarse surface is to be drawn: since there is no other, or since the view turns and the full one is slow. */
static bool choose_coarse(struct app *app)
{
    struct err unused;
    if (app->coarse_shown || !scene_moves(app) || !app->mesh.triangles || !app->coarse.level.step ||
        series_last(&app->times.draw) < SLOW_DRAW_MS)
        return app->coarse_shown;
    return !coarse_update(&app->coarse, volume_iso(&app->volume, app->value), app->sigma, &unused);
}

/* False: the window is minimised, or the panel fills it. */
static bool has_scene(const struct app *app) { return app->scene[2] > 0 && app->scene[3] > 0; }

static void draw_scene(struct app *app)
{
    struct err err = { 0 };
    if (!has_scene(app)) return; /* lay_out() asks for the drawing once there is one */
    int code = app->fit ? fit_camera(app, &err) : ERR_NONE;
    app_follow_slices(app);
    app->scene_coarse = choose_coarse(app);
    struct render_view view = { .mesh = app->scene_coarse ? &app->coarse.mesh : &app->mesh,
                                .step = app->scene_coarse ? app->coarse.level.step : 1,
                                .camera = &app->camera,
                                .mode = app->mode,
                                .wireframe = app->wireframe,
                                .slices = &app->slices,
                                .transparency = app->translucent ? 1 - app->opacity : 0,
                                .width = app->scene[2],
                                .height = app->scene[3] };
    if (view.transparency > 0) view.mesh = sorted_for_drawing(app, app->scene_coarse ? &app->coarse.mesh : &app->mesh);
    if (!app->translucent) view.transparency = 0; /* it was given up */
    if (!code) code = render_draw(&app->render, &view, &err);
    if (!code) return;
    if (app_find_other_way(app, &err)) app_mark(app, STALE_STATS);
    else app_fail(app, &err);
}

/* Divides the framebuffer among panel and scene. */
static void lay_out(struct app *app)
{
    glfwGetFramebufferSize(app->gl.window, &app->width, &app->height);
    const int left = panel_width(app);
    const int scene[4] = { left, 0, app->width - left, app->height };
    if (!memcmp(scene, app->scene, sizeof scene)) return;
    memcpy(app->scene, scene, sizeof scene);
    app_log(app, "widget scene: %d %d %d %d", left, 0, app->width, app->height);
    app_mark(app, STALE_DRAW);
}

void app_free_name(const struct app *app, char path[512], const char *middle, const char *ending)
{
    char base[sizeof app->volume.name], number[16] = "";
    snprintf(base, sizeof base, "%s", app->volume.name);
    char *dot = strrchr(base, '.');
    if (dot && dot != base) *dot = '\0';
    int n = *middle ? 0 : 1;
    do {
        if (n) snprintf(number, sizeof number, "_%d", n);
        snprintf(path, 512, "%s%s%s%s", base, middle, number, ending);
    } while (access(path, F_OK) == 0 && n++ < 100000);
}

static void save_screenshot(struct app *app)
{
    char path[512], folder[3072];
    struct err err = { 0 };
    if (app->screenshot_scene && !has_scene(app)) {
        app->screenshot_scene = false;
        app_log(app, "screenshot: no scene");
        app_notice(app, "there is no scene to save: the panel fills the window");
        return;
    }
    app_free_name(app, path, "", ".png");
    const int code = app->screenshot_scene
                         ? image_save(app->render.resolved, 0, 0, app->render.width, app->render.height, path, &err)
                         : image_save(0, 0, 0, app->width, app->height, path, &err);
    app->screenshot = app->screenshot_scene = false;
    if (code) {
        app_fail(app, &err);
        return;
    }
    app_log(app, "screenshot %s", path);
    app_notice(app, "saved %s/%s", getcwd(folder, sizeof folder) ? folder : ".", path);
}

/* A picture waits for the full surface. */
static bool full_is_coming(const struct app *app)
{
    const bool coming = app->due[STALE_SMOOTH] || app->due[STALE_ISO] ||
                        (app->work >= STALE_SMOOTH && app->work <= STALE_ISO);
    return app->sorting || (app->scene_coarse && (coming || scene_moves(app)));
}

static void draw_window(struct app *app)
{
    if (app->width <= 0 || app->height <= 0) return; /* minimised */
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    if (app->render.width && has_scene(app)) render_show(&app->render, app->scene[0], app->scene[1]);
    else glClear(GL_COLOR_BUFFER_BIT); /* there is no scene, or none yet */
    gl_push_group("panel");
    panel_draw(app);
    gl_pop_group();
    if ((app->screenshot || app->screenshot_scene) && !full_is_coming(app)) save_screenshot(app);
    glfwSwapBuffers(app->gl.window);
}

static void read_timers(struct app *app)
{
    double ms;
    unsigned step;
    while (render_time(&app->render, &ms, &step)) {
        if (step == 1) series_add(&app->times.draw, ms);
        app_log(app, "draw %.2f ms, frame %.2f ms%s", ms, series_last(&app->times.frame), step > 1 ? ", coarse" : "");
        app_mark(app, STALE_PANEL);
    }
}

/* The yardstick of the table takes a moment, so it waits until there is a picture and nobody is doing anything. */
static void measure_copy_rate(struct app *app)
{
    struct err err;
    app->copy_rate_tried = true;
    if (iso_copy_rate(&app->iso, &app->copy_rate, &err)) {
        app->copy_rate = 0;
        if (iso_is_lost(&app->iso)) app_mark(app, STALE_STATS); /* which finds another way */
    }
    app_log(app, "copy rate %.2f GB/s", app->copy_rate);
    app_mark(app, STALE_PANEL);
}

const char *app_work_text(const struct app *app, double *fraction)
{
    const double ms = timing_ms() - app->work_since;
    if (fraction) *fraction = app->work == STALE_LOAD || app->work == WORK_EXPORT ? worker_progress(&app->worker) : -1;
    if (fraction && app->work == STALE_SMOOTH)
        *fraction = (double)__atomic_load_n(&app->job.done, __ATOMIC_RELAXED) / (double)iso_smooth_work(&app->volume.grid);
    if (app->work == STALE_LOAD && ms > LOAD_SHOWN_MS) return job_is_uploading(&app->job) ? "uploading" : "loading";
    if (app->work == STALE_SMOOTH && ms > WORK_SHOWN_MS) return "smoothing";
    if (app->work == STALE_STATS && ms > WORK_SHOWN_MS) return "counting the values";
    if (app->work == STALE_ISO && ms > WORK_SHOWN_MS) return "making the full surface";
    if (app->work == WORK_EXPORT && ms > WORK_SHOWN_MS) return "writing the surface to a file";
    return NULL;
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

static double seconds_to_wait(const struct app *app)
{
    const double now = timing_ms();
    double seconds = 10; /* nothing to do: sleep */
    if (app->stale < STALE_NOTHING || app->redraw > 0) return 0;
    if (render_time_pending(&app->render)) seconds = 0.01;
    else if (app->work != STALE_NOTHING) seconds = TICK_MS * 1e-3;
    else if (!app->copy_rate_tried && app->drag == DRAG_NONE) seconds = 0.05;
    else if (panel_takes_text()) seconds = 0.3; /* the cursor blinks */
    else if (app->notice[0]) seconds = fmax(0.01, (app->notice_end - now) * 1e-3);
    return fmin(seconds, fmax(0, fmin(steps_next(app), app->render.reload_due) - now) * 1e-3);
}

static void wait_for_events(struct app *app)
{
    const double seconds = seconds_to_wait(app);
    if (seconds > 0) glfwWaitEventsTimeout(seconds);
    else glfwPollEvents();

    if (panel_takes_text()) app_mark(app, STALE_PANEL);
    if (app->notice[0] && timing_ms() >= app->notice_end) {
        app->notice[0] = '\0';
        app_mark(app, STALE_PANEL);
    }
    const bool idle = app->stale == STALE_NOTHING && app->redraw == 0 && !render_time_pending(&app->render) &&
                      app->work == STALE_NOTHING && !app->due[STALE_ISO] && !app->due[STALE_SMOOTH] && !app->sorting &&
                      app->volume.grid.voxels;
    if (idle && !app->copy_rate_tried && app->drag == DRAG_NONE) measure_copy_rate(app);
}

bool app_frame(struct app *app)
{
    wait_for_events(app);
    read_timers(app);
    if (app->quit || glfwWindowShouldClose(app->gl.window)) return false;
    steps_take(app);
    sorted_take(app);
    reload_shaders(app);
    lay_out(app);
    tick(app);
    if (app->stale == STALE_NOTHING && app->redraw == 0) return true;
    const double start = timing_ms();
    const enum stale step = app->stale;
    app->stale = STALE_NOTHING; /* what changes from here on comes with the next frame, but for the drawing of this one */
    app_follow_slices(app);     /* before the surface, which CUDA goes on making while it is drawn */
    if (step < STALE_DRAW) steps_do(app, step);
    const bool scene_changes = step == STALE_DRAW || app->stale == STALE_DRAW;
    if (app->stale >= STALE_DRAW) app->stale = STALE_NOTHING;
    if (scene_changes) draw_scene(app);
    if (steps_settle(app)) draw_scene(app);
    app_take_probe(app);
    if (app->redraw > 0) app->redraw--;
    draw_window(app);
    app->frame_ms = timing_ms() - start;
    if (scene_changes) series_add(&app->times.frame, app->frame_ms);
    return true;
}

/* ---- start and end --------------------------------------------------------------------------------------------- */

static double choose_scale(const struct app *app)
{
    float x = 1, y = 1;
    if (app->options->ui_scale > 0) return app->options->ui_scale;
    glfwGetWindowContentScale(app->gl.window, &x, &y);
    return fmax(1, fmin(4, x));
}

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

/* Without a first volume there is nothing to show an error over. */
static int load_first(struct app *app, struct err *err)
{
    snprintf(app->path, sizeof app->path, "%s", app->setup->file ? app->setup->file : "");
    app_mark(app, STALE_LOAD);
    while (!app->volume.grid.voxels && !app->error.code)
        if (!app_frame(app)) return ERR_NONE; /* closed: there is no next frame either */
    *err = app->error;
    return app->volume.grid.voxels ? ERR_NONE : err->code;
}

static void wake(void) { glfwPostEmptyEvent(); }

int app_init(struct app *app, const struct setup *setup, const struct view_options *options, struct err *err)
{
    memset(app, 0, sizeof *app);
    app->setup = setup;
    app->options = options;
    app->opened = timing_ms();
    app->work = app->stale = STALE_NOTHING;
    const int mode = render_mode_find(options->shading, err);
    if (mode < 0) return ERR_USAGE;
    app->mode = (unsigned)mode;
    app->opacity = options->opacity_given ? options->opacity : OPACITY;
    app->translucent = options->opacity_given && options->opacity < 1;
    int code = gl_open_window(&app->gl, "isoscope", options->width ? options->width : WIDTH,
                              options->height ? options->height : HEIGHT, err);
    if (code) return code;
    glfwSwapInterval(1);
    app->scale = choose_scale(app);
    choose_size(app);
    input_open(app);
    if (!panel_open(app)) code = err_set(err, ERR_GL, "the panel could not start on %s", app->gl.version);
    if (!code) code = render_open(&app->render, app->gl.is_software, err);
    if (!code) code = app_open_backend(app, setup, err);
    if (!code) code = coarse_open(&app->coarse, setup->threads, err);
    if (!code) code = worker_open(&app->worker, wake, err);
    if (!code) code = load_first(app, err);
    if (code) app_free(app);
    return code;
}

void app_free(struct app *app)
{
    worker_close(&app->worker);
    sorted_stop(app);
    worker_close(&app->sorter);
    if (app->lent) app->iso = app->job.iso; /* it is back */
    volume_free(&app->job.volume);
    iso_drop_volume(&app->job.uploaded);
    coarse_drop(&app->job.level);
    coarse_close(&app->coarse);
    slices_close(&app->slices);
    mesh_close(&app->spare);
    mesh_close(&app->mesh);
    if (app->iso.ops) iso_close(&app->iso);
    render_close(&app->render);
    if (app->gl.window) panel_close();
    gl_close(&app->gl);
    volume_free(&app->volume);
}

static uint64_t mesh_bytes(const struct mesh *mesh) { return mesh->bytes[MESH_VERTICES] + mesh->bytes[MESH_INDICES]; }

uint64_t app_memory(const struct app *app)
{
    const struct grid *level = &app->coarse.level.grid, *smoothed = &app->coarse.smoothed.grid;
    return (uint64_t)grid_voxels(&app->volume.grid) * voxel_bytes(app->volume.grid.type) + iso_memory(&app->iso) +
           mesh_bytes(&app->mesh) + mesh_bytes(&app->spare) + iso_memory(&app->coarse.iso) + mesh_bytes(&app->coarse.mesh) +
           grid_voxels(level) * voxel_bytes(level->type) + grid_voxels(smoothed) * voxel_bytes(smoothed->type) +
           sorted_bytes(&app->sorted) + sorted_bytes(&app->sorted_coarse);
}
