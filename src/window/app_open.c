/* Asking for a file: by the desktop's dialog, or by a list of our own. */
#include "app.h"
#include "formats.h"

#include <GLFW/glfw3.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
    if (browse_go(&app->files.browse, folder, &err)) app_fail(app, &err);
    app_log(app, "browse %s", app->files.browse.path);
    app_mark(app);
}

void app_ask_file(struct app *app)
{
    char folder[PATH_MAX];
    present_folder(app, folder);
    if (app->files.dialog.runs) app_notice(app, "the dialog is open already");
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
    if (is_folder && !format_is_zarr(path)) {
        if (browse_enter(list, name, &err)) app_fail(app, &err);
        app_log(app, "browse %s", list->path);
    } else {
        browse_close(list);
        app_load(app, path);
    }
    app_mark(app);
}
