/* What the labels' files share with each other and with the panel. C++. */
#ifndef ISO_LABELS_PARTS_H
#define ISO_LABELS_PARTS_H

#include "axes.h"
#include "labels.h"

#ifdef __cplusplus
#include <imgui.h>

const ImU32 ACCENT = IM_COL32(240, 196, 120, 255); /* over the scene and on plots, which are dark in every theme */

/* Loads the font at this scale into Dear ImGui's present context. */
void load_font(float scale);

/* Writes text with a shadow, so that it can be read on any background. */
void bright_text(ImDrawList *list, ImVec2 at, ImU32 colour, const char *text);

/* Draws one end of an axis: a full disc at the positive end, a ring at the other. Ends farther back are fainter; `lit` ones
 * are bright. */
void labels_axis(ImDrawList *list, float unit, enum volume_world world, const struct axes &axes, const struct axes_end &end,
                 bool lit);

void labels_axes(const struct labels *labels, ImDrawList *list);

/* Draws the legend of the colours. from, to: corners of its background. list NULL: only finds these. False: there is no
 * legend. */
bool labels_legend(const struct labels *labels, ImDrawList *list, ImVec2 *from, ImVec2 *to);

#endif
#endif
