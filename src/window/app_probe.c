/* What lies under the cursor: the depth there gives the point, and the point its place in the volume and its value. */
#include "app.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CUT_MARGIN 0.05 /* voxels: tolerance for errors of the depth buffer */

void app_ask_probe(struct app *app, enum probe_use use)
{
    app->probe.asked = use;
    memcpy(app->probe.where, app->input.cursor, sizeof app->probe.where);
    app_mark(app);
}

/* The point of the scene at the place that was clicked, in voxel coordinates. False: nothing is there, or OpenGL does not tell. */
static bool find_point(struct app *app, double voxel[3])
{
    const int *scene = app->scene;
    const int x = (int)floor(app->probe.where[0]) - scene[0],
              y = app->height - 1 - (int)floor(app->probe.where[1]) - scene[1];
    struct err err = { 0 };
    double place[3];
    if (x < 0 || y < 0 || x >= app->render.width || y >= app->render.height) return false;
    if (render_pick(&app->render, x, y, place, &err)) {
        app_fail(app, &err);
        return false;
    }
    if (!(place[2] < 1)) return false;
    camera_unproject(&app->camera, (double)scene[2] / scene[3], place, voxel);
    for (int a = 0; a < 3; a++) voxel[a] = fmax(0, fmin((double)(app->slices.dims[a] - 1), voxel[a]));
    return true;
}

static bool is_on_slice(const struct probe *p) { return p->axis >= 0 && p->axis < SLICE_AXES; }

static bool has_caps(const struct app *app) { return app->cuts_capped && app_any_opaque(app); }

/* What a point of the scene lies on. */
static int find_object(const struct app *app, const double voxel[3])
{
    const int axis = slices_at(&app->slices, voxel);
    struct cut cut;
    if (axis >= 0) return axis;
    slices_cut(&app->slices, -1, &cut);
    return has_caps(app) && cut_bares(&cut, voxel, CUT_MARGIN) ? PROBE_CUT : PROBE_SURFACE;
}

void app_follow_probe(struct app *app)
{
    struct probe *p = &app->probe;
    if (!p->shown) return;
    const struct slice_plane *plane = is_on_slice(p) ? &app->slices.plane[p->axis] : NULL;
    struct cut cut;
    slices_cut(&app->slices, p->axis, &cut);
    bool there = plane ? plane->on && (double)plane->index == p->voxel[p->axis]
                       : p->iso == app->wish.value[p->surface] && app->wish.use[p->surface] == LIVE_SHOWN &&
                             p->sigma == app->wish.sigma;
    if (p->axis == PROBE_CUT) there = there && has_caps(app) && cut_bares(&cut, p->voxel, CUT_MARGIN);
    if (there && !cut_hides(&cut, p->voxel, CUT_MARGIN)) return;
    p->shown = false;
    app_log(app, "probe gone");
    app_mark(app);
}

void app_take_probe(struct app *app)
{
    struct probe *p = &app->probe;
    const enum probe_use use = p->asked;
    double point[3];
    if (!use) return;
    p->asked = PROBE_NONE;
    if (use == PROBE_RULER) {
        if (app->live.volume.grid.voxels && find_point(app, point)) app_measure_to(app, point);
        else app_notice(app, "ruler: nothing is there");
        return;
    }
    p->shown = app->live.volume.grid.voxels && find_point(app, p->voxel);
    if (!p->shown) {
        app_log(app, "probe nothing");
        return;
    }
    p->axis = find_object(app, p->voxel);
    if (is_on_slice(p)) p->voxel[p->axis] = (double)app->slices.plane[p->axis].index;
    volume_to_world(&app->live.volume, p->voxel, p->at);
    const double value = volume_value(&app->live.volume, p->voxel);
    p->surface = app_nearest_surface(app, value);
    p->iso = app->wish.value[p->surface];
    p->value = p->axis == PROBE_SURFACE ? p->iso : value;
    p->sigma = app->wish.sigma;
    char where[] = "slice x";
    if (is_on_slice(p)) where[6] = (char)('x' + p->axis);
    app_log(app, "probe %s: voxel %.3f %.3f %.3f, at %.6g %.6g %.6g, value %.9g",
            p->axis == PROBE_SURFACE ? "surface"
            : p->axis == PROBE_CUT   ? "cut"
                                     : where,
            p->voxel[0], p->voxel[1], p->voxel[2], p->at[0], p->at[1], p->at[2], value);
    if (use == PROBE_VALUE && p->axis != PROBE_SURFACE) app_set_value(app, value);
}
