/* Where the camera is, and how it gets there: a short animated movement leads to the view that a key, a button or the gizmo
 * asks for. */
#include "app_view.h"
#include "app.h"
#include "app_files.h"
#include "labels.h"

#include <math.h>

#define GLIDE_MS 200.0  /* of a movement */
#define SMOOTH_MS 100.0 /* if drawing takes longer, a movement would be just a few jumps */
#define MOST_LINE 0.25  /* of the scene's height, for the panel's line */

/* ---- movements ------------------------------------------------------------------------------------------------- */

/* Begins a movement, or continues the present one. Returns its goal, which the caller changes, so that requests during a
 * movement add up. */
static struct camera *begin_glide(struct app *app)
{
    struct glide *glide = &app->glide;
    if (!glide->on) *glide = (struct glide){ .to = app->camera };
    glide->on = true;
    glide->from = app->camera;
    glide->start = timing_ms();
    app_mark_scene(app);
    return &glide->to;
}

static void arrive(struct app *app)
{
    const struct glide done = app->glide;
    app->camera = done.to;
    app->glide.on = false;
    if (done.looks) app_log(app, "view %g %g", done.to.azimuth, done.to.elevation);
    if (done.fits) app_log(app, "fit");
}

void app_follow_glide(struct app *app)
{
    struct glide *glide = &app->glide;
    if (!glide->on) return;
    const double part = (timing_ms() - glide->start) / GLIDE_MS;
    if (part < 1) camera_between(&glide->from, &glide->to, part, &app->camera);
    else arrive(app);
    app_mark_scene(app);
}

void app_end_glide(struct app *app)
{
    if (app->glide.on) arrive(app);
}

void app_stop_glide(struct app *app) { app->glide.on = false; }

/* Ends a movement at once if it could not be seen as one. */
static void jump(struct app *app)
{
    const bool slow = series_last(&app->draw) > SMOOTH_MS;
    if (slow || !app->live.volume.grid.voxels) app_end_glide(app);
}

/* ---- what is asked for ----------------------------------------------------------------------------------------- */

void app_look(struct app *app, double azimuth, double elevation)
{
    camera_look(begin_glide(app), azimuth, elevation);
    app->glide.looks = true;
    jump(app);
}

/* A patient's front is at the top then, as in atlases and other viewers. */
void app_look_down(struct app *app)
{
    const bool patient = app->live.volume.world == WORLD_LPS && app->camera.up == UP_Z;
    app_look(app, patient ? 180 : 0, 90);
}

void app_fit(struct app *app)
{
    begin_glide(app);
    app->glide.fits = true;
    app->fit = true;
    jump(app);
}

void app_next_up(struct app *app, int step)
{
    app_set_up(app, (enum camera_up)(((int)app->camera.up + step + CAMERA_UPS) % CAMERA_UPS));
}

void app_set_up(struct app *app, enum camera_up up)
{
    app_end_glide(app);
    app->camera.up = up;
    app->fit = true;
    app_keep_up(app);
    app_log(app, "up %s", camera_up_name[app->camera.up]);
    app_notice(app, "%s points up", camera_up_name[app->camera.up]);
    app_mark_scene(app);
}

void app_next_way(struct app *app)
{
    static const char *const what[RASTER_WAYS] = { "the fastest way draws", "OpenGL draws",
                                                   "OpenGL draws, without what is hidden", "OpenGL's compute shaders draw",
                                                   "CUDA or the processor draws" };
    struct raster *raster = &app->render.raster;
    raster->way = (enum raster_way)((raster->way + 1) % RASTER_WAYS);
    app_log(app, "draw %s", raster_way_name[raster->way]);
    app_notice(app, "%s", what[raster->way]);
    app_mark_scene(app);
}

void app_flip_orthographic(struct app *app)
{
    app_end_glide(app);
    app->camera.orthographic = !app->camera.orthographic;
    app_log(app, "orthographic %s", app->camera.orthographic ? "on" : "off");
    app_notice(app, app->camera.orthographic ? "orthographic: lengths can be compared at any depth" : "perspective");
    app_mark_scene(app);
}

bool app_bounds(struct app *app, double low[3], double high[3])
{
    bool any = false, shown = false;
    for (int a = 0; a < 3; a++) low[a] = 0, high[a] = (double)(app->slices.dims[a] - 1);
    for (unsigned i = 0; i < LIVE_SURFACES; i++) {
        double from[3], to[3];
        shown = shown || app->wish.use[i] == LIVE_SHOWN;
        if (app->wish.use[i] != LIVE_SHOWN || !live_bounds(&app->live, i, from, to)) continue;
        for (int a = 0; a < 3; a++) {
            low[a] = any ? fmin(low[a], from[a]) : from[a];
            high[a] = any ? fmax(high[a], to[a]) : to[a];
        }
        any = true;
    }
    return any || (!shown && app->live.volume.grid.voxels);
}

static bool find_extent(const struct app *app, const double low[3], const double high[3], const double (*plane)[4],
                        double most[CAMERA_SIDES])
{
    bool any = false;
    for (unsigned i = 0; i < LIVE_SURFACES; i++) {
        double of[CAMERA_SIDES];
        if (app->wish.use[i] != LIVE_SHOWN || !live_extent(&app->live, i, low, high, plane, of, CAMERA_SIDES)) continue;
        for (int s = 0; s < CAMERA_SIDES; s++) most[s] = any ? fmax(most[s], of[s]) : of[s];
        any = true;
    }
    return any;
}

/* Makes what was fitted smaller and moves it down, so that the panel's line does not cover it. If the line takes too much
 * of the scene, does nothing. At the first drawing there is no line yet. */
static void keep_below_line(const struct app *app, struct camera *camera)
{
    const double line = (double)app->line_height / app->scene[3];
    if (line > MOST_LINE) return;
    camera_zoom(camera, 1 - line, 0, 0);
    camera_pan(camera, 0, -0.5 * line);
}

/* low, high: of the surfaces. */
static void fit_to(struct app *app, struct camera *camera, double low[3], double high[3])
{
    const struct crop *crop = &app->slices.crop; /* its grips must be in sight */
    const bool whole = slices_any(&app->slices); /* slices span the volume */
    const double aspect = (double)app->scene[2] / app->scene[3];
    if (app->box) {
        box_fit(camera, &app->live.volume, aspect);
        return;
    }
    double plane[CAMERA_SIDES][4], most[CAMERA_SIDES];
    slices_extend(&app->slices, low, high);
    if (crop->on) {
        for (int i = 0; i < CROP_SIDES; i++) (i % 2 ? high : low)[i / 2] = crop->side[i];
    }
    camera_fit(camera, aspect, low, high);
    camera_sides(camera, aspect, plane);
    if (!whole && !crop->on && find_extent(app, low, high, (const double(*)[4])plane, most))
        camera_frame(camera, aspect, most);
}

void app_fit_camera(struct app *app)
{
    struct camera *camera = app->glide.on ? &app->glide.to : &app->camera;
    double low[3], high[3];
    if (!app_bounds(app, low, high)) return;
    app->fit = live_any_is_coming(&app->live) || (app_panel_form(app) == PANEL_LINE && !app->line_height);
    fit_to(app, camera, low, high);
    keep_below_line(app, camera);
    app->sight.fitted = *camera;
}

static bool is_as_fitted(const struct app *app)
{
    const struct camera *now = &app->camera, *then = &app->sight.fitted;
    return now->distance == then->distance && now->azimuth == then->azimuth && now->elevation == then->elevation &&
           !memcmp(now->target, then->target, sizeof now->target);
}

void app_keep_in_sight(struct app *app, double before)
{
    struct camera *camera = &app->camera;
    const bool other = app->sight.volumes != app->volumes; /* the view of a new volume was chosen for the present scene */
    app->sight.volumes = app->volumes;
    if (other || app->fit || app->glide.on || !app_has_scene(app) || !(before > 0)) return;
    if (is_as_fitted(app)) {
        app->fit = app->history.settling = true;
        return;
    }
    const double old = camera->distance, aspect = (double)app->scene[2] / app->scene[3];
    if (old != app->sight.kept) app->sight.aspect = before, app->sight.distance = old;
    app->sight.kept = camera->distance = app->sight.distance * fmax(1, app->sight.aspect / aspect);
    history_resized(app, old);
}

bool app_has_scene(const struct app *app) { return app->scene[2] > 0 && app->scene[3] > 0; }

bool app_fit_waits(const struct app *app) { return app->fit && app->live.work.lent; }

/* ---- scale ----------------------------------------------------------------------------------------------------- */

void app_flip_box(struct app *app)
{
    app->box = !app->box;
    app_log(app, "box %s", app->box ? "on" : "off");
    app_notice(app, app->box ? "box of the volume, and a scale bar" : "box off");
    app_fit(app); /* the box may be much larger than the surface */
}

void app_labels(const struct app *app, struct labels *labels)
{
    const int *scene = app->scene;
    *labels = (struct labels){ .camera = &app->camera,
                               .volume = &app->live.volume,
                               .tint = &app->tint,
                               .slices = &app->slices,
                               .left = scene[0],
                               .top = app->height - scene[1] - scene[3],
                               .width = scene[2],
                               .height = scene[3],
                               .under = app->line_height,
                               .scale = app->scale,
                               .box = app->box };
}

void app_plan_box(const struct app *app, struct box_plan *plan)
{
    const double height = app->scene[3];
    box_lay_out(plan, &app->camera, &app->live.volume, app->scene[2] / height, height, BOX_TICKS_APART * app->scale);
}
