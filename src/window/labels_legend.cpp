/* The legend of colours: bars at the right of the scene, with numbers and the unit. */
#include "labels_parts.h"
#include "text.h"

#include <math.h>
#include <stdio.h>

namespace
{

const float WIDTH = 14, HEIGHT = 168, MARGIN = 16, GAP = 6; /* pixels at scale 1 */
const ImU32 DARK = IM_COL32(16, 19, 24, 240); /* nearly opaque, so that lines behind it do not disturb its numbers */
const ImU32 BRIGHT = IM_COL32(244, 246, 250, 255);
const int NUMBERS = 5;

struct meaning {
    char title[64];
    const struct colour_map *map;
    double low, high; /* values of the first and the last colour */
};

ImU32 colour_at(const struct colour_map *map, int stop)
{
    return ImGui::ColorConvertFloat4ToU32(ImVec4(map->stop[stop][0], map->stop[stop][1], map->stop[stop][2], 1));
}

/* Draws the bar, with the first colour at the foot. */
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

/* Where a bar and its numbers are. */
struct place {
    char text[NUMBERS][24];
    ImVec2 low, high; /* corners of the bar */
    ImVec2 from, to;  /* corners of the background */
};

/* Lays out one bar. corner: its upper right one. */
void lay_meaning(struct place *p, const struct meaning &m, ImVec2 corner, float unit)
{
    const float line = ImGui::GetTextLineHeight();
    const int digits = text_digits_between(m.low, m.high, 4);
    float wide = 0;
    for (int i = 0; i < NUMBERS; i++) {
        const double value = m.low + (m.high - m.low) * i / (NUMBERS - 1);
        const bool rounding = fabs(value) < 1e-4 * (m.high - m.low); /* for 0, as between -0.5 and 0.500008 */
        snprintf(p->text[i], sizeof p->text[i], "%.*g", digits, rounding ? 0 : value);
        wide = fmaxf(wide, ImGui::CalcTextSize(p->text[i]).x);
    }
    const float all = fmaxf(ImGui::CalcTextSize(m.title).x, wide + (WIDTH + GAP) * unit);
    p->low = ImVec2(corner.x - all, corner.y + 1.5f * line);
    p->high = ImVec2(p->low.x + WIDTH * unit, p->low.y + HEIGHT * unit);
    p->from = ImVec2(p->low.x - GAP * unit, corner.y - GAP * unit);
    p->to = ImVec2(corner.x + GAP * unit, p->high.y + line);
}

void draw_meaning(ImDrawList *list, const struct place &p, const struct meaning &m, float unit)
{
    const float line = ImGui::GetTextLineHeight();
    list->AddRectFilled(p.from, p.to, DARK, 4 * unit);
    list->AddText(ImVec2(p.low.x, p.from.y + GAP * unit), ACCENT, m.title);
    draw_bar(list, m.map, p.low, p.high);
    for (int i = 0; i < NUMBERS; i++) {
        const float y = p.high.y - (p.high.y - p.low.y) * (float)i / (NUMBERS - 1);
        list->AddText(ImVec2(p.high.x + GAP * unit, y - line / 2), BRIGHT, p.text[i]);
    }
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

bool labels_legend(const struct labels *l, ImDrawList *list, ImVec2 *from, ImVec2 *to)
{
    const float unit = (float)l->scale;
    const double least = HEIGHT * unit;
    const bool used[] = { l->tint->by != TINT_NONE, slices_any(l->slices) };
    if (l->width < 4 * least / 3 || l->height - l->under < 2 * least) return false;
    ImVec2 corner((float)(l->left + l->width) - MARGIN * unit, (float)(l->top + l->under) + MARGIN * unit);
    struct place place;
    bool any = false;
    for (int i = 0; i < 2; i++) {
        if (!used[i]) continue;
        const struct meaning m = i ? of_slices(l) : of_surfaces(l);
        if (!(m.low < m.high)) continue; /* all voxels are alike, or none has a value */
        lay_meaning(&place, m, corner, unit);
        if (list) draw_meaning(list, place, m, unit);
        if (!any) *to = place.to; /* the first one is at the right */
        *from = place.from;
        any = true;
        corner.x = place.low.x - (MARGIN + 2 * GAP) * unit;
    }
    return any;
}
