/* The panel's crop box. */
#include "panel_parts.h"
#include "app_cut.h"

namespace
{

/* One side's slider. Returns whether it is being moved. A double click undoes what its first press moved, and puts the side
 * at the volume's end. */
bool side_slider(struct app *app, int side)
{
    const int axis = side / 2;
    const struct slices *slices = &app->slices;
    double place = slices_in_file(slices, axis, slices->crop.side[side]);
    ImGui::PushID(side);
    ImGui::SetNextItemWidth(-1);
    const double least = slices_in_file(slices, axis, 0),
                 most = slices_in_file(slices, axis, (double)(slices->dims[axis] - 1));
    if (slider_double("##side", &place, least, most, side % 2 ? "to %.1f" : "from %.1f", ImGuiSliderFlags_AlwaysClamp))
        app_set_cutter(app, CUTTER_CROP + side, slices_here(slices, axis, place));
    widget(app, "crop %c %s", 'x' + axis, side % 2 ? "to" : "from");
    const bool held = is_held(), doubled = ImGui::GetIO().MouseClickedLastCount[0] > 1;
    if (ImGui::IsItemDeactivated() && doubled) app_set_cutter(app, CUTTER_CROP + side, crop_end(slices->dims, side));
    if (ImGui::IsItemHovered() && !held)
        tooltip(side % 2 ? "the last voxel that is drawn; double click: that of the volume, Ctrl+click to type"
                         : "the first voxel that is drawn; double click: that of the volume, Ctrl+click to type");
    ImGui::PopID();
    return held;
}

} // namespace

void crop_row(struct app *app)
{
    bool on = app->slices.crop.on, caps = app->cuts_capped;
    ImGui::TableNextRow();
    ImGui::TableSetColumnIndex(1);
    if (ImGui::Checkbox("crop", &on)) app_flip_crop(app);
    widget(app, "crop switch");
    if (ImGui::IsItemHovered()) key_tooltip(keys_find(key_flip_crop, 0), "In the picture only: the surface stays whole");
    ImGui::TableNextColumn();
    if (ImGui::Checkbox("caps on cuts", &caps)) app_flip_cut_caps(app);
    widget(app, "cut caps");
    if (ImGui::IsItemHovered()) key_tooltip(keys_find(key_flip_cut_caps, 0), "");
}

/* They have a table of their own, in which both sliders of an axis are equally long. */
bool crop_sliders(struct app *app)
{
    const float unit = ImGui::CalcTextSize("0").x;
    bool held = false;
    if (!app->slices.crop.on || !ImGui::BeginTable("crop", 4)) return false;
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, unit);
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, 8 * unit);
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);
    for (int axis = 0; axis < 3; axis++) {
        ImGui::TableNextRow();
        ImGui::TableSetColumnIndex(1);
        ImGui::AlignTextToFramePadding();
        ImGui::TextColored(DIM_TEXT, "   %c", 'x' + axis);
        for (int end = 0; end < 2; end++) {
            ImGui::TableNextColumn();
            held |= side_slider(app, 2 * axis + end);
        }
    }
    ImGui::EndTable();
    return held;
}
