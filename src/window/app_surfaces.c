/* Several surfaces: adding, removing, hiding and choosing them, and how each looks. The wish has what live must make. */
#include "app_surfaces.h"
#include "app.h"
#include "app_value.h"

#include <math.h>
#include <string.h>

_Static_assert((int)LIVE_SURFACES == (int)RENDER_SURFACES, "what is made can be drawn");

static bool is_there(const struct app *app, int surface) { return app->wish.use[surface] != LIVE_OFF; }

int app_count_surfaces(const struct app *app)
{
    int count = 0;
    for (int i = 0; i < LIVE_SURFACES; i++) count += is_there(app, i);
    return count;
}

static void set_look(struct app *app, int surface)
{
    struct surface_look *look = &app->look[surface];
    struct render_surface shown = { .mesh = NULL };
    render_first_colour(surface, &shown);
    *look = (struct surface_look){ .coloured = shown.coloured, .opacity = SETTINGS_OPACITY };
    memcpy(look->colour, shown.colour, sizeof look->colour);
}

void app_first_surface(struct app *app)
{
    for (int i = 0; i < LIVE_SURFACES; i++) {
        app->look[i] = settings_look(app->options, i, &app->wish.translucent[i]);
        app->wish.filter[i] = settings_filter(app->options, i);
    }
}

void app_first_surfaces(struct app *app)
{
    const struct view_options *o = app->options;
    struct err err = { 0 };
    if (o->hidden[0]) app->wish.use[0] = LIVE_HIDDEN;
    for (int i = 1; i < o->isos; i++) {
        double value = o->iso[i];
        if (o->iso_in[i]) live_aux_await(&app->live, (unsigned)i, o->iso_in[i], o->iso[i]);
        if (o->iso_in[i] && !app->live.stats.bins) value = NAN; /* not counted yet */
        else if (live_aux_isovalue(&app->live, o->iso_in[i], o->iso[i], &value, &err)) {
            app_fail(app, &err);
            return;
        }
        app->wish.use[i] = o->hidden[i] ? LIVE_HIDDEN : LIVE_SHOWN;
        app->wish.value[i] = value;
    }
    for (int i = 0; i < LIVE_SURFACES; i++) app->look[i].mirror = o->pair[i];
}

/* Live may have dropped all but the first surface, as it does for a new file. */
void app_follow_surfaces(struct app *app)
{
    for (int i = 0; i < LIVE_SURFACES; i++) {
        const int mirror = app->look[i].mirror;
        if (mirror && !is_there(app, mirror - 1)) app->look[i].mirror = 0;
        if (!is_there(app, i)) app->look[i].mirror = 0;
    }
    for (int i = 0; i < LIVE_SURFACES && !is_there(app, app->active); i++)
        if (is_there(app, i)) app->active = i;
}

bool app_shows_coarse(const struct app *app)
{
    bool coarse = false;
    for (int i = 0; i < LIVE_SURFACES; i++) coarse = coarse || app->live.surface[i].drawn.step > 1;
    return coarse;
}

void app_show_surface(const struct app *app, int surface, struct render_surface *shown)
{
    const struct live_drawn *drawn = &app->live.surface[surface].drawn;
    const struct surface_look *look = &app->look[surface];
    *shown = (struct render_surface){ .mesh = drawn->mesh,
                                      .caps = drawn->caps,
                                      .step = drawn->step,
                                      .value = app->wish.value[surface],
                                      .transparency = app->wish.translucent[surface] ? 1 - look->opacity : 0,
                                      .coloured = look->coloured };
    memcpy(shown->colour, look->colour, sizeof shown->colour);
}

void app_surface_colour(const struct app *app, int surface, float colour[3])
{
    memcpy(colour, app->look[surface].colour, sizeof app->look[surface].colour);
}

/* ---- which ----------------------------------------------------------------------------------------------------- */

void app_pick_surface(struct app *app, int surface)
{
    if (surface == app->active || !is_there(app, surface)) return;
    app->active = surface;
    app_log(app, "surface %d of %d, value %.9g", surface, app_count_surfaces(app), app_value(app));
    app_notice(app, "surface at %.*g", app_value_digits(app), app_value(app));
}

void app_next_surface(struct app *app, int step)
{
    int next = app->active;
    if (app_count_surfaces(app) < 2) {
        app_notice(app, "there is one surface; Insert adds another");
        return;
    }
    do next = (next + step + LIVE_SURFACES) % LIVE_SURFACES;
    while (!is_there(app, next));
    app_pick_surface(app, next);
}

static int find_free(struct app *app)
{
    for (int i = 0; i < LIVE_SURFACES; i++)
        if (!is_there(app, i)) return i;
    app_notice(app, "there are %d surfaces already; Delete removes one", LIVE_SURFACES);
    return -1;
}

void app_add_surface(struct app *app, bool mirrored)
{
    const int from = app->active, surface = find_free(app), digits = app_value_digits(app);
    const double value = mirrored ? -app_value(app) : app_other_value(app);
    if (surface < 0) return;
    if (!isfinite(value) || (mirrored && (value == 0 || app->look[from].mirror))) {
        app_notice(app, mirrored && app->look[from].mirror ? "this surface already has a mirrored one"
                                                           : "there is no other value for another surface");
        return;
    }
    set_look(app, surface);
    app->wish.use[surface] = LIVE_SHOWN;
    app->wish.value[surface] = value;
    app->wish.translucent[surface] = app->wish.translucent[from];
    app->wish.filter[surface] = app->wish.filter[from];
    app->look[surface].opacity = app->look[from].opacity;
    if (mirrored) app->look[surface].mirror = from + 1, app->look[from].mirror = surface + 1;
    if (!mirrored) app->active = surface;
    app_log(app, "surface %d added at %.9g%s", surface, value, mirrored ? ", mirrored" : "");
    app_notice(app,
               mirrored ? "surfaces at %.*g and %.*g: each follows the other"
                        : "another surface at %.*g; if one hides it, select that with Tab and make it translucent with Y",
               digits, value, digits, -value);
    app_mark_scene(app);
}

void app_drop_surface(struct app *app, int surface)
{
    if (app_count_surfaces(app) < 2) {
        app_notice(app, "the last surface cannot be removed");
        return;
    }
    app->wish.use[surface] = LIVE_OFF;
    app_follow_surfaces(app);
    app_log(app, "surface %d removed", surface);
    app_mark_scene(app);
}

void app_flip_surface(struct app *app, int surface)
{
    const bool shown = app->wish.use[surface] == LIVE_SHOWN;
    app->wish.use[surface] = shown ? LIVE_HIDDEN : LIVE_SHOWN;
    app_log(app, "surface %d %s", surface, shown ? "hidden" : "shown");
    app_notice(app, "the surface at %.*g is %s", app_value_digits(app), app->wish.value[surface],
               shown ? "hidden" : "shown");
    app_mark_scene(app);
}

/* ---- looks ----------------------------------------------------------------------------------------------------- */

void app_set_colour(struct app *app, int surface, const float colour[3])
{
    struct surface_look *look = &app->look[surface];
    memcpy(look->colour, colour, sizeof look->colour);
    look->coloured = true;
    app_log(app, "surface %d colour %.3f %.3f %.3f", surface, (double)colour[0], (double)colour[1], (double)colour[2]);
    app_mark_scene(app);
}

void app_flip_translucent(struct app *app)
{
    bool *translucent = &app->wish.translucent[app->active];
    const double opacity = app->look[app->active].opacity;
    *translucent = !*translucent;
    app_log(app, "translucent %s, opacity %.2f", *translucent ? "on" : "off", opacity);
    if (*translucent) app_notice(app, "translucent, opacity %.2f", opacity);
    else app_notice(app, "opaque");
    app_mark_scene(app);
}

void app_give_opacity(struct app *app, int surface, double opacity)
{
    app->wish.translucent[surface] = opacity < 1;
    if (opacity < 1) app->look[surface].opacity = fmax(0, opacity);
    app_log(app, "surface %d opacity %.2f", surface, fmin(1, opacity));
    app_mark_scene(app);
}

void app_set_opacity(struct app *app, double opacity)
{
    struct surface_look *look = &app->look[app->active];
    look->opacity = fmax(0, fmin(1, opacity));
    app->wish.translucent[app->active] = true;
    app_log(app, "opacity %.2f", look->opacity);
    app_mark_scene(app);
}

void app_set_dust(struct app *app, double percent)
{
    struct component_filter *filter = &app->wish.filter[app->active];
    filter->min_size = fmax(0, fmin(100, percent));
    filter->percent = true;
    app_log(app, "dust %.3g %%", filter->min_size);
    app_mark_scene(app);
}
