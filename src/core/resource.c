/* To add a file: one EMBED line, one row, and its name in CMakeLists.txt, which rebuilds this when the file changes. */
#include "resource.h"

#include <string.h>

/* ISO_SOURCE_DIR: absolute path of the source tree, from CMake. */
#define EMBED(symbol, path)                                                                                      \
    __asm__(".pushsection .rodata\n.balign 16\nresource_" #symbol ":\n.incbin \"" ISO_SOURCE_DIR "/" path "\"\n" \
            "resource_" #symbol "_end:\n.byte 0\n.popsection\n");                                                \
    extern const unsigned char resource_##symbol[], resource_##symbol##_end[]

EMBED(mesh_vert, "shaders/mesh.vert");
EMBED(screen_vert, "shaders/screen.vert");
EMBED(surface_frag, "shaders/surface.frag");
EMBED(seen_glsl, "shaders/seen.glsl");
EMBED(face_glsl, "shaders/face.glsl");
EMBED(face_plain, "shaders/face_plain.glsl");
EMBED(view_glsl, "shaders/view.glsl");
EMBED(occlusion_frag, "shaders/occlusion.frag");
EMBED(soften_frag, "shaders/soften.frag");
EMBED(shade_frag, "shaders/shade.frag");
EMBED(glass_frag, "shaders/glass.frag");
EMBED(paint_glsl, "shaders/paint.glsl");
EMBED(paint_seen, "shaders/paint_seen.glsl");
EMBED(paint_glass, "shaders/paint_glass.glsl");
EMBED(shade_light, "shaders/shade_light.glsl");
EMBED(shade_matcap, "shaders/shade_matcap.glsl");
EMBED(shade_jade, "shaders/shade_jade.glsl");
EMBED(shade_x_ray, "shaders/shade_x-ray.glsl");
EMBED(shade_normals, "shaders/shade_normals.glsl");
EMBED(copy_frag, "shaders/copy.frag");
EMBED(box_vert, "shaders/box.vert");
EMBED(box_frag, "shaders/box.frag");
EMBED(wire_frag, "shaders/wire.frag");
EMBED(slice_vert, "shaders/slice.vert");
EMBED(slice_frag, "shaders/slice.frag");
EMBED(contour_vert, "shaders/contour.vert");
EMBED(contour_frag, "shaders/contour.frag");
EMBED(background_frag, "shaders/background.frag");
EMBED(matcap, "assets/matcap.png");
EMBED(ladder_css, "assets/ladder.css");

#define ROW(symbol, path)                                \
    {                                                    \
        path, resource_##symbol, resource_##symbol##_end \
    }

const struct resource resources[] = {
    ROW(mesh_vert, "shaders/mesh.vert"),
    ROW(screen_vert, "shaders/screen.vert"),
    ROW(surface_frag, "shaders/surface.frag"),
    ROW(seen_glsl, "shaders/seen.glsl"),
    ROW(face_glsl, "shaders/face.glsl"),
    ROW(face_plain, "shaders/face_plain.glsl"),
    ROW(view_glsl, "shaders/view.glsl"),
    ROW(occlusion_frag, "shaders/occlusion.frag"),
    ROW(soften_frag, "shaders/soften.frag"),
    ROW(shade_frag, "shaders/shade.frag"),
    ROW(glass_frag, "shaders/glass.frag"),
    ROW(paint_glsl, "shaders/paint.glsl"),
    ROW(paint_seen, "shaders/paint_seen.glsl"),
    ROW(paint_glass, "shaders/paint_glass.glsl"),
    ROW(shade_light, "shaders/shade_light.glsl"),
    ROW(shade_matcap, "shaders/shade_matcap.glsl"),
    ROW(shade_jade, "shaders/shade_jade.glsl"),
    ROW(shade_x_ray, "shaders/shade_x-ray.glsl"),
    ROW(shade_normals, "shaders/shade_normals.glsl"),
    ROW(copy_frag, "shaders/copy.frag"),
    ROW(box_vert, "shaders/box.vert"),
    ROW(box_frag, "shaders/box.frag"),
    ROW(wire_frag, "shaders/wire.frag"),
    ROW(slice_vert, "shaders/slice.vert"),
    ROW(slice_frag, "shaders/slice.frag"),
    ROW(contour_vert, "shaders/contour.vert"),
    ROW(contour_frag, "shaders/contour.frag"),
    ROW(background_frag, "shaders/background.frag"),
    ROW(matcap, "assets/matcap.png"),
    ROW(ladder_css, "assets/ladder.css"),
    { NULL, NULL, NULL },
};

const struct resource *resource_find(const char *name)
{
    for (const struct resource *r = resources; r->name; r++)
        if (!strcmp(r->name, name)) return r;
    return NULL;
}
