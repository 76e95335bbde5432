/* The ruler over the scene. */
#include "panel_parts.h"
#include "app_probe.h"
#include "app_view.h"
#include "labels_parts.h"

#include <math.h>
#include <stdio.h>

namespace
{

/* Where a text of this size begins: at from.x; but if the legend would cover it there, to the left of the legend. */
float clear_of_legend(const struct app *app, ImVec2 from, ImVec2 size, float gap)
{
    struct labels labels;
    ImVec2 low, high;
    app_labels(app, &labels);
    if (!labels_legend(&labels, NULL, &low, &high)) return from.x;
    const bool behind = from.x + size.x + gap > low.x && from.x - gap < high.x && from.y - gap < high.y &&
                        from.y + size.y + gap > low.y;
    return behind ? low.x - size.x - 2 * gap : from.x;
}

/* Draws text on a dark background, centred at `at`. */
void mark(ImDrawList *list, const struct app *app, ImVec2 at, const char *text)
{
    const float unit = (float)app->scale;
    const ImVec2 size = ImGui::CalcTextSize(text);
    ImVec2 from(at.x - size.x / 2, at.y - size.y / 2);
    from.x = clear_of_legend(app, from, size, 4 * unit);
    const ImVec2 low(from.x - 4 * unit, from.y - 2 * unit), high(from.x + size.x + 4 * unit, from.y + size.y + 2 * unit);
    list->AddRectFilled(low, high, IM_COL32(10, 12, 15, 220), 3 * unit);
    char name[80];
    snprintf(name, sizeof name, "ruler %s", text);
    log_place(app, name, low, high);
    list->AddText(from, ACCENT, text);
}

/* A place beside the second point, on the side away from the other two. */
ImVec2 beyond(const ImVec2 at[RULER_POINTS])
{
    const float x = 2 * at[1].x - at[0].x - at[2].x, y = 2 * at[1].y - at[0].y - at[2].y, length = hypotf(x, y);
    const float off = 2 * ImGui::GetTextLineHeight() / (length > 1 ? length : 1);
    return ImVec2(at[1].x + off * x, at[1].y + off * y);
}

void write_length(char text[64], const struct app *app, int from)
{
    const char *unit = app->live.volume.unit;
    snprintf(text, 64, "%.5g%s%s", app_ruler_length(&app->ruler, from), *unit ? " " : "", unit);
}

} // namespace

void ruler_lines(const struct app *app)
{
    const struct ruler *ruler = &app->ruler;
    const float unit = (float)app->scale;
    ImVec2 at[RULER_POINTS];
    char text[64];
    if (app->scene[2] <= 0 || app->scene[3] <= 0) return;
    for (int i = 0; i < ruler->count; i++)
        if (!scene_point(app, ruler->voxel[i], &at[i])) return;
    ImDrawList *list = ImGui::GetBackgroundDrawList();
    list->PushClipRect(ImVec2((float)app->scene[0], 0), ImVec2((float)app->width, (float)app->height));
    for (int i = 0; i + 1 < ruler->count; i++) {
        list->AddLine(at[i], at[i + 1], IM_COL32(10, 12, 15, 220), 4 * unit);
        list->AddLine(at[i], at[i + 1], ACCENT, 2 * unit);
    }
    for (int i = 0; i < ruler->count; i++) {
        list->AddCircleFilled(at[i], 5 * unit, IM_COL32(10, 12, 15, 220));
        list->AddCircleFilled(at[i], 3.5f * unit, ACCENT);
    }
    for (int i = 0; i + 1 < ruler->count; i++) {
        write_length(text, app, i);
        mark(list, app, ImVec2((at[i].x + at[i + 1].x) / 2, (at[i].y + at[i + 1].y) / 2), text);
    }
    if (ruler->count == RULER_POINTS) {
        snprintf(text, sizeof text, "%.1f\xc2\xb0", app_ruler_angle(ruler));
        mark(list, app, beyond(at), text);
    }
    list->PopClipRect();
}
