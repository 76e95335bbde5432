/* How the surface looks, from where it is seen, and which file format it is written in. */
#include "panel_parts.h"
#include "app_actions.h"
#include "app_surfaces.h"
#include "app_view.h"

#include "export_format.h"

#include <stdio.h>

namespace
{

const float CLOSE = 4; /* pixels at scale 1 between buttons in a full row */

void opacity_row(struct app *app)
{
    bool translucent = app->wish.translucent[app->active], closed = app->wish.close, edges = app->wireframe;
    double opacity = app->look[app->active].opacity;
    control("opacity");
    if (ImGui::Checkbox("##translucent", &translucent)) app_flip_translucent(app);
    if (ImGui::IsItemHovered())
        key_tooltip(keys_find(key_flip_translucent, 0), "Its triangles are drawn from back to front");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(150 * (float)app->scale);
    if (slider_double("##opacity", &opacity, 0, 1, "%.2f", ImGuiSliderFlags_None)) app_set_opacity(app, opacity);
    if (ImGui::IsItemHovered() && !ImGui::IsItemActive())
        tooltip("opacity of a translucent surface where you look straight at it");
    ImGui::SameLine();
    if (ImGui::Checkbox("caps", &closed)) app_flip_close(app);
    widget(app, "caps");
    if (ImGui::IsItemHovered())
        key_tooltip(keys_find(key_flip_close, 0),
                    "As if everything outside were below the isovalue. Closes each part that is shown");
    ImGui::SameLine();
    if (ImGui::Checkbox("edges", &edges)) app_flip_wireframe(app);
    widget(app, "edges");
    if (ImGui::IsItemHovered()) key_tooltip(keys_find(key_flip_wireframe, 0), "");
}

void shading_row(struct app *app)
{
    control("shading");
    for (unsigned i = 0; render_modes[i].name; i++) {
        char idea[120];
        snprintf(idea, sizeof idea, "This one: %s", render_modes[i].idea);
        if (choice(render_modes[i].name, i == app->mode, keys_find(key_next_mode, 1), idea)) app_set_mode(app, i);
        widget(app, "shading %s", render_modes[i].name);
        if (render_modes[i + 1].name) ImGui::SameLine(0, CLOSE * (float)app->scale);
    }
}

/* The quantity that colours the surfaces, and the colour map. */
void tint_row(struct app *app)
{
    static const char *const names[TINT_WAYS] = { "own", "by x", "by y", "by z", "by gradient" };
    const float wide = 17 * ImGui::CalcTextSize("0").x;
    control("colours");
    ImGui::SetNextItemWidth(wide);
    if (ImGui::BeginCombo("##tint", names[app->tint.by])) {
        for (int i = 0; i < TINT_WAYS; i++) {
            if (list_item(names[i], i == (int)app->tint.by)) app_set_tint(app, (enum tint_by)i);
            widget(app, "tint %s", tint_name[i]);
        }
        ImGui::EndCombo();
    }
    widget(app, "tint");
    if (ImGui::IsItemHovered())
        tooltip("colours of all surfaces: their own, by position, or by how steep the values are there");
    if (!app->tint.by) return;
    ImGui::SameLine();
    ImGui::SetNextItemWidth(wide);
    if (ImGui::BeginCombo("##tint map", colour_maps[app->tint.map].name)) {
        for (int i = 0; colour_maps[i].name; i++) {
            if (list_item(colour_maps[i].name, i == app->tint.map)) app_set_tint_map(app, i);
            widget(app, "tint map %s", colour_maps[i].name);
            if (ImGui::IsItemHovered()) tooltip(colour_maps[i].idea);
        }
        ImGui::EndCombo();
    }
    widget(app, "tint map");
}

void up_row(struct app *app)
{
    control("up");
    for (int up = 0; up < CAMERA_UPS; up++) {
        if (up) ImGui::SameLine();
        if (choice(camera_up_name[up], up == (int)app->camera.up, keys_find(key_next_up, 1),
                   "It is remembered for each file"))
            app_set_up(app, (enum camera_up)up);
        widget(app, "up %s", camera_up_name[up]);
    }
}

void from_row(struct app *app)
{
    const struct key *key = keys_find(key_look_level, 0);
    control("from");
    if (choice("front", false, key, "")) app_look(app, 0, 0);
    ImGui::SameLine();
    if (choice("right", false, key, "")) app_look(app, 90, 0);
    ImGui::SameLine();
    if (choice("top", false, key, "")) app_look_down(app);
    ImGui::SameLine();
    if (choice("fit", false, keys_find(key_fit, 0), "")) app_fit(app);
    widget(app, "fit");
    ImGui::SameLine();
    bool orthographic = app->camera.orthographic;
    if (ImGui::Checkbox("orthographic", &orthographic)) app_flip_orthographic(app);
    widget(app, "orthographic");
    if (ImGui::IsItemHovered()) key_tooltip(keys_find(key_flip_orthographic, 0), "Without perspective");
    ImGui::SameLine();
    bool box = app->box;
    if (ImGui::Checkbox("box", &box)) app_flip_box(app);
    widget(app, "box");
    if (ImGui::IsItemHovered()) key_tooltip(keys_find(key_flip_box, 0), "");
}

} // namespace

bool choice(const char *text, bool on, const struct key *key, const char *more, ImVec2 size)
{
    ImGui::PushStyleColor(ImGuiCol_Text, on ? ACCENT_TEXT : ImGui::GetStyleColorVec4(ImGuiCol_Text));
    const bool pressed = ImGui::Button(text, size);
    ImGui::PopStyleColor();
    if (ImGui::IsItemHovered()) key_tooltip(key, more);
    return pressed;
}

void look_section(struct app *app)
{
    if (!begin_facts("look")) return;
    opacity_row(app);
    shading_row(app);
    tint_row(app);
    up_row(app);
    from_row(app);
    ImGui::EndTable();
}

void export_section(struct app *app)
{
    ImGui::SetNextItemWidth(70 * (float)app->scale);
    if (ImGui::BeginCombo("##format", export_formats[app->export_as]->name)) {
        for (int i = 0; export_formats[i]; i++) {
            if (list_item(export_formats[i]->name, i == app->export_as)) app->export_as = i;
            widget(app, "export as %s", export_formats[i]->name);
        }
        ImGui::EndCombo();
    }
    widget(app, "export format");
    ImGui::SameLine();
    if (choice("write", false, keys_find(key_export, 0), "Coordinates are those of the volume's world")) app_export(app);
    widget(app, "write");
    ImGui::SameLine();
    if (choice("picture", false, keys_find(key_screenshot, 1), "")) app_screenshot(app, true);
    widget(app, "picture");
    ImGui::SameLine();
    if (choice("picture with panel", false, keys_find(key_screenshot, 0), "")) app_screenshot(app, false);
}
