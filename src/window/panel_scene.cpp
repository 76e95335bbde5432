/* Orientation and scale, over the scene. */
#include "panel_parts.h"

#include "gizmo.h"

#include <math.h>
#include <stdio.h>

namespace
{

const ImU32 AXIS_COLOUR[3] = { IM_COL32(196, 92, 84, 255), IM_COL32(122, 184, 88, 255), IM_COL32(92, 148, 236, 255) },
            DARK = IM_COL32(16, 19, 24, 255), BRIGHT = IM_COL32(244, 246, 250, 255);
const double BAR = 140;   /* pixels at scale 1: the scale bar is not longer */
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

/* With a shadow: it stands on anything. */
void bright_text(ImDrawList *list, ImVec2 at, ImU32 colour, const char *text)
{
    list->AddText(ImVec2(at.x + 1, at.y + 1), faded(DARK, 0.8f), text);
    list->AddText(at, colour, text);
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

bool shows_box(const struct app *app)
{
    return app->box && app->live.volume.grid.voxels && app->scene[2] > 0 && app->scene[3] > 0;
}

struct number {
    char text[64];
    ImVec2 low, high; /* around it */
};

/* Beyond the tick's end, as far as half the text and a gap reach. The last number of an axis has its name and the unit. False:
 * the tick is seen from its end, or not at all. */
bool write_number(const struct app *app, const struct box_tick &tick, struct number *number)
{
    ImVec2 from, to;
    const char *unit = app->live.volume.unit;
    if (!scene_point(app, tick.at, &from) || !scene_point(app, tick.to, &to)) return false;
    const float dx = to.x - from.x, dy = to.y - from.y, length = hypotf(dx, dy), gap = 4 * (float)app->scale;
    if (length < 1) return false;
    if (tick.last)
        snprintf(number->text, sizeof number->text, "%c %.6g%s%s", 'x' + tick.axis, tick.value, *unit ? " " : "", unit);
    else snprintf(number->text, sizeof number->text, "%.6g", tick.value);
    const ImVec2 size = ImGui::CalcTextSize(number->text);
    const float far = gap + fabsf(dx / length) * size.x / 2 + fabsf(dy / length) * size.y / 2;
    number->low = ImVec2(roundf(to.x + dx / length * far - size.x / 2), roundf(to.y + dy / length * far - size.y / 2));
    number->high = ImVec2(number->low.x + size.x, number->low.y + size.y);
    return true;
}

bool overlap(const struct number &a, const struct number &b)
{
    return a.low.x < b.high.x && b.low.x < a.high.x && a.low.y < b.high.y && b.low.y < a.high.y;
}

/* Numbers of two axes may meet at a corner: those that come first stay. */
void draw_numbers(ImDrawList *list, const struct app *app, const struct box_plan &plan)
{
    struct number number[3 * BOX_TICKS];
    size_t count = 0;
    for (int last = 1; last >= 0; last--)
        for (size_t i = 0; i < plan.ticks; i++) {
            bool fits = plan.tick[i].last == (bool)last && write_number(app, plan.tick[i], &number[count]);
            for (size_t k = 0; k < count && fits; k++) fits = !overlap(number[k], number[count]);
            if (!fits) continue;
            bright_text(list, number[count].low, last ? ACCENT : BRIGHT, number[count].text);
            count++;
        }
}

/* Logs where the bar is, under the name of its length, by a window that nobody sees. */
void tell_bar(const struct app *app, const char *text, ImVec2 at, ImVec2 size)
{
    char name[80];
    snprintf(name, sizeof name, "scale %s", text);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
    ImGui::SetNextWindowPos(at);
    ImGui::SetNextWindowSize(size);
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

void box_numbers(const struct app *app)
{
    struct box_plan plan;
    if (!shows_box(app)) return;
    const ImVec2 low((float)app_panel_over(app), (float)(app->height - app->scene[1] - app->scene[3])),
        high((float)(app->scene[0] + app->scene[2]), (float)(app->height - app->scene[1]));
    ImDrawList *list = ImGui::GetBackgroundDrawList();
    app_plan_box(app, &plan);
    list->PushClipRect(low, high);
    draw_numbers(list, app, plan);
    list->PopClipRect();
}

/* A round length, as long as it is where the camera's target lies; without perspective it is so everywhere. */
void scale_bar(const struct app *app)
{
    if (!shows_box(app)) return;
    const struct volume *volume = &app->live.volume;
    const float unit = (float)app->scale, high = 6 * unit, left = (float)app->scene[0] + 16 * unit,
                foot = (float)(app->height - app->scene[1]) - 14 * unit;
    const double per_pixel = camera_height(&app->camera) * box_scene_unit(&app->camera, volume) / app->scene[3];
    const double length = box_round_length(per_pixel * BAR * app->scale);
    const float right = left + (float)(length / per_pixel);
    char text[64];
    snprintf(text, sizeof text, "%.6g%s%s%s", length, *volume->unit ? " " : "", volume->unit,
             app->camera.orthographic ? "" : " at the centre");
    tell_bar(app, text, ImVec2(left, foot - high), ImVec2(right - left, high));
    const ImVec2 bar[4] = { ImVec2(left, foot - high), ImVec2(left, foot), ImVec2(right, foot),
                            ImVec2(right, foot - high) };
    ImDrawList *list = ImGui::GetBackgroundDrawList();
    list->AddPolyline(bar, 4, faded(DARK, 0.8f), 0, 4 * unit);
    list->AddPolyline(bar, 4, BRIGHT, 0, 2 * unit);
    bright_text(list, ImVec2(left + 6 * unit, foot - high - ImGui::GetTextLineHeight()), BRIGHT, text);
}

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
    const ImVec2 mouse = ImGui::GetIO().MousePos; /* above and left of it, so that the other ends stay in sight */
    ImGui::SetNextWindowPos(ImVec2(mouse.x - (float)gizmo.radius, mouse.y - (float)gizmo.radius), 0, ImVec2(1, 1));
    gizmo_text(app, &hovered, text);
    tooltip(text);
}
