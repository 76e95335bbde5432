/* The help: all keys, grouped by task, with present values and a filter. */
#include "panel_parts.h"
#include "palette.h"
#include "panel.h"

#include <GLFW/glfw3.h>
#include <imgui_internal.h> /* a window's scrolling range: keys come between two frames */

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

namespace
{

/* Widths in letters. A column of groups: least, if there are two; most, where no text wraps. The keys' names in it. */
const float LEAST_LETTERS = 66, MOST_LETTERS = 92;
const float WIDEST_KEYS = 15;
const float MARGIN = 8; /* pixels at scale 1, to the window's sides */

/* How far keys scroll the help: rows, and parts of what is in sight. The ends are farther away than the help is long. */
const struct {
    int key;
    float rows, pages;
    bool edits; /* in the filter's field it moves the caret */
} moves[] = { { GLFW_KEY_UP, -1, 0, false },         { GLFW_KEY_DOWN, 1, 0, false },
              { GLFW_KEY_PAGE_UP, 0, -0.9f, false }, { GLFW_KEY_PAGE_DOWN, 0, 0.9f, false },
              { GLFW_KEY_HOME, 0, -1e3f, true },     { GLFW_KEY_END, 0, 1e3f, true } };

/* Whether `text` contains `word`, ignoring case. */
bool contains(const char *text, const char *word)
{
    const size_t n = strlen(word);
    for (; strlen(text) >= n; text++) {
        size_t same = 0;
        while (same < n && tolower((unsigned char)text[same]) == tolower((unsigned char)word[same])) same++;
        if (same == n) return true;
    }
    return false;
}

/* Words match as in the palette, so that "export" finds what is called "write". */
bool is_wanted(const struct key *key, const char *group, const char *find)
{
    return key->name && (contains(key->name, find) || contains(group, find) || palette_rank(key->text, find));
}

bool any_wanted(const char *find)
{
    const char *group = "";
    for (const struct key *key = keys; key->code || key->name; key++) {
        if (key->group) group = key->group;
        if (is_wanted(key, group, find)) return true;
    }
    return false;
}

void key_row(const struct app *app, const struct key *key)
{
    char now[64] = "";
    if (key->now) key->now(app, key->argument, now, sizeof now);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushTextWrapPos(0);
    ImGui::TextColored(ACCENT_TEXT, "%s", key->name);
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(key->text);
    if (now[0]) {
        const float gap = 2 * ImGui::CalcTextSize(" ").x;
        const float both = ImGui::CalcTextSize(key->text).x + gap + ImGui::CalcTextSize(now).x;
        if (both <= ImGui::GetContentRegionAvail().x) ImGui::SameLine(0, gap);
        ImGui::TextColored(GOOD_TEXT, "%s", now);
    }
    ImGui::PopTextWrapPos();
}

/* The row after the group that begins at `first`; *names: how many rows of the group have a name. */
const struct key *end_of(const struct key *first, size_t *names)
{
    const struct key *end = first;
    *names = 0;
    do *names += end++->name != NULL;
    while ((end->code || end->name) && !end->group);
    return end;
}

/* The rows from `first` to `end` that match the filter. */
void group_rows(const struct app *app, const struct key *first, const struct key *end, const char *find)
{
    const struct key *any = first;
    while (any < end && !is_wanted(any, first->group, find)) any++;
    if (any == end) return;
    ImGui::TextColored(DIM_TEXT, "%s", first->group);
    ImGui::Separator();
    if (ImGui::BeginTable(first->group, 2)) {
        ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, WIDEST_KEYS * ImGui::CalcTextSize("0").x);
        ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);
        for (const struct key *key = any; key < end; key++)
            if (is_wanted(key, first->group, find)) key_row(app, key);
        ImGui::EndTable();
    }
    ImGui::Spacing();
}

/* All groups, in one column or in two of about the same height. */
void groups(const struct app *app, int columns, const char *find)
{
    size_t names, rows = 0, left = 0;
    for (const struct key *key = keys; key->code || key->name; rows += names) key = end_of(key, &names);
    const ImVec2 padding = ImGui::GetStyle().CellPadding;
    ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(2 * ImGui::CalcTextSize("0").x, padding.y)); /* between columns */
    const bool shown = ImGui::BeginTable("groups", columns,
                                         ImGuiTableFlags_SizingStretchSame | ImGuiTableFlags_NoPadOuterX);
    ImGui::PopStyleVar();
    if (!shown) return;
    ImGui::TableNextColumn();
    for (const struct key *key = keys, *end; key->code || key->name; key = end) {
        end = end_of(key, &names);
        if (columns > 1 && 2 * left + names > rows) ImGui::TableNextColumn(), columns = 1;
        group_rows(app, key, end, find);
        left += names;
    }
    ImGui::EndTable();
}

void filter_field(struct app *app)
{
    char hint[40], key[8];
    keys_short_name(keys_find(key_find_help, 0), key);
    snprintf(hint, sizeof hint, "%s finds keys", key);
    if (app->help_asks) ImGui::SetKeyboardFocusHere();
    app->help_asks = false;
    ImGui::SetNextItemWidth(-1);
    ImGui::InputTextWithHint("##find", hint, app->help_find, sizeof app->help_find);
    widget(app, "help filter");
}

/* Places the help in the middle of the window. While it is filtered, its head stays where it was: the field must not move
 * with every letter. */
void place_help(const struct app *app, float wide, bool filtered)
{
    const float width = (float)app->width, height = (float)app->height, margin = MARGIN * (float)app->scale;
    const float top = filtered ? fminf(app->help_top, height / 4) : margin;
    if (filtered) ImGui::SetNextWindowPos(ImVec2(width / 2, top), 0, ImVec2(0.5f, 0));
    else ImGui::SetNextWindowPos(ImVec2(width / 2, height / 2), 0, ImVec2(0.5f, 0.5f));
    ImGui::SetNextWindowSizeConstraints(ImVec2(wide, 0), ImVec2(wide, height - top - margin));
}

/* The help that was drawn last; NULL: it has just been opened. */
ImGuiWindow *drawn_help(void)
{
    ImGuiWindow *help = ImGui::FindWindowByName("help");
    return help && help->Active ? help : NULL;
}

} // namespace

bool panel_scroll_help(const struct app *app, int key)
{
    ImGuiWindow *help = drawn_help();
    for (const auto &move : moves) {
        if (move.key != key || (move.edits && panel_takes_text())) continue;
        if (!help) return true;
        const float row = help->CalcFontSize() + 2 * ImGui::GetStyle().CellPadding.y;
        const float step = roundf(move.rows * row + move.pages * help->InnerRect.GetHeight());
        help->Scroll.y = fmaxf(0, fminf(help->Scroll.y + step, help->ScrollMax.y));
        app_log(app, "help at %.0f of %.0f", (double)help->Scroll.y, (double)help->ScrollMax.y);
        return true;
    }
    return false;
}

void help_window(struct app *app)
{
    const float letter = ImGui::CalcTextSize("0").x, margin = MARGIN * (float)app->scale;
    const float room = (float)app->width - 2 * margin;
    const bool filtered = app->help_find[0] != '\0';
    const int columns = room >= 2 * LEAST_LETTERS * letter && !filtered ? 2 : 1;
    const float wanted = (float)columns * MOST_LETTERS * letter, wide = wanted < room ? wanted : room;
    place_help(app, wide, filtered);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1); /* the panel behind it has the same colour */
    if (ImGui::Begin("help", NULL, FIXED | ImGuiWindowFlags_AlwaysAutoResize)) {
        if (ImGui::IsWindowAppearing()) ImGui::SetWindowFocus(); /* above boxes that were open before */
        filter_field(app);
        if (any_wanted(app->help_find)) groups(app, columns, app->help_find);
        else ImGui::TextColored(DIM_TEXT, "no key matches");
        if (!filtered) app->help_top = ImGui::GetWindowPos().y;
        window_widget(app, "help");
    }
    ImGui::End();
    ImGui::PopStyleVar();
}
