/* settings_take and settings_put: read the settings from the app, and put them there. */
#include "app.h"
#include "app_files.h"
#include "app_slices.h"
#include "app_surfaces.h"
#include "app_view.h"

#include <math.h>
#include <string.h>

static double mm_of_sigma(const struct app *app) { return app->sigma_mm ? setup_shortest_mm(&app->live.volume) : 1; }

void settings_take(const struct app *app, struct settings *s)
{
    const struct camera *camera = &app->camera;
    *s = (struct settings){ .tint = app->tint.by,
                            .tint_map = app->tint.map,
                            .sigma = (double)app->wish.sigma * mm_of_sigma(app),
                            .sigma_mm = app->sigma_mm,
                            .close = app->wish.close,
                            .measured = app->wish.measured,
                            .wireframe = app->wireframe,
                            .box = app->box,
                            .mode = app->mode,
                            .backend = app->wish.backend,
                            .knife = app->slices.knife,
                            .crop = app->slices.crop,
                            .cuts_capped = app->cuts_capped,
                            .map = app->slices.map,
                            .window_given = app->window_given,
                            .draw = app->render.raster.way };
    s->view = (struct settings_view){ .up = camera->up,
                                      .orthographic = camera->orthographic,
                                      .fit = app->fit,
                                      .azimuth = camera->azimuth,
                                      .elevation = camera->elevation,
                                      .distance = camera->distance };
    memcpy(s->view.target, camera->target, sizeof s->view.target);
    for (int i = 0; i < LIVE_SURFACES; i++)
        s->surface[i] = (struct settings_surface){ app->wish.use[i], app->wish.value[i], app->wish.filter[i],
                                                   app->wish.translucent[i], app->look[i] };
    slices_knife_in_file(&app->slices, &s->knife);
    for (int i = 0; i < CROP_SIDES; i++) {
        const double here = s->crop.side[i];
        const bool ends = here == crop_end(app->slices.dims, i); /* the file may have a few more */
        s->crop.side[i] = !ends ? slices_in_file(&app->slices, i / 2, here) : i % 2 ? (double)app->slices.last[i / 2] : 0;
        s->crop_given[i] = true;
    }
    memcpy(s->rung, app->wish.rung, sizeof s->rung);
    memcpy(s->window, app->window, sizeof s->window);
    for (int a = 0; a < SLICE_AXES; a++) {
        const struct slice_plane *plane = &app->slices.plane[a];
        s->plane[a] = (struct settings_plane){ plane->on, app_slice_voxel(app, a), plane->cut };
    }
}

static void put_view(struct app *app, const struct settings_view *view)
{
    struct camera *camera = &app->camera;
    const bool turned = camera->up != view->up;
    app_end_glide(app);
    camera->up = view->up;
    camera->orthographic = view->orthographic;
    camera_look(camera, view->azimuth, view->elevation);
    if (!view->fit) {
        memcpy(camera->target, view->target, sizeof camera->target);
        camera->distance = view->distance;
    }
    app->fit = view->fit;
    if (turned) app_keep_up(app);
}

static void put_slices(struct app *app, const struct settings *s)
{
    struct slices *slices = &app->slices;
    for (int a = 0; a < SLICE_AXES; a++) {
        struct slice_plane *plane = &slices->plane[a];
        plane->on = s->plane[a].on;
        plane->cut = s->plane[a].cut;
        if (s->plane[a].index != SETTINGS_STAYS) plane->index = slices_nearest(slices, a, s->plane[a].index);
    }
    if (s->crop.on) crop_reset(&slices->crop, slices->dims);
    for (int i = 0; i < CROP_SIDES && s->crop.on; i++)
        if (s->crop_given[i]) crop_move(&slices->crop, slices->dims, i, slices_here(slices, i / 2, s->crop.side[i]));
    slices->crop.on = s->crop.on;
    app->cuts_capped = s->cuts_capped;
    slices->knife = s->knife;
    slices_knife_here(slices, &slices->knife);
    slices->map = s->map;
    app->window_given = s->window_given;
    memcpy(app->window, s->window, sizeof app->window);
}

/* The automatic value; NAN, to be found anew, if the volume is about to change. */
static double automatic(struct app *app, bool changes)
{
    live_count(&app->live);
    return changes ? NAN : app->live.first_value;
}

static void put_surfaces(struct app *app, const struct settings *s, bool changes)
{
    struct live_wish *wish = &app->wish;
    for (int i = 0; i < LIVE_SURFACES; i++) {
        const struct settings_surface *surface = &s->surface[i];
        wish->use[i] = surface->use;
        if (surface->use == LIVE_OFF) continue;
        wish->value[i] = isnan(surface->value) ? automatic(app, changes) : surface->value;
        wish->filter[i] = surface->filter;
        wish->translucent[i] = surface->translucent;
        app->look[i] = surface->look;
    }
    app_follow_surfaces(app);
    if (s->tint_map != app->tint.map) app_set_tint_map(app, s->tint_map);
    if (s->tint != app->tint.by) app_set_tint(app, s->tint);
}

static void put_sigma(struct app *app, const struct settings *s)
{
    const struct setup by = { .smooth = s->sigma, .smooth_mm = s->sigma_mm };
    const bool other = app->sigma_mm != s->sigma_mm;
    const float sigma = fminf(setup_sigma(&by, &app->live.volume, app->live.coarse.part), ISO_MAX_SIGMA);
    app->sigma_mm = app->wish.open.smooth_mm = s->sigma_mm;
    /* The same number may now mean other lengths. The next smaller float makes live smooth again. */
    app->wish.sigma = other && sigma == app->wish.sigma ? nextafterf(sigma, 0) : sigma;
}

void settings_put(struct app *app, const struct settings *s)
{
    const float before = app->wish.sigma;
    put_sigma(app, s);
    put_surfaces(app, s, app->wish.sigma != before);
    app->wish.close = s->close;
    app->wish.measured = s->measured;
    app->wireframe = s->wireframe;
    app->box = s->box;
    app->mode = s->mode;
    app->render.raster.way = s->draw;
    for (int stage = 0; stage < STAGE_ALL && s->backend == app->wish.backend; stage++)
        if (s->rung[stage]) app->wish.rung[stage] = s->rung[stage];
    put_view(app, &s->view);
    put_slices(app, s);
    app_mark_scene(app);
}
