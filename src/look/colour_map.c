#include "colour_map.h"

#include "row.h"

/* The colours of viridis (van der Walt and Smith 2015, CC0) and cividis (Nunez, Anderton and Renslow 2018, CC0) at
 * every eighth of the range. Equal steps of the value look equal, also in grey and to colour-blind eyes. */
/* clang-format off */
const struct colour_map colour_maps[] = {
    { "grey", "black to white, as on medical screens",
      { { 0.000f, 0.000f, 0.000f }, { 0.125f, 0.125f, 0.125f }, { 0.250f, 0.250f, 0.250f }, { 0.375f, 0.375f, 0.375f },
        { 0.500f, 0.500f, 0.500f }, { 0.625f, 0.625f, 0.625f }, { 0.750f, 0.750f, 0.750f }, { 0.875f, 0.875f, 0.875f },
        { 1.000f, 1.000f, 1.000f } } },
    { "viridis", "violet to yellow, in steps that look equal",
      { { 0.267f, 0.004f, 0.329f }, { 0.278f, 0.176f, 0.482f }, { 0.231f, 0.322f, 0.545f }, { 0.173f, 0.447f, 0.557f },
        { 0.129f, 0.565f, 0.549f }, { 0.153f, 0.678f, 0.506f }, { 0.365f, 0.784f, 0.388f }, { 0.667f, 0.863f, 0.196f },
        { 0.992f, 0.906f, 0.145f } } },
    { "cividis", "blue to yellow, alike to colour-blind eyes and to all others",
      { { 0.000f, 0.135f, 0.305f }, { 0.103f, 0.220f, 0.436f }, { 0.264f, 0.308f, 0.423f }, { 0.381f, 0.395f, 0.436f },
        { 0.487f, 0.484f, 0.471f }, { 0.609f, 0.580f, 0.464f }, { 0.736f, 0.681f, 0.424f }, { 0.871f, 0.790f, 0.343f },
        { 0.996f, 0.909f, 0.218f } } },
    { "diverging", "blue through grey to red: what lies below the middle and what above (Moreland 2009)",
      { { 0.231f, 0.298f, 0.753f }, { 0.384f, 0.510f, 0.918f }, { 0.553f, 0.690f, 0.996f }, { 0.722f, 0.816f, 0.976f },
        { 0.867f, 0.867f, 0.867f }, { 0.961f, 0.769f, 0.678f }, { 0.957f, 0.604f, 0.482f }, { 0.871f, 0.376f, 0.302f },
        { 0.706f, 0.016f, 0.149f } } },
    { NULL, NULL, { { 0 } } },
};
/* clang-format on */

int colour_map_find(const char *name, struct err *err)
{
    return row_find(name, colour_maps, sizeof *colour_maps, "colour map", err);
}
