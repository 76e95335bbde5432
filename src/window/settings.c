#include "settings.h"
#include "app.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- rows ------------------------------------------------------------------------------------------------------------ */

/* Joins numbers by commas, so that they read back as the same. */
static void write_numbers(const double *number, int count, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < count && used < size; i++) {
        char one[32];
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "," : "", text_print(one, number[i]));
    }
}

static void write_flag(bool on, char *text, size_t size) { snprintf(text, size, "%s", on ? "on" : ""); }

static void value_row(const struct settings *s, int unused, char *text, size_t size)
{
    (void)unused;
    text[0] = 0;
    if (!isnan(s->value)) write_numbers(&s->value, 1, text, size);
}

static void smooth_row(const struct settings *s, int unused, char *text, size_t size)
{
    (void)unused;
    text[0] = 0;
    if (s->sigma > 0) snprintf(text, size, "%.7g", s->sigma); /* it is a float */
}

static void min_size_row(const struct settings *s, int unused, char *text, size_t size)
{
    char number[32];
    (void)unused;
    text[0] = 0;
    if (s->filter.min_size > 0)
        snprintf(text, size, "%s%s", text_print(number, s->filter.min_size), s->filter.percent ? "%" : "");
}

static void keep_row(const struct settings *s, int unused, char *text, size_t size)
{
    (void)unused;
    text[0] = 0;
    if (s->filter.keep) snprintf(text, size, "%llu", (unsigned long long)s->filter.keep);
}

static void close_row(const struct settings *s, int unused, char *text, size_t size)
{
    (void)unused;
    write_flag(s->close, text, size);
}

static void measured_row(const struct settings *s, int unused, char *text, size_t size)
{
    (void)unused;
    write_flag(s->measured, text, size);
}

static void shading_row(const struct settings *s, int unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%s", s->mode ? render_modes[s->mode].name : "");
}

static void edges_row(const struct settings *s, int unused, char *text, size_t size)
{
    (void)unused;
    write_flag(s->wireframe, text, size);
}

static void opacity_row(const struct settings *s, int unused, char *text, size_t size)
{
    (void)unused;
    text[0] = 0;
    if (s->translucent) write_numbers(&s->opacity, 1, text, size);
}

static void box_row(const struct settings *s, int unused, char *text, size_t size)
{
    (void)unused;
    write_flag(s->box, text, size);
}

static void up_row(const struct settings *s, int unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%s", s->view.up == UP_Z ? "" : camera_up_name[s->view.up]);
}

static void orthographic_row(const struct settings *s, int unused, char *text, size_t size)
{
    (void)unused;
    write_flag(s->view.orthographic, text, size);
}

static void azimuth_row(const struct settings *s, int unused, char *text, size_t size)
{
    (void)unused;
    write_numbers(&s->view.azimuth, 1, text, size);
}

static void elevation_row(const struct settings *s, int unused, char *text, size_t size)
{
    (void)unused;
    write_numbers(&s->view.elevation, 1, text, size);
}

static void target_row(const struct settings *s, int unused, char *text, size_t size)
{
    (void)unused;
    text[0] = 0;
    if (!s->view.fit) write_numbers(s->view.target, 3, text, size);
}

static void distance_row(const struct settings *s, int unused, char *text, size_t size)
{
    (void)unused;
    text[0] = 0;
    if (!s->view.fit) write_numbers(&s->view.distance, 1, text, size);
}

static void slice_row(const struct settings *s, int unused, char *text, size_t size)
{
    static const char *const sides[] = { "-", "", "+" };
    size_t used = 0;
    (void)unused;
    text[0] = 0;
    for (int a = 0; a < SLICE_AXES && used < size; a++)
        if (s->plane[a].on)
            used += (size_t)snprintf(text + used, size - used, "%s%c=%zu%s", used ? "," : "", 'x' + a, s->plane[a].index,
                                     sides[s->plane[a].cut + 1]);
}

static void knife_row(const struct settings *s, int unused, char *text, size_t size)
{
    const double numbers[] = { (double)s->knife.normal[0], (double)s->knife.normal[1], (double)s->knife.normal[2],
                               s->knife.offset };
    (void)unused;
    text[0] = 0;
    if (s->knife.on) write_numbers(numbers, 4, text, size);
}

static void map_row(const struct settings *s, int unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%s", s->map ? colour_maps[s->map].name : "");
}

static void window_row(const struct settings *s, int unused, char *text, size_t size)
{
    (void)unused;
    text[0] = 0;
    if (s->window_given && s->window[0] < s->window[1]) write_numbers(s->window, 2, text, size);
}

static bool is_default(const struct settings *s, int stage)
{
    return !s->rung[stage] || s->rung[stage] == ladder_find(ladder_of(stage_name[stage]), s->backend, NULL);
}

/* Rungs belong to a backend, so it is named with them. */
static void backend_row(const struct settings *s, int unused, char *text, size_t size)
{
    bool all_default = true;
    (void)unused;
    for (int stage = 0; stage < STAGE_COUNT; stage++) all_default = all_default && is_default(s, stage);
    snprintf(text, size, "%s", all_default ? "" : backends[s->backend]->name);
}

static void rung_row(const struct settings *s, int stage, char *text, size_t size)
{
    text[0] = 0;
    if (!is_default(s, stage)) snprintf(text, size, "%s=%s", stage_name[stage], s->rung[stage]->name);
}

/* clang-format off */
const struct settings_row settings_rows[] = {
    { "iso", "value", "automatic", value_row, 0, false, false, false },
    { "smooth", "smoothing", "off", smooth_row, 0, false, false, false },
    { "min-size", "dust", "shown", min_size_row, 0, false, false, false },
    { "keep", "parts kept", "all", keep_row, 0, false, false, false },
    { "close", "caps", "off", close_row, 0, true, false, false },
    { NULL, "measuring", "off", measured_row, 0, true, false, false },
    { "slice", "slices", "off", slice_row, 0, false, false, false },
    { "knife", "cut across the view", "off", knife_row, 0, false, true, false },
    { "slice-map", "colours of slices", "grey", map_row, 0, false, false, false },
    { "window", "colours of slices between", "all values", window_row, 0, false, false, false },
    { "shading", "shading", "light", shading_row, 0, false, false, false },
    { "edges", "triangle edges", "off", edges_row, 0, true, false, false },
    { "opacity", "opacity", "opaque", opacity_row, 0, false, false, false },
    { "box", "box", "off", box_row, 0, true, false, false },
    { "up", "up", "+z", up_row, 0, false, false, false },
    { "orthographic", "orthographic", "off", orthographic_row, 0, true, false, false },
    { "azimuth", "view", "", azimuth_row, 0, false, true, false },
    { "elevation", "view", "", elevation_row, 0, false, true, false },
    { "target", "view", "", target_row, 0, false, true, false },
    { "distance", "view", "", distance_row, 0, false, true, false },
    { "rung", "rung", "default", rung_row, STAGE_BRICKS, false, false, true },
    { "rung", "rung", "default", rung_row, STAGE_CLASSIFY, false, false, true },
    { "rung", "rung", "default", rung_row, STAGE_SCAN, false, false, true },
    { "rung", "rung", "default", rung_row, STAGE_COMPACT, false, false, true },
    { "rung", "rung", "default", rung_row, STAGE_GENERATE, false, false, true },
    { "rung", "rung", "default", rung_row, STAGE_FUSED, false, false, true },
    { "backend", "backend", "", backend_row, 0, false, true, true },
    { NULL, NULL, NULL, NULL, 0, false, false, false },
};
/* clang-format on */

/* ---- comparing ------------------------------------------------------------------------------------------------------- */

static bool differs(const struct settings_row *row, const struct settings *a, const struct settings *b,
                    char text[SETTINGS_TEXT])
{
    char other[SETTINGS_TEXT];
    row->write(a, row->argument, other, sizeof other);
    row->write(b, row->argument, text, SETTINGS_TEXT);
    return strcmp(text, other) != 0;
}

bool settings_same(const struct settings *a, const struct settings *b)
{
    char unused[SETTINGS_TEXT];
    for (const struct settings_row *row = settings_rows; row->title; row++)
        if (differs(row, a, b, unused)) return false;
    return true;
}

void settings_difference(const struct settings *from, const struct settings *to, char *text, size_t size)
{
    char now[SETTINGS_TEXT];
    const struct settings_row *first = NULL;
    bool more = false;
    snprintf(text, size, "nothing");
    for (const struct settings_row *row = settings_rows; row->title; row++) {
        if (!differs(row, from, to, now)) continue;
        more = more || (first && strcmp(first->title, row->title) != 0);
        if (first) continue;
        first = row;
        snprintf(text, size, "%s%s%s", row->title, row->unsaid ? "" : " ", row->unsaid ? "" : *now ? now : row->none);
    }
    const size_t used = strlen(text);
    if (more) snprintf(text + used, size - used, " and more");
}

/* ---- from and to the app --------------------------------------------------------------------------------------------- */

void settings_take(const struct app *app, struct settings *s)
{
    const struct camera *camera = &app->camera;
    *s = (struct settings){ .value = app->wish.value[0],
                            .sigma = (double)app->wish.sigma,
                            .filter = app->wish.filter,
                            .close = app->wish.close,
                            .measured = app->wish.measured,
                            .translucent = app->wish.translucent,
                            .wireframe = app->wireframe,
                            .box = app->box,
                            .opacity = app->opacity,
                            .mode = app->mode,
                            .backend = app->wish.backend,
                            .knife = app->slices.knife,
                            .map = app->slices.map,
                            .window_given = app->window_given };
    s->view = (struct settings_view){ .up = camera->up,
                                      .orthographic = camera->orthographic,
                                      .fit = app->fit,
                                      .azimuth = camera->azimuth,
                                      .elevation = camera->elevation,
                                      .distance = camera->distance };
    memcpy(s->view.target, camera->target, sizeof s->view.target);
    memcpy(s->rung, app->wish.rung, sizeof s->rung);
    memcpy(s->window, app->window, sizeof s->window);
    for (int a = 0; a < SLICE_AXES; a++) {
        const struct slice_plane *plane = &app->slices.plane[a];
        s->plane[a] = (struct settings_plane){ plane->on, plane->index, plane->cut };
    }
}

static void put_view(struct app *app, const struct settings_view *view)
{
    struct camera *camera = &app->camera;
    const bool turned = camera->up != view->up;
    app_end_glide(app);
    camera->up = view->up;
    camera->orthographic = view->orthographic;
    camera_look(camera, view->azimuth, view->elevation);
    if (!view->fit) {
        memcpy(camera->target, view->target, sizeof camera->target);
        camera->distance = view->distance;
    }
    app->fit = view->fit;
    if (turned) app_keep_up(app);
}

static void put_slices(struct app *app, const struct settings *s)
{
    struct slices *slices = &app->slices;
    for (int a = 0; a < SLICE_AXES; a++) {
        struct slice_plane *plane = &slices->plane[a];
        const size_t last = slices->dims[a] - 1;
        plane->on = s->plane[a].on;
        plane->cut = s->plane[a].cut;
        plane->index = s->plane[a].index < last ? s->plane[a].index : last;
    }
    slices->knife = s->knife;
    slices->map = s->map;
    app->window_given = s->window_given;
    memcpy(app->window, s->window, sizeof app->window);
}

/* The automatic value is found again if the volume is about to change. */
static double automatic(struct app *app, bool changes)
{
    live_count(&app->live);
    return changes ? NAN : app->live.first_value;
}

void settings_put(struct app *app, const struct settings *s)
{
    app->wish.value[0] = isnan(s->value) ? automatic(app, (float)s->sigma != app->wish.sigma) : s->value;
    app->wish.sigma = (float)s->sigma;
    app->wish.filter = s->filter;
    app->wish.close = s->close;
    app->wish.measured = s->measured;
    app->wish.translucent = s->translucent;
    app->wireframe = s->wireframe;
    app->box = s->box;
    app->opacity = s->opacity;
    app->mode = s->mode;
    for (int stage = 0; stage < STAGE_COUNT && s->backend == app->wish.backend; stage++)
        if (s->rung[stage]) app->wish.rung[stage] = s->rung[stage];
    put_view(app, &s->view);
    put_slices(app, s);
    app_mark_scene(app);
}

void settings_from(struct settings *s, const struct setup *setup, const struct view_options *view)
{
    struct err unused;
    const int mode = render_mode_find(view->shading, &unused), map = colour_map_find(view->slice_map, &unused);
    *s = (struct settings){ .value = setup->iso_given && !setup->iso_percent ? setup->iso : NAN,
                            .sigma = setup->smooth,
                            .filter = setup->filter,
                            .close = setup->close,
                            .translucent = view->opacity_given && view->opacity < 1,
                            .wireframe = view->edges,
                            .box = view->box,
                            .opacity = view->opacity_given ? view->opacity : SETTINGS_OPACITY,
                            .mode = mode > 0 ? (unsigned)mode : 0,
                            .map = map > 0 ? map : 0,
                            .window_given = view->window_given };
    s->view = (struct settings_view){ .up = view->up,
                                      .orthographic = view->orthographic,
                                      .fit = !view->target_given,
                                      .azimuth = view->view_given ? view->azimuth : CAMERA_AZIMUTH,
                                      .elevation = view->view_given ? view->elevation : CAMERA_ELEVATION,
                                      .distance = view->distance };
    memcpy(s->view.target, view->target, sizeof s->view.target);
    memcpy(s->window, view->window, sizeof s->window);
    for (int a = 0; a < SLICE_AXES; a++)
        s->plane[a] = (struct settings_plane){ view->slice_given[a], (size_t)view->slice[a], view->slice_cut[a] };
    if (view->knife_given) slices_set_knife(&s->knife, view->knife);
}
