/* The histogram of the panel: bars over an axis that can be zoomed, and the isovalue as a line on it. */
#include "box_plan.h"
#include "app_surfaces.h"
#include "app_value.h"
#include "panel_parts.h"
#include "text.h"

#include <math.h>
#include <stdio.h>

namespace
{

const ImU32 PROBED = IM_COL32(126, 190, 168, 255), RIM = IM_COL32(10, 12, 15, 200);
const float PLOT_HEIGHT = 92, TICK_HEIGHT = 4, TICK_LETTERS = 12; /* pixels at scale 1; least distance of two ticks */
const float REACH = 6;                                            /* pixels at scale 1 by which a press may miss a line */
const double ZOOM = 1.25, LEAST_BINS = 8;                         /* per notch of the wheel; least that can be shown */

struct plot { /* the histogram on the screen */
    ImVec2 at, size;
    double lo, hi;   /* values at its ends, real units */
    double from, to; /* the same, as parts of all bins */
};

double plot_value(const struct plot *p, float x) { return p->lo + (p->hi - p->lo) * (x - p->at.x) / p->size.x; }

double plot_part(const struct plot *p, double value) { return (value - p->lo) / (p->hi - p->lo); }

float plot_x(const struct plot *p, double value)
{
    const double part = plot_part(p, value);
    return p->at.x + p->size.x * (float)(part < 0 ? 0 : part > 1 ? 1 : part);
}

struct plot make_plot(const struct app *app)
{
    const struct stats *stats = &app->live.stats;
    const double lo = volume_real(&app->live.volume, stats->lo), hi = volume_real(&app->live.volume, stats->hi);
    struct plot p;
    p.from = app->axis.from, p.to = app->axis.to > 0 ? app->axis.to : 1;
    p.lo = lo + (hi - lo) * p.from, p.hi = lo + (hi - lo) * p.to;
    p.at = ImGui::GetCursorScreenPos();
    p.size = ImVec2(floorf(ImGui::GetContentRegionAvail().x), PLOT_HEIGHT * (float)app->scale);
    return p;
}

/* ---- bars ---------------------------------------------------------------------------------------------------------- */

/* The least distance between two bins with voxels. It is more than 1 if the values are multiples of something. */
unsigned bin_step(const struct stats *stats)
{
    unsigned last = stats->bins, step = stats->bins;
    for (unsigned b = 0; b < stats->bins; b++) {
        if (!stats->counts[b]) continue;
        if (last < b && b - last < step) step = b - last;
        last = b;
    }
    return step;
}

/* The largest count of the bins that column c shows. They are at least one step of bins. */
uint64_t column_count(const struct plot *p, const struct stats *stats, int c, unsigned step)
{
    const double width = (p->to - p->from) * stats->bins / p->size.x, left = p->from * stats->bins + c * width;
    unsigned first = (unsigned)left, last = (unsigned)(left + width);
    last = last > first ? last : first + 1;
    if (step > 1 && last - first < step) first -= first < step / 2 ? first : step / 2, last += step / 2 + 1;
    uint64_t count = 0;
    for (unsigned b = first; b < last && b < stats->bins; b++) count = stats->counts[b] > count ? stats->counts[b] : count;
    return count;
}

double bar_height(double count, double top, bool linear)
{
    return linear ? count / top : 0.03 + 0.97 * log1p(count) / log1p(top);
}

/* Draws a bar per pixel; those of voxels inside the surface are lit. */
void draw_bars(ImDrawList *list, const struct plot *p, const struct app *app)
{
    const struct stats *stats = &app->live.stats;
    const unsigned step = bin_step(stats);
    const int columns = (int)p->size.x;
    uint64_t top = 1;
    for (int c = 0; c < columns; c++) {
        const uint64_t count = column_count(p, stats, c, step);
        top = count > top ? count : top;
    }
    for (int c = 0; c < columns; c++) {
        const uint64_t count = column_count(p, stats, c, step);
        if (!count) continue;
        const float height = ceilf(p->size.y * (float)bar_height((double)count, (double)top, app->axis.linear));
        const float x = p->at.x + (float)c;
        const bool inside = plot_value(p, x + 0.5f) >= app_value(app);
        list->AddRectFilled(ImVec2(x, p->at.y + p->size.y - height), ImVec2(x + 1, p->at.y + p->size.y),
                            inside ? BAR_INSIDE : BAR_OUTSIDE);
    }
}

/* ---- lines and ticks ----------------------------------------------------------------------------------------------- */

ImU32 colour_of(const struct app *app, int surface)
{
    float c[3];
    if (!app->look[surface].coloured) return ACCENT;
    app_surface_colour(app, surface, c);
    return ImGui::ColorConvertFloat4ToU32(ImVec4(c[0], c[1], c[2], 1));
}

void draw_value_line(ImDrawList *list, const struct plot *p, double value, ImU32 colour, float unit)
{
    const double part = plot_part(p, value);
    const float x = floorf(plot_x(p, value)) + 0.5f, top = p->at.y - 2 * unit, bottom = p->at.y + p->size.y;
    const ImVec2 a(x - 5 * unit, top - 5 * unit), b(x + 5 * unit, top - 5 * unit), c(x, top + 3 * unit);
    list->AddTriangle(a, b, c, RIM, 2 * unit); /* visible on a light panel too */
    list->AddTriangleFilled(a, b, c, colour);
    if (part < 0 || part > 1) return; /* beyond this end */
    list->AddLine(ImVec2(x, top), ImVec2(x, bottom), RIM, 3.5f * unit);
    list->AddLine(ImVec2(x, top), ImVec2(x, bottom), colour, 1.5f * unit);
}

/* Draws a line for each surface. The active one's comes last, and its handle has a bright rim. */
void draw_value_lines(ImDrawList *list, const struct plot *p, const struct app *app, float unit)
{
    for (int i = 0; i < LIVE_SURFACES; i++)
        if (i != app->active && app->wish.use[i] != LIVE_OFF)
            draw_value_line(list, p, app->wish.value[i], colour_of(app, i), unit);
    draw_value_line(list, p, app_value(app), colour_of(app, app->active), unit);
    if (app_count_surfaces(app) < 2) return;
    const float x = floorf(plot_x(p, app_value(app))) + 0.5f, top = p->at.y - 2 * unit;
    list->AddTriangle(ImVec2(x - 5 * unit, top - 5 * unit), ImVec2(x + 5 * unit, top - 5 * unit), ImVec2(x, top + 3 * unit),
                      IM_COL32(244, 246, 250, 255), 1.5f * unit);
}

/* Makes the surface whose line is under the cursor the active one. */
void pick_line(struct app *app, const struct plot *p)
{
    const float x = ImGui::GetIO().MousePos.x;
    int nearest = app->active;
    float best = REACH * (float)app->scale;
    for (int i = 0; i < LIVE_SURFACES; i++) {
        const float off = fabsf(plot_x(p, app->wish.value[i]) - x);
        if (app->wish.use[i] != LIVE_OFF && off < best) nearest = i, best = off;
    }
    app_pick_surface(app, nearest);
}

/* Draws a line at the value of the clicked point. */
void draw_probed(ImDrawList *list, const struct plot *p, const struct probe *probe, float unit)
{
    const double part = plot_part(p, probe->value);
    if (!probe->shown || part < 0 || part > 1) return;
    const float x = floorf(plot_x(p, probe->value)) + 0.5f;
    list->AddLine(ImVec2(x, p->at.y), ImVec2(x, p->at.y + p->size.y), PROBED, 1.5f * unit);
}

void draw_ticks(ImDrawList *list, const struct plot *p, float unit)
{
    const float letter = ImGui::CalcTextSize("0").x, foot = p->at.y + p->size.y;
    const double least = (p->hi - p->lo) * TICK_LETTERS * letter / p->size.x;
    if (!(least > 0) || !isfinite(least)) return;
    const double step = box_round_up(least);
    const int digits = text_digits_between(p->lo, p->hi, 6);
    for (double i = ceil(p->lo / step); i * step <= p->hi; i++) {
        char text[32];
        snprintf(text, sizeof text, "%.*g", digits, i * step + 0.0); /* + 0.0: never -0 */
        const float x = floorf(plot_x(p, i * step)) + 0.5f, wide = ImGui::CalcTextSize(text).x;
        const float most = p->at.x + p->size.x - wide, left = x - wide / 2;
        list->AddLine(ImVec2(x, foot), ImVec2(x, foot + TICK_HEIGHT * unit), ImGui::GetColorU32(ImGuiCol_TextDisabled));
        list->AddText(ImVec2(left < p->at.x ? p->at.x
                             : left > most  ? most
                                            : left,
                             foot + TICK_HEIGHT * unit),
                      ImGui::GetColorU32(ImGuiCol_TextDisabled), text);
    }
}

/* ---- mouse --------------------------------------------------------------------------------------------------------- */

/* Rounds to multiples of a power of ten, finer than a pixel, so that values are easy to read. */
double round_value(double value, double range)
{
    const double step = pow(10, floor(log10(range / 1000)));
    return step > 0 && isfinite(step) ? round(value / step) * step : value;
}

void value_tooltip(const struct app *app, const struct plot *p, double value)
{
    ImGuiStorage *logged = ImGui::GetStateStorage();
    const ImGuiID id = ImGui::GetID("tooltip");
    char text[32];
    snprintf(text, sizeof text, "%.*g", text_digits_between(p->lo, p->hi, 5), value);
    mouse_tooltip(text);
    if (logged->GetFloat(id, NAN) != (float)value) app_log(app, "tooltip %s", text);
    logged->SetFloat(id, (float)value);
}

/* While dragging, the line follows the cursor. That includes the last movement, which may come in the same frame as the
 * button's release. With Shift it moves a tenth as far. */
void drag_value(struct app *app, const struct plot *p)
{
    const ImGuiIO &io = ImGui::GetIO();
    const double range = p->hi - p->lo, least = app->live.stats.real_min, most = app->live.stats.real_max;
    double value = app_value(app);
    if (io.KeyShift && io.MouseDelta.x != 0)
        value = round_value(value + 0.1 * range * io.MouseDelta.x / p->size.x, range / 10);
    else if (!io.KeyShift && (ImGui::IsItemActivated() || io.MouseDelta.x != 0))
        value = round_value(plot_value(p, io.MousePos.x), range);
    if (value != app_value(app)) app_set_value(app, value < least ? least : value > most ? most : value);
    value_tooltip(app, p, app_value(app));
}

/* The wheel moves the value by a hundredth of the visible range, with Shift by a thousandth. With Control it zooms. */
void wheel(struct app *app, const struct plot *p)
{
    const ImGuiIO &io = ImGui::GetIO();
    const double notches = io.MouseWheel != 0 ? io.MouseWheel : io.MouseWheelH, bins = app->live.stats.bins;
    const struct stats *stats = &app->live.stats;
    if (notches == 0) return;
    if (io.KeyCtrl) {
        const double span = p->to - p->from, under = p->from + span * (io.MousePos.x - p->at.x) / p->size.x;
        const double wanted = span * pow(ZOOM, -notches), most = fmin(1, fmax(wanted, LEAST_BINS / bins));
        app->axis.from = fmax(0, fmin(1 - most, under - (under - p->from) * most / span));
        app->axis.to = app->axis.from + most;
        app_mark(app);
        return;
    }
    const double all = volume_real(&app->live.volume, stats->hi) - volume_real(&app->live.volume, stats->lo);
    app_step_value(app, notches * (io.KeyShift ? 0.001 : 0.01) * (p->hi - p->lo) / all);
}

void mouse(struct app *app, const struct plot *p)
{
    const bool doubled = ImGui::GetIO().MouseClickedLastCount[0] > 1; /* in this press or the last one */
    if (ImGui::IsItemActivated()) pick_line(app, p);
    if (ImGui::IsItemHovered()) wheel(app, p);
    if (ImGui::IsItemActivated() && doubled) app_reset_value(app);
    if ((ImGui::IsItemActive() || ImGui::IsItemDeactivated()) && !doubled) drag_value(app, p);
    else if (ImGui::IsItemHovered()) value_tooltip(app, p, plot_value(p, ImGui::GetIO().MousePos.x));
}

/* Below the ticks: linear or logarithmic heights, back to the whole axis, and hints. */
void buttons(struct app *app)
{
    const bool zoomed = app->axis.to > 0 && app->axis.to - app->axis.from < 1;
    if (ImGui::SmallButton(app->axis.linear ? "linear" : "log")) app->axis.linear = !app->axis.linear;
    widget(app, "histogram scale");
    if (ImGui::IsItemHovered()) tooltip("heights of the bars: the counts or their logarithms");
    ImGui::SameLine();
    if (zoomed && ImGui::SmallButton("all values")) app->axis.from = app->axis.to = 0;
    if (zoomed) widget(app, "histogram all"), ImGui::SameLine();
    ImGui::TextColored(DIM_TEXT, zoomed ? "wheel: value; Ctrl: zoom" : "drag, Shift: 10x finer; Ctrl+wheel: zoom");
}

} // namespace

bool histogram(struct app *app)
{
    const float unit = (float)app->scale;
    ImGui::Dummy(ImVec2(0, 5 * unit)); /* the line's handle sticks out above */
    const struct plot p = make_plot(app);
    ImDrawList *list = ImGui::GetWindowDrawList();
    list->AddRectFilled(p.at, ImVec2(p.at.x + p.size.x, p.at.y + p.size.y), ImGui::GetColorU32(ImGuiCol_FrameBg), 3 * unit);
    ImGui::InvisibleButton("##histogram", p.size);
    widget(app, "histogram");
    const bool held = is_held();
    mouse(app, &p);
    draw_bars(list, &p, app);
    draw_probed(list, &p, &app->probe, unit);
    draw_value_lines(list, &p, app, unit);
    draw_ticks(list, &p, unit);
    ImGui::Dummy(ImVec2(0, TICK_HEIGHT * unit + ImGui::GetTextLineHeight() - ImGui::GetStyle().ItemSpacing.y));
    buttons(app);
    return held;
}
