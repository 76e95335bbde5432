/* The panel's text: numbers, alignment, tooltips. */
#include "panel_parts.h"
#include "app_value.h"
#include "panel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void number_text(char *text, size_t size, double value)
{
    snprintf(text, size, value >= 99.95 ? "%.0f" : value >= 9.995 ? "%.1f" : value >= 0.0995 ? "%.2f" : "%.3f", value);
}

void value_text(const struct app *app, char *text, size_t size, double value)
{
    if (isnan(value)) snprintf(text, size, "-");
    else snprintf(text, size, "%.*g", app_value_digits(app), value);
}

void count_text(char *text, size_t size, uint64_t count)
{
    char digits[24];
    const int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    size_t at = 0;
    for (int i = 0; i < n && at + 2 < size; i++) {
        if (i && (n - i) % 3 == 0) text[at++] = ' ';
        text[at++] = digits[i];
    }
    text[at] = '\0';
}

/* Breaks the text at spaces, into lines that fit into the room. */
static void break_lines(const char *text, ImVector<char> *lines)
{
    const size_t size = strlen(text) + 1;
    lines->resize((int)size);
    memcpy(lines->Data, text, size);
    const float room = ImGui::GetContentRegionAvail().x;
    char *line = lines->Data, *space = NULL;
    for (char *at = line;; at++) {
        if (*at && *at != ' ' && *at != '\n') continue;
        const bool ends_word = space && at[-1] != ' '; /* of several spaces the last one is taken */
        if (ends_word && ImGui::CalcTextSize(line, at).x > room) *space = '\n', line = space + 1;
        if (!*at) break;
        space = *at == ' ' ? at : NULL;
        if (!space) line = at + 1;
    }
}

void wrapped_text(const char *text)
{
    ImVector<char> lines;
    break_lines(text, &lines);
    ImGui::PushTextWrapPos(0); /* breaks words that are wider */
    ImGui::TextUnformatted(lines.Data);
    ImGui::PopTextWrapPos();
}

float wrapped_height(const char *text)
{
    ImVector<char> lines;
    break_lines(text, &lines);
    return ImGui::CalcTextSize(lines.Data, NULL, false, ImGui::GetContentRegionAvail().x).y;
}

void right_text(const char *text, bool dim)
{
    const float left = ImGui::GetColumnWidth() - ImGui::CalcTextSize(text).x;
    if (left > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + left);
    if (dim) ImGui::TextColored(DIM_TEXT, "%s", text);
    else ImGui::TextUnformatted(text);
}

static float widest_tooltip(void) { return ImGui::GetFontSize() * 32; }

/* A tooltip goes beside the last item's window, level with the item, so that it covers neither the item's row nor those
 * around it. Without room there, it goes below the row, or else above. */
static ImVec2 place_tooltip(const char *text)
{
    const ImGuiStyle &style = ImGui::GetStyle();
    const ImVec2 room = ImGui::GetIO().DisplaySize, low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    const ImVec2 words = ImGui::CalcTextSize(text, NULL, false, widest_tooltip());
    const ImVec2 size(words.x + 2 * style.WindowPadding.x, words.y + 2 * style.WindowPadding.y);
    const float gap = style.ItemSpacing.x, beside = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() + 2 * gap;
    const float middle = 0.5f * (low.y + high.y - size.y), y = middle + size.y > room.y ? room.y - size.y : middle;
    if (beside + size.x <= room.x) return ImVec2(beside, y > 0 ? y : 0);
    const float x = low.x + size.x > room.x ? room.x - size.x : low.x;
    return ImVec2(x > 0 ? x : 0, high.y + gap + size.y <= room.y ? high.y + gap : low.y - gap - size.y);
}

/* Tooltips lie above all. While a box is open, which has none itself, they would be of what is behind it and cover it: the
 * mouse may still rest where it was. */
static void show_tooltip(const char *text, const ImVec2 *at)
{
    if (panel_has_box((const struct app *)ImGui::GetIO().UserData)) return;
    if (at) ImGui::SetNextWindowPos(*at);
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(widest_tooltip());
    ImGui::TextUnformatted(text);
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

void tooltip(const char *text)
{
    const ImVec2 at = place_tooltip(text);
    show_tooltip(text, &at);
}

void mouse_tooltip(const char *text) { show_tooltip(text, NULL); }

void key_tooltip(const struct key *key, const char *more)
{
    char text[320];
    while (!key->name) key--; /* another key of the row above */
    snprintf(text, sizeof text, "%s: %s%s%s", key->name, key->text, *more ? ". " : "", more);
    tooltip(text);
}
