/* What lies under the cursor. The depth there gives the point; the point gives its place in the volume and its value. */
#include "app_probe.h"
#include "app.h"
#include "app_value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CUT_MARGIN 0.05 /* voxels: tolerance for the depth buffer's error */

void app_ask_probe(struct app *app, enum probe_use use)
{
    app->probe.asked = use;
    memcpy(app->probe.where, app->input.cursor, sizeof app->probe.where);
    app_mark(app);
}

/* Finds what is visible where the user clicked, and the point in voxel coordinates. False: nothing is there, or OpenGL
 * failed. */
static bool find_point(struct app *app, const struct render_view *view, struct render_hit *hit, double voxel[3])
{
    const int *scene = app->scene;
    const int x = (int)floor(app->probe.where[0]) - scene[0],
              y = app->height - 1 - (int)floor(app->probe.where[1]) - scene[1];
    struct err err = { 0 };
    if (x < 0 || y < 0 || x >= app->render.width || y >= app->render.height) return false;
    if (render_pick(&app->render, view, x, y, hit, &err)) {
        app_fail(app, &err);
        return false;
    }
    if (!(hit->ndc[2] < 1)) return false;
    camera_unproject(&app->camera, (double)scene[2] / scene[3], hit->ndc, voxel);
    for (int a = 0; a < 3; a++) voxel[a] = fmax(0, fmin((double)(app->slices.dims[a] - 1), voxel[a]));
    return true;
}

/* What a point of the scene lies on. */
static int find_object(const struct app *app, const struct render_hit *hit, const double voxel[3])
{
    const int axis = slices_at(&app->slices, voxel);
    return axis >= 0 ? axis : hit->on_cap ? PROBE_CUT : hit->on_border ? PROBE_BORDER : PROBE_SURFACE;
}

void app_follow_probe(struct app *app)
{
    struct probe *p = &app->probe;
    if (!p->shown) return;
    const struct slice_plane *plane = app_probe_is_on_slice(p) ? &app->slices.plane[p->axis] : NULL;
    struct cut cut;
    slices_cut(&app->slices, p->axis, &cut);
    bool there = plane ? plane->on && (double)plane->index == p->voxel[p->axis]
                       : p->iso == app->wish.value[p->surface] && app->wish.use[p->surface] == LIVE_SHOWN &&
                             p->sigma == app->wish.sigma;
    if (p->axis == PROBE_CUT) there = there && app->cuts_capped && cut_bares(&cut, p->voxel, CUT_MARGIN);
    if (p->axis == PROBE_BORDER) there = there && app->wish.close;
    if (there && !cut_hides(&cut, p->voxel, CUT_MARGIN)) return;
    p->shown = false;
    app_log(app, "probe gone");
    app_mark(app);
}

double app_probe_place(const struct app *app, int axis)
{
    return slices_in_file(&app->slices, axis, app->probe.voxel[axis]);
}

void app_probe_frame(const struct app *app, char *text, size_t size)
{
    const struct volume *v = &app->live.volume;
    const bool at_zero = v->origin[0] == 0 && v->origin[1] == 0 && v->origin[2] == 0;
    snprintf(text, size, "%s%s%s", v->unit, *v->unit ? " " : "",
             v->world == WORLD_LPS ? "LPS"
             : at_zero             ? "from voxel 0"
                                   : "in the file's frame");
}

static void log_probe(struct app *app, double value)
{
    const struct probe *p = &app->probe;
    char what[] = "slice x", of[32] = "", frame[48];
    app_probe_frame(app, frame, sizeof frame);
    if (app_probe_is_on_slice(p)) what[6] = (char)('x' + p->axis);
    else snprintf(of, sizeof of, " of surface %d", p->surface);
    app_log(app, "probe %s: voxel %.3f %.3f %.3f, at %.6g %.6g %.6g %s, value %.9g%s",
            p->axis == PROBE_SURFACE  ? "surface"
            : p->axis == PROBE_CUT    ? "cut"
            : p->axis == PROBE_BORDER ? "border"
                                      : what,
            app_probe_place(app, 0), app_probe_place(app, 1), app_probe_place(app, 2), p->at[0], p->at[1], p->at[2], frame,
            value, of);
}

void app_take_probe(struct app *app, const struct render_view *view)
{
    struct probe *p = &app->probe;
    const enum probe_use use = p->asked;
    struct render_hit hit;
    double point[3];
    p->asked = PROBE_NONE;
    if (use == PROBE_RULER) {
        if (app->live.volume.grid.voxels && find_point(app, view, &hit, point)) app_measure_to(app, point);
        else app_notice(app, "ruler: there is nothing at this point");
        return;
    }
    p->shown = app->live.volume.grid.voxels && find_point(app, view, &hit, p->voxel);
    if (!p->shown) {
        app_log(app, "probe nothing");
        return;
    }
    p->axis = find_object(app, &hit, p->voxel);
    if (app_probe_is_on_slice(p)) p->voxel[p->axis] = (double)app->slices.plane[p->axis].index;
    volume_to_world(&app->live.volume, p->voxel, p->at);
    const double value = volume_value(&app->live.volume, p->voxel);
    p->surface = hit.surface >= 0 ? hit.surface : app->active; /* else only its edge reaches there */
    p->iso = app->wish.value[p->surface];
    p->value = p->axis == PROBE_SURFACE ? p->iso : value;
    p->sigma = app->wish.sigma;
    log_probe(app, value);
    if (use == PROBE_VALUE && p->axis != PROBE_SURFACE) app_set_value(app, value);
}
