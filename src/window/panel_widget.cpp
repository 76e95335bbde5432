/* What the panel tells about its controls: where they are, and whether the mouse holds them. */
#include "panel_parts.h"

#include <stdarg.h>
#include <stdio.h>

namespace
{

/* Two coordinates in one int. In small windows boxes stick out, so they may be negative. */
int pack(int high, int low) { return (int)((unsigned)high << 16 | ((unsigned)low & 0xffff)); }

/* Dear ImGui's storage keeps what was logged last. */
void log_place(const struct app *app, const char *text, const ImVec2 &low, const ImVec2 &high)
{
    const int left = (int)low.x, top = (int)low.y, right = (int)high.x, bottom = (int)high.y;
    const int corner[2] = { pack(left, top), pack(right, bottom) };
    const ImGuiID id = ImGui::GetID(text);
    ImGuiStorage *logged = ImGui::GetStateStorage();
    if (logged->GetInt(id) == corner[0] && logged->GetInt(id + 1) == corner[1]) return;
    logged->SetInt(id, corner[0]);
    logged->SetInt(id + 1, corner[1]);
    app_log(app, "widget %s: %d %d %d %d", text, left, top, right, bottom);
}

} // namespace

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
