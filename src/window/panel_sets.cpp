/* Two sets of rungs: their rows on the lab page, and their labels over the halves of the scene. */
#include "panel_parts.h"
#include "app_sets.h"
#include "app_surfaces.h"
#include "app_value.h"

#include <math.h>
#include <stdio.h>

namespace
{

/* The set's time, and for which value; or why it is not known. */
void time_text(const struct app *app, int side, char *text, size_t size)
{
    const struct lab_set *set = &app->lab.set[side];
    const bool now = set->value == app_value(app);
    char ms[32], at[48] = "";
    number_text(ms, sizeof ms, set->ms);
    if (!now && !isnan(set->value)) snprintf(at, sizeof at, " at %.*g", app_value_digits(app), set->value);
    if (set->ms > 0) snprintf(text, size, "%s ms%s%s", ms, at, set->shared ? ", both at once" : "");
    else snprintf(text, size, "%s", app->lab.split || side == app->lab.side ? "at work" : "not run yet");
}

/* How many times as long the slower set takes; "" unless both were timed for the same value, and each alone. */
void compare_text(const struct app *app, char *text, size_t size)
{
    const struct lab_set *a = &app->lab.set[LAB_A], *b = &app->lab.set[LAB_B];
    const bool same = a->ms > 0 && b->ms > 0 && a->value == b->value && !a->shared && !b->shared;
    char times[32];
    text[0] = 0;
    if (!same) return;
    number_text(times, sizeof times, fmax(a->ms, b->ms) / fmin(a->ms, b->ms));
    snprintf(text, size, "%c takes %s times as long, for the same surface", a->ms > b->ms ? 'A' : 'B', times);
}

void set_row(const struct app *app, int side)
{
    const struct lab *lab = &app->lab;
    char name[256], time[80];
    lab_describe(lab->set[side].rung, lab->of, name, sizeof name);
    time_text(app, side, time, sizeof time);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextColored(side == lab->side ? ACCENT_TEXT : DIM_TEXT, "%c", 'A' + side);
    ImGui::TableNextColumn();
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(name);
    ImGui::TextColored(lab->set[side].ms > 0 ? GOOD_TEXT : DIM_TEXT, "%s", time);
    ImGui::PopTextWrapPos();
}

/* The label of a set, at the top of its half of the scene. */
void half_label(struct app *app, int side)
{
    const float margin = 8 * (float)app->scale, half = 0.5f * (float)app->scene[2];
    const float left = (float)app->scene[0] + (side == LAB_B ? half : 0) + margin, wide = half - 2 * margin;
    const struct lab *lab = &app->lab;
    char name[256], time[80], id[8];
    if (wide < 10 * ImGui::CalcTextSize("0").x) return;
    lab_describe(lab->set[side].rung, lab->of, name, sizeof name);
    time_text(app, side, time, sizeof time);
    snprintf(id, sizeof id, "half %c", 'A' + side);
    ImGui::SetNextWindowPos(ImVec2(left, margin + (float)app->line_height));
    ImGui::SetNextWindowSizeConstraints(ImVec2(0, 0), ImVec2(wide, (float)app->height));
    ImGui::SetNextWindowBgAlpha(0.72f);
    if (ImGui::Begin(id, NULL,
                     FIXED | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoInputs |
                         ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoBringToFrontOnFocus)) {
        ImGui::PushTextWrapPos(wide - 3 * margin);
        ImGui::TextColored(ACCENT_TEXT, "%c", 'A' + side);
        ImGui::SameLine();
        ImGui::TextUnformatted(name);
        ImGui::TextColored(GOOD_TEXT, "%s", time);
        if (side == lab->side && app_shows_coarse(app))
            ImGui::TextColored(DIM_TEXT, "shown: coarse 1/%u, until it is there", app_surface(app)->drawn.step);
        ImGui::PopTextWrapPos();
        window_widget(app, id);
        const int foot = (int)(ImGui::GetWindowPos().y + ImGui::GetWindowHeight());
        if (app->split_foot < foot) app->split_foot = foot;
    }
    ImGui::End();
}

} // namespace

void sets_section(struct app *app)
{
    char text[128];
    const char *const lacks = app_lacks_split(app);
    const struct {
        const char *text;
        bool on;
        void (*action)(struct app *app, double unused);
    } buttons[] = { { "flip", false, key_flip_sets },
                    { app->lab.split ? "end split" : "split", app->lab.split, key_split_sets },
                    { "race", false, key_race } };
    for (const auto &button : buttons) {
        if (&button != buttons) ImGui::SameLine();
        const bool lost = button.action != key_flip_sets && lacks;
        if (action_button(app, button.text, button.on, button.action, lost ? lacks : "") && !lost) button.action(app, 0);
    }
    if (!app->lab.sets) {
        ImGui::PushTextWrapPos(0);
        ImGui::TextColored(DIM_TEXT,
                           "flip keeps these rungs as A and shows B, the textbook: the same surface, at another pace");
        ImGui::PopTextWrapPos();
        return;
    }
    if (!ImGui::BeginTable("sets", 2, ImGuiTableFlags_SizingFixedFit)) return;
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, 2 * ImGui::CalcTextSize("0").x);
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);
    for (int side = 0; side < LAB_SETS; side++) set_row(app, side);
    ImGui::EndTable();
    compare_text(app, text, sizeof text);
    if (*text) ImGui::TextUnformatted(text);
    widget(app, "sets");
}

void split_labels(struct app *app)
{
    app->split_foot = 0;
    const float x = (float)app->scene[0] + 0.5f * (float)app->scene[2];
    if (!app->lab.split || app->scene[2] < 2) return;
    ImGui::GetBackgroundDrawList()->AddLine(ImVec2(x, 0), ImVec2(x, (float)app->height), ACCENT, (float)app->scale);
    for (int side = 0; side < LAB_SETS; side++) half_label(app, side);
}
