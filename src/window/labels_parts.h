/* What the files of labels share with each other, and with the panel. C++. */
#ifndef ISO_LABELS_PARTS_H
#define ISO_LABELS_PARTS_H

#include "axes.h"
#include "labels.h"

#ifdef __cplusplus
#include <imgui.h>

const ImU32 ACCENT = IM_COL32(240, 196, 120, 255); /* over the scene and on plots, which are dark in every theme */

/* Loads the font of text at this scale into Dear ImGui's present context. */
void load_font(float scale);

/* With a shadow: it stands on anything. */
void bright_text(ImDrawList *list, ImVec2 at, ImU32 colour, const char *text);

/* Axes are full discs at their positive ends and rings at the others; those behind are fainter, and `lit` ones bright. */
void labels_axis(ImDrawList *list, float unit, enum volume_world world, const struct axes &axes, const struct axes_end &end,
                 bool lit);

void labels_axes(const struct labels *labels, ImDrawList *list);

/* Draws what colours mean; list NULL: only finds the corners of the ground that it stands on. False: it is not there. */
bool labels_legend(const struct labels *labels, ImDrawList *list, ImVec2 *from, ImVec2 *to);

#endif
#endif
