/* The panel's isovalue: its fields, and the sigma of the smoothing. */
#include "panel_parts.h"
#include "app_value.h"

#include <math.h>
#include <stdio.h>

namespace
{

/* The smoothing of the volume. Returns whether the slider is held. */
bool smooth_row(struct app *app)
{
    double sigma = (double)app->wish.sigma;
    char format[64] = "off";
    const char *unit;
    const double mm = setup_unit_mm(&app->live.volume, &unit);
    if (sigma > 0 && app->sigma_mm)
        snprintf(format, sizeof format, "sigma %%.2f voxels: %.3g %s", sigma * setup_shortest_mm(&app->live.volume) / mm,
                 unit);
    else if (sigma > 0) snprintf(format, sizeof format, "sigma %%.2f voxels");
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(ACCENT_TEXT, "Smooth");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(-1);
    if (slider_double("##smooth", &sigma, 0, ISO_MAX_SIGMA, format, ImGuiSliderFlags_AlwaysClamp))
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
    value_text(app, typed, sizeof typed, app_value(app));
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(ACCENT_TEXT, "Value");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(130 * (float)app->scale);
    text_field(app, &app->typed[TYPED_VALUE], "##value", typed, app_type_value);
    widget(app, "value");
    if (ImGui::IsItemHovered() && !ImGui::IsItemActive())
        tooltip("a value, a percentage of the voxels: 95%, or standard deviations above their mean: 3sd");
    ImGui::SameLine();
    if (ImGui::Button("auto")) app_auto_value(app);
    widget(app, "auto");
    if (ImGui::IsItemHovered())
        key_tooltip(keys_find(key_auto_value, 0),
                    "Again: the next of them. One splits the histogram best (Otsu), one has 1 % of the voxels above it");
}

/* For a map of density: the value in standard deviations. */
void deviations(const struct app *app)
{
    char number[24];
    if (!app->live.volume.density || !app->live.stats.bins) return;
    snprintf(number, sizeof number, "%.3g sd", stats_deviations(&app->live.stats, app_value(app)));
    ImGui::SameLine();
    ImGui::TextColored(DIM_TEXT, "%s", number);
    widget(app, "deviations %s", number); /* tests read this text from the log */
    if (ImGui::IsItemHovered()) tooltip("standard deviations above the mean of all voxels");
}

void percent_field(struct app *app)
{
    const char *below = "% below";
    const float field = 72 * (float)app->scale;
    const float width = field + ImGui::GetStyle().ItemSpacing.x + ImGui::CalcTextSize(below).x;
    char typed[64];
    snprintf(typed, sizeof typed, "%.4g", 100 * stats_part_below(&app->live.stats, &app->live.volume, app_value(app)));
    ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - width);
    ImGui::SetNextItemWidth(field);
    text_field(app, &app->typed[TYPED_PERCENT], "##percent", typed, app_type_percent);
    widget(app, "percent");
    if (ImGui::IsItemHovered()) key_tooltip(keys_find(key_step_percent, -1), "Shift: by 0.1 %");
    ImGui::SameLine();
    ImGui::TextColored(DIM_TEXT, "%s", below);
}

/* Says why there is no histogram. */
void no_histogram(struct app *app)
{
    const struct stats *stats = &app->live.stats;
    const bool coming = live_any_is_coming(&app->live);
    ImGui::PushTextWrapPos(0);
    if (stats->summary.count)
        ImGui::TextColored(DIM_TEXT, "Every voxel has the value %.6g: there is none to choose.", stats->real_min);
    else if (stats->summary.nan + stats->summary.infinite) ImGui::TextColored(DIM_TEXT, "No voxel has a finite value.");
    else if (coming) ImGui::TextColored(DIM_TEXT, "The values are being counted.");
    else
        ImGui::TextColored(DIM_TEXT, "The values have not been counted: %s counts them.",
                           keys_find(key_auto_value, 0)->name);
    ImGui::PopTextWrapPos();
    widget(app, "no values%s", coming ? " yet" : "");
}

} // namespace

void value_section(struct app *app)
{
    bool held = false;
    value_field(app);
    deviations(app);
    if (app->live.stats.bins) {
        percent_field(app);
        held = histogram(app);
    } else no_histogram(app);
    held |= smooth_row(app); /* even without values: smoothing may be the reason that there are none */
    app_hold_value(app, held);
}
