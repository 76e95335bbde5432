/* Colours of surfaces by a quantity, in the window. */
#include "app.h"
#include "app_surfaces.h"
#include "text.h"

int app_first_maps(struct app *app, struct err *err)
{
    const struct view_options *options = app->options;
    const int by = tint_find(options->color_by, err);
    if (by < 0 || (app->slices.map = colour_map_find(options->slice_map, err)) < 0) return ERR_USAGE;
    app->tint.map = colour_map_find(options->color_map ? options->color_map : SETTINGS_TINT_MAP, err);
    if (app->tint.map < 0) return ERR_USAGE;
    app->tint.by = (enum tint_by)by; /* the rest waits for a volume */
    return ERR_NONE;
}

void app_set_tint(struct app *app, enum tint_by by)
{
    char title[64];
    struct err err = { 0 };
    if (!app->live.volume.grid.voxels) return;
    if (tint_choose(&app->tint, by, &app->live.volume, &err)) app_fail(app, &err);
    tint_title(&app->tint, &app->live.volume, title);
    const double low = app->tint.range[0], high = app->tint.range[1];
    const int digits = text_digits_between(low, high, 5);
    app_log(app, "tint %s from %.*g to %.*g", tint_name[app->tint.by], digits, low, digits, high);
    if (app->tint.by) app_notice(app, "colours: %s, from %.*g to %.*g", title, digits, low, digits, high);
    app_mark_scene(app);
}

void app_set_tint_map(struct app *app, int map)
{
    app->tint.map = map;
    app_log(app, "tint map %s", colour_maps[map].name);
    app_mark_scene(app);
}

void app_take_tint(struct app *app)
{
    tint_drop(&app->tint);
    if (app->tint.by) app_set_tint(app, app->tint.by);
}
