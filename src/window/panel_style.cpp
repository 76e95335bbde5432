/* The panel's looks: colours, spacing and font. */
#include "panel_parts.h"

#include <math.h>
#include <unistd.h>

namespace
{

const char *const FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"; /* if missing: Dear ImGui's own */
const float FONT_PIXELS = 13;                                                   /* at scale 1 */

const struct {
    ImGuiCol what;
    ImVec4 colour;
} colours[] = {
    { ImGuiCol_Text, ImVec4(0.88f, 0.89f, 0.90f, 1) },
    { ImGuiCol_WindowBg, ImVec4(0.106f, 0.118f, 0.137f, 1) },
    { ImGuiCol_PopupBg, ImVec4(0.075f, 0.085f, 0.100f, 0.98f) },
    { ImGuiCol_Border, ImVec4(0.25f, 0.28f, 0.32f, 1) },
    { ImGuiCol_Separator, ImVec4(0.22f, 0.245f, 0.28f, 1) },
    { ImGuiCol_FrameBg, ImVec4(0.063f, 0.074f, 0.094f, 1) },
    { ImGuiCol_FrameBgHovered, ImVec4(0.090f, 0.104f, 0.130f, 1) },
    { ImGuiCol_FrameBgActive, ImVec4(0.110f, 0.126f, 0.155f, 1) },
    { ImGuiCol_Button, ImVec4(0.20f, 0.23f, 0.27f, 1) },
    { ImGuiCol_ButtonHovered, ImVec4(0.27f, 0.31f, 0.36f, 1) },
    { ImGuiCol_ButtonActive, ImVec4(0.33f, 0.37f, 0.42f, 1) },
    { ImGuiCol_Header, ImVec4(0.20f, 0.23f, 0.27f, 1) },
    { ImGuiCol_HeaderHovered, ImVec4(0.24f, 0.28f, 0.33f, 1) },
    { ImGuiCol_HeaderActive, ImVec4(0.30f, 0.34f, 0.40f, 1) },
    { ImGuiCol_TextSelectedBg, ImVec4(0.94f, 0.77f, 0.47f, 0.35f) },
    { ImGuiCol_PlotHistogram, ImVec4(0.94f, 0.77f, 0.47f, 0.65f) }, /* progress bars */
    { ImGuiCol_CheckMark, ACCENT_TEXT },
    { ImGuiCol_SliderGrab, ImVec4(0.94f, 0.77f, 0.47f, 0.65f) },
    { ImGuiCol_SliderGrabActive, ACCENT_TEXT },
    { ImGuiCol_NavHighlight, ImVec4(0.94f, 0.77f, 0.47f, 0.8f) },
};

} // namespace

void set_style(float scale)
{
    ImGui::StyleColorsDark();
    ImGuiStyle &style = ImGui::GetStyle();
    for (const auto &row : colours) style.Colors[row.what] = row.colour;
    style.WindowRounding = 0;
    style.WindowBorderSize = 0;
    style.FrameRounding = 3;
    style.PopupRounding = 4;
    style.WindowPadding = ImVec2(12, 10);
    style.ItemSpacing = ImVec2(6, 4);
    style.CellPadding = ImVec2(3, 1.5f);
    style.ScaleAllSizes(scale);
}

void load_font(float scale)
{
    ImFontAtlas *fonts = ImGui::GetIO().Fonts;
    ImFontConfig config;
    config.SizePixels = floorf(FONT_PIXELS * scale + 0.5f);
    if (access(FONT, R_OK) == 0) fonts->AddFontFromFileTTF(FONT, config.SizePixels);
    else fonts->AddFontDefault(&config);
}
