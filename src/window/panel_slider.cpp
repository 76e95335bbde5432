/* Sliders whose number is beside the thumb. Dear ImGui's own write it across. */
#include "panel_parts.h"
#include "text.h"

#include <string.h>

#include <imgui_internal.h> /* SliderBehavior: nothing else knows where the thumb is */

namespace
{

const float GAP = 4; /* pixels at scale 1 between thumb and number */

/* Where the number begins: centred, unless the thumb is in the way. Then it moves to the side with more room; if that is
 * not enough, it stays centred. */
float number_place(const ImRect &frame, const ImRect &thumb, float width, float gap)
{
    const float middle = 0.5f * (frame.Min.x + frame.Max.x - width);
    const float after = thumb.Max.x + gap, before = thumb.Min.x - gap - width;
    if (middle >= after || middle <= before) return middle;
    const bool right = frame.Max.x - thumb.Max.x >= thumb.Min.x - frame.Min.x;
    const bool fits = right ? after + width <= frame.Max.x : before >= frame.Min.x;
    return !fits ? middle : right ? after : before;
}

/* Draws the number. If it has to cross the thumb, it gets an outline in the colour of the slider's background. */
void draw_number(const ImRect &frame, const ImRect &thumb, const char *text)
{
    ImDrawList *list = ImGui::GetWindowDrawList();
    const ImVec2 size = ImGui::CalcTextSize(text);
    const float gap = GAP * ImGui::GetStyle().GrabMinSize / ImGuiStyle().GrabMinSize; /* at the style's scale */
    const float x = ImFloor(number_place(frame, thumb, size.x, gap));
    const float y = ImFloor(0.5f * (frame.Min.y + frame.Max.y - size.y));
    const bool crosses = x < thumb.Max.x && x + size.x > thumb.Min.x;
    list->PushClipRect(frame.Min, frame.Max, true);
    for (int i = 0; i < 9 && crosses; i++)
        list->AddText(ImVec2(x + (float)(i % 3 - 1), y + (float)(i / 3 - 1)), ImGui::GetColorU32(ImGuiCol_FrameBg), text);
    list->AddText(ImVec2(x, y), ImGui::GetColorU32(ImGuiCol_Text), text);
    list->PopClipRect();
}

/* To learn the thumb's place, SliderBehavior is called again under the ID of an item that is never held. That changes
 * nothing. */
template <typename T>
bool slider(const char *label, ImGuiDataType type, T *value, T from, T to, const char *format, ImGuiSliderFlags flags)
{
    const ImGuiID id = ImGui::GetID(label);
    const bool typed = ImGui::TempInputIsActive(id);
    char text[64];
    if (!typed) ImGui::PushStyleColor(ImGuiCol_Text, ImVec4(0, 0, 0, 0)); /* hides Dear ImGui's number */
    const bool changed = ImGui::SliderScalar(label, type, value, &from, &to, format, flags);
    if (!typed) ImGui::PopStyleColor();
    if (ImGui::TempInputIsActive(id)) return changed;
    const ImRect frame(ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    ImRect thumb;
    ImGui::SliderBehavior(frame, ImGui::GetID("thumb"), type, value, &from, &to, format, flags, &thumb);
    ImGui::DataTypeFormatString(text, sizeof text, type, value, format);
    draw_number(frame, thumb, text);
    return changed;
}

} // namespace

bool slider_double(const char *label, double *value, double from, double to, const char *format, ImGuiSliderFlags flags)
{
    const bool changed = slider(label, ImGuiDataType_Double, value, from, to, format, flags);
    char text[32];
    const char *end;
    if (changed && !strchr(format, '%')) text_double(text_digits(text, *value, 3), &end, value);
    return changed;
}

bool slider_int(const char *label, int *value, int from, int to, ImGuiSliderFlags flags)
{
    return slider(label, ImGuiDataType_S32, value, from, to, "%d", flags);
}
