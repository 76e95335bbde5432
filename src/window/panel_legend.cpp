/* What the colours of surfaces mean: a bar at the right of the scene, with numbers and the unit. */
#include "panel_parts.h"

#include <stdio.h>

namespace
{

const float WIDTH = 14, HEIGHT = 168, MARGIN = 16, GAP = 6; /* pixels at scale 1 */
const ImU32 DARK = IM_COL32(16, 19, 24, 205), BRIGHT = IM_COL32(244, 246, 250, 255);
const int NUMBERS = 5;

ImU32 colour_at(const struct colour_map *map, int stop)
{
    return ImGui::ColorConvertFloat4ToU32(ImVec4(map->stop[stop][0], map->stop[stop][1], map->stop[stop][2], 1));
}

/* The first colour stands at the foot. */
void draw_bar(ImDrawList *list, const struct colour_map *map, ImVec2 low, ImVec2 high)
{
    const float part = (high.y - low.y) / (COLOUR_MAP_STOPS - 1);
    for (int i = 0; i < COLOUR_MAP_STOPS - 1; i++) {
        const ImU32 foot = colour_at(map, i), head = colour_at(map, i + 1);
        const float y = high.y - part * (float)(i + 1);
        list->AddRectFilledMultiColor(ImVec2(low.x, y), ImVec2(high.x, y + part), head, head, foot, foot);
    }
    list->AddRect(low, high, DARK);
}

} // namespace

void legend(const struct app *app)
{
    const struct tint *tint = &app->tint;
    const float unit = (float)app->scale, line = ImGui::GetTextLineHeight();
    if (!tint->by || app->scene[2] < 4 * (int)(HEIGHT * unit) / 3 ||
        app->scene[3] - app->line_height < 2 * (int)(HEIGHT * unit))
        return;
    char title[64], text[NUMBERS][24];
    float wide = 0;
    tint_title(tint, &app->live.volume, title);
    for (int i = 0; i < NUMBERS; i++) {
        snprintf(text[i], sizeof text[i], "%.4g", tint->range[0] + (tint->range[1] - tint->range[0]) * i / (NUMBERS - 1));
        const float w = ImGui::CalcTextSize(text[i]).x;
        wide = w > wide ? w : wide;
    }
    wide += (WIDTH + GAP) * unit;
    const float head = ImGui::CalcTextSize(title).x, all = head > wide ? head : wide;
    const float right = (float)(app->scene[0] + app->scene[2]) - MARGIN * unit;
    const float top = (float)(app->height - app->scene[1] - app->scene[3] + app->line_height) + MARGIN * unit;
    const ImVec2 low(right - all, top + 1.5f * line), high(low.x + WIDTH * unit, low.y + HEIGHT * unit);
    ImDrawList *list = ImGui::GetBackgroundDrawList();
    list->AddRectFilled(ImVec2(low.x - GAP * unit, top - GAP * unit), ImVec2(right + GAP * unit, high.y + line), DARK,
                        4 * unit);
    list->AddText(ImVec2(low.x, top), ACCENT, title);
    draw_bar(list, &colour_maps[tint->map], low, high);
    for (int i = 0; i < NUMBERS; i++) {
        const float y = high.y - (high.y - low.y) * (float)i / (NUMBERS - 1);
        list->AddText(ImVec2(high.x + GAP * unit, y - line / 2), BRIGHT, text[i]);
    }
}
