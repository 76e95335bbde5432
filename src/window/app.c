#include "app.h"
#include "state.h"
#include "timing.h"

#include <GLFW/glfw3.h>

#include <stdarg.h>
#include <stdio.h>

#define NOTICE_MS 4000.0
#define LOAD_SHOWN_MS 300.0 /* shorter work is not mentioned */
#define WORK_SHOWN_MS 500.0
#define PANEL_PIXELS 452.0 /* width of the panel at scale 1 */
#define LEAST_SCENE 200.0  /* least width of the scene beside it, at scale 1 */
#define PANEL_FRAMES 3     /* after an event, the panel may change in two more frames */

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

void app_wake(void *unused)
{
    (void)unused;
    glfwPostEmptyEvent();
}

void app_mark(struct app *app)
{
    app->redraw = PANEL_FRAMES;
    app->marked = timing_ms();
    app->blink = 0;
}

void app_mark_scene(struct app *app)
{
    app->scene_stale = true;
    app_mark(app);
}

/* ---- from run to run -------------------------------------------------------------------------------------------- */

bool app_remembers(const struct app *app) { return !app->options->record && !app->options->replay; }

void app_recall(const struct app *app, const char *name, char word[32])
{
    word[0] = 0;
    if (app_remembers(app)) state_read_word(name, word);
}

void app_remember(const struct app *app, const char *name, const char *word)
{
    if (app_remembers(app)) state_write_word(name, word);
}

/* ---- panel ----------------------------------------------------------------------------------------------------- */

static bool has_room(const struct app *app) { return app->width >= (PANEL_PIXELS + LEAST_SCENE) * app->scale; }

enum panel_form app_panel_form(const struct app *app)
{
    return app->panel == PANEL_FULL && !has_room(app) && !app->panel_over ? PANEL_LINE : app->panel;
}

int app_panel_beside(const struct app *app) { return has_room(app) ? app_panel_over(app) : 0; }

int app_panel_over(const struct app *app)
{
    const bool full = app_panel_form(app) == PANEL_FULL && app->live.volume.grid.voxels;
    const int wanted = full ? (int)(PANEL_PIXELS * app->scale) : 0;
    return wanted < app->width ? wanted : app->width;
}

void app_set_panel(struct app *app, enum panel_form form)
{
    static const char *const names[PANEL_FORMS] = { "full", "one line", "off" };
    app->panel = form;
    app->panel_over = app->panel == PANEL_FULL && !has_room(app);
    app_log(app, "panel %s%s", names[app->panel], app->panel_over ? " over the scene" : "");
    app_mark(app);
}

const char *const app_page_name[PANEL_PAGES] = { "view", "lab" };

void app_set_page(struct app *app, enum panel_page page)
{
    app->page = page;
    app_remember(app, "page", app_page_name[page]);
    app_log(app, "page %s", app_page_name[page]);
    app_mark(app);
}

/* ---- messages -------------------------------------------------------------------------------------------------- */

void app_notice(struct app *app, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(app->notice, sizeof app->notice, format, args);
    va_end(args);
    app->notice_end = timing_ms() + NOTICE_MS;
    app_log(app, "notice: %s", app->notice);
    app_mark(app);
}

void app_fail(struct app *app, const struct err *err)
{
    char text[ERR_SENTENCE];
    app->error = *err;
    fprintf(stderr, "isoscope: %s\n", err_sentence(err, text));
    app_mark(app);
}

const char *app_work_text(const struct app *app, double *fraction)
{
    const enum live_task task = app->live.work.task;
    const double ms = timing_ms() - app->live.work.since;
    if (fraction) *fraction = live_progress(&app->live);
    if (task == LIVE_LOAD && ms > LOAD_SHOWN_MS) return live_is_uploading(&app->live) ? "uploading" : "loading";
    if (task == LIVE_SMOOTH && ms > WORK_SHOWN_MS) return "smoothing";
    if (task == LIVE_STATS && ms > WORK_SHOWN_MS) return "counting the values";
    if (task == LIVE_SURFACE && ms > WORK_SHOWN_MS) return "making the full surface";
    if (task == LIVE_EXPORT && ms > WORK_SHOWN_MS) return "writing the surface to a file";
    if (task == LIVE_REFINE && ms > WORK_SHOWN_MS) return "refining what is in view";
    return NULL;
}
