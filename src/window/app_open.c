/* Asking for a file: with the desktop's dialog, or our own list. */
#include "app.h"
#include "app_actions.h"
#include "app_files.h"
#include "formats.h"
#include "timing.h"

#include <GLFW/glfw3.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LONG_MS 500.0 /* a look into a folder that takes longer is mentioned */

enum { PAGE_ROWS = 10 }; /* per PageUp or PageDown */

/* ---- what a folder is as a volume ---------------------------------------------------------------------------------- */

/* On the worker's thread. */
static void run_look(void *job)
{
    struct folder_look *look = job;
    look->whole = format_of_folder(look->path);
}

/* Looks into the folder in the list, unless there is still a look into one before. */
static void look_into(struct app *app)
{
    struct folder_look *look = &app->files.look;
    struct err err = { 0 };
    if (look->busy) return;
    if (!look->worker.executor && worker_open(&look->worker, &worker_thread, app_wake, NULL, &err)) {
        app_fail(app, &err);
        return;
    }
    memcpy(look->path, app->files.browse.path, sizeof look->path);
    look->busy = true;
    look->told = false;
    look->since = timing_ms();
    worker_start(&look->worker, run_look, look);
}

void app_follow_look(struct app *app)
{
    struct folder_look *look = &app->files.look;
    struct browse *list = &app->files.browse;
    if (look->busy && !look->told && timing_ms() - look->since >= LONG_MS) {
        look->told = true;
        app_mark(app);
    }
    if (!look->busy || !worker_take(&look->worker)) return;
    look->busy = false;
    if (list->shown && !strcmp(list->path, look->path)) list->whole = look->whole;
    else if (list->shown) look_into(app);
    app_mark(app);
}

void app_close_look(struct app *app) { worker_close(&app->files.look.worker); }

double app_look_wait(const struct app *app)
{
    const struct folder_look *look = &app->files.look;
    return look->busy && !look->told ? fmax(0, look->since + LONG_MS - timing_ms()) : INFINITY;
}

/* After the list was asked for another folder. */
static void went(struct app *app, int code, const struct err *err)
{
    if (code) app_fail(app, err);
    else look_into(app);
    app_log(app, "browse %s", app->files.browse.path);
}

/* ---- asking -------------------------------------------------------------------------------------------------------- */

/* The folder of the present file, or the current one. */
static void present_folder(const struct app *app, char folder[PATH_MAX])
{
    const char *slash = strrchr(app->path, '/');
    if (app->path[0] == '/' && slash) snprintf(folder, PATH_MAX, "%.*s", (int)(slash - app->path) + 1, app->path);
    else if (!getcwd(folder, PATH_MAX)) snprintf(folder, PATH_MAX, "/");
    const size_t used = strlen(folder);
    if (app->path[0] && app->path[0] != '/' && slash && used + 2 < PATH_MAX)
        snprintf(folder + used, PATH_MAX - used, "/%.*s", (int)(slash - app->path), app->path);
}

static void browse(struct app *app)
{
    char folder[PATH_MAX];
    struct err err = { 0 };
    present_folder(app, folder);
    app_close_help(app); /* the list takes the keys */
    went(app, browse_go(&app->files.browse, folder, &err), &err);
    app_mark(app);
}

void app_ask_file(struct app *app)
{
    char folder[PATH_MAX];
    present_folder(app, folder);
    if (app->files.dialog.runs) app_notice(app, "the file dialog is already open");
    else if (dialog_open(&app->files.dialog, folder, glfwPostEmptyEvent))
        app_log(app, "dialog %s", app->files.dialog.program);
    else browse(app);
}

void app_follow_dialog(struct app *app)
{
    struct dialog *dialog = &app->files.dialog;
    switch (dialog_poll(dialog)) {
    case DIALOG_CHOSEN: app_load(app, dialog->answer); break;
    case DIALOG_CANCELLED: app_log(app, "dialog cancelled"); break;
    case DIALOG_FAILED: browse(app); break;
    case DIALOG_RUNS: break;
    }
}

void app_close_browse(struct app *app)
{
    browse_close(&app->files.browse);
    app_mark(app);
}

void app_browse(struct app *app, const char *name, bool is_folder)
{
    struct browse *list = &app->files.browse;
    char path[PATH_MAX + 300];
    struct err err = { 0 };
    snprintf(path, sizeof path, "%s/%s", strcmp(list->path, "/") ? list->path : "", name);
    if (is_folder && !format_is_zarr(path)) went(app, browse_enter(list, name, &err), &err);
    else {
        browse_close(list);
        app_load(app, path);
    }
    app_mark(app);
}

/* ---- keyboard -------------------------------------------------------------------------------------------------------- */

/* Opens the chosen row. But if no name begins with what was typed, that row cannot be meant: opens the typed name. */
static void take_chosen(struct app *app)
{
    const struct browse *list = &app->files.browse;
    bool is_folder;
    const char *name = browse_name(list, list->chosen, &is_folder);
    char copy[300], path[PATH_MAX + 300]; /* entering a folder frees the names */
    struct stat status;
    snprintf(copy, sizeof copy, "%s", list->missed ? list->find : name);
    snprintf(path, sizeof path, "%s/%s", list->path, copy);
    if (!list->missed) app_browse(app, copy, is_folder);
    else if (!stat(path, &status)) app_browse(app, copy, S_ISDIR(status.st_mode));
    else app_notice(app, "there is no '%s' in this folder", copy);
}

/* So that a path can be typed: a slash enters the folder that was typed before it; at the beginning it goes to the root. */
static void type_slash(struct app *app)
{
    struct browse *list = &app->files.browse;
    struct err err = { 0 };
    if (list->find[0]) {
        take_chosen(app);
        return;
    }
    went(app, browse_go(list, "/", &err), &err);
}

void app_type_browse(struct app *app, unsigned character)
{
    struct browse *list = &app->files.browse;
    if (character == '/') type_slash(app);
    else {
        browse_type(list, character);
        app_log(app, "browse %s '%s'", list->missed ? "misses" : "finds", list->find);
        app_mark(app);
    }
}

void app_press_browse(struct app *app, int key)
{
    struct browse *list = &app->files.browse;
    static const struct {
        int key, step;
    } moves[] = { { GLFW_KEY_UP, -1 },
                  { GLFW_KEY_DOWN, 1 },
                  { GLFW_KEY_PAGE_UP, -PAGE_ROWS },
                  { GLFW_KEY_PAGE_DOWN, PAGE_ROWS },
                  { GLFW_KEY_HOME, -INT_MAX / 2 },
                  { GLFW_KEY_END, INT_MAX / 2 } };
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++)
        if (moves[i].key == key) browse_move(list, moves[i].step);
    if (key == GLFW_KEY_ESCAPE) app_escape(app);
    else if (key == GLFW_KEY_ENTER || key == GLFW_KEY_KP_ENTER) take_chosen(app);
    else if (key == GLFW_KEY_BACKSPACE && !browse_erase(list)) app_browse(app, "..", true);
}
