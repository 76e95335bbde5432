#include "settings.h"
#include "mine.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- rows ------------------------------------------------------------------------------------------------------------ */

/* Writes numbers separated by commas. Reading them gives the same numbers. */
static void write_numbers(const double *number, int count, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < count && used < size; i++) {
        char one[32];
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "," : "", text_print(one, number[i]));
    }
}

static void write_flag(bool on, char *text, size_t size) { snprintf(text, size, "%s", on ? "on" : ""); }

/* Adds an entry to a list separated by commas. */
static void add(char *text, size_t size, const char *entry)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used ? "," : "", entry);
}

/* The values of all surfaces; nothing while one is not known yet. */
static void value_row(const struct settings *s, int unused, char *text, size_t size)
{
    char number[32];
    bool known = true;
    (void)unused;
    text[0] = 0;
    for (int i = 0; i < LIVE_SURFACES; i++) {
        if (s->surface[i].use == LIVE_OFF) continue;
        known = known && !isnan(s->surface[i].value);
        add(text, size, text_print(number, s->surface[i].value));
    }
    if (!known) text[0] = 0;
}

/* The numbers of the hidden surfaces, counted as in --iso. */
static void hide_row(const struct settings *s, int unused, char *text, size_t size)
{
    char number[32];
    int count = 0;
    (void)unused;
    text[0] = 0;
    for (int i = 0; i < LIVE_SURFACES; i++) {
        count += s->surface[i].use != LIVE_OFF;
        if (s->surface[i].use == LIVE_HIDDEN) add(text, size, text_print(number, count));
    }
}

static void opacity_row(const struct settings *s, int unused, char *text, size_t size)
{
    char number[32];
    bool any = false;
    (void)unused;
    text[0] = 0;
    for (int i = 0; i < LIVE_SURFACES; i++) {
        const struct settings_surface *surface = &s->surface[i];
        if (surface->use == LIVE_OFF) continue;
        any = any || surface->translucent;
        add(text, size, text_print(number, surface->translucent ? surface->look.opacity : 1));
    }
    if (!any) text[0] = 0;
}

/* A hexadecimal number of three bytes for each surface, or "auto" for its default. */
static void color_row(const struct settings *s, int unused, char *text, size_t size)
{
    bool any = false;
    int count = 0;
    (void)unused;
    text[0] = 0;
    for (int i = 0; i < LIVE_SURFACES; i++) {
        const struct surface_look *look = &s->surface[i].look;
        struct render_surface first = { .mesh = NULL };
        char entry[16] = "auto";
        if (s->surface[i].use == LIVE_OFF) continue;
        render_first_colour(count++, &first);
        if (look->coloured != first.coloured || memcmp(look->colour, first.colour, sizeof look->colour) != 0) {
            const float *c = look->colour;
            snprintf(entry, sizeof entry, "%06lx",
                     (unsigned long)(lrintf(255 * c[0]) << 16 | lrintf(255 * c[1]) << 8 | lrintf(255 * c[2])));
            any = true;
        }
        add(text, size, entry);
    }
    if (!any) text[0] = 0;
}

/* Pairs of numbers, counted as in --iso: "1:2". */
static void pair_row(const struct settings *s, int unused, char *text, size_t size)
{
    int count = 0, place[LIVE_SURFACES];
    (void)unused;
    text[0] = 0;
    for (int i = 0; i < LIVE_SURFACES; i++) {
        const struct settings_surface *surface = &s->surface[i];
        char entry[16];
        if (surface->use == LIVE_OFF) continue;
        place[i] = ++count;
        if (!surface->look.mirror || surface->look.mirror > i) continue;
        snprintf(entry, sizeof entry, "%d:%d", place[surface->look.mirror - 1], count);
        add(text, size, entry);
    }
}

static void color_by_row(const struct settings *s, int unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%s", s->tint ? tint_name[s->tint] : "");
}

static void color_map_row(const struct settings *s, int unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%s",
             strcmp(colour_maps[s->tint_map].name, SETTINGS_TINT_MAP) ? colour_maps[s->tint_map].name : "");
}

static void smooth_row(const struct settings *s, int unused, char *text, size_t size)
{
    char number[32];
    (void)unused;
    text[0] = 0;
    if (s->sigma > 0)
        snprintf(text, size, "%s%s", text_digits(number, s->sigma, 7), s->sigma_mm ? "mm" : ""); /* the digits of a float */
}

static void min_size_row(const struct settings *s, int unused, char *text, size_t size)
{
    bool any = false;
    (void)unused;
    text[0] = 0;
    for (int i = 0; i < LIVE_SURFACES; i++) {
        const struct component_filter *filter = &s->surface[i].filter;
        char number[32], entry[40];
        if (s->surface[i].use == LIVE_OFF) continue;
        any = any || filter->min_size > 0;
        snprintf(entry, sizeof entry, "%s%s", text_print(number, filter->min_size), filter->percent ? "%" : "");
        add(text, size, filter->min_size > 0 ? entry : "0");
    }
    if (!any) text[0] = 0;
}

static void keep_row(const struct settings *s, int unused, char *text, size_t size)
{
    bool any = false;
    (void)unused;
    text[0] = 0;
    for (int i = 0; i < LIVE_SURFACES; i++) {
        const struct component_filter *filter = &s->surface[i].filter;
        char entry[24];
        if (s->surface[i].use == LIVE_OFF) continue;
        any = any || filter->keep;
        snprintf(entry, sizeof entry, "%llu", (unsigned long long)filter->keep);
        add(text, size, filter->keep ? entry : "all");
    }
    if (!any) text[0] = 0;
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

static void crop_row(const struct settings *s, int unused, char *text, size_t size)
{
    (void)unused;
    text[0] = 0;
    for (int a = 0; a < 3 && s->crop.on; a++) {
        const bool *given = &s->crop_given[2 * a];
        char low[32] = "", high[32] = "", entry[80];
        if (given[0]) text_print(low, s->crop.side[2 * a]);
        if (given[1]) text_print(high, s->crop.side[2 * a + 1]);
        snprintf(entry, sizeof entry, "%c=%s:%s", 'x' + a, low, high);
        if (given[0] || given[1]) add(text, size, entry);
    }
}

static void open_cuts_row(const struct settings *s, int unused, char *text, size_t size)
{
    (void)unused;
    write_flag(!s->cuts_capped, text, size);
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

/* Whether the rung need not be written. The one of --rung-file never is: only somebody who names its file may run it. */
static bool is_default(const struct settings *s, int stage)
{
    return !s->rung[stage] || mine_is(s->rung[stage]) ||
           s->rung[stage] == ladder_find(ladder_of(stage_name[stage]), s->backend, NULL);
}

static void draw_row(const struct settings *s, int unused, char *text, size_t size)
{
    (void)unused;
    snprintf(text, size, "%s", s->draw ? raster_way_name[s->draw] : "");
}

/* Rungs belong to a backend, so the backend is written if any rung is. */
static void backend_row(const struct settings *s, int unused, char *text, size_t size)
{
    bool all_default = true;
    (void)unused;
    for (int stage = 0; stage < STAGE_ALL; stage++) all_default = all_default && is_default(s, stage);
    snprintf(text, size, "%s", all_default ? "" : backends[s->backend]->name);
}

/* Whether the stage's rung can be left out. fused does the work of several stages. An option for one of these switches
 * fused off, so fused must be written with it. */
static bool goes_without_saying(const struct settings *s, int stage)
{
    bool all_default = is_default(s, stage);
    for (int i = STAGE_CLASSIFY; i < STAGE_FUSED && stage == STAGE_FUSED && s->rung[stage]; i++)
        all_default = all_default && is_default(s, i);
    return all_default;
}

static void rung_row(const struct settings *s, int stage, char *text, size_t size)
{
    text[0] = 0;
    if (!goes_without_saying(s, stage)) snprintf(text, size, "%s=%s", stage_name[stage], s->rung[stage]->name);
}

/* clang-format off */
const struct settings_row settings_rows[] = {
    { "iso", "value", "automatic", value_row, 0, false, false, false },
    { "smooth", "smoothing", "off", smooth_row, 0, false, false, false },
    { "hide", "hidden", "none", hide_row, 0, false, false, false },
    { "min-size", "dust", "shown", min_size_row, 0, false, false, false },
    { "keep", "parts kept", "all", keep_row, 0, false, false, false },
    { "pair", "mirrored pairs", "none", pair_row, 0, false, false, false, .window = true },
    { "close", "caps", "off", close_row, 0, true, false, false },
    { NULL, "measuring", "off", measured_row, 0, true, false, false },
    { "slice", "slices", "off", slice_row, 0, false, false, false },
    { "knife", "cut across the view", "off", knife_row, 0, false, true, false },
    { "crop", "crop box", "off", crop_row, 0, false, false, false },
    { "open-cuts", "open cuts", "off", open_cuts_row, 0, true, false, false },
    { "slice-map", "colours of slices", "grey", map_row, 0, false, false, false },
    { "window", "colours of slices between", "all values", window_row, 0, false, false, false },
    { "shading", "shading", "light", shading_row, 0, false, false, false },
    { "edges", "triangle edges", "off", edges_row, 0, true, false, false },
    { "opacity", "opacity", "opaque", opacity_row, 0, false, false, false },
    { "color", "colours", "those of the shading", color_row, 0, false, false, false },
    { "color-by", "colours by", "none", color_by_row, 0, false, false, false },
    { "color-map", "colours by map", SETTINGS_TINT_MAP, color_map_row, 0, false, false, false },
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
    { "rung", "rung", "default", rung_row, AUX_UPLOAD, false, false, true },
    { "rung", "rung", "default", rung_row, AUX_REDUCE, false, false, true },
    { "rung", "rung", "default", rung_row, AUX_HISTOGRAM, false, false, true },
    { "rung", "rung", "default", rung_row, AUX_LOWER_BOUND, false, false, true },
    { "rung", "rung", "default", rung_row, AUX_GAUSSIAN, false, false, true },
    { "rung", "rung", "default", rung_row, AUX_MARCHING_SQUARES, false, false, true },
    { "rung", "rung", "default", rung_row, AUX_GEMV, false, false, true },
    { "rung", "rung", "default", rung_row, AUX_SORT, false, false, true },
    { "rung", "rung", "default", rung_row, AUX_COMPONENTS, false, false, true },
    { "rung", "rung", "default", rung_row, AUX_GEMM, false, false, true },
    { "draw", "drawing by", "whatever is faster", draw_row, 0, false, false, true },
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

void settings_take_switched_off(struct settings *to, const struct settings *from)
{
    for (int i = 0; i < LIVE_SURFACES; i++) {
        to->surface[i].filter = from->surface[i].filter;
        to->surface[i].translucent = from->surface[i].translucent;
    }
    for (int a = 0; a < SLICE_AXES; a++) to->plane[a].on = from->plane[a].on;
    to->measured = from->measured;
    to->close = from->close;
    to->cuts_capped = from->cuts_capped;
}

enum { SHOWN_DIGITS = 6 }; /* of numbers other than values of the volume */

/* Names the surface that only one of the two has. Returns false if there is none. */
static bool surface_difference(const struct settings *from, const struct settings *to, int digits, char *text, size_t size)
{
    char at[32];
    for (int i = 0; i < LIVE_SURFACES; i++) {
        const bool before = from->surface[i].use != LIVE_OFF, now = to->surface[i].use != LIVE_OFF;
        const double value = (now ? to : from)->surface[i].value;
        if (before == now) continue;
        if (isnan(value)) snprintf(text, size, "surface %s", now ? "added" : "removed");
        else snprintf(text, size, "surface at %s %s", text_digits(at, value, digits), now ? "added" : "removed");
        return true;
    }
    return false;
}

/* Rounds the numbers of a row's text, which have all digits, to as many as people read. */
static void round_numbers(const char *text, int digits, char to[SETTINGS_TEXT])
{
    size_t used = 0;
    char number[32];
    for (const char *at = text, *end; *at && used + 32 < SETTINGS_TEXT; at = end) {
        double value;
        const bool begins = (at == text || strchr("=:,", at[-1])) && strchr("-.0123456789", *at);
        if (begins && text_double(at, &end, &value) && end - at > 9)
            used += (size_t)snprintf(to + used, SETTINGS_TEXT - used, "%s", text_digits(number, value, digits));
        else {
            end = at + 1;
            to[used++] = *at;
        }
    }
    to[used] = 0;
}

void settings_difference(const struct settings *from, const struct settings *to, int digits, char *text, size_t size)
{
    char now[SETTINGS_TEXT], shown[SETTINGS_TEXT];
    struct settings asked = *from;
    const struct settings_row *first = NULL;
    bool named = false, more = false;
    if (surface_difference(from, to, digits, text, size)) return;
    settings_take_switched_off(&asked, to);
    if (settings_same(&asked, to)) asked = *from;
    snprintf(text, size, "nothing");
    for (const struct settings_row *row = settings_rows; row->title; row++) {
        if (!differs(row, from, to, now)) continue;
        more = more || (first && strcmp(first->title, row->title) != 0);
        first = first ? first : row;
        if (named || !differs(row, &asked, to, now)) continue;
        named = true;
        round_numbers(now, row->write == value_row || row->write == window_row ? digits : SHOWN_DIGITS, shown);
        snprintf(text, size, "%s%s%s", row->title, row->unsaid ? "" : " ", row->unsaid ? "" : *now ? shown : row->none);
    }
    const size_t used = strlen(text);
    if (more) snprintf(text + used, size - used, " and more");
}

/* ---- from options ------------------------------------------------------------------------------------------------- */

struct surface_look settings_look(const struct view_options *view, int number, bool *translucent)
{
    struct surface_look look = { .opacity = SETTINGS_OPACITY };
    struct render_surface first = { .mesh = NULL };
    const int color = view->colors > 1 ? number : 0;
    const double opacity = view->opacities ? view->opacity[view->opacities > 1 ? number : 0] : 1;
    render_first_colour(number, &first);
    look.coloured = first.coloured;
    memcpy(look.colour, first.colour, sizeof look.colour);
    if (color < view->colors && !view->own_color[color]) {
        look.coloured = true;
        memcpy(look.colour, view->color[color], sizeof look.colour);
    }
    *translucent = opacity < 1;
    if (*translucent) look.opacity = opacity;
    return look;
}

struct component_filter settings_filter(const struct view_options *view, int number)
{
    const int size = view->min_sizes > 1 ? number : 0, keep = view->keeps > 1 ? number : 0;
    struct component_filter filter = { .keep = keep < view->keeps ? view->keep[keep] : 0 };
    if (size < view->min_sizes) filter.min_size = view->min_size[size], filter.percent = view->min_percent[size];
    return filter;
}

static void from_surfaces(struct settings *s, const struct setup *setup, const struct view_options *view)
{
    for (int i = 0; i < LIVE_SURFACES; i++) {
        struct settings_surface *surface = &s->surface[i];
        surface->look = settings_look(view, i, &surface->translucent);
        if (i && i >= view->isos) continue;
        surface->use = view->hidden[i] ? LIVE_HIDDEN : LIVE_SHOWN;
        surface->value = i && !view->iso_in[i] ? view->iso[i] : NAN;
        surface->filter = settings_filter(view, i);
        surface->look.mirror = view->pair[i];
    }
    if (setup->iso_given && !setup->iso_in) s->surface[0].value = setup->iso;
}

void settings_from(struct settings *s, const struct setup *setup, const struct view_options *view)
{
    struct err unused;
    const int mode = render_mode_find(view->shading, &unused), map = colour_map_find(view->slice_map, &unused),
              by = tint_find(view->color_by, &unused),
              tint_map = colour_map_find(view->color_map ? view->color_map : SETTINGS_TINT_MAP, &unused),
              draw = raster_way_find(view->draw, &unused);
    *s = (struct settings){ .tint = by > 0 ? (enum tint_by)by : TINT_NONE,
                            .tint_map = tint_map > 0 ? tint_map : 0,
                            .sigma = setup->smooth,
                            .sigma_mm = setup->smooth_mm,
                            .close = setup->close,
                            .wireframe = view->edges,
                            .box = view->box,
                            .mode = mode > 0 ? (unsigned)mode : 0,
                            .map = map > 0 ? map : 0,
                            .cuts_capped = !view->open_cuts,
                            .window_given = view->window_given,
                            .draw = draw > 0 ? (enum raster_way)draw : RASTER_AUTO };
    s->view = (struct settings_view){ .up = view->up,
                                      .orthographic = view->orthographic,
                                      .fit = !view->target_given,
                                      .azimuth = view->view_given ? view->azimuth : CAMERA_AZIMUTH,
                                      .elevation = view->view_given ? view->elevation : CAMERA_ELEVATION,
                                      .distance = view->distance,
                                      .aspect = view->aspect };
    memcpy(s->view.target, view->target, sizeof s->view.target);
    memcpy(s->window, view->window, sizeof s->window);
    memcpy(s->crop.side, view->crop, sizeof s->crop.side);
    memcpy(s->crop_given, view->crop_given, sizeof s->crop_given);
    for (int i = 0; i < CROP_SIDES; i++) s->crop.on = s->crop.on || view->crop_given[i];
    from_surfaces(s, setup, view);
    for (int a = 0; a < SLICE_AXES; a++)
        s->plane[a] = (struct settings_plane){ view->slice_given[a],
                                               view->slice_given[a] ? (size_t)view->slice[a] : SETTINGS_STAYS,
                                               view->slice_cut[a] };
    if (view->knife_given) slices_set_knife(&s->knife, view->knife);
}
