/* States: saved and loaded by name, kept for each file, and copied as a command line. */
#include "app_state.h"
#include "app.h"
#include "app_files.h"
#include "app_view.h"
#include "export.h"
#include "file_io.h"
#include "labels.h"
#include "state.h"
#include "state_file.h"
#include "text.h"

#include <GLFW/glfw3.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEPT_MOST = 200 }; /* number of states kept */

/* ---- by name --------------------------------------------------------------------------------------------------------- */

/* How the scene is drawn as a picture: as Ctrl+F12 does it. */
static struct state_picture picture_of(const struct app *app)
{
    struct labels labels;
    app_labels(app, &labels);
    return (struct state_picture){ .width = app->scene[2],
                                   .height = app->scene[3],
                                   .samples = app->options->samples,
                                   .legend = labels_any(&labels),
                                   .transparent = app->options->transparent,
                                   .exact_positions = app->setup->exact_positions,
                                   .topology = app->setup->topology };
}

int app_write_state(const struct app *app, const char *path, struct err *err)
{
    const struct state_volume volume = { app_shown_path(app), &app->live.from.load };
    struct settings settings;
    settings_take(app, &settings);
    const struct state_picture picture = picture_of(app);
    const struct state_file state = { &volume, &picture, &settings, .machine = true };
    return state_file_write(path, &state, err);
}

void app_save_state(struct app *app)
{
    char path[512], where[FILE_WHERE], frame[32];
    struct err err = { 0 };
    export_frame_name(frame, &app->live.volume, app->live.from.load.frame);
    export_free_name(path, app->live.volume.name[0] ? app->live.volume.name : "isoscope", frame, STATE_FILE_ENDING);
    if (app_write_state(app, path, &err)) {
        app_fail(app, &err);
        return;
    }
    app_log(app, "state %s", path);
    if (state_file_holds(&(struct state_volume){ app_shown_path(app), &app->live.from.load }))
        app_notice(app, "saved %s: open it like a volume to restore this state", file_where(path, where));
    else app_notice(app, "saved %s, which " STATE_FILE_LACKS, file_where(path, where));
}

/* Reads a state file. Settings of the machine still come from the command line. */
static int read_settings(const struct app *app, const char *path, struct settings *settings, struct err *err)
{
    struct setup setup = { .file = NULL };
    struct view_options view = { .width = 0 };
    char *text = NULL;
    const int code = app->options->read_state(path, &setup, &view, &text, err);
    if (!code) settings_from(settings, &setup, &view);
    if (!code && !view.draw) settings->draw = app->render.raster.way;
    free(text);
    return code;
}

bool app_load_state(struct app *app, const char *path)
{
    struct settings settings;
    struct err err = { 0 };
    if (!text_ends(path, STATE_FILE_ENDING)) return false;
    if (!app->live.volume.grid.voxels) app_notice(app, "open a volume first: a state says how it is shown");
    else if (read_settings(app, path, &settings, &err)) app_fail(app, &err);
    else {
        settings_put(app, &settings);
        history_flush(app);
        app_log(app, "load state %s", path);
        app_notice(app, "shown as saved in %s", path);
    }
    return true;
}

/* ---- kept for each file ---------------------------------------------------------------------------------------------- */

/* FNV-1a (Fowler, Noll, Vo) of the file's path, size and time, and of how it was read. So a changed file of the same name
 * has no state yet, and each component or array has its own, as their values differ. Frames share one. 0: the file does not
 * exist. */
static uint64_t hash_of(const char *path, const struct load_desc *load)
{
    struct load_desc any_frame = *load;
    struct words words = { .used = 0 };
    char text[sizeof words.text + 80];
    struct stat status;
    uint64_t hash = 0xcbf29ce484222325;
    if (!path[0] || stat(path, &status)) return 0;
    any_frame.frame = 0;
    state_file_put_volume(&words, &(struct state_volume){ path, &any_frame });
    snprintf(text, sizeof text, "%s\n%lld\n%lld.%09ld", words.text, (long long)status.st_size,
             (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    for (const char *at = text; *at; at++) hash = (hash ^ (unsigned char)*at) * 0x100000001b3;
    return hash;
}

static bool place_of(uint64_t hash, char path[PATH_MAX], bool make)
{
    char name[40];
    snprintf(name, sizeof name, "volumes/%016llx", (unsigned long long)hash);
    return hash && state_place(path, name, make);
}

/* If there are too many states, removes the one that was written the longest time ago. */
static void drop_oldest(void)
{
    char folder[PATH_MAX], path[PATH_MAX], oldest[PATH_MAX] = "";
    struct timespec when = { 0, 0 };
    struct stat status;
    size_t count = 0;
    DIR *stream = state_place(folder, "volumes", false) ? opendir(folder) : NULL;
    if (!stream) return;
    for (const struct dirent *entry; (entry = readdir(stream));) {
        const int n = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (n >= (int)sizeof path || stat(path, &status) || !S_ISREG(status.st_mode)) continue;
        if (!count++ || status.st_mtim.tv_sec < when.tv_sec) {
            when = status.st_mtim;
            memcpy(oldest, path, (size_t)n + 1);
        }
    }
    closedir(stream);
    if (count > KEPT_MOST) unlink(oldest);
}

/* Width / height of the scene; 0: there is none. Computed from the window, since the scene may not be laid out yet. */
static double scene_aspect(const struct app *app)
{
    const int width = app->width - app_panel_beside(app);
    return width > 0 && app->height > 0 ? (double)width / app->height : 0;
}

/* A scene of another size shows the same height. In a narrower one that would cut off the sides, so there the width stays
 * the same instead. */
static void widen(struct settings_view *view, double aspect)
{
    if (!view->fit && aspect > 0 && aspect < view->aspect) view->distance *= view->aspect / aspect;
}

void app_keep_state(struct app *app)
{
    char path[PATH_MAX];
    struct err unused = { 0 };
    const struct state_file state = { .settings = &app->history.seen, .aspect = scene_aspect(app) };
    const bool any = history_any(&app->history);
    if (!place_of(app->files.kept, path, any)) return;
    app->files.kept = 0;
    if (any && !state_file_write(path, &state, &unused)) drop_oldest();
    else if (!any) unlink(path);
}

void app_name_state(struct app *app)
{
    app->files.kept = app_remembers(app) ? hash_of(app_shown_path(app), &app->live.from.load) : 0;
}

/* Whether the command line says how to show the first volume. */
static bool is_told(const struct app *app)
{
    const struct setup nothing = { .file = NULL };
    const struct view_options plain = { .width = 0 };
    struct settings told, fresh;
    settings_from(&told, app->setup, app->options);
    settings_from(&fresh, &nothing, &plain);
    return app->setup->iso_given || !settings_same(&told, &fresh);
}

void app_restore_state(struct app *app)
{
    char path[PATH_MAX], sentence[ERR_SENTENCE];
    struct settings settings;
    struct err err = { 0 };
    if (!place_of(app->files.kept, path, false) || access(path, R_OK)) return;
    if (app->live.volumes == 1 && is_told(app)) return;
    if (read_settings(app, path, &settings, &err)) {
        app_notice(app, "the state in which you left this file cannot be restored: %s", err_sentence(&err, sentence));
        return;
    }
    widen(&settings.view, scene_aspect(app));
    settings_put(app, &settings);
    history_step(app);
    app_log(app, "as you left it");
    app_notice(app, "as you left it; Ctrl+Z starts afresh");
}

/* ---- as a command ---------------------------------------------------------------------------------------------------- */

void app_copy_command(struct app *app)
{
    struct words words = { .used = 0 };
    struct settings settings;
    char name[300];
    const struct state_volume volume = { app_shown_path(app), &app->live.from.load };
    app_end_glide(app);
    settings_take(app, &settings);
    words_add(&words, "isoscope");
    words_add(&words, "render");
    state_file_put_volume(&words, &volume);
    state_file_put_settings(&words, &settings);
    const struct state_picture picture = picture_of(app);
    state_file_put_picture(&words, &picture);
    snprintf(name, sizeof name, "%.255s.png", app->live.volume.file);
    words_option(&words, "output", name);
    if (words.used >= sizeof words.text) {
        app_notice(app, "the command is too long to be copied");
        return;
    }
    glfwSetClipboardString(app->gl.window, words.text);
    app_log(app, "copied %s", words.text);
    app_notice(app, "copied: %s", words.text);
}
