/* What colours mean: bars at the right of the scene, with numbers and the unit. */
#include "labels_parts.h"

#include <math.h>
#include <stdio.h>

namespace
{

const float WIDTH = 14, HEIGHT = 168, MARGIN = 16, GAP = 6; /* pixels at scale 1 */
const ImU32 DARK = IM_COL32(16, 19, 24, 205), BRIGHT = IM_COL32(244, 246, 250, 255);
const int NUMBERS = 5;

struct meaning {
    char title[64];
    const struct colour_map *map;
    double low, high; /* of the first colour, of the last */
};

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

/* With its upper right corner there; returns its left side. */
float draw_meaning(ImDrawList *list, const struct meaning &m, ImVec2 corner, float unit)
{
    char text[NUMBERS][24];
    const float line = ImGui::GetTextLineHeight();
    float wide = 0;
    for (int i = 0; i < NUMBERS; i++) {
        const double value = m.low + (m.high - m.low) * i / (NUMBERS - 1);
        const bool rounding = fabs(value) < 1e-4 * (m.high - m.low); /* what is left of 0 between -0.5 and 0.500008 */
        snprintf(text[i], sizeof text[i], "%.4g", rounding ? 0 : value);
        const float w = ImGui::CalcTextSize(text[i]).x;
        wide = w > wide ? w : wide;
    }
    wide += (WIDTH + GAP) * unit;
    const float head = ImGui::CalcTextSize(m.title).x, all = head > wide ? head : wide;
    const ImVec2 low(corner.x - all, corner.y + 1.5f * line), high(low.x + WIDTH * unit, low.y + HEIGHT * unit);
    list->AddRectFilled(ImVec2(low.x - GAP * unit, corner.y - GAP * unit), ImVec2(corner.x + GAP * unit, high.y + line),
                        DARK, 4 * unit);
    list->AddText(ImVec2(low.x, corner.y), ACCENT, m.title);
    draw_bar(list, m.map, low, high);
    for (int i = 0; i < NUMBERS; i++) {
        const float y = high.y - (high.y - low.y) * (float)i / (NUMBERS - 1);
        list->AddText(ImVec2(high.x + GAP * unit, y - line / 2), BRIGHT, text[i]);
    }
    return low.x;
}

struct meaning of_slices(const struct labels *l)
{
    const struct volume *v = l->volume;
    struct meaning m = { "", &colour_maps[l->slices->map], v->slope * (double)l->slices->low + v->intercept,
                         v->slope * (double)l->slices->high + v->intercept };
    snprintf(m.title, sizeof m.title, "slices");
    return m;
}

struct meaning of_surfaces(const struct labels *l)
{
    struct meaning m = { "", &colour_maps[l->tint->map], l->tint->range[0], l->tint->range[1] };
    tint_title(l->tint, l->volume, m.title);
    return m;
}

} // namespace

void labels_legend(const struct labels *l, ImDrawList *list)
{
    const float unit = (float)l->scale;
    const double least = HEIGHT * unit;
    if (l->width < 4 * least / 3 || l->height - l->under < 2 * least) return;
    ImVec2 corner((float)(l->left + l->width) - MARGIN * unit, (float)(l->top + l->under) + MARGIN * unit);
    if (l->tint->by) corner.x = draw_meaning(list, of_surfaces(l), corner, unit) - (MARGIN + 2 * GAP) * unit;
    if (slices_any(l->slices)) draw_meaning(list, of_slices(l), corner, unit);
}
