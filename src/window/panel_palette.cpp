/* The palette: a line with the typed words, and the matching actions, each with its key. */
#include "panel_parts.h"

namespace
{

const float WIDE_LETTERS = 76;
const size_t ROWS = 16;

/* One row: title; present value, or why the action can do nothing; key. Returns whether it was clicked. */
bool entry_row(struct app *app, size_t i)
{
    struct palette *palette = &app->palette;
    const struct key *key = palette->entry[i];
    const char *why = key->lacks ? key->lacks(app, key->argument) : NULL;
    char name[24], now[64] = "";
    const float letter = ImGui::CalcTextSize("0").x;
    keys_own_name(key, name);
    if (!why && key->now) key->now(app, key->argument, now, sizeof now);
    ImGui::PushID((int)i);
    const bool clicked = ImGui::Selectable("##entry", i == palette->chosen);
    ImGui::PopID();
    if (i < 4) widget(app, "palette %zu", i);
    if (i == palette->chosen && palette->moved) ImGui::SetScrollHereY();
    ImGui::SameLine(0, 0);
    const float key_at = ImGui::GetWindowContentRegionMax().x - ImGui::CalcTextSize(name).x - letter;
    const ImVec2 left = ImGui::GetCursorScreenPos();
    ImGui::PushClipRect(left, ImVec2(ImGui::GetWindowPos().x + key_at - letter, left.y + ImGui::GetTextLineHeight()), true);
    ImGui::TextColored(why ? DIM_TEXT : ImGui::GetStyleColorVec4(ImGuiCol_Text), " %s", palette_title(key));
    ImGui::SameLine(0, 2 * letter);
    if (why) ImGui::TextColored(DIM_TEXT, "(%s)", why);
    else ImGui::TextColored(GOOD_TEXT, "%s", now);
    ImGui::PopClipRect();
    ImGui::SameLine(key_at);
    ImGui::TextColored(why ? DIM_TEXT : ACCENT_TEXT, "%s", name);
    return clicked;
}

/* All rows. Returns the index of the row that was clicked; if none was, the number of rows. */
size_t entry_rows(struct app *app, float height)
{
    const size_t entries = app->palette.entries;
    size_t clicked = entries;
    if (ImGui::BeginChild("entries", ImVec2(0, height), false, ImGuiWindowFlags_NoNav))
        for (size_t i = 0; i < entries; i++)
            if (entry_row(app, i)) clicked = i;
    ImGui::EndChild();
    app->palette.moved = false;
    return clicked;
}

} // namespace

void palette_window(struct app *app)
{
    struct palette *palette = &app->palette;
    const float letter = ImGui::CalcTextSize("0").x, line = ImGui::GetTextLineHeightWithSpacing();
    const float room = (float)app->width - 16 * (float)app->scale, wanted = WIDE_LETTERS * letter;
    const float count = palette->entries < ROWS ? (float)palette->entries : (float)ROWS;
    const float high = (float)app->height - 4 * line, rows = count * line;
    size_t clicked = palette->entries;
    if (!palette->shown) return;
    ImGui::SetNextWindowPos(ImVec2((float)app->width / 2, line), 0, ImVec2(0.5f, 0));
    ImGui::SetNextWindowSize(ImVec2(wanted < room ? wanted : room, 0));
    ImGui::SetNextWindowFocus(); /* in front of all others */
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::GetStyleColorVec4(ImGuiCol_PopupBg));
    if (ImGui::Begin("palette", NULL, FIXED | ImGuiWindowFlags_NoNav)) {
        ImGui::TextColored(ACCENT_TEXT, ">");
        ImGui::SameLine();
        if (palette->find[0]) ImGui::Text("%s|", palette->find);
        else ImGui::TextColored(DIM_TEXT, "type words of an action; arrows and Enter run it, Esc closes");
        ImGui::Separator();
        if (palette->entries) clicked = entry_rows(app, rows < high ? rows : high);
        else ImGui::TextColored(DIM_TEXT, "no action matches");
        window_widget(app, "palette");
    }
    ImGui::End();
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    if (clicked >= palette->entries) return;
    palette->chosen = clicked;
    palette_run(app);
}
