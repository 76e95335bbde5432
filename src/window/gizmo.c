#include "gizmo.h"
#include "app.h"
#include "app_view.h"

#include <math.h>
#include <stdio.h>

#define NEAR 2.0     /* pixels at scale 1 by which a click may miss an end */
#define THERE 0.9999 /* the camera looks from an end if the cosine of the angle between them is larger */

/* By axis and end: sign 1, then -1. */
static const char *const from[3][2] = { { "the patient's left", "the patient's right" },
                                        { "behind the patient", "in front of the patient" },
                                        { "the patient's head", "the patient's feet" } };

bool gizmo_place(const struct app *app, struct axes *gizmo)
{
    const double right = app->scene[0] + app->scene[2], foot = app->height - app->scene[1],
                 size[2] = { app->scene[2], app->scene[3] };
    if (app_panel_form(app) == PANEL_OFF || !app->live.volume.grid.voxels) return false;
    return axes_lay_out(gizmo, &app->camera, app->live.volume.world, right, foot, size, app->scale);
}

bool gizmo_find(const struct app *app, struct axes_end *end)
{
    struct axes gizmo;
    if (!gizmo_place(app, &gizmo)) return false;
    for (int i = AXES_ENDS - 1; i >= 0; i--) {
        *end = gizmo.end[i];
        if (hypot(app->input.cursor[0] - end->x, app->input.cursor[1] - end->y) <= gizmo.radius + NEAR * app->scale)
            return true;
    }
    return false;
}

void gizmo_look(struct app *app, const struct axes_end *end)
{
    double azimuth, elevation;
    char text[64];
    gizmo_text(app, end, text);
    app_log(app, "gizmo %s", text);
    camera_angles(&app->camera, end->axis, end->towards > THERE ? -end->sign : end->sign, &azimuth, &elevation);
    if (elevation == 90) app_look_down(app);
    else app_look(app, azimuth, elevation);
}

void gizmo_text(const struct app *app, const struct axes_end *end, char text[64])
{
    const char sign = end->sign > 0 ? '+' : '-', axis = (char)('x' + end->axis);
    if (app->live.volume.world == WORLD_LPS)
        snprintf(text, 64, "from %s (%c%c)", from[end->axis][end->sign < 0], sign, axis);
    else snprintf(text, 64, "from %c%c", sign, axis);
}
