/* Over the scene: its labels (scale, legend), and the gizmo for orientation. */
#include "panel_parts.h"
#include "app_view.h"

#include "gizmo.h"
#include "panel.h"

#include <math.h>
#include <stdio.h>

namespace
{

/* Logs where the scale bar is, under the name of its length. Does so from an invisible window. */
void tell_bar(const struct app *app, const struct labels_bar &bar)
{
    char name[80];
    snprintf(name, sizeof name, "scale %s", bar.text);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
    ImGui::SetNextWindowPos(ImVec2((float)bar.left, (float)(bar.foot - bar.height)));
    ImGui::SetNextWindowSize(ImVec2((float)(bar.right - bar.left), (float)bar.height));
    ImGui::Begin("scale", NULL,
                 FIXED | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoFocusOnAppearing);
    window_widget(app, name);
    ImGui::End();
    ImGui::PopStyleVar();
}

} // namespace

bool scene_point(const struct app *app, const double voxel[3], ImVec2 *at)
{
    const double width = app->scene[2], height = app->scene[3];
    double ndc[3];
    if (!camera_project(&app->camera, width / height, voxel, ndc)) return false;
    *at = ImVec2((float)(app->scene[0] + (0.5 + 0.5 * ndc[0]) * width),
                 (float)(app->height - app->scene[1] - (0.5 + 0.5 * ndc[1]) * height));
    return true;
}

void scene_labels(const struct app *app)
{
    struct labels labels;
    struct labels_bar bar;
    ImVec2 from, to;
    app_labels(app, &labels);
    labels_write(&labels, ImGui::GetBackgroundDrawList());
    if (labels_legend(&labels, NULL, &from, &to)) log_place(app, "legend", from, to);
    if (!labels.box || !labels.volume->grid.voxels || !(labels.width > 0)) return;
    labels_lay_bar(&labels, &bar);
    tell_bar(app, bar);
}

void gizmo_box(const struct app *app)
{
    struct axes gizmo;
    struct axes_end hovered = {};
    char text[64];
    if (!gizmo_place(app, &gizmo)) return;
    const bool hovers = app->gizmo && !panel_wants_mouse(app) && gizmo_find(app, &hovered);
    ImDrawList *list = ImGui::GetBackgroundDrawList();
    for (const struct axes_end &end : gizmo.end)
        labels_axis(list, (float)app->scale, app->live.volume.world, gizmo, end,
                    hovers && end.axis == hovered.axis && end.sign == hovered.sign);
    if (!hovers) return;
    const ImVec2 mouse = ImGui::GetIO().MousePos; /* the box is above and left of it, clear of other ends */
    ImGui::SetNextWindowPos(ImVec2(mouse.x - (float)gizmo.radius, mouse.y - (float)gizmo.radius), 0, ImVec2(1, 1));
    gizmo_text(app, &hovered, text);
    mouse_tooltip(text);
}
