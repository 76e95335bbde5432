/* The panel's looks: colours, spacing and font. */
#include "panel.h"
#include "panel_parts.h"

namespace
{

/* clang-format off */
const struct {
    ImGuiCol what;
    ImVec4 colour[THEMES]; /* dark, light */
} colours[] = {
    { ImGuiCol_Text, { ImVec4(0.88f, 0.89f, 0.90f, 1), ImVec4(0.11f, 0.12f, 0.14f, 1) } },
    { ImGuiCol_TextDisabled, { ImVec4(0.557f, 0.588f, 0.635f, 1), ImVec4(0.36f, 0.38f, 0.42f, 1) } },
    { ImGuiCol_WindowBg, { ImVec4(0.106f, 0.118f, 0.137f, 1), ImVec4(0.945f, 0.949f, 0.957f, 1) } },
    { ImGuiCol_PopupBg, { ImVec4(0.075f, 0.085f, 0.100f, 0.98f), ImVec4(0.985f, 0.987f, 0.99f, 0.98f) } },
    { ImGuiCol_Border, { ImVec4(0.25f, 0.28f, 0.32f, 1), ImVec4(0.70f, 0.72f, 0.75f, 1) } },
    { ImGuiCol_Separator, { ImVec4(0.22f, 0.245f, 0.28f, 1), ImVec4(0.78f, 0.80f, 0.82f, 1) } },
    { ImGuiCol_FrameBg, { ImVec4(0.063f, 0.074f, 0.094f, 1), ImVec4(1, 1, 1, 1) } },
    { ImGuiCol_FrameBgHovered, { ImVec4(0.090f, 0.104f, 0.130f, 1), ImVec4(0.96f, 0.94f, 0.90f, 1) } },
    { ImGuiCol_FrameBgActive, { ImVec4(0.110f, 0.126f, 0.155f, 1), ImVec4(0.93f, 0.90f, 0.84f, 1) } },
    { ImGuiCol_Button, { ImVec4(0.20f, 0.23f, 0.27f, 1), ImVec4(0.84f, 0.86f, 0.88f, 1) } },
    { ImGuiCol_ButtonHovered, { ImVec4(0.27f, 0.31f, 0.36f, 1), ImVec4(0.78f, 0.80f, 0.83f, 1) } },
    { ImGuiCol_ButtonActive, { ImVec4(0.33f, 0.37f, 0.42f, 1), ImVec4(0.72f, 0.74f, 0.78f, 1) } },
    { ImGuiCol_Header, { ImVec4(0.20f, 0.23f, 0.27f, 1), ImVec4(0.86f, 0.875f, 0.895f, 1) } },
    { ImGuiCol_HeaderHovered, { ImVec4(0.24f, 0.28f, 0.33f, 1), ImVec4(0.82f, 0.84f, 0.86f, 1) } },
    { ImGuiCol_HeaderActive, { ImVec4(0.30f, 0.34f, 0.40f, 1), ImVec4(0.76f, 0.78f, 0.81f, 1) } },
    { ImGuiCol_ScrollbarBg, { ImVec4(0.063f, 0.074f, 0.094f, 0.6f), ImVec4(0.90f, 0.91f, 0.92f, 1) } },
    { ImGuiCol_ScrollbarGrab, { ImVec4(0.31f, 0.31f, 0.31f, 1), ImVec4(0.68f, 0.70f, 0.73f, 1) } },
    { ImGuiCol_TextSelectedBg, { ImVec4(0.94f, 0.77f, 0.47f, 0.35f), ImVec4(0.86f, 0.60f, 0.18f, 0.40f) } },
    { ImGuiCol_PlotHistogram, { ImVec4(0.94f, 0.77f, 0.47f, 0.65f), ImVec4(0.80f, 0.54f, 0.16f, 0.75f) } }, /* progress bars */
    { ImGuiCol_CheckMark, { ImVec4(0.941f, 0.769f, 0.471f, 1), ImVec4(0.53f, 0.31f, 0.02f, 1) } }, /* ACCENT_TEXT */
    { ImGuiCol_SliderGrab, { ImVec4(0.470f, 0.385f, 0.235f, 1), ImVec4(0.740f, 0.500f, 0.160f, 1) } },
    { ImGuiCol_SliderGrabActive, { ImVec4(0.580f, 0.475f, 0.290f, 1), ImVec4(0.660f, 0.420f, 0.080f, 1) } },
    { ImGuiCol_NavHighlight, { ImVec4(0.94f, 0.77f, 0.47f, 0.8f), ImVec4(0.80f, 0.54f, 0.16f, 0.8f) } },
    { ImGuiCol_PlotLines, { ImVec4(0.494f, 0.745f, 0.651f, 1), ImVec4(0.04f, 0.40f, 0.30f, 1) } },             /* GOOD_TEXT */
    { ImGuiCol_PlotHistogramHovered, { ImVec4(0.871f, 0.784f, 0.643f, 1), ImVec4(0.80f, 0.54f, 0.16f, 1) } },  /* BAR_INSIDE */
    { ImGuiCol_PlotLinesHovered, { ImVec4(0.3295f, 0.3845f, 0.455f, 1), ImVec4(0.62f, 0.66f, 0.71f, 1) } },     /* BAR_OUTSIDE */
    { ImGuiCol_TitleBg, { ImVec4(0.07f, 0.08f, 0.10f, 0.88f), ImVec4(0.985f, 0.987f, 0.99f, 0.92f) } },        /* MESSAGE_BACK */
    { ImGuiCol_TitleBgActive, { ImVec4(0.55f, 0.11f, 0.10f, 0.96f), ImVec4(0.98f, 0.82f, 0.80f, 0.97f) } },    /* ERROR_BACK */
};
/* clang-format on */

} // namespace

void set_style(float scale, int theme)
{
    ImGuiStyle &style = ImGui::GetStyle();
    style = ImGuiStyle(); /* sizes add up otherwise */
    ImGui::StyleColorsDark();
    for (const auto &row : colours) style.Colors[row.what] = row.colour[theme];
    style.WindowRounding = 0;
    style.WindowBorderSize = 0;
    style.FrameRounding = 3;
    style.PopupRounding = 4;
    style.WindowPadding = ImVec2(12, 10);
    style.ItemSpacing = ImVec2(6, 4);
    style.CellPadding = ImVec2(3, 1.5f);
    style.ScaleAllSizes(scale);
}
