#include "app.h"
#include "cmd.h"
#include "image.h"
#include "input.h"
#include "panel.h"

#include <GL/glew.h>

#include <GLFW/glfw3.h>

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOTICE_MS 4000.0
#define PROGRESS_AFTER_MS 300.0 /* shorter loads show no bar */
#define PROGRESS_EVERY_MS 50.0
#define PANEL_FRAMES 3          /* an event can change the panel twice before it comes to rest */
#define TITLE "isoscope"

/* ---- messages -------------------------------------------------------------------------------------------------- */

void app_log(const struct app *app, const char *format, ...)
{
    if (!app->options->verbose) return;
    va_list args;
    va_start(args, format);
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
    app->error = *err;
    fprintf(stderr, "isoscope: %s\n", err->text);
    app_mark(app, STALE_PANEL);
}

/* Times of another volume or backend say nothing about this one. */
static void reset_times(struct app *app)
{
    app->times = (struct app_times){ 0 };
    for (int s = 0; s < STAGE_COUNT; s++) app->times.runs[s] = app->iso.stage[s].runs;
}

/* ---- backends -------------------------------------------------------------------------------------------------- */

/* Opens a backend and moves the volume over; the old one is closed only then. */
static int open_backend(struct app *app, const struct options *options, struct err *err)
{
    struct iso iso;
    char why[sizeof app->backend_why];
    const int device = options->backend == CHOICE_CPU ? -1 : mesh_device();
    int code = cmd_open_iso(&iso, options, device, why, sizeof why, err);
    if (code) return code;
    if (app->volume.grid.voxels) code = iso_set_volume(&iso, &app->volume.grid, err);
    if (code) {
        iso_close(&iso);
        return code;
    }
    mesh_close(&app->mesh);
    if (app->iso.ops) iso_close(&app->iso);
    app->iso = iso;
    memcpy(app->backend_why, why, sizeof why);
    mesh_open(&app->mesh, &app->iso.exec, options->staging);
    reset_times(app);
    app->copy_rate = 0;
    app->copy_rate_tried = false;
    app_log(app, "backend %s: %s", app->iso.ops->name, app->backend_why);
    return ERR_NONE;
}

static int switch_backend(struct app *app, enum backend_choice choice, struct err *err)
{
    struct options options = *app->options;
    options.backend = choice;
    memset(options.rung, 0, sizeof options.rung); /* each backend has rungs of its own */
    return open_backend(app, &options, err);
}

void app_flip_backend(struct app *app)
{
    const enum backend_choice other = app->iso.exec.backend == BACKEND_CPU ? CHOICE_CUDA : CHOICE_CPU;
    char text[256];
    struct err err = { 0 };
    if (other == CHOICE_CUDA && app->cuda_lost[0]) app_notice(app, "%s", app->cuda_lost);
    else if (other == CHOICE_CUDA && !backend_cuda.available(text, sizeof text)) app_notice(app, "no CUDA: %s", text);
    else if (switch_backend(app, other, &err)) app_fail(app, &err);
    else {
        app_notice(app, "computing with %s", app->backend_why);
        app_mark(app, STALE_STATS);
    }
}

/* Something that is no error, but should not go by unseen. */
static void say(struct app *app, const char *text)
{
    fprintf(stderr, "isoscope: %s\n", text);
    app_notice(app, "%s", text);
}

/* After an error: whether the CPU goes on in CUDA's place, from the volume's copy in host memory. It does where CUDA will
 * not work again (an illegal address, a lost device), and where CUDA has failed and nobody asked for it by name. */
static bool leave_cuda(struct app *app, const struct err *broken)
{
    struct err err = { 0 };
    if (app->iso.exec.backend != BACKEND_CUDA) return false;
    const bool lost = iso_is_lost(&app->iso), chosen = app->options->backend == CHOICE_CUDA;
    if (!lost && (chosen || broken->cause == CAUSE_OTHER)) return false;
    if (lost) snprintf(app->cuda_lost, sizeof app->cuda_lost, "CUDA has stopped until isoscope is started again");
    if (switch_backend(app, CHOICE_CPU, &err)) {
        app_fail(app, &err);
        return false;
    }
    err_set(&err, broken->code, "%.*s; %sthe CPU goes on", err_found(broken), broken->text,
            lost ? "CUDA has stopped, " : "");
    snprintf(app->backend_why, sizeof app->backend_why, "%.255s", err.text);
    if (lost) app_fail(app, &err);
    else say(app, err.text);
    return true;
}

/* After an error in a step: whether to do it again, with a rung that needs less memory or on the CPU. */
static bool find_other_way(struct app *app, const struct err *err)
{
    char text[sizeof app->notice];
    if (!iso_use_less(&app->iso, err, text, sizeof text)) return leave_cuda(app, err);
    say(app, text);
    return true;
}

/* ---- loading --------------------------------------------------------------------------------------------------- */

/* struct progress: keeps the window alive while a file is read. */
static bool show_progress(void *context, double fraction)
{
    struct app *app = context;
    const double now = timing_ms();
    if (now < app->loading_next) return true;
    glfwPollEvents();
    if (glfwWindowShouldClose(app->gl.window)) app->cancelled = true;
    glfwGetFramebufferSize(app->gl.window, &app->width, &app->height);
    if (!app->cancelled && app->width > 0 && app->height > 0) {
        const float dark[4] = { 0.08f, 0.09f, 0.11f, 1 };
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        glClearNamedFramebufferfv(0, GL_COLOR, 0, dark);
        if (app->render.width) render_show(&app->render, app->scene[0], app->scene[1]);
        panel_progress(app, fraction);
        glfwSwapBuffers(app->gl.window);
        glFinish();
    }
    /* Where OpenGL is slow, the bar must not take more than a tenth of the time that it shows. */
    app->loading_next = timing_ms() + fmax(PROGRESS_EVERY_MS, 9 * (timing_ms() - now));
    return !app->cancelled;
}

/* Hands the volume to the backend; where that cannot take it and was not asked for by name, to the CPU. */
static int place_volume(struct app *app, const struct volume *volume, struct err *err)
{
    const int code = iso_set_volume(&app->iso, &volume->grid, err);
    if (!code || !leave_cuda(app, err)) return code;
    return iso_set_volume(&app->iso, &volume->grid, err);
}

/* Reads app->path and puts it in place of the present volume, which stays if anything fails. */
static int load_volume(struct app *app, struct err *err)
{
    struct options options = *app->options;
    struct volume volume = { 0 };
    double demo_value;
    const double start = timing_ms();
    options.file = app->path[0] ? app->path : NULL;
    if (app->dropped) options.load = (struct load_desc){ 0 };
    options.load.progress = (struct progress){ show_progress, app };
    app->loading = true;
    app->cancelled = false;
    app->loading_next = start + PROGRESS_AFTER_MS;
    int code = cmd_open_volume(&volume, &demo_value, &options, err);
    app->loading = false;
    app->drag = DRAG_NONE;
    if (!code) code = place_volume(app, &volume, err);
    if (code) {
        volume_free(&volume);
        return code;
    }
    volume_free(&app->volume);
    app->volume = volume;
    app->mesh.vertices = app->mesh.triangles = 0; /* of the volume before */
    reset_times(app);
    app->first_value = app->value = demo_value;
    if (options.iso_given && !app->dropped) app->value = options.iso;

    app->camera.up = app->dropped ? UP_Z : options.up;
    camera_set_volume(&app->camera, &app->volume);
    if (options.view_given && !app->dropped) camera_look(&app->camera, options.azimuth, options.elevation);
    else camera_look(&app->camera, CAMERA_AZIMUTH, CAMERA_ELEVATION);
    app->fit = true;

    char title[300];
    snprintf(title, sizeof title, "%s - " TITLE, app->volume.name);
    glfwSetWindowTitle(app->gl.window, title);
    const struct grid *g = &app->volume.grid;
    app_log(app, "load %s: %zux%zux%zu %s, %.1f ms%s%s", app->volume.name, g->nx, g->ny, g->nz,
            voxel_type_name[g->type], timing_ms() - start, app->volume.note[0] ? ", " : "", app->volume.note);
    return ERR_NONE;
}

void app_load(struct app *app, const char *path)
{
    snprintf(app->path, sizeof app->path, "%s", path);
    app->dropped = true;
    app_mark(app, STALE_LOAD);
}

/* ---- the steps after loading ----------------------------------------------------------------------------------- */

static int update_stats(struct app *app, struct err *err)
{
    const int code = stats_compute(&app->stats, &app->iso, &app->volume, err);
    if (code) return code;
    if (isnan(app->first_value)) app->first_value = app->stats.first_value;
    if (isnan(app->value)) app->value = app->first_value;
    app_log(app, "stats: %.9g to %.9g, first value %.9g, reduce %.2f ms, histogram %.2f ms", app->stats.real_min,
            app->stats.real_max, app->first_value, app->stats.reduce_ms, app->stats.histogram_ms);
    return ERR_NONE;
}

static void note_stages(struct app *app)
{
    for (int s = 0; s < STAGE_COUNT; s++)
        if (app->iso.stage[s].runs != app->times.runs[s]) {
            series_add(&app->times.stage[s], app->iso.stage[s].ms);
            app->times.runs[s] = app->iso.stage[s].runs;
        }
}

/* Volume -> mesh. Until room for the new surface is there, an error leaves the old one. */
static int update_surface(struct app *app, struct err *err)
{
    const struct iso_counts *counts = &app->iso.counts;
    double map;
    if (isnan(app->value) && update_stats(app, err)) return err->code; /* they failed before */
    const double start = timing_ms();
    app->empty[0] = '\0';
    const int code = surface_update(&app->mesh, &app->iso, volume_iso(&app->volume, app->value), &map, err);
    if (code) return code;
    if (!counts->triangles)
        cmd_explain_empty(app->empty, sizeof app->empty, &app->volume, &app->stats, app->value);
    const double compute = timing_ms() - start - map;
    series_add(&app->times.map, map);
    series_add(&app->times.compute, compute);
    note_stages(app);
    char rungs[256];
    for (int s = 0, used = 0; s < STAGE_COUNT; s++)
        used += snprintf(rungs + used, sizeof rungs - (size_t)used, " %s=%s", stage_name[s], app->iso.rung[s]->name);
    app_log(app, "iso %.9g: %" PRIu64 " triangles, %" PRIu64 " vertices, compute %.2f ms, map %.2f ms, backend %s, rungs%s",
            app->value, counts->triangles, counts->vertices, compute, map, app->iso.ops->name, rungs);
    return ERR_NONE;
}

static int update_scene(struct app *app, struct err *err)
{
    double low[3], high[3];
    if (app->fit) {
        const int code = iso_bounds(&app->iso, low, high, err);
        if (code) return code;
        camera_fit(&app->camera, (double)app->scene[2] / app->scene[3], low, high);
        app->fit = false;
    }
    const struct render_view view = { .mesh = &app->mesh, .camera = &app->camera, .mode = app->mode,
                                      .wireframe = app->wireframe, .width = app->scene[2], .height = app->scene[3] };
    return render_draw(&app->render, &view, err);
}

/* ---- frames ---------------------------------------------------------------------------------------------------- */

/* Redoes what is stale, from the earliest step down. An error ends up in the banner, and the steps below are done with
 * what is there. */
static void settle(struct app *app)
{
    static int (*const steps[])(struct app *, struct err *) = { load_volume, update_stats, update_surface,
                                                                update_scene };
    for (enum stale step = app->stale; step <= STALE_DRAW; step++) {
        struct err err = { 0 };
        if (!steps[step](app, &err)) continue;
        if (step > STALE_LOAD && find_other_way(app, &err)) {
            step = STALE_LOAD; /* goes on with the statistics, for the table's times */
            continue;
        }
        if (step == STALE_LOAD && app->cancelled) app_notice(app, "loading was cancelled");
        else app_fail(app, &err);
        if (step == STALE_LOAD || isnan(app->value)) step = STALE_ISO; /* goes on with drawing what there was before */
    }
    app->stale = STALE_PANEL;
}

/* Divides the framebuffer among panel and scene. */
static void lay_out(struct app *app)
{
    glfwGetFramebufferSize(app->gl.window, &app->width, &app->height);
    const int left = panel_width(app) < app->width ? panel_width(app) : app->width;
    const int scene[4] = { left, 0, app->width - left, app->height };
    if (!memcmp(scene, app->scene, sizeof scene)) return;
    memcpy(app->scene, scene, sizeof scene);
    app_mark(app, STALE_DRAW);
}

static void save_screenshot(struct app *app)
{
    char base[sizeof app->volume.name], path[sizeof base + 32], folder[3072];
    struct err err = { 0 };
    snprintf(base, sizeof base, "%s", app->volume.name);
    char *dot = strrchr(base, '.');
    if (dot && dot != base) *dot = '\0';
    int n = 1;
    do snprintf(path, sizeof path, "%s_%d.png", base, n);
    while (access(path, F_OK) == 0 && n++ < 100000);
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

static void draw_window(struct app *app)
{
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    if (app->render.width) render_show(&app->render, app->scene[0], app->scene[1]);
    panel_draw(app);
    if (app->screenshot || app->screenshot_scene) save_screenshot(app);
    glfwSwapBuffers(app->gl.window);
}

static void read_timers(struct app *app)
{
    double ms;
    while (render_time(&app->render, &ms)) {
        series_add(&app->times.draw, ms);
        app_log(app, "draw %.2f ms, frame %.2f ms", ms, series_last(&app->times.frame));
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

static void wait_for_events(struct app *app)
{
    const double now = timing_ms();
    double seconds = 10; /* nothing to do: sleep */
    if (app->stale < STALE_NOTHING || app->redraw > 0) seconds = 0;
    else if (render_time_pending(&app->render)) seconds = 0.01;
    else if (!app->copy_rate_tried && app->drag == DRAG_NONE) seconds = 0.05;
    else if (panel_takes_text()) seconds = 0.3; /* the cursor blinks */
    else if (app->notice[0]) seconds = fmax(0.01, (app->notice_end - now) * 1e-3);
    if (seconds > 0) glfwWaitEventsTimeout(seconds);
    else glfwPollEvents();

    if (panel_takes_text()) app_mark(app, STALE_PANEL);
    if (app->notice[0] && timing_ms() >= app->notice_end) {
        app->notice[0] = '\0';
        app_mark(app, STALE_PANEL);
    }
    const bool idle = app->stale == STALE_NOTHING && app->redraw == 0 && !render_time_pending(&app->render);
    if (idle && !app->copy_rate_tried && app->drag == DRAG_NONE) measure_copy_rate(app);
}

bool app_frame(struct app *app)
{
    wait_for_events(app);
    read_timers(app);
    if (app->quit || glfwWindowShouldClose(app->gl.window)) return false;
    lay_out(app);
    if (app->width <= 0 || app->height <= 0 || app->scene[2] <= 0) { /* minimised: nothing to draw on */
        app->stale = app->stale < STALE_DRAW ? app->stale : STALE_DRAW;
        app->redraw = PANEL_FRAMES;
        glfwWaitEventsTimeout(0.1);
        return true;
    }
    if (app->stale == STALE_NOTHING && app->redraw == 0) return true;
    const double start = timing_ms();
    const bool scene_changes = app->stale <= STALE_DRAW;
    if (scene_changes) settle(app);
    app->stale = STALE_NOTHING; /* what the panel changes while it is drawn comes with the next frame */
    if (app->redraw > 0) app->redraw--;
    draw_window(app);
    if (scene_changes) series_add(&app->times.frame, timing_ms() - start);
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

/* The first volume is loaded by hand, since without one there is nothing to show an error over. */
static int load_first(struct app *app, struct err *err)
{
    snprintf(app->path, sizeof app->path, "%s", app->options->file ? app->options->file : "");
    lay_out(app);
    const int code = load_volume(app, err);
    app->stale = STALE_STATS;
    return code;
}

int app_init(struct app *app, const struct options *options, struct err *err)
{
    memset(app, 0, sizeof *app);
    app->options = options;
    const int mode = render_mode_find(options->shading, err);
    if (mode < 0) return ERR_USAGE;
    app->mode = (unsigned)mode;
    int code = gl_open_window(&app->gl, TITLE, options->width ? options->width : 1280,
                              options->height ? options->height : 800, err);
    if (code) return code;
    glfwSwapInterval(1);
    app->scale = choose_scale(app);
    input_open(app);
    if (!panel_open(app)) code = err_set(err, ERR_GL, "the panel could not start on %s", app->gl.version);
    if (!code) code = render_open(&app->render, app->gl.is_software, err);
    if (!code) code = open_backend(app, options, err);
    if (!code) code = load_first(app, err);
    if (code) app_free(app);
    return code;
}

void app_free(struct app *app)
{
    mesh_close(&app->mesh);
    if (app->iso.ops) iso_close(&app->iso);
    render_close(&app->render);
    if (app->gl.window) panel_close();
    gl_close(&app->gl);
    volume_free(&app->volume);
}

uint64_t app_memory(const struct app *app)
{
    return (uint64_t)grid_voxels(&app->volume.grid) * voxel_bytes(app->volume.grid.type) + iso_memory(&app->iso) +
           app->mesh.bytes[MESH_VERTICES] + app->mesh.bytes[MESH_INDICES];
}
