/* What the panel reports about its controls: where they are, and whether the mouse holds them. */
#include "panel_parts.h"
#include "text.h"

#include <imgui_internal.h> /* SpanAvailWidth: a row as wide as its list, which is as wide as its names; Hidden */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

namespace
{

/* Packs two coordinates into one int. They may be negative, as boxes stick out of small windows. */
int pack(int high, int low) { return (int)((unsigned)high << 16 | ((unsigned)low & 0xffff)); }

void leave_field(struct app *app, struct typed *typed)
{
    typed->on = false;
    if (strcmp(typed->text, typed->first) != 0) typed->take(app, typed->text);
}

} // namespace

/* Dear ImGui's storage keeps the rectangle that was logged last. A list or box is hidden in the frame in which it opens,
 * because its size is not known yet, and it appears elsewhere. That first place is not logged. The place where it appears is
 * logged each time it opens, even if it has not changed. */
void log_place(const struct app *app, const char *text, const ImVec2 &low, const ImVec2 &high)
{
    const bool hidden = ImGui::GetCurrentWindowRead()->Hidden; /* GetCurrentWindow would show a debug window */
    const int left = (int)low.x, top = (int)low.y, right = (int)high.x, bottom = (int)high.y;
    const int corner[2] = { hidden ? 0 : pack(left, top), hidden ? 0 : pack(right, bottom) };
    const ImGuiID id = ImGui::GetID(text);
    ImGuiStorage *logged = ImGui::GetStateStorage();
    if (logged->GetInt(id) == corner[0] && logged->GetInt(id + 1) == corner[1]) return;
    logged->SetInt(id, corner[0]);
    logged->SetInt(id + 1, corner[1]);
    if (!hidden) app_log(app, "widget %s: %d %d %d %d", text, left, top, right, bottom);
}

void widget(const struct app *app, const char *name, ...)
{
    char text[48];
    va_list args;
    va_start(args, name);
    vsnprintf(text, sizeof text, name, args);
    va_end(args);
    log_place(app, text, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
}

void window_widget(const struct app *app, const char *name)
{
    const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
    log_place(app, name, at, ImVec2(at.x + size.x, at.y + size.y));
}

bool is_held(void) { return ImGui::IsItemActive() && ImGui::IsMouseDown(ImGuiMouseButton_Left); }

bool name_item(const char *name, int number, bool present)
{
    char shown[300];
    text_visible(shown, sizeof shown, name);
    const ImVec2 at = ImGui::GetCursorScreenPos(), size(ImGui::CalcTextSize(shown).x, 0);
    ImGui::PushID(number);
    const bool chosen = ImGui::Selectable("##name", present, ImGuiSelectableFlags_SpanAvailWidth, size);
    ImGui::PopID();
    ImGui::GetWindowDrawList()->AddText(at, ImGui::GetColorU32(ImGuiCol_Text), shown);
    return chosen;
}

bool list_item(const char *text, bool present, ImGuiSelectableFlags flags)
{
    const bool chosen = ImGui::Selectable(text, present, flags);
    if (present) ImGui::SetItemDefaultFocus();
    return chosen;
}

/* Dear ImGui gives the typed text only while the field has the keyboard, and reports only Enter. If an item that was drawn
 * earlier takes the keyboard, the field learns of the loss but no longer has the text. So the text is kept here. */
void text_field(struct app *app, struct typed *typed, const char *label, const char *text,
                void (*take)(struct app *app, const char *text))
{
    char now[sizeof typed->text];
    snprintf(now, sizeof now, "%s", text);
    ImGui::InputText(label, now, sizeof now, ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    const bool active = ImGui::IsItemActive(), reverts = ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape));
    if (active && !typed->on) snprintf(typed->first, sizeof typed->first, "%s", text);
    if (active || (typed->on && strcmp(now, text) != 0)) memcpy(typed->text, now, sizeof now);
    if (typed->on && reverts) memcpy(typed->text, typed->first, sizeof typed->text);
    if (typed->on && !active) leave_field(app, typed);
    typed->on = active, typed->take = take;
}

void leave_fields(struct app *app)
{
    for (struct typed &typed : app->typed)
        if (typed.on) leave_field(app, &typed);
}
