/* The panel's slices, and the label of the clicked point. */
#include "panel_parts.h"
#include "app_cut.h"
#include "app_probe.h"
#include "app_slices.h"
#include "app_surfaces.h"
#include "text.h"

#include <limits.h>
#include <stdio.h>

namespace
{

/* What the plane hides: nothing, or the voxels below or above its own. */
void cut_button(struct app *app, int axis)
{
    const struct slice_plane *plane = &app->slices.plane[axis];
    const int cut = plane->on ? plane->cut : 0;
    const char *const text = cut > 0 ? "hide >" : cut < 0 ? "hide <" : "hide";
    char now[64] = "";
    if (cut)
        snprintf(now, sizeof now, "Hidden now: %c %c %zu", 'x' + axis, cut > 0 ? '>' : '<', app_slice_voxel(app, axis));
    if (choice(text, cut, keys_find(key_cut_slice, axis), now, ImVec2(-1, 0))) app_cut_slice(app, axis);
    widget(app, "slice %c cut", 'x' + axis);
    if (cut) widget(app, "slice %c %s", 'x' + axis, text); /* tests read this text from the log */
}

/* A plane: its key, its switch, its place along the axis in voxels and in the file's unit. Returns whether it is being
 * moved. */
bool slice_row(struct app *app, int axis)
{
    const char name[] = { (char)('x' + axis), '\0' };
    char key[8];
    const struct slice_plane *plane = &app->slices.plane[axis];
    bool on = plane->on;
    const struct slices *slices = &app->slices;
    int index = (int)app_slice_voxel(app, axis), along;
    keys_short_name(keys_find(key_flip_slice, axis), key);
    ImGui::PushID(axis);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(ACCENT_TEXT, "%s", key);
    ImGui::TableNextColumn();
    if (ImGui::Checkbox(name, &on)) app_flip_slice(app, axis);
    widget(app, "slice %c switch", 'x' + axis);
    ImGui::TableNextColumn();
    ImGui::SetNextItemWidth(-1);
    if (slider_int("##index", &index, (int)slices_voxel(slices, axis, 0),
                   (int)slices_voxel(slices, axis, slices->dims[axis] - 1), ImGuiSliderFlags_AlwaysClamp))
        app_set_slice(app, axis, slices_nearest(slices, axis, (size_t)index));
    widget(app, "slice %c slider", 'x' + axis);
    const bool held = is_held();
    if (ImGui::IsItemHovered() && !held) key_tooltip(keys_find(key_move_slices, -1), "Ctrl+click to type");
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    const double place = app_slice_place(app, axis, &along);
    const ImVec4 colour = plane->on ? ImGui::GetStyleColorVec4(ImGuiCol_Text) : DIM_TEXT;
    if (along < 0) ImGui::TextColored(colour, "%.5g %s", place, app->live.volume.unit);
    else ImGui::TextColored(colour, "%c = %.*g", 'x' + along, volume_digits(&app->live.volume, along, 5), place);
    if (ImGui::IsItemHovered() && along < 0)
        tooltip("the distance from voxel 0 along this axis, which is oblique in the world");
    ImGui::TableNextColumn();
    cut_button(app, axis);
    ImGui::PopID();
    return held;
}

/* The cut across the view, and how far through the volume it is. Returns whether it is being moved. */
bool knife_row(struct app *app)
{
    char key[8];
    bool on = app->slices.knife.on;
    double percent = 100 * app_knife_part(app);
    keys_short_name(keys_find(key_flip_knife, 0), key);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(ACCENT_TEXT, "%s", key);
    ImGui::TableNextColumn();
    if (ImGui::Checkbox("cut", &on)) app_flip_knife(app);
    widget(app, "knife switch");
    if (ImGui::IsItemHovered()) key_tooltip(keys_find(key_flip_knife, 0), "");
    ImGui::TableNextColumn();
    if (!on) return false;
    ImGui::SetNextItemWidth(-1);
    if (slider_double("##knife", &percent, 0, 100, "%.1f %%", ImGuiSliderFlags_AlwaysClamp))
        app_set_knife(app, 0.01 * percent);
    widget(app, "knife slider");
    const bool held = is_held();
    if (ImGui::IsItemHovered() && !held) tooltip("how much of the volume's depth is hidden; Ctrl+wheel over the scene");
    return held;
}

/* The colour map of the slices. */
void map_row(struct app *app)
{
    const float unit = ImGui::CalcTextSize("0").x;
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(DIM_TEXT, "colours");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(11 * unit);
    if (ImGui::BeginCombo("##map", colour_maps[app->slices.map].name)) {
        for (int i = 0; colour_maps[i].name; i++) {
            if (list_item(colour_maps[i].name, i == app->slices.map)) app_set_map(app, i);
            widget(app, "slice map %s", colour_maps[i].name);
            if (ImGui::IsItemHovered()) tooltip(colour_maps[i].idea);
        }
        ImGui::EndCombo();
    }
    widget(app, "slice map");
}

/* The values of the first and last colour. Returns whether one is being moved. */
bool window_row(struct app *app)
{
    const ImGuiStyle &style = ImGui::GetStyle();
    double window[2];
    app_window(app, window);
    const double *const shown = app->window_types ? app->window_typed : window;
    float low = (float)shown[0], high = (float)shown[1];
    const float range = (float)(app->live.stats.real_max - app->live.stats.real_min);
    ImGui::SameLine();
    ImGui::TextColored(DIM_TEXT, "from");
    ImGui::SameLine();
    const float all = ImGui::CalcTextSize("all").x + 2 * style.FramePadding.x + style.ItemSpacing.x +
                      style.ItemInnerSpacing.x; /* also comes after a range */
    ImGui::SetNextItemWidth(-all);              /* "to 4.2151e-05" needs all the room */
    char formats[2][16];
    const int digits = text_digits_between(window[0], window[1], 5);
    snprintf(formats[0], sizeof formats[0], "%%.%dg", digits);
    snprintf(formats[1], sizeof formats[1], "to %%.%dg", digits);
    const bool changes = ImGui::DragFloatRange2("##window", &low, &high, range / 500, 0, 0, formats[0], formats[1]);
    const bool held = is_held();
    if (changes && !held) app_type_window(app, low, high);
    else if (changes && low < high) app_set_window(app, low, high);
    if (!ImGui::IsItemActive()) app_end_window(app, ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape)));
    widget(app, "slice window");
    if (ImGui::IsItemHovered() && !held) tooltip("values of the first and the last colour: drag, or Ctrl+click to type");
    ImGui::SameLine();
    if (ImGui::Button("all")) app_reset_window(app);
    widget(app, "slice window all");
    if (ImGui::IsItemHovered()) tooltip("from the lowest value to the highest");
    return held;
}

} // namespace

void slices_section(struct app *app)
{
    const float unit = ImGui::CalcTextSize("0").x;
    if (!ImGui::BeginTable("slices", 5)) return;
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, unit);
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, 8 * unit);
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, 13 * unit);
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, 7 * unit);
    bool held = false;
    for (int axis = 0; axis < SLICE_AXES; axis++) held |= slice_row(app, axis);
    held |= knife_row(app);
    crop_row(app);
    ImGui::EndTable();
    held |= crop_sliders(app);
    map_row(app);
    if (app->live.stats.bins) held |= window_row(app); /* it needs the range of values */
    app_hold_slice(app, held);
}

/* How many of the ruler's points and lengths a rectangle from `low` to `high` would cover. */
static int hides(const struct app *app, ImVec2 low, ImVec2 high)
{
    ImVec2 at[RULER_POINTS];
    int hidden = 0;
    const auto is_in = [&](float x, float y) { return x >= low.x && x <= high.x && y >= low.y && y <= high.y; };
    for (int i = 0; i < app->ruler.count; i++) {
        if (!scene_point(app, app->ruler.voxel[i], &at[i])) return 0;
        hidden += is_in(at[i].x, at[i].y);
        if (i) hidden += is_in((at[i - 1].x + at[i].x) / 2, (at[i - 1].y + at[i].y) / 2);
    }
    return hidden;
}

/* Finds a place for the label beside the point and in the scene: the one that covers least of the ruler; the first choice
 * is to the right and below. */
static ImVec2 label_place(const struct app *app, ImVec2 point, ImVec2 size)
{
    const float off = 12 * (float)app->scale, left = (float)app->scene[0], last = left + (float)app->scene[2] - size.x;
    const float foot = (float)(app->height - app->scene[1]);
    ImVec2 best(0, 0);
    int least = INT_MAX;
    for (int i = 0; i < 4; i++) {
        const float beside = i % 2 ? point.x - off - size.x : point.x + off, x = beside > last ? last : beside;
        const ImVec2 low(x < left ? left : x, i / 2 ? point.y - off - size.y : point.y + off);
        const ImVec2 high(low.x + size.x, low.y + size.y);
        const bool outside = low.y < 0 || high.y > foot;
        const int hidden = hides(app, low, high) + (outside ? 2 * RULER_POINTS : 0);
        if (hidden < least) least = hidden, best = low;
    }
    return best;
}

/* Writes the value and what the point is on; if there are several surfaces, also which. */
static void write_object(const struct app *app, char *text, size_t size)
{
    const struct probe *p = &app->probe;
    const char *cap = p->axis == PROBE_CUT ? "cut" : p->axis == PROBE_BORDER ? "border" : NULL;
    const bool several = app_count_surfaces(app) > 1;
    char value[32];
    value_text(app, value, sizeof value, p->value);
    if (app_probe_is_on_slice(p)) snprintf(text, size, "%s on slice %c", value, 'x' + p->axis);
    else if (!several) snprintf(text, size, "%s on the %s", value, cap ? cap : "surface");
    else if (cap) snprintf(text, size, "%s on the %s of surface %d", value, cap, p->surface + 1);
    else snprintf(text, size, "%s on surface %d", value, p->surface + 1);
}

/* Writes what is at the point, in three lines. Returns the size of a window for them. */
static ImVec2 write_label(const struct app *app, char text[3][144])
{
    const struct probe *p = &app->probe;
    const ImGuiStyle &style = ImGui::GetStyle();
    char frame[48], at[3][24];
    ImVec2 size(0, 3 * ImGui::GetTextLineHeight() + 2 * style.ItemSpacing.y + 2 * style.WindowPadding.y);
    write_object(app, text[0], sizeof text[0]);
    snprintf(text[1], sizeof text[1], "voxel %.1f  %.1f  %.1f", app_probe_place(app, 0), app_probe_place(app, 1),
             app_probe_place(app, 2));
    app_probe_frame(app, frame, sizeof frame);
    for (int i = 0; i < 3; i++) snprintf(at[i], sizeof at[i], "%.*g", volume_digits(&app->live.volume, i, 5), p->at[i]);
    snprintf(text[2], sizeof text[2], "at    %s  %s  %s  %s", at[0], at[1], at[2], frame);
    for (int i = 0; i < 3; i++) {
        const float wide = ImGui::CalcTextSize(text[i]).x + 2 * style.WindowPadding.x;
        size.x = wide > size.x ? wide : size.x;
    }
    return size;
}

/* Draws a stripe in the surface's colour at the left of the present window. */
static void draw_stripe(const struct app *app, int surface, float height)
{
    float c[3];
    const ImVec2 corner = ImGui::GetWindowPos();
    ImDrawList *list = ImGui::GetWindowDrawList();
    app_surface_colour(app, surface, c);
    list->PushClipRectFullScreen();
    list->AddRectFilled(corner, ImVec2(corner.x + 4 * (float)app->scale, corner.y + height),
                        ImGui::ColorConvertFloat4ToU32(ImVec4(c[0], c[1], c[2], 1)));
    list->PopClipRect();
}

/* Marks the clicked point, and shows beside it what is there. The label follows the point when the view turns. */
void probe_label(const struct app *app)
{
    const struct probe *p = &app->probe;
    const float unit = (float)app->scale, left = (float)app->scene[0], foot = (float)(app->height - app->scene[1]);
    const float width = (float)app->scene[2], height = (float)app->scene[3];
    ImVec2 at;
    if (!p->shown || width <= 0 || !scene_point(app, p->voxel, &at)) return;
    if (at.x < left || at.x > left + width || at.y > foot || at.y < foot - height) return;
    ImDrawList *list = ImGui::GetBackgroundDrawList();
    list->AddCircle(at, 5 * unit, IM_COL32(10, 12, 15, 220), 24, 3.5f * unit);
    list->AddCircle(at, 5 * unit, ACCENT, 24, 1.5f * unit);

    char text[3][144];
    const ImVec2 size = write_label(app, text);
    ImGui::SetNextWindowPos(label_place(app, at, size));
    ImGui::SetNextWindowSize(size);
    ImGui::SetNextWindowBgAlpha(0.88f);
    if (ImGui::Begin("probe", NULL, FIXED | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoFocusOnAppearing)) {
        if (!app_probe_is_on_slice(p) && app_count_surfaces(app) > 1) draw_stripe(app, p->surface, size.y);
        ImGui::TextColored(ACCENT_TEXT, "%s", text[0]);
        ImGui::TextUnformatted(text[1]);
        ImGui::TextColored(DIM_TEXT, "%s", text[2]);
        window_widget(app, "probe");
    }
    ImGui::End();
}
