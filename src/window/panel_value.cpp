/* The panel's isovalue: field, histogram, and the sigma of the smoothing. */
#include "panel_parts.h"

#include <math.h>
#include <stdio.h>

namespace
{

const ImU32 BAR_INSIDE = IM_COL32(222, 200, 164, 255), BAR_OUTSIDE = IM_COL32(84, 98, 116, 255);
const ImU32 PLOT = IM_COL32(16, 19, 24, 255);

struct plot { /* the histogram on the screen */
    ImVec2 at, size;
    double lo, hi; /* real units */
};

double plot_value(const struct plot *p, float x) { return p->lo + (p->hi - p->lo) * (x - p->at.x) / p->size.x; }

float plot_x(const struct plot *p, double value)
{
    const double part = (value - p->lo) / (p->hi - p->lo);
    return p->at.x + p->size.x * (float)(part < 0 ? 0 : part > 1 ? 1 : part);
}

/* A bar per pixel, as high as the logarithm of its bins' largest count; what the surface encloses is lit. */
void draw_bars(ImDrawList *list, const struct plot *p, const struct stats *stats, double value)
{
    uint64_t top = 1;
    for (unsigned b = 0; b < stats->bins; b++) top = stats->counts[b] > top ? stats->counts[b] : top;
    const int columns = (int)p->size.x;
    const double highest = log1p((double)top);
    for (int c = 0; c < columns; c++) {
        unsigned first = (unsigned)((uint64_t)c * stats->bins / (unsigned)columns);
        unsigned last = (unsigned)(((uint64_t)c + 1) * stats->bins / (unsigned)columns);
        uint64_t count = 0;
        for (unsigned b = first; b < (last > first ? last : first + 1); b++)
            count = stats->counts[b] > count ? stats->counts[b] : count;
        if (!count) continue;
        const float height = p->size.y * (float)(0.03 + 0.97 * log1p((double)count) / highest), x = p->at.x + (float)c;
        const bool inside = plot_value(p, x + 0.5f) >= value;
        list->AddRectFilled(ImVec2(x, p->at.y + p->size.y - height), ImVec2(x + 1, p->at.y + p->size.y),
                            inside ? BAR_INSIDE : BAR_OUTSIDE);
    }
}

/* Whole steps of a 1, 2 or 5 that the eye can read, finer than a pixel. */
double round_value(double value, double range)
{
    const double step = pow(10, floor(log10(range / 1000)));
    return step > 0 && isfinite(step) ? round(value / step) * step : value;
}

/* Dragging: the line follows the cursor; with Shift it moves a tenth as far. */
void drag_value(struct app *app, const struct plot *p)
{
    const ImGuiIO &io = ImGui::GetIO();
    const double range = p->hi - p->lo, least = app->live.stats.real_min, most = app->live.stats.real_max;
    if (ImGui::IsItemActive() && io.KeyShift) {
        if (io.MouseDelta.x != 0)
            app_set_value(app, round_value(app->wish.value[0] + 0.1 * range * io.MouseDelta.x / p->size.x, range / 10));
    } else if (ImGui::IsItemActive() && (ImGui::IsItemActivated() || io.MouseDelta.x != 0)) {
        const double value = round_value(plot_value(p, io.MousePos.x), range);
        app_set_value(app, value < least ? least : value > most ? most : value);
    } else if (ImGui::IsItemHovered() && !ImGui::IsItemActive()) {
        char text[32];
        snprintf(text, sizeof text, "%.5g", plot_value(p, io.MousePos.x));
        tooltip(text);
    }
}

void draw_value_line(ImDrawList *list, const struct plot *p, double value, float unit)
{
    const float x = floorf(plot_x(p, value)) + 0.5f, top = p->at.y - 2 * unit, bottom = p->at.y + p->size.y;
    list->AddLine(ImVec2(x, top), ImVec2(x, bottom), IM_COL32(10, 12, 15, 200), 3.5f * unit);
    list->AddLine(ImVec2(x, top), ImVec2(x, bottom), ACCENT, 1.5f * unit);
    list->AddTriangleFilled(ImVec2(x - 5 * unit, top - 5 * unit), ImVec2(x + 5 * unit, top - 5 * unit),
                            ImVec2(x, top + 3 * unit), ACCENT);
}

/* How much the volume is smoothed. Whether the slider is held. */
bool smooth_row(struct app *app)
{
    float sigma = app->wish.sigma;
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(ACCENT_TEXT, "Smooth");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(-1);
    if (ImGui::SliderFloat("##smooth", &sigma, 0, ISO_MAX_SIGMA, sigma > 0 ? "sigma %.2f voxels" : "off",
                           ImGuiSliderFlags_AlwaysClamp))
        app_set_sigma(app, round(20 * sigma) / 20);
    widget(app, "sigma");
    const bool held = is_held();
    if (ImGui::IsItemHovered() && !held)
        key_tooltip(keys_find(key_step_sigma, 1),
                    "A NaN spreads to all voxels within 3 sigma along the axes. Ctrl+click to type");
    return held;
}

void value_field(struct app *app)
{
    char typed[64];
    snprintf(typed, sizeof typed, "%.6g", app->wish.value[0]);
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(ACCENT_TEXT, "Value");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(130 * (float)app->scale);
    const ImGuiInputTextFlags flags = ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll;
    if (ImGui::InputText("##value", typed, sizeof typed, flags)) app_type_value(app, typed);
    widget(app, "value");
    if (ImGui::IsItemHovered() && !ImGui::IsItemActive()) tooltip("a value, or a percentage of the voxels: 95%");
    ImGui::SameLine();
    if (ImGui::Button("auto")) app_auto_value(app);
    if (ImGui::IsItemHovered()) key_tooltip(keys_find(key_auto_value, 0), "The one that splits the histogram best (Otsu)");
}

void percent_field(struct app *app)
{
    const char *below = "% below";
    const float field = 72 * (float)app->scale;
    const float width = field + ImGui::GetStyle().ItemSpacing.x + ImGui::CalcTextSize(below).x;
    double percent = 100 * stats_part_below(&app->live.stats, &app->live.volume, app->wish.value[0]);
    ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - width);
    ImGui::SetNextItemWidth(field);
    if (ImGui::InputDouble("##percent", &percent, 0, 0, "%.4g", ImGuiInputTextFlags_EnterReturnsTrue))
        app_set_percent(app, percent);
    widget(app, "percent");
    if (ImGui::IsItemHovered()) key_tooltip(keys_find(key_step_percent, -1), "Shift: by 0.1 %");
    ImGui::SameLine();
    ImGui::TextColored(DIM_TEXT, "%s", below);
}

/* Says why there is no histogram. */
void no_histogram(const struct stats *stats)
{
    ImGui::PushTextWrapPos(0);
    if (stats->summary.count)
        ImGui::TextColored(DIM_TEXT, "Every voxel has the value %.6g: there is none to choose.", stats->real_min);
    else if (stats->summary.nan + stats->summary.infinite) ImGui::TextColored(DIM_TEXT, "No voxel has a finite value.");
    else
        ImGui::TextColored(DIM_TEXT, "The values have not been counted yet: %s counts them.",
                           keys_find(key_auto_value, 0)->name);
    ImGui::PopTextWrapPos();
}

/* Draws the histogram with its value line. Returns whether the mouse holds it. */
bool histogram(struct app *app)
{
    const struct stats *stats = &app->live.stats;
    const float unit = (float)app->scale;
    struct plot p;
    ImGui::Dummy(ImVec2(0, 5 * unit)); /* the line's handle sticks out */
    p.lo = volume_real(&app->live.volume, stats->lo);
    p.hi = volume_real(&app->live.volume, stats->hi);
    p.at = ImGui::GetCursorScreenPos();
    p.size = ImVec2(floorf(ImGui::GetContentRegionAvail().x), 92 * unit);
    ImDrawList *list = ImGui::GetWindowDrawList();
    list->AddRectFilled(p.at, ImVec2(p.at.x + p.size.x, p.at.y + p.size.y), PLOT, 3 * unit);
    ImGui::InvisibleButton("##histogram", p.size);
    widget(app, "histogram");
    const bool held = is_held();
    drag_value(app, &p);
    draw_bars(list, &p, stats, app->wish.value[0]);
    draw_value_line(list, &p, app->wish.value[0], unit);
    return held;
}

/* The ends of the histogram, and between them how to use it. */
void range_row(const struct stats *stats)
{
    const char *hint = "log counts; drag, Shift: 10x finer";
    char most[32];
    snprintf(most, sizeof most, "%.5g", stats->real_max);
    ImGui::TextColored(DIM_TEXT, "%.5g", stats->real_min);
    ImGui::SameLine((ImGui::GetWindowContentRegionMax().x - ImGui::CalcTextSize(hint).x) / 2);
    ImGui::TextColored(ImVec4(0.40f, 0.43f, 0.47f, 1), "%s", hint);
    ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - ImGui::CalcTextSize(most).x);
    ImGui::TextColored(DIM_TEXT, "%s", most);
}

} // namespace

void value_section(struct app *app)
{
    bool held = false;
    value_field(app);
    if (app->live.stats.bins) {
        percent_field(app);
        held = histogram(app);
        range_row(&app->live.stats);
    } else no_histogram(&app->live.stats);
    held |= smooth_row(app); /* also without values: it may be what left none */
    app_hold_value(app, held);
}
