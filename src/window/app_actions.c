/* Actions of keys and panel. Each changes the wish or a field, and says so. */
#include "app_actions.h"
#include "app.h"
#include "app_files.h"
#include "app_mine.h"
#include "app_probe.h"
#include "app_surfaces.h"
#include "render_surfaces.h"

#include <GLFW/glfw3.h>

#include <stdio.h>

void app_export(struct app *app)
{
    struct export_look looks[LIVE_SURFACES];
    for (int i = 0; i < LIVE_SURFACES; i++) {
        struct render_surface shown;
        app_show_surface(app, i, &shown);
        looks[i] = (struct export_look){ .coloured = shown.coloured, .transparency = shown.transparency };
        surfaces_linear(&shown, looks[i].colour);
    }
    live_export(&app->live, (unsigned)app->active, export_formats[app->export_as], looks);
    app_mark(app);
}

/* ---- rungs ----------------------------------------------------------------------------------------------------- */

bool app_backend_is_coming(const struct app *app) { return app->wish.backend != app->live.iso.exec.backend; }

void app_set_rung(struct app *app, enum stage stage, const struct rung *rung)
{
    if (rung == app->wish.rung[stage] || app_backend_is_coming(app)) return;
    iso_list_rung(app->wish.rung, app->wish.backend, stage, rung);
    if (app->lab.gemm) app_mark_scene(app); /* gemm takes part in drawing */
    app_log(app, "rung %s=%s", stage_name[stage], rung->name);
    app_notice(app, "%s: %s - %s", stage_name[stage], rung->name, rung->idea);
}

void app_next_rung(struct app *app, enum stage stage, int step)
{
    const struct ladder *ladder = ladder_of(stage_name[stage]);
    const enum backend backend = app->wish.backend;
    int rungs = 0, present = 0;
    if (app_backend_is_coming(app)) return;
    for (const struct rung *rung; (rung = ladder_rung(ladder, backend, (size_t)rungs)); rungs++)
        if (rung == app->wish.rung[stage]) present = rungs;
    if (rungs < 2) {
        app_notice(app, "%s has only one rung: %s", stage_name[stage], app->wish.rung[stage]->name);
        return;
    }
    const struct rung *next;
    do { /* skip those that this machine cannot run; it ends, as the present one can run */
        present = (present + step + rungs) % rungs;
        next = ladder_rung(ladder, backend, (size_t)present);
    } while (rung_unavailable(next, &app->live.iso.exec));
    app_set_rung(app, stage, next);
}

bool app_is_textbook(const struct app *app)
{
    for (int s = 0; s < STAGE_ALL; s++)
        if (app->wish.rung[s] != ladder_rung(ladder_of(stage_name[s]), app->wish.backend, 0)) return false;
    return true;
}

void app_flip_rungs(struct app *app)
{
    const bool textbook = !app_is_textbook(app);
    if (app_backend_is_coming(app)) return;
    for (int s = 0; s < STAGE_ALL; s++) {
        const struct ladder *ladder = ladder_of(stage_name[s]);
        app->wish.rung[s] = textbook ? ladder_rung(ladder, app->wish.backend, 0)
                                     : ladder_find(ladder, app->wish.backend, NULL);
    }
    if (app->lab.gemm) app_mark_scene(app);
    app_log(app, "rung all=%s", textbook ? "textbook" : "default");
    app_notice(app,
               textbook ? "all stages and side ops: the textbook rungs" : "all stages and side ops: the fastest rungs");
}

void app_flip_backend(struct app *app)
{
    app->wish.backend = app->wish.backend == BACKEND_CPU ? BACKEND_CUDA : BACKEND_CPU;
    app_mark(app);
}

/* ---- view ------------------------------------------------------------------------------------------------------ */

void app_next_mode(struct app *app, int step)
{
    int modes = 1;
    while (render_modes[modes].name) modes++;
    app_set_mode(app, (unsigned)(((int)app->mode + step + modes) % modes));
}

void app_set_mode(struct app *app, unsigned mode)
{
    app->mode = mode;
    app_log(app, "shading %s", render_modes[app->mode].name);
    app_notice(app, "shading: %s - %s", render_modes[app->mode].name, render_modes[app->mode].idea);
    app_mark_scene(app);
}

void app_flip_wireframe(struct app *app)
{
    app->wireframe = !app->wireframe;
    app_log(app, "wireframe %s", app->wireframe ? "on" : "off");
    app_notice(app, "triangle edges %s", app->wireframe ? "on" : "off");
    app_mark_scene(app);
}

void app_flip_close(struct app *app)
{
    app->wish.close = !app->wish.close;
    app_log(app, "caps %s", app->wish.close ? "on" : "off");
    app_notice(app, "%s",
               !app->wish.close ? "open at the border of the volume" : "closed by caps at the border of the volume");
    app_mark_scene(app);
}

void app_flip_measured(struct app *app)
{
    app->wish.measured = !app->wish.measured;
    app_log(app, "measured %s", app->wish.measured ? "on" : "off");
    app_mark(app);
}

/* ---- window ---------------------------------------------------------------------------------------------------- */

/* The monitor with the window's centre. GLFW knows the monitor only of full-screen windows. */
static GLFWmonitor *monitor_of(GLFWwindow *window)
{
    int count, x, y, width, height;
    GLFWmonitor **monitors = glfwGetMonitors(&count);
    glfwGetWindowPos(window, &x, &y);
    glfwGetWindowSize(window, &width, &height);
    for (int i = 0; i < count; i++) {
        int left, top;
        const GLFWvidmode *mode = glfwGetVideoMode(monitors[i]);
        glfwGetMonitorPos(monitors[i], &left, &top);
        const int cx = x + width / 2 - left, cy = y + height / 2 - top;
        if (mode && cx >= 0 && cy >= 0 && cx < mode->width && cy < mode->height) return monitors[i];
    }
    return glfwGetPrimaryMonitor();
}

void app_flip_fullscreen(struct app *app)
{
    GLFWwindow *window = app->gl.window;
    int *w = app->windowed;
    if (glfwGetWindowMonitor(window)) {
        glfwSetWindowMonitor(window, NULL, w[0], w[1], w[2], w[3], GLFW_DONT_CARE);
    } else {
        GLFWmonitor *monitor = monitor_of(window);
        const GLFWvidmode *mode = monitor ? glfwGetVideoMode(monitor) : NULL;
        if (!mode) {
            app_notice(app, "full screen needs a monitor, but none was found");
            return;
        }
        glfwGetWindowPos(window, &w[0], &w[1]);
        glfwGetWindowSize(window, &w[2], &w[3]);
        glfwSetWindowMonitor(window, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
    }
    app_log(app, "full screen %s", glfwGetWindowMonitor(window) ? "on" : "off");
    app_mark(app);
}

void app_screenshot(struct app *app, bool scene_only)
{
    app->screenshot = !scene_only;
    app->screenshot_scene = scene_only;
    app_mark(app);
}

void app_ask_enlarged(struct app *app, int times, bool cut_out)
{
    app->enlarge = times;
    app->cut_out = cut_out;
    app_notice(app, "drawing a picture of %dx%d: Esc cancels", times * app->scene[2], times * app->scene[3]);
    app_mark(app);
}

void app_cancel_enlarged(struct app *app)
{
    app->enlarge = 0;
    app_log(app, "picture: cancelled");
    app_notice(app, "the picture was cancelled");
}

void app_name_window(struct app *app)
{
    char title[300];
    snprintf(title, sizeof title, "%s - isoscope", app->live.volume.name);
    glfwSetWindowTitle(app->gl.window, title);
}

bool app_is_to_end(const struct app *app) { return app->quit || glfwWindowShouldClose(app->gl.window); }

void app_end_later(struct app *app)
{
    app->leaving = true;
    app->quit = false;
    app->error.code = ERR_NONE;
    glfwSetWindowShouldClose(app->gl.window, GLFW_FALSE);
    app_log(app, "ends when all is written");
    app_notice(app, "closes when the file is written; quit again to close at once, without it");
}

void app_flip_help(struct app *app)
{
    app->help = !app->help;
    app->help_find[0] = '\0';
    app_log(app, "help %s", app->help ? "on" : "off");
    app_mark(app);
}

void app_close_help(struct app *app)
{
    if (app->help) app_flip_help(app);
}

void app_show_card(struct app *app, enum stage stage)
{
    app->card.shown = true;
    app->card.stage = (int)stage;
    app_log(app, "card %s", stage_name[stage]);
    app_mark(app);
}

void app_hide_card(struct app *app)
{
    app->card.shown = false;
    app_log(app, "card closed");
    app_mark(app);
}

void app_find_help(struct app *app)
{
    if (!app->help) app_flip_help(app);
    app->help_asks = true;
}

void app_escape(struct app *app)
{
    if (app->help) app_flip_help(app);
    else if (app->files.browse.shown) app_close_browse(app);
    else if (app->files.import.shown) app_cancel_import(app);
    else if (app->enlarge) app_cancel_enlarged(app);
    else if (app->live.work.task == LIVE_LOAD || live_is_writing(&app->live) || app_work_text(app, NULL))
        live_cancel(&app->live, &app->wish);
    else if (app->error.code) app->error.code = ERR_NONE;
    else if (app_has_complaint(app)) app_drop_complaint(app);
    else if (app->card.shown) app_hide_card(app);
    else if (app->probe.shown) app->probe.shown = false;
    else if (app->ruler.count) app_drop_ruler(app);
    else app->notice[0] = '\0';
    app_mark(app);
}
