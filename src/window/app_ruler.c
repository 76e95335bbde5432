/* The ruler: the distance of two points that were clicked, and with a third the angle at the second. */
#include "app.h"

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

void app_measure_to(struct app *app, const double voxel[3])
{
    struct ruler *ruler = &app->ruler;
    if (ruler->count == RULER_POINTS) ruler->count = 0;
    double *at = ruler->at[ruler->count];
    memcpy(ruler->voxel[ruler->count++], voxel, sizeof ruler->voxel[0]);
    volume_to_world(&app->live.volume, voxel, at);
    app_log(app, "ruler point %d: at %.6g %.6g %.6g", ruler->count, at[0], at[1], at[2]);
    if (ruler->count == 1) app_notice(app, "ruler: Shift+click the second point");
    if (ruler->count == 2) app_log(app, "ruler length %.6g", app_ruler_length(ruler, 0));
    if (ruler->count == 3)
        app_log(app, "ruler length %.6g, angle %.6g", app_ruler_length(ruler, 1), app_ruler_angle(ruler));
}
