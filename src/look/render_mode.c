#include "render_mode.h"

#include "row.h"

/* CONTRIBUTING.md says how to add a mode. */
/* clang-format off */
const struct render_mode render_modes[] = {
    { "light", "a lamp beside the viewer, sky and ground; inner faces are blue", "shaders/shade_light.glsl", false, true },
    { "matcap", "the image of a lit clay sphere, looked up by the normal", "shaders/shade_matcap.glsl", false },
    { "jade", "polished stone that lets some light through", "shaders/shade_jade.glsl", false },
    { "x-ray", "bright outlines, dark faces; best translucent", "shaders/shade_x-ray.glsl", false },
    { "normals", "the direction of the surface as a colour", "shaders/shade_normals.glsl", false },
    { "flat", "the light of the first mode on triangles that are not smoothed", "shaders/shade_light.glsl", true },
    { NULL },
};
/* clang-format on */

int render_mode_find(const char *name, struct err *err)
{
    return row_find(name, render_modes, sizeof *render_modes, "shading mode", err);
}
