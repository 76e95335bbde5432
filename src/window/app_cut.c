/* What is cut away: on one side of slices, on the viewer's side of the knife (the cut across the view), outside the crop
 * box. */
#include "app_cut.h"
#include "app.h"
#include "app_slices.h"
#include "app_view.h"

#include <math.h>

void app_cut_slice(struct app *app, int axis)
{
    struct slice_plane *plane = &app->slices.plane[axis];
    const char name = (char)('x' + axis);
    float along[3];
    camera_along(&app->camera, along);
    const int near = along[axis] > 0 ? -1 : 1; /* the viewer's side */
    plane->cut = !plane->on || !plane->cut ? near : plane->cut == near ? -near : 0;
    plane->on = true;
    app->cutter = axis;
    if (plane->cut) app_log(app, "slice %c cuts %s %zu", name, plane->cut > 0 ? "above" : "below", plane->index);
    else app_log(app, "slice %c cuts nothing", name);
    if (plane->cut) app_notice(app, "slice %c: hides what lies %s it", name, plane->cut > 0 ? "above" : "below");
    else app_notice(app, "slice %c: hides nothing", name);
    app_mark_scene(app);
}

void app_flip_knife(struct app *app)
{
    struct slices *slices = &app->slices;
    double low[3], high[3], middle[3];
    float along[3];
    if (slices->knife.on) slices->knife.on = false;
    else {
        app_bounds(app, low, high);
        for (int a = 0; a < 3; a++) middle[a] = 0.5 * (low[a] + high[a]);
        camera_along(&app->camera, along);
        slices_place_knife(slices, along, middle);
        app->cutter = CUTTER_KNIFE;
    }
    app_log(app, "knife %s", slices->knife.on ? "on" : "off");
    app_notice(app, slices->knife.on ? "cut across the view; its grip and Ctrl+wheel move it" : "cut across the view: off");
    app_mark_scene(app);
}

void app_set_knife(struct app *app, double part)
{
    double range[2];
    slices_knife_range(&app->slices, range);
    app_set_cutter(app, CUTTER_KNIFE, range[0] + fmax(0, fmin(1, part)) * (range[1] - range[0]));
}

double app_knife_part(const struct app *app)
{
    double range[2];
    slices_knife_range(&app->slices, range);
    return range[1] > range[0] ? (app->slices.knife.offset - range[0]) / (range[1] - range[0]) : 0;
}

/* ---- crop box and caps ------------------------------------------------------------------------------------------- */

void app_flip_crop(struct app *app)
{
    struct crop *crop = &app->slices.crop;
    crop->on = !crop->on;
    if (crop->on) {
        app->cutter = CUTTER_CROP;
        app_fit(app); /* the box's sides with their grips may be far from the surface */
    }
    app_log(app, "crop %s", crop->on ? "on" : "off");
    app_notice(app, crop->on ? "crop box: drag its grips; it affects only the picture" : "crop box: off");
    app_mark_scene(app);
}

void app_flip_cut_caps(struct app *app)
{
    app->cuts_capped = !app->cuts_capped;
    app_log(app, "cut caps %s", app->cuts_capped ? "on" : "off");
    app_notice(app, app->cuts_capped ? "cuts are closed by caps" : "cuts are left open");
    app_mark_scene(app);
}

/* ---- any of them ------------------------------------------------------------------------------------------------- */

static bool is_on(const struct app *app, int cutter)
{
    if (cutter < SLICE_AXES) return app->slices.plane[cutter].on;
    return cutter == CUTTER_KNIFE ? app->slices.knife.on : app->slices.crop.on;
}

bool app_is_cut(const struct app *app)
{
    struct cut cut;
    slices_cut(&app->slices, -1, &cut);
    return cut_is_bare(&cut);
}

const char *app_cutter_name(int cutter)
{
    static const char *const names[CUTTERS] = {
        "x", "y", "z", "knife", "x from", "x to", "y from", "y to", "z from", "z to"
    };
    return names[cutter];
}

double app_cutter_place(const struct app *app, int cutter)
{
    if (cutter < SLICE_AXES) return (double)app->slices.plane[cutter].index;
    return cutter == CUTTER_KNIFE ? app->slices.knife.offset : app->slices.crop.side[cutter - CUTTER_CROP];
}

void app_set_cutter(struct app *app, int cutter, double place)
{
    if (cutter < SLICE_AXES) {
        app_set_slice(app, cutter, place > 0 ? (size_t)round(place) : 0);
        return;
    }
    app->cutter = cutter;
    if (cutter == CUTTER_KNIFE) slices_move_knife(&app->slices, place - app->slices.knife.offset);
    else crop_move(&app->slices.crop, app->slices.dims, cutter - CUTTER_CROP, place);
    struct slices_knife knife = app->slices.knife;
    slices_knife_in_file(&app->slices, &knife);
    if (cutter == CUTTER_KNIFE) app_log(app, "knife at %.6g", knife.offset);
    else
        app_log(app, "crop %s %.6g", app_cutter_name(cutter),
                slices_in_file(&app->slices, (cutter - CUTTER_CROP) / 2, app_cutter_place(app, cutter)));
    app_mark_scene(app);
}

void app_move_cutter(struct app *app, double step)
{
    int cutter = app->cutter;
    for (int i = 0; i < CUTTERS && !is_on(app, cutter); i++) cutter = i;
    if (!is_on(app, cutter)) {
        app_notice(app, "there is no slice and no cut to move: 2, 4, 6 and K switch them on");
        return;
    }
    const double least = cutter < SLICE_AXES ? copysign(fmax(1, fabs(step)), step) : step;
    if (step != 0) app_set_cutter(app, cutter, app_cutter_place(app, cutter) + least);
}
