/* The ruler: the distance between two clicked points; with a third one, also the angle at the second. */
#include "app.h"
#include "app_probe.h"

#include <math.h>
#include <string.h>

double app_ruler_length(const struct ruler *ruler, int from)
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        const double off = ruler->at[from + 1][i] - ruler->at[from][i];
        sum += off * off;
    }
    return sqrt(sum);
}

double app_ruler_angle(const struct ruler *ruler)
{
    const double a = app_ruler_length(ruler, 0), b = app_ruler_length(ruler, 1);
    double dot = 0;
    for (int i = 0; i < 3; i++) dot += (ruler->at[0][i] - ruler->at[1][i]) * (ruler->at[2][i] - ruler->at[1][i]);
    return a > 0 && b > 0 ? acos(fmax(-1, fmin(1, dot / (a * b)))) * 180 / M_PI : 0;
}

static void say_length(struct app *app)
{
    const struct ruler *ruler = &app->ruler;
    const char *unit = app->live.volume.unit;
    const double length = app_ruler_length(ruler, ruler->count - 2), angle = app_ruler_angle(ruler);
    app_log(app, ruler->count > 2 ? "ruler length %.6g, angle %.6g" : "ruler length %.6g", length, angle);
    app_notice(app, ruler->count > 2 ? "length %.6g%s%s, angle %.5g\xc2\xb0" : "length %.6g%s%s", length, *unit ? " " : "",
               unit, angle);
}

void app_measure_to(struct app *app, const double voxel[3])
{
    struct ruler *ruler = &app->ruler;
    if (ruler->count == RULER_POINTS) ruler->count = 0;
    double *at = ruler->at[ruler->count];
    memcpy(ruler->voxel[ruler->count++], voxel, sizeof ruler->voxel[0]);
    volume_to_world(&app->live.volume, voxel, at);
    app_log(app, "ruler point %d: at %.6g %.6g %.6g", ruler->count, at[0], at[1], at[2]);
    if (ruler->count == 1) app_notice(app, "ruler: Shift+click the second point");
    else say_length(app);
}

void app_drop_ruler(struct app *app)
{
    app->ruler.count = 0;
    app_log(app, "ruler gone");
}
