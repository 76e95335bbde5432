/* The panel's text: numbers, alignment, tooltips. */
#include "panel_parts.h"

#include <stdio.h>

void number_text(char *text, size_t size, double value)
{
    snprintf(text, size, value >= 99.95 ? "%.0f" : value >= 9.995 ? "%.1f" : value >= 0.0995 ? "%.2f" : "%.3f", value);
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

void right_text(const char *text, bool dim)
{
    const float left = ImGui::GetColumnWidth() - ImGui::CalcTextSize(text).x;
    if (left > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + left);
    if (dim) ImGui::TextColored(DIM_TEXT, "%s", text);
    else ImGui::TextUnformatted(text);
}

void tooltip(const char *text)
{
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(ImGui::GetFontSize() * 32);
    ImGui::TextUnformatted(text);
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

void key_tooltip(const struct key *key, const char *more)
{
    char text[320];
    while (!key->name) key--; /* another key of the row above */
    snprintf(text, sizeof text, "%s: %s%s%s", key->name, key->text, *more ? ". " : "", more);
    tooltip(text);
}
