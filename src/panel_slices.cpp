/* Of the panel: the slices, and the label of the point that was clicked. */
#include "panel_parts.h"

#include <math.h>

namespace
{

/* A plane: its key, switch, place along the axis in voxels, and in the file's unit. Whether it is being moved. */
bool slice_row(struct app *app, int axis)
{
    static const char *const key[SLICE_AXES] = { "2", "4", "6" };
    const char name[] = { (char)('x' + axis), '\0' };
    const struct slice_plane *plane = &app->slices.plane[axis];
    bool on = plane->on;
    int index = (int)plane->index;
    ImGui::PushID(axis);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(ACCENT_TEXT, "%s", key[axis]);
    ImGui::TableNextColumn();
    if (ImGui::Checkbox(name, &on)) app_flip_slice(app, axis);
    ImGui::TableNextColumn();
    ImGui::SetNextItemWidth(-1);
    if (ImGui::SliderInt("##index", &index, 0, (int)app->slices.dims[axis] - 1, "%d", ImGuiSliderFlags_AlwaysClamp))
        app_set_slice(app, axis, (size_t)index);
    const bool held = ImGui::IsItemActive();
    if (ImGui::IsItemHovered()) tooltip("comma and dot move the slices that are on, with Shift by ten");
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    ImGui::TextColored(plane->on ? ImGui::GetStyleColorVec4(ImGuiCol_Text) : DIM_TEXT, "%c = %.5g", 'x' + axis,
                       app_slice_place(app, axis));
    ImGui::PopID();
    return held;
}

} // namespace

void slices_section(struct app *app)
{
    const float unit = ImGui::CalcTextSize("0").x;
    if (!ImGui::BeginTable("slices", 4)) return;
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, unit);
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, 6 * unit);
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, 15 * unit);
    bool held = false;
    for (int axis = 0; axis < SLICE_AXES; axis++) held |= slice_row(app, axis);
    app_hold_slice(app, held);
    ImGui::EndTable();
}

/* A mark on the point that was clicked, and beside it what is there. It goes with the point when the view turns. */
void probe_label(const struct app *app)
{
    const struct probe *p = &app->probe;
    const float unit = (float)app->scale, width = (float)app->scene[2], height = (float)app->scene[3];
    double place[3];
    if (!p->shown || !camera_project(&app->camera, (double)width / height, p->voxel, place)) return;
    if (fabs(place[0]) > 1 || fabs(place[1]) > 1) return;
    const ImVec2 at((float)app->scene[0] + (float)(0.5 + 0.5 * place[0]) * width,
                    (float)(app->height - app->scene[1]) - (float)(0.5 + 0.5 * place[1]) * height);
    ImDrawList *list = ImGui::GetBackgroundDrawList();
    list->AddCircle(at, 5 * unit, IM_COL32(10, 12, 15, 220), 24, 3.5f * unit);
    list->AddCircle(at, 5 * unit, ACCENT, 24, 1.5f * unit);
    const bool left = place[0] > 0.4, above = place[1] < -0.4; /* so that it stays in the scene */
    ImGui::SetNextWindowPos(ImVec2(at.x + (left ? -12 : 12) * unit, at.y + (above ? -12 : 12) * unit), 0,
                            ImVec2(left ? 1.0f : 0.0f, above ? 1.0f : 0.0f));
    ImGui::SetNextWindowBgAlpha(0.88f);
    if (ImGui::Begin("probe", NULL, FIXED | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoInputs |
                                        ImGuiWindowFlags_NoFocusOnAppearing)) {
        if (p->axis < 0) ImGui::TextColored(ACCENT_TEXT, "%.6g on the surface", p->value);
        else ImGui::TextColored(ACCENT_TEXT, "%.6g on slice %c", p->value, 'x' + p->axis);
        ImGui::Text("voxel %.1f  %.1f  %.1f", p->voxel[0], p->voxel[1], p->voxel[2]);
        ImGui::TextColored(DIM_TEXT, "at    %.5g  %.5g  %.5g", p->at[0], p->at[1], p->at[2]);
    }
    ImGui::End();
}
