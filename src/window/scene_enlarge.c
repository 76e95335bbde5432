/* A picture of the scene that is larger than the window or has no background. It is drawn in tiles; events are handled in
 * between. Esc ends it. So does any change of the scene, since the picture is drawn from the scene's meshes; and quitting
 * twice: the first time the window waits for it. */
#include "scene.h"
#include "app.h"
#include "app_actions.h"
#include "app_tape.h"
#include "app_view.h"
#include "file_io.h"
#include "picture.h"
#include "pictures.h"

#include <GLFW/glfw3.h>

#include <stdio.h>
#include <string.h>

struct drawing {
    struct app *app;
    struct live_wish wish; /* at the beginning */
    int percent;           /* in the window's title */
    bool stopped;
};

static bool go_on(void *context)
{
    struct drawing *drawing = context;
    struct app *app = drawing->app;
    app_play_tape(app, TAPE_BUSY);
    app_wait(app, 0);
    if (app_is_to_end(app) && !app->leaving) app_end_later(app);
    drawing->stopped = !app->enlarge || app->scene_stale || app_is_to_end(app) ||
                       memcmp(&drawing->wish, &app->wish, sizeof app->wish) != 0;
    return !drawing->stopped;
}

static bool step(void *context, double fraction)
{
    struct drawing *drawing = context;
    char title[64];
    const int percent = (int)(100 * fraction);
    snprintf(title, sizeof title, "%d %% of a picture - isoscope", percent);
    if (percent != drawing->percent) glfwSetWindowTitle(drawing->app->gl.window, title);
    drawing->percent = percent;
    return go_on(context);
}

static int save(struct app *app, struct drawing *drawing, const char *path, struct err *err)
{
    const struct camera camera = app->camera; /* a copy: events change it meanwhile */
    const struct grid *grid = &app->live.volume.grid;
    const struct pause pause = { go_on, drawing };
    const struct progress progress = { step, drawing };
    struct render_view view = scene_view(app);
    struct box_plan plan = { .lines = 0 };
    if (app->box) app_plan_box(app, &plan);
    view.camera = &camera;
    view.box = app->box ? &plan : NULL;
    view.width *= app->enlarge, view.height *= app->enlarge;
    view.samples = scene_samples(app);
    view.pause = &pause;
    const struct picture picture = { .render = &app->render,
                                     .view = &view,
                                     .path = path,
                                     .transparent = app->cut_out,
                                     .high = { (double)grid->nx - 1, (double)grid->ny - 1, (double)grid->nz - 1 } };
    return picture_save(&picture, &progress, err);
}

void scene_enlarge(struct app *app)
{
    char path[512], where[FILE_WHERE];
    struct err err = { 0 };
    struct drawing drawing = { .app = app, .percent = -1 };
    memcpy(&drawing.wish, &app->wish, sizeof drawing.wish); /* padding too: go_on() compares all bytes */
    int code = pictures_free_name(path, &app->live.volume, &app->live.from, &err);
    app->drawing = true;
    if (!code) code = save(app, &drawing, path, &err);
    app->drawing = false;
    if (code && drawing.stopped && app->enlarge) app_cancel_enlarged(app);
    else if (code && !drawing.stopped) app_fail(app, &err);
    if (!code) app_log(app, "screenshot %s", path);
    if (!code) app_notice(app, "saved %s", file_where(path, where));
    app->enlarge = 0;
    app_name_window(app);
    app_mark_scene(app); /* the scene's buffers were drawn over */
}
