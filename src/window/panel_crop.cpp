/* The panel's crop box. */
#include "panel_parts.h"
#include "app_cut.h"

namespace
{

/* Whether it is being moved. A double click lets go of what the first of its presses has moved. */
bool side_slider(struct app *app, int side, float width)
{
    const int axis = side / 2;
    float place = (float)app->slices.crop.side[side];
    ImGui::PushID(side);
    ImGui::SetNextItemWidth(width);
    if (slider_float("##side", &place, 0, (float)(app->slices.dims[axis] - 1), "%.1f", ImGuiSliderFlags_AlwaysClamp))
        app_set_cutter(app, CUTTER_CROP + side, place);
    widget(app, "crop %c %s", 'x' + axis, side % 2 ? "to" : "from");
    const bool held = is_held(), doubled = ImGui::GetIO().MouseClickedLastCount[0] > 1;
    if (ImGui::IsItemDeactivated() && doubled) app_set_cutter(app, CUTTER_CROP + side, crop_end(app->slices.dims, side));
    if (ImGui::IsItemHovered() && !held)
        tooltip(side % 2 ? "the last voxel that is drawn; double click: that of the volume, Ctrl+click to type"
                         : "the first voxel that is drawn; double click: that of the volume, Ctrl+click to type");
    ImGui::PopID();
    return held;
}

} // namespace

bool crop_rows(struct app *app)
{
    bool on = app->slices.crop.on, caps = app->cuts_capped, held = false;
    ImGui::TableNextRow();
    ImGui::TableSetColumnIndex(1);
    if (ImGui::Checkbox("crop", &on)) app_flip_crop(app);
    widget(app, "crop switch");
    if (ImGui::IsItemHovered()) key_tooltip(keys_find(key_flip_crop, 0), "In the picture only: the surface stays whole");
    ImGui::TableNextColumn();
    if (ImGui::Checkbox("caps on cuts", &caps)) app_flip_cut_caps(app);
    widget(app, "cut caps");
    if (ImGui::IsItemHovered()) key_tooltip(keys_find(key_flip_cut_caps, 0), "");
    for (int axis = 0; axis < 3 && app->slices.crop.on; axis++) {
        ImGui::TableNextRow();
        ImGui::TableSetColumnIndex(1);
        ImGui::AlignTextToFramePadding();
        ImGui::TextColored(DIM_TEXT, "   %c", 'x' + axis);
        ImGui::TableNextColumn();
        held |= side_slider(app, 2 * axis, -1);
        ImGui::TableNextColumn();
        held |= side_slider(app, 2 * axis + 1, -1);
    }
    return held;
}
