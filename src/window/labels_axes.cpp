#include "labels_parts.h"

#include <math.h>

namespace
{

const ImU32 AXIS_COLOUR[3] = { IM_COL32(196, 92, 84, 255), IM_COL32(122, 184, 88, 255), IM_COL32(92, 148, 236, 255) },
            DARK = IM_COL32(16, 19, 24, 255), BRIGHT = IM_COL32(244, 246, 250, 255);
const float BESIDE = 17;  /* pixels at scale 1 from an end's centre to its axis's name */
const double AT_US = 0.9; /* an axis that points more at the viewer has no room for its name */

/* The colour with another opacity, 0 to 1. */
ImU32 faded(ImU32 colour, float opacity)
{
    return (colour & ~IM_COL32_A_MASK) | (ImU32)(255 * opacity) << IM_COL32_A_SHIFT;
}

void centred_text(ImDrawList *list, ImVec2 at, ImU32 colour, const char *text)
{
    const ImVec2 size = ImGui::CalcTextSize(text);
    list->AddText(ImVec2(roundf(at.x - size.x / 2), roundf(at.y - size.y / 2)), colour, text);
}

} // namespace

void bright_text(ImDrawList *list, ImVec2 at, ImU32 colour, const char *text)
{
    list->AddText(ImVec2(at.x + 1, at.y + 1), faded(DARK, 0.8f), text);
    list->AddText(at, colour, text);
}

void labels_axis(ImDrawList *list, float unit, enum volume_world world, const struct axes &axes, const struct axes_end &end,
                 bool lit)
{
    const ImVec2 at((float)end.x, (float)end.y), middle((float)axes.x, (float)axes.y);
    const float radius = (float)axes.radius;
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
    if (end.sign < 0 || world != WORLD_LPS || fabs(end.towards) > AT_US) return;
    const char name[2] = { (char)('x' + end.axis), 0 };
    const float far = 1 + BESIDE * unit / hypotf(at.x - middle.x, at.y - middle.y);
    centred_text(list, ImVec2(middle.x + far * (at.x - middle.x), middle.y + far * (at.y - middle.y)), colour, name);
}

void labels_axes(const struct labels *l, ImDrawList *list)
{
    const double size[2] = { l->width, l->height };
    struct axes gizmo;
    if (!axes_lay_out(&gizmo, l->camera, l->volume->world, l->left + l->width, l->top + l->height, size, l->scale)) return;
    for (const struct axes_end &end : gizmo.end) labels_axis(list, (float)l->scale, l->volume->world, gizmo, end, false);
}
