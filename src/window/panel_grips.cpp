/* Grips of cuts over the scene, the outline of the cut across the view, and the crop box. */
#include "panel_parts.h"

#include "grip.h"
#include "panel.h"

#include <math.h>

namespace
{

const ImU32 DARK = IM_COL32(16, 19, 24, 205), BRIGHT = IM_COL32(255, 255, 255, 255), LINE = IM_COL32(240, 196, 120, 110);
const float RADIUS = 5.5f, ARROW = 15; /* pixels at scale 1 */

struct corner {
    ImVec2 at;
    float angle;
};

/* Draws the outline of the cut. The polygon is convex, so sorting its corners by their angle around the middle gives their
 * order. */
void draw_knife(ImDrawList *list, const struct app *app)
{
    double voxel[GRIP_CORNERS][3];
    corner corners[GRIP_CORNERS];
    ImVec2 middle(0, 0);
    const int count = grip_corners(app, voxel);
    for (int i = 0; i < count; i++) {
        if (!scene_point(app, voxel[i], &corners[i].at)) return;
        middle.x += corners[i].at.x / (float)count, middle.y += corners[i].at.y / (float)count;
    }
    for (int i = 0; i < count; i++) {
        const corner c = { corners[i].at, atan2f(corners[i].at.y - middle.y, corners[i].at.x - middle.x) };
        int k = i;
        for (; k > 0 && corners[k - 1].angle > c.angle; k--) corners[k] = corners[k - 1];
        corners[k] = c;
    }
    for (int i = 0; i < count; i++) list->AddLine(corners[i].at, corners[(i + 1) % count].at, LINE, (float)app->scale);
}

void draw_box(ImDrawList *list, const struct app *app)
{
    const double *side = app->slices.crop.side;
    for (int edge = 0; edge < 12; edge++) {
        const int along = edge / 4, u = (along + 1) % 3, v = (along + 2) % 3;
        double end[3];
        ImVec2 from, to;
        end[u] = side[2 * u + (edge & 1)];
        end[v] = side[2 * v + (edge >> 1 & 1)];
        end[along] = side[2 * along];
        const bool seen = scene_point(app, end, &from);
        end[along] = side[2 * along + 1];
        if (seen && scene_point(app, end, &to)) list->AddLine(from, to, LINE, (float)app->scale);
    }
}

/* Draws a disc with arrows in the directions of a drag. Grips of sides that face away are fainter. */
void draw_grip(ImDrawList *list, const struct app *app, const struct grip &grip, bool lit)
{
    const float unit = (float)app->scale, length = hypotf((float)grip.shift[0], (float)grip.shift[1]);
    const ImVec2 at((float)grip.x, (float)grip.y),
        along((float)grip.shift[0] / length * unit, (float)grip.shift[1] / length * unit), across(-along.y, along.x);
    const ImU32 colour = lit                   ? BRIGHT
                         : grip.towards < -0.1 ? (ACCENT & ~IM_COL32_A_MASK) | 0x90u << IM_COL32_A_SHIFT
                                               : ACCENT;
    const float signs[] = { -1, 1 };
    for (const float sign : signs) {
        const ImVec2 tip(at.x + sign * ARROW * along.x, at.y + sign * ARROW * along.y),
            foot(at.x + sign * (RADIUS + 3) * along.x, at.y + sign * (RADIUS + 3) * along.y);
        const float half = 4.5f * sign; /* Dear ImGui needs clockwise corners */
        const ImVec2 a(foot.x + half * across.x, foot.y + half * across.y),
            b(foot.x - half * across.x, foot.y - half * across.y);
        list->AddTriangle(tip, a, b, DARK, 2 * unit);
        list->AddTriangleFilled(tip, a, b, colour);
    }
    list->AddCircleFilled(at, (RADIUS + 1.5f) * unit, DARK, 24);
    list->AddCircleFilled(at, RADIUS * unit, colour, 24);
}

} // namespace

void cut_grips(struct app *app)
{
    struct grip grip[GRIPS];
    const int count = grip_list(app, grip), lit = panel_wants_mouse(app) ? 0 : app->grip;
    const float left = (float)app_panel_over(app), foot = (float)(app->height - app->scene[1]);
    if (!count) return;
    ImDrawList *list = ImGui::GetBackgroundDrawList();
    list->PushClipRect(ImVec2(left, foot - (float)app->scene[3]), ImVec2((float)(app->scene[0] + app->scene[2]), foot));
    if (app->slices.knife.on) draw_knife(list, app);
    if (app->slices.crop.on) draw_box(list, app);
    for (int i = 0; i < count; i++) draw_grip(list, app, grip[i], grip[i].cutter == lit);
    list->PopClipRect();
    if (!lit) return;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (app->input.drag == DRAG_NONE) mouse_tooltip("drag, with Shift a tenth as far; or Ctrl+wheel");
}
