#include "gizmo.h"
#include "app.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* At scale 1: pixels. */
#define ARM 38.0
#define RADIUS 9.0
#define CORNER 60.0  /* from its middle to the sides of the scene */
#define LEAST 200.0  /* of the scene's width and height */
#define NEAR 2.0     /* that a click may miss an end by */
#define THERE 0.9999 /* cosine of the angle from which on an end is looked from */

/* Ends with sign 1, and -1. */
static const struct {
    const char *letter, *from;
} patient[3][2] = { { { "L", "the patient's left" }, { "R", "the patient's right" } },
                    { { "P", "behind the patient" }, { "A", "before the patient" } },
                    { { "S", "the patient's head" }, { "I", "the patient's feet" } } };

static const char *letter_of(const struct app *app, int axis, int sign)
{
    static const char *const axes[3] = { "x", "y", "z" };
    if (app->live.volume.world == WORLD_LPS) return patient[axis][sign < 0].letter;
    return sign > 0 ? axes[axis] : "";
}

static int by_depth(const void *a, const void *b)
{
    const struct gizmo_end *one = a, *other = b;
    return (one->towards > other->towards) - (one->towards < other->towards);
}

bool gizmo_place(const struct app *app, struct gizmo *gizmo)
{
    const double unit = app->scale;
    double axes[3][3];
    if (app_panel_form(app) == PANEL_OFF || !app->live.volume.grid.voxels || app->scene[2] < LEAST * unit ||
        app->scene[3] < LEAST * unit)
        return false;
    *gizmo = (struct gizmo){ .x = app->scene[0] + app->scene[2] - CORNER * unit,
                             .y = app->height - app->scene[1] - CORNER * unit,
                             .arm = ARM * unit,
                             .radius = RADIUS * unit };
    camera_axes(&app->camera, axes);
    for (int i = 0; i < GIZMO_ENDS; i++) {
        const int axis = i / 2, sign = i % 2 ? -1 : 1;
        gizmo->end[i] = (struct gizmo_end){ .axis = axis,
                                            .sign = sign,
                                            .x = gizmo->x + sign * axes[axis][0] * gizmo->arm,
                                            .y = gizmo->y - sign * axes[axis][1] * gizmo->arm,
                                            .towards = sign * axes[axis][2],
                                            .letter = letter_of(app, axis, sign) };
    }
    qsort(gizmo->end, GIZMO_ENDS, sizeof *gizmo->end, by_depth);
    return true;
}

bool gizmo_find(const struct app *app, struct gizmo_end *end)
{
    struct gizmo gizmo;
    if (!gizmo_place(app, &gizmo)) return false;
    for (int i = GIZMO_ENDS - 1; i >= 0; i--) {
        *end = gizmo.end[i];
        if (hypot(app->input.cursor[0] - end->x, app->input.cursor[1] - end->y) <= gizmo.radius + NEAR * app->scale)
            return true;
    }
    return false;
}

void gizmo_look(struct app *app, const struct gizmo_end *end)
{
    double azimuth, elevation;
    char text[64];
    gizmo_text(app, end, text);
    app_log(app, "gizmo %s", text);
    camera_angles(&app->camera, end->axis, end->towards > THERE ? -end->sign : end->sign, &azimuth, &elevation);
    app_look(app, azimuth, elevation);
}

void gizmo_text(const struct app *app, const struct gizmo_end *end, char text[64])
{
    const char sign = end->sign > 0 ? '+' : '-', axis = (char)('x' + end->axis);
    if (app->live.volume.world == WORLD_LPS)
        snprintf(text, 64, "from %s (%c%c)", patient[end->axis][end->sign < 0].from, sign, axis);
    else snprintf(text, 64, "from %c%c", sign, axis);
}
