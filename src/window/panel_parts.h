/* What the files of the panel share: colours, flags of windows, and the sections that have a file of their own. C++. */
#ifndef ISO_PANEL_PARTS_H
#define ISO_PANEL_PARTS_H

#include "app.h"

#ifdef __cplusplus
#include <imgui.h>

const ImU32 ACCENT = IM_COL32(240, 196, 120, 255);
const ImVec4 DIM_TEXT(0.557f, 0.588f, 0.635f, 1), ACCENT_TEXT(0.941f, 0.769f, 0.471f, 1);

const ImGuiWindowFlags FIXED = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                               ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                               ImGuiWindowFlags_NoBringToFrontOnFocus;

void tooltip(const char *text);

/* panel_slices.cpp */
void slices_section(struct app *app);
void probe_label(const struct app *app);

#endif
#endif
