/* Actions of keys and panel on the isovalue and the smoothing. */
#include "app_value.h"
#include "app.h"
#include "text.h"

#include <math.h>
#include <stdio.h>

#define SMOOTH_STEP 0.5 /* voxels, by the keys */
#define SHARE_OFF 0.5   /* percent of the voxels: what differs by less is what was asked for */

/* Sets the surface's value; its mirror gets minus that. Neither is ever -0. */
static void give_value(struct app *app, int surface, double value)
{
    const int mirror = app->look[surface].mirror;
    app->wish.value[surface] = value + 0.0;
    if (mirror) app->wish.value[mirror - 1] = 0 - value;
}

int app_value_digits(const struct app *app)
{
    return text_digits_between(app->live.stats.real_min, app->live.stats.real_max, 6);
}

void app_set_value(struct app *app, double value)
{
    if (isnan(app_value(app))) live_count(&app->live); /* it failed, so there is no value to step from: try again */
    if (!isfinite(value)) app_notice(app, "the value must be a finite number");
    else give_value(app, app->active, value);
    app_mark(app);
}

/* Reads a number and its kind. A comma may be the decimal point. False: `text` is not a number of that form. */
static bool read_number(const char *text, double *value, enum isovalue *kind)
{
    char number[64];
    const char *end;
    snprintf(number, sizeof number, "%s", text_skip(text));
    for (char *c = number; *c; c++)
        if (*c == ',') *c = '.';
    return text_double(number, &end, value) && !*text_skip(isovalue_unit(text_skip(end), kind));
}

static bool is_share(double percent) { return percent >= 0 && percent <= 100; }

/* Many voxels may have one value, as those around an object. Then no value has the share that was asked for below it. */
static void say_share(struct app *app, double wanted, double value)
{
    const double share = 100 * stats_part_below(&app->live.stats, &app->live.volume, value);
    if (!(fabs(share - wanted) >= SHARE_OFF)) return;
    app_log(app, "%.4g %% are below, not %.4g %%", share, wanted);
    app_notice(app, "no value has %.4g %% of the voxels below it; this has %.4g %%", wanted, share);
}

static void set_isovalue(struct app *app, enum isovalue kind, double number)
{
    struct err err = { 0 };
    double value = app_value(app);
    if (kind && !app->live.stats.summary.count)
        app_notice(app, "the values have not been counted yet: press A, for an automatic value, to count them");
    else if (live_aux_isovalue(&app->live, kind, number, &value, &err)) app_fail(app, &err);
    else {
        app_set_value(app, value);
        if (kind == ISOVALUE_PERCENT) say_share(app, number, value);
    }
}

void app_type_value(struct app *app, const char *text)
{
    double number;
    enum isovalue kind;
    if (read_number(text, &number, &kind) && (kind != ISOVALUE_PERCENT || is_share(number)))
        set_isovalue(app, kind, number);
    else
        app_notice(app,
                   "'%s' is not a value: type a number, a percentage from 0%% to 100%%, or standard deviations such as 3sd",
                   text);
}

void app_type_percent(struct app *app, const char *text)
{
    double percent;
    enum isovalue kind;
    if (read_number(text, &percent, &kind) && kind != ISOVALUE_SD && is_share(percent))
        set_isovalue(app, ISOVALUE_PERCENT, percent);
    else app_notice(app, "'%s' is not a percentage: type a number from 0 to 100", text);
}

void app_hold_value(struct app *app, bool held)
{
    if (held == app->wish.held) return;
    app->wish.held = held;
    app_log(app, "value %s", held ? "held" : "released");
}

/* Whether there is a value to step from. There is none until the values are counted, or if that failed or was given up;
 * then it begins anew. */
static bool has_value(struct app *app)
{
    if (!isnan(app_value(app))) return true;
    live_count(&app->live);
    app_notice(app, "the values are being counted: there is no value to step from yet");
    return false;
}

void app_step_value(struct app *app, double part)
{
    const struct stats *stats = &app->live.stats;
    const double value = app_value(app), stepped = value + part * (stats->real_max - stats->real_min);
    const double least = fmin(value, stats->real_min), most = fmax(value, stats->real_max); /* typed ones may exceed it */
    if (!has_value(app)) return;
    if (!stats->bins) live_count(&app->live); /* it may have failed, so the range is not known: try again */
    app_set_value(app, fmax(least, fmin(most, stepped)));
}

/* ---- automatic values ------------------------------------------------------------------------------------------ */

static double first_value(struct app *app) { return app->live.first_value; }
static double split_value(struct app *app) { return app->live.stats.split_value; }

static double high_value(struct app *app)
{
    struct err unused;
    double value = NAN;
    return live_aux_isovalue(&app->live, ISOVALUE_PERCENT, 99, &value, &unused) ? NAN : value;
}

static double middle_value(struct app *app) { return 0.5 * (app->live.stats.real_min + app->live.stats.real_max); }

static double zero_value(struct app *app) { return app->live.stats.real_min < 0 && app->live.stats.real_max > 0 ? 0 : NAN; }

static const struct {
    double (*find)(struct app *app); /* NaN: no such value */
    const char *what;
} ways[] = { { first_value, "automatic" },
             { split_value, "splits the histogram best (Otsu)" },
             { high_value, "1 % of the voxels are above" },
             { middle_value, "the middle of the range" },
             { zero_value, "where the sign changes" } };

enum { WAYS = sizeof ways / sizeof ways[0] };

static void take_way(struct app *app, unsigned way)
{
    const double value = ways[way].find(app);
    app->auto_way = way;
    app_set_value(app, value);
    app_notice(app, "value %.*g: %s", app_value_digits(app), value, ways[way].what);
}

void app_reset_value(struct app *app)
{
    live_count(&app->live);
    app_mark(app);
    if (!isnan(app->live.first_value)) take_way(app, 0); /* NaN: not counted yet */
}

/* Sets the first automatic value. If the present value is an automatic one, sets the next that differs from it. */
void app_auto_value(struct app *app)
{
    const double value = app_value(app);
    unsigned way = app->auto_way;
    if (isnan(app->live.first_value) || !app->live.stats.bins || value != ways[way].find(app)) {
        app_reset_value(app);
        return;
    }
    for (unsigned i = 0; i < WAYS; i++) {
        way = (way + 1) % WAYS;
        const double other = ways[way].find(app);
        if (isfinite(other) && other != value) {
            take_way(app, way);
            return;
        }
    }
    take_way(app, app->auto_way);
}

static bool is_taken(const struct app *app, double value)
{
    bool taken = false;
    for (int i = 0; i < LIVE_SURFACES; i++) taken = taken || (app->wish.use[i] != LIVE_OFF && app->wish.value[i] == value);
    return taken;
}

/* An automatic value, or else the middle between the active value and the end of the range. */
double app_other_value(struct app *app)
{
    const double value = app_value(app), most = app->live.stats.real_max;
    if (!app->live.stats.bins || isnan(app->live.first_value)) return NAN;
    for (unsigned way = 0; way < WAYS; way++) {
        const double other = ways[way].find(app);
        if (isfinite(other) && !is_taken(app, other)) return other;
    }
    const double other = value < most ? 0.5 * (value + most) : 0.5 * (value + app->live.stats.real_min);
    return is_taken(app, other) ? NAN : other;
}

/* ---- percentiles ----------------------------------------------------------------------------------------------- */

void app_step_percent(struct app *app, double percent)
{
    struct err err = { 0 };
    double value = app_value(app);
    if (!has_value(app)) return;
    if (live_aux_step(&app->live, percent / 100, &value, &err)) {
        app_fail(app, &err);
        return;
    }
    app_set_value(app, value);
    app_notice(app, "value %.*g: %.4g %% of the voxels are below", app_value_digits(app), value,
               100 * stats_part_below(&app->live.stats, &app->live.volume, value));
}

/* ---- smoothing ------------------------------------------------------------------------------------------------- */

void app_set_sigma(struct app *app, double sigma)
{
    const float wanted = (float)(sigma > 0 ? fmin(sigma, (double)ISO_MAX_SIGMA) : 0);
    if (wanted == app->wish.sigma) return;
    app->wish.sigma = wanted;
    app_log(app, "sigma %g", (double)wanted);
    app_mark(app);
}

void app_step_sigma(struct app *app, int step)
{
    const double steps = (double)app->wish.sigma / SMOOTH_STEP;
    app_set_sigma(app, SMOOTH_STEP * (step > 0 ? floor(steps + 1.01) : ceil(steps - 1.01)));
    if (app->wish.sigma > 0) app_notice(app, "smooth: sigma %.2g voxels", (double)app->wish.sigma);
    else app_notice(app, "smooth: off");
}
