#include "grip.h"
#include "app.h"
#include "app_cut.h"
#include "vector.h"

#include <math.h>
#include <string.h>

#define RADIUS 8.0 /* pixels at scale 1 */
#define NEAR 3.0   /* pixels at scale 1 by which a press may miss a grip */
#define FINE 0.1   /* part of a drag that a fine one moves the plane by */
#define STEEP 0.25 /* a way of which less than this part is visible on the screen is too steep to drag along */

/* ---- where they are -------------------------------------------------------------------------------------------------- */

/* The box that the crop leaves of the volume. */
static void find_box(const struct app *app, double side[CROP_SIDES])
{
    for (int i = 0; i < CROP_SIDES; i++)
        side[i] = app->slices.crop.on ? app->slices.crop.side[i] : crop_end(app->slices.dims, i);
}

int grip_corners(const struct app *app, double corner[GRIP_CORNERS][3])
{
    const struct slices_knife *knife = &app->slices.knife;
    double side[CROP_SIDES];
    int count = 0;
    find_box(app, side);
    for (int edge = 0; edge < 12 && count < GRIP_CORNERS; edge++) {
        const int along = edge / 4, u = (along + 1) % 3, v = (along + 2) % 3;
        double *at = corner[count];
        at[u] = side[2 * u + (edge & 1)];
        at[v] = side[2 * v + (edge >> 1 & 1)];
        at[along] = knife->normal[along] != 0
                        ? (knife->offset - knife->normal[u] * at[u] - knife->normal[v] * at[v]) / knife->normal[along]
                        : NAN;
        count += at[along] >= side[2 * along] && at[along] <= side[2 * along + 1];
    }
    return count;
}

/* Finds the way from the plane normal . p = offset to that of offset + 1, in voxel coordinates. It is perpendicular to the
 * plane in the world, where its length is *length.
 * Let M map voxels to the scene. There the plane's normal is n = inverse(transpose(M)) normal, and the way is
 * inverse(M) n / n^2. The rows of the inverse are cross products of M's columns, divided by its determinant. */
static void find_way(const struct app *app, const double normal[3], double way[3], double *length)
{
    double column[3][3], inverse[3][3], n[3] = { 0 };
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++) column[a][i] = app->camera.axis[i][a];
    for (int a = 0; a < 3; a++) {
        vector_cross(column[(a + 1) % 3], column[(a + 2) % 3], inverse[a]);
        const double determinant = vector_dot(inverse[a], column[a]);
        for (int i = 0; i < 3; i++) inverse[a][i] /= determinant;
        for (int i = 0; i < 3; i++) n[i] += normal[a] * inverse[a][i];
    }
    const double squared = vector_dot(n, n);
    for (int a = 0; a < 3; a++) way[a] = vector_dot(inverse[a], n) / squared;
    *length = 1 / sqrt(squared);
}

/* Finds a point's place in the window, and its depth. False: it is behind the viewer. */
static bool project(const struct app *app, const double voxel[3], double at[3])
{
    const double width = app->scene[2], height = app->scene[3];
    const bool before = camera_project(&app->camera, width / height, voxel, at);
    at[0] = app->scene[0] + (0.5 + 0.5 * at[0]) * width;
    at[1] = app->height - app->scene[1] - (0.5 + 0.5 * at[1]) * height;
    return before;
}

/* Places the grip in the window. A way that leads straight to the viewer or away can hardly be seen; then a drag upwards
 * moves the plane away. False: the grip is behind the viewer. */
static bool place(const struct app *app, struct grip *grip, const double normal[3])
{
    double way[3], length, from[3], to[3], at[3], low[3], high[3];
    find_way(app, normal, way, &length);
    for (int a = 0; a < 3; a++) {
        low[a] = grip->voxel[a] - 0.5 * way[a];
        high[a] = grip->voxel[a] + 0.5 * way[a];
    }
    if (!project(app, grip->voxel, at) || !project(app, low, from) || !project(app, high, to)) return false;
    const double whole = length * app->scene[3] / camera_height(&app->camera), sign = to[2] > from[2] ? 1 : -1;
    const double seen = hypot(to[0] - from[0], to[1] - from[1]) / whole;
    const bool steep = !(seen > STEEP);
    grip->x = at[0], grip->y = at[1];
    grip->shift[0] = steep ? 0 : to[0] - from[0];
    grip->shift[1] = steep ? -sign * whole : to[1] - from[1];
    grip->towards = -sign * sqrt(fmax(0, 1 - seen * seen));
    return true;
}

static bool place_knife(const struct app *app, struct grip *grip)
{
    double corner[GRIP_CORNERS][3], normal[3];
    const int count = grip_corners(app, corner);
    *grip = (struct grip){ .cutter = CUTTER_KNIFE };
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < count; i++) grip->voxel[a] += corner[i][a] / count;
        normal[a] = app->slices.knife.normal[a];
    }
    if (!count || !place(app, grip, normal)) return false;
    grip->towards = -grip->towards; /* what is left is on the normal's side, so the plane faces the other way */
    return true;
}

static bool place_side(const struct app *app, int side, struct grip *grip)
{
    const double *at = app->slices.crop.side;
    double normal[3] = { 0 };
    *grip = (struct grip){ .cutter = CUTTER_CROP + side };
    for (int a = 0; a < 3; a++) grip->voxel[a] = a == side / 2 ? at[side] : 0.5 * (at[2 * a] + at[2 * a + 1]);
    normal[side / 2] = 1;
    if (!place(app, grip, normal)) return false;
    if (side % 2 == 0) grip->towards = -grip->towards;
    return true;
}

int grip_list(const struct app *app, struct grip grip[GRIPS])
{
    int count = 0;
    if (app_panel_form(app) == PANEL_OFF || !app->live.volume.grid.voxels || app->scene[2] <= 0 || app->scene[3] <= 0)
        return 0;
    if (app->slices.knife.on) count += place_knife(app, &grip[count]);
    for (int side = 0; side < CROP_SIDES && app->slices.crop.on; side++) count += place_side(app, side, &grip[count]);
    return count;
}

bool grip_find(const struct app *app, struct grip *found)
{
    struct grip grip[GRIPS];
    const int count = grip_list(app, grip);
    const double reach = (RADIUS + NEAR) * app->scale;
    double best = INFINITY;
    for (int i = 0; i < count; i++) {
        const double off = hypot(app->input.cursor[0] - grip[i].x, app->input.cursor[1] - grip[i].y);
        const double far = off + (grip[i].towards < 0 ? reach : 0); /* those that face away come last */
        if (off > reach || far >= best) continue;
        best = far;
        *found = grip[i];
    }
    return best < INFINITY;
}

/* ---- what the mouse does ----------------------------------------------------------------------------------------- */

void grip_take(struct app *app, const struct grip *grip)
{
    app->held.cutter = grip->cutter;
    memcpy(app->held.shift, grip->shift, sizeof app->held.shift);
    app->held.place = app_cutter_place(app, grip->cutter);
    app_log(app, "grip %s taken", app_cutter_name(grip->cutter));
}

void grip_drag(struct app *app, double dx, double dy, bool fine)
{
    const double *shift = app->held.shift, squared = shift[0] * shift[0] + shift[1] * shift[1];
    app->held.place += (dx * shift[0] + dy * shift[1]) / squared * (fine ? FINE : 1);
    app_set_cutter(app, app->held.cutter, app->held.place);
}

void grip_let_go(struct app *app)
{
    app_log(app, "grip %s released at %.6g", app_cutter_name(app->held.cutter), app_cutter_place(app, app->held.cutter));
}
