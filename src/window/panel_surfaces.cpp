/* The panel's list of surfaces: colour, value, opacity, whether shown, and removal. */
#include "panel_parts.h"
#include "app_surfaces.h"

#include <stdio.h>

namespace
{

const float VALUE_WIDTH = 118, OPACITY_WIDTH = 104; /* at scale 1 */

void swatch(struct app *app, int surface)
{
    float colour[3];
    app_surface_colour(app, surface, colour);
    const ImGuiColorEditFlags flags = ImGuiColorEditFlags_NoInputs | ImGuiColorEditFlags_NoLabel |
                                      ImGuiColorEditFlags_NoTooltip;
    if (ImGui::ColorEdit3("##colour", colour, flags)) app_set_colour(app, surface, colour);
    widget(app, "surface %d colour", surface);
    if (ImGui::IsItemHovered()) tooltip("the colour of the surface, of its bar and of its contours on slices");
}

/* The surface's value; a click makes it the active one. In a pair, both values have a sign, as "plus-minus -0.15" would not
 * be a number. */
void value_button(struct app *app, int surface)
{
    char text[64], value[32];
    const bool active = surface == app->active, paired = app->look[surface].mirror;
    value_text(app, value, sizeof value, app->wish.value[surface]);
    const char *const sign = paired && app->wish.value[surface] > 0 ? "+" : "";
    snprintf(text, sizeof text, "%s%s###value", sign, value);
    if (choice(text, active, keys_find(key_next_surface, 1),
               paired ? "One of a pair: the other has minus this value, and follows"
                      : "Keys, wheel and fields change the highlighted surface",
               ImVec2(VALUE_WIDTH * (float)app->scale, 0)))
        app_pick_surface(app, surface);
    widget(app, "surface %d", surface);
    if (paired) widget(app, "pair %s%s", sign, value); /* tests read this text from the log */
}

void opacity_slider(struct app *app, int surface)
{
    double opacity = app->wish.translucent[surface] ? app->look[surface].opacity : 1;
    ImGui::SetNextItemWidth(OPACITY_WIDTH * (float)app->scale);
    if (slider_double("##opacity", &opacity, 0, 1, opacity < 1 ? "%.2f" : "opaque", ImGuiSliderFlags_AlwaysClamp))
        app_give_opacity(app, surface, opacity);
    widget(app, "surface %d opacity", surface);
    if (ImGui::IsItemHovered() && !ImGui::IsItemActive()) tooltip("its opacity where you look straight at it");
}

void row(struct app *app, int surface)
{
    bool shown = app->wish.use[surface] == LIVE_SHOWN;
    ImGui::PushID(surface);
    swatch(app, surface);
    ImGui::SameLine();
    value_button(app, surface);
    ImGui::SameLine();
    opacity_slider(app, surface);
    ImGui::SameLine();
    if (ImGui::Checkbox("##shown", &shown)) app_flip_surface(app, surface);
    widget(app, "surface %d shown", surface);
    if (ImGui::IsItemHovered()) key_tooltip(keys_find(key_flip_surface, 0), "The key acts on the highlighted surface");
    if (app_count_surfaces(app) > 1) {
        ImGui::SameLine();
        if (choice("x", false, keys_find(key_drop_surface, 0), "The key acts on the highlighted surface"))
            app_drop_surface(app, surface);
        widget(app, "surface %d remove", surface);
    }
    ImGui::PopID();
}

/* Buttons that add a surface, after the last row. */
void add_buttons(struct app *app)
{
    ImGui::SameLine();
    if (choice("+", false, keys_find(key_add_surface, 0), "At a value that no surface has")) app_add_surface(app, false);
    widget(app, "add surface");
    ImGui::SameLine();
    if (choice("\xc2\xb1", false, keys_find(key_add_surface, 1), "Moving one of the two moves the other"))
        app_add_surface(app, true);
    widget(app, "add mirrored");
}

} // namespace

void surface_rows(struct app *app)
{
    for (int i = 0; i < LIVE_SURFACES; i++)
        if (app->wish.use[i] != LIVE_OFF) row(app, i);
    if (app_count_surfaces(app) < LIVE_SURFACES) add_buttons(app);
}
