/* The panel's text on where a slice lies: in the file's unit, along the world axis that is parallel to its own, with
 * rounding errors near 0 removed. If an axis of the volume is oblique, the distance from voxel 0. */
#include "check.h"

#include "app.h"
#include "app_slices.h"

#include <stdlib.h>
#include <string.h>

static struct app *app; /* too large for the stack */

/* Sets an axis along which voxels lie so far apart, the first one there; returns what is said of a slice, as the panel
 * prints it. */
static const char *said(int axis, double from, double apart, size_t index)
{
    static char text[32];
    int along;
    for (int a = 0; a < 3; a++) {
        app->slices.dims[a] = 64;
        app->live.volume.origin[a] = from;
        for (int b = 0; b < 3; b++) app->live.volume.direction[a][b] = a == b ? apart : 0;
    }
    app->slices.plane[axis].index = index;
    snprintf(text, sizeof text, "%.5g", app_slice_place(app, axis, &along));
    CHECK(along == axis);
    return text;
}

static void swapped_and_oblique(void)
{
    struct volume *v = &app->live.volume;
    int along;
    *v = (struct volume){ .origin = { 5, 6, 7 }, .direction = { { 0, 0, 2 }, { -3, 0, 0 }, { 0, 4, 0 } } };
    for (int a = 0; a < 3; a++) app->slices.plane[a].index = 10;
    CHECK_NEAR(app_slice_place(app, 0, &along), 6 - 30, 1e-9);
    CHECK(along == 1);
    CHECK_NEAR(app_slice_place(app, 1, &along), 7 + 40, 1e-9);
    CHECK(along == 2);
    v->direction[1][1] = 3; /* the second is oblique: a 3-4-5 triangle */
    const double spacing[3] = { 3, 5, 2 };
    for (int a = 0; a < 3; a++) {
        CHECK_NEAR(app_slice_place(app, a, &along), 10 * spacing[a], 1e-9);
        CHECK(along == -1);
    }
}

int main(void)
{
    app = calloc(1, sizeof *app);
    if (!app) return 1;
    CHECK(0.1 * 3 - 0.3 != 0);
    for (int axis = 0; axis < 3; axis++) {
        CHECK(!strcmp(said(axis, -0.3, 0.1, 3), "0"));
        CHECK(!strcmp(said(axis, 0.3, -0.1, 3), "0"));
        CHECK(!strcmp(said(axis, -0.3, 0.1, 4), "0.1"));
        CHECK(!strcmp(said(axis, 1e-9, 1e-9, 2), "3e-09"));
    }
    swapped_and_oblique();
    free(app);
    return check_summary("test_places");
}
