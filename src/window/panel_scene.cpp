/* Orientation and scale, over the scene. */
#include "panel_parts.h"

#include "gizmo.h"

#include <math.h>

namespace
{

const ImU32 AXIS_COLOUR[3] = { IM_COL32(226, 96, 84, 255), IM_COL32(122, 184, 88, 255), IM_COL32(92, 148, 236, 255) },
            DARK = IM_COL32(16, 19, 24, 255), BRIGHT = IM_COL32(244, 246, 250, 255);
const float BESIDE = 17;  /* pixels at scale 1, from an end's middle to the name of its axis */
const double AT_US = 0.9; /* how much an axis may point at the viewer where its name has room beside it */

/* The same with another opacity, 0 to 1. */
ImU32 faded(ImU32 colour, float opacity)
{
    return (colour & ~IM_COL32_A_MASK) | (ImU32)(255 * opacity) << IM_COL32_A_SHIFT;
}

void centred_text(ImDrawList *list, ImVec2 at, ImU32 colour, const char *text)
{
    const ImVec2 size = ImGui::CalcTextSize(text);
    list->AddText(ImVec2(roundf(at.x - size.x / 2), roundf(at.y - size.y / 2)), colour, text);
}

/* Axes are full discs at their positive ends and rings at the others; those behind are fainter. */
void draw_end(ImDrawList *list, const struct app *app, const struct gizmo &gizmo, const struct gizmo_end &end, bool lit)
{
    const ImVec2 at((float)end.x, (float)end.y), middle((float)gizmo.x, (float)gizmo.y);
    const float unit = (float)app->scale, radius = (float)gizmo.radius;
    const float near = 0.55f + 0.45f * (0.5f + 0.5f * (float)end.towards);
    const ImU32 colour = lit ? BRIGHT : faded(AXIS_COLOUR[end.axis], near);
    if (end.sign > 0) {
        list->AddLine(middle, at, faded(AXIS_COLOUR[end.axis], near), 2 * unit);
        list->AddCircleFilled(at, radius, colour, 24);
    } else {
        list->AddCircleFilled(at, radius * (*end.letter ? 1 : 0.7f), faded(DARK, 0.8f), 24);
        list->AddCircle(at, radius * (*end.letter ? 1 : 0.7f), colour, 24, 1.5f * unit);
    }
    centred_text(list, at, end.sign > 0 ? DARK : colour, end.letter);
    if (end.sign < 0 || app->live.volume.world != WORLD_LPS || fabs(end.towards) > AT_US) return;
    const char name[2] = { (char)('x' + end.axis), 0 };
    const float far = 1 + BESIDE * unit / hypotf(at.x - middle.x, at.y - middle.y);
    centred_text(list, ImVec2(middle.x + far * (at.x - middle.x), middle.y + far * (at.y - middle.y)), colour, name);
}

} // namespace

void gizmo_box(const struct app *app)
{
    struct gizmo gizmo;
    struct gizmo_end hovered = {};
    char text[64];
    if (!gizmo_place(app, &gizmo)) return;
    const bool hovers = app->gizmo && gizmo_find(app, &hovered);
    ImDrawList *list = ImGui::GetBackgroundDrawList();
    for (const struct gizmo_end &end : gizmo.end)
        draw_end(list, app, gizmo, end, hovers && end.axis == hovered.axis && end.sign == hovered.sign);
    if (!hovers) return;
    gizmo_text(app, &hovered, text);
    tooltip(text);
}
