/* Opening files: by name, by stepping through the folder, and again when they change. */
#include "app_files.h"
#include "app.h"
#include "app_actions.h"
#include "app_state.h"
#include "folder.h"
#include "formats.h"
#include "layout.h"
#include "load.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WATCH_MS 300.0 /* between two looks at the file; after a change it is opened once the next look finds no other */

/* ---- opening ------------------------------------------------------------------------------------------------------- */

void app_began(struct app *app)
{
    bool unused;
    const bool is = app->path[0] && watched_look(&app->files.seen, app->path, &unused);
    app->files.bytes = is ? app->files.seen.bytes : 0;
    app->files.changing = false;
    app->reloading = false;
}

const char *app_shown_path(const struct app *app) { return app->live.from.file ? app->live.from.file : ""; }

/* Asks for app->path as app->wish.open says. */
static void begin(struct app *app)
{
    history_flush(app);
    app->wish.opens++;
    app->wish.again = false;
    app_began(app);
    app_log(app, "open %s", app->path);
    app_mark(app);
}

static void begin_load(struct app *app, const struct load_desc *desc)
{
    const struct setup *setup = app->setup;
    app->files.stepped[0] = 0;
    app->wish.open = (struct setup){ .file = app->path, .threads = setup->threads, .cache = setup->cache, .preview = true };
    if (desc) app->wish.open.load = *desc;
    app->wish.open.load.memory = setup->load.memory;
    app->wish.open.load.anywhere = setup->load.anywhere;
    begin(app);
}

/* Whether the file is RAW and the user must be asked for its shape. */
static bool needs_shape(const char *path, const struct load_desc *desc, uint64_t *bytes)
{
    struct layout layout = { 0 };
    struct source source;
    struct err err = { 0 };
    struct stat status;
    if (stat(path, &status) || !S_ISREG(status.st_mode) || source_open(&source, path, &err)) return false;
    *bytes = source.size;
    const bool raw = load_is_raw(&source); /* other readers, such as DICOM's, may take long */
    const int code = raw ? load_layout(&layout, &source, desc, &err) : ERR_NONE;
    layout_free(&layout);
    source_close(&source);
    return code && err.cause == CAUSE_SHAPE;
}

bool app_ask_shape(struct app *app, const char *path, const struct load_desc *desc)
{
    uint64_t bytes;
    if (!needs_shape(path, desc, &bytes)) return false;
    import_begin(&app->files.import, path, bytes);
    app_close_help(app); /* the box takes the keys */
    app_log(app, "import %s: %llu bytes", path, (unsigned long long)bytes);
    app_mark(app);
    return true;
}

void app_load(struct app *app, const char *path)
{
    static const struct load_desc nothing_said;
    import_end(&app->files.import);
    app->error.code = ERR_NONE;
    if (app_load_state(app, path)) return;
    if (app_ask_shape(app, path, &nothing_said)) return;
    char copy[sizeof app->path]; /* `path` may be app->path */
    snprintf(copy, sizeof copy, "%s", path);
    memcpy(app->path, copy, sizeof copy);
    begin_load(app, NULL);
}

/* Loads the file with the answers of the box. */
static void load_import(struct app *app)
{
    const struct load_desc desc = import_desc(&app->files.import);
    snprintf(app->path, sizeof app->path, "%s", app->files.import.path);
    begin_load(app, &desc);
    import_end(&app->files.import);
}

void app_take_import(struct app *app)
{
    struct import *import = &app->files.import;
    if (import->cancels) app_cancel_import(app);
    else if (import->opens) load_import(app);
    else if (import->changed) import_update(import);
}

void app_cancel_import(struct app *app)
{
    import_end(&app->files.import);
    app_mark(app);
}

/* ---- the folder ---------------------------------------------------------------------------------------------------- */

void app_step_file(struct app *app, int step)
{
    struct folder folder;
    struct err err = { 0 };
    char path[sizeof app->path];
    const char *const from = app->files.stepped[0] ? app->files.stepped : app->path;
    const char *slash = strrchr(from, '/'), *name = slash ? slash + 1 : from;
    snprintf(path, sizeof path, "%.*s", slash ? (int)(slash - from) + 1 : 2, slash ? from : "./");
    if (!app->path[0]) {
        app_notice(app, "no file is open, so there is none after it");
        return;
    }
    if (folder_list(&folder, path, format_knows, &err)) {
        app_fail(app, &err);
        return;
    }
    size_t at = 0;
    while (at < folder.count && folder_compare(folder.names[at], name) < 0) at++;
    const bool here = at < folder.count && !strcmp(folder.names[at], name);
    const long next = (long)at + (step > 0 && !here ? 0 : step);
    if (next < 0 || next >= (long)folder.count)
        app_notice(app, "this is the %s volume of its folder", step > 0 ? "last" : "first");
    else {
        const size_t n = strlen(path);
        snprintf(path + n, sizeof path - n, "%s", folder.names[next]);
        app_notice(app, "%s: %ld of %zu", folder.names[next], next + 1, folder.count);
        app_load(app, path);
        if (app->files.import.shown) snprintf(app->files.stepped, sizeof app->files.stepped, "%s", path);
    }
    folder_free(&folder);
}

/* ---- watching ------------------------------------------------------------------------------------------------------ */

double app_watch_wait(const struct app *app)
{
    return app->options->watch && app->path[0] ? fmax(0, app->files.look_at - timing_ms()) : INFINITY;
}

/* A changed file is read once it has stopped changing. Value and view stay, unless they are another file's: this one could
 * not be opened before. */
void app_watch(struct app *app)
{
    struct files *files = &app->files;
    bool changed = false;
    if (app_watch_wait(app) > 0) return;
    files->look_at = timing_ms() + WATCH_MS;
    if (app->live.work.task == LIVE_LOAD || !watched_look(&files->seen, app->path, &changed)) return;
    const bool rests = files->changing && !changed;
    files->changing = changed;
    if (!rests) return;
    const struct load_desc desc = app->wish.open.load;
    app->error.code = ERR_NONE; /* it may be about what the file was before */
    if (!strcmp(app->path, app_shown_path(app))) app_load_again(app, &desc);
    else begin(app);
}

void app_load_again(struct app *app, const struct load_desc *desc)
{
    const double value = app->wish.value[0], mm = app->sigma_mm ? setup_shortest_mm(&app->live.volume) : 0;
    app->error.code = ERR_NONE; /* it may be about what the file was before */
    begin_load(app, desc);
    app->wish.open.preview = false; /* not needed: the old volume is still shown */
    app->wish.open.iso = value;
    app->wish.open.iso_given = isfinite(value);
    app->wish.open.smooth = (double)app->wish.sigma * (mm > 0 ? mm : 1);
    app->wish.open.smooth_mm = mm > 0;
    app->reloading = true;
    app->wish.again = true;
}

/* ---- lists --------------------------------------------------------------------------------------------------------- */

void app_opened(struct app *app)
{
    struct files *files = &app->files;
    app->camera.up = app->options->up;
    if (!app_shown_path(app)[0]) return;
    const struct recent_file *row = recent_add(&files->recent, app_shown_path(app));
    const bool given = app->options->up_given && app->live.volumes == 1;
    if (row->up < CAMERA_UPS && !given) app->camera.up = row->up;
}

void app_keep_up(struct app *app)
{
    if (!app_shown_path(app)[0]) return;
    recent_add(&app->files.recent, app_shown_path(app))->up = app->camera.up;
    recent_write(&app->files.recent);
}

/* ---- the current folder ---------------------------------------------------------------------------------------------- */

/* A desktop's launcher may start programs in a folder that is not for the user's files. It gives no --rung-file, whose name
 * is looked up from here whenever it is compiled. */
void app_leave_foreign_folder(struct app *app)
{
    char here[PATH_MAX], path[PATH_MAX];
    const char *home = getenv("HOME");
    const bool fine = getcwd(here, sizeof here) && strcmp(here, "/") != 0 && !access(".", W_OK);
    if (fine || app->options->rung_file || !home || (app->path[0] && !realpath(app->path, path)) || chdir(home)) return;
    if (app->path[0]) snprintf(app->path, sizeof app->path, "%s", path);
    app_log(app, "folder %s", home);
}
