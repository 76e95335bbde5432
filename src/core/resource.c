/* To add a file: one EMBED line, one row, and its name in CMakeLists.txt, which rebuilds this when the file changes. */
#include "resource.h"

#include <string.h>

/* ISO_SOURCE_DIR: absolute path of the source tree, from CMake. */
#define EMBED(symbol, path)                                                                                      \
    __asm__(".pushsection .rodata\n.balign 16\nresource_" #symbol ":\n.incbin \"" ISO_SOURCE_DIR "/" path "\"\n" \
            "resource_" #symbol "_end:\n.byte 0\n.popsection\n");                                                \
    extern const unsigned char resource_##symbol[], resource_##symbol##_end[]

EMBED(mesh_vert, "shaders/mesh.vert");
EMBED(shade_light, "shaders/shade_light.frag");
EMBED(shade_matcap, "shaders/shade_matcap.frag");
EMBED(wire_frag, "shaders/wire.frag");
EMBED(slice_vert, "shaders/slice.vert");
EMBED(slice_frag, "shaders/slice.frag");
EMBED(contour_vert, "shaders/contour.vert");
EMBED(contour_frag, "shaders/contour.frag");
EMBED(background_vert, "shaders/background.vert");
EMBED(background_frag, "shaders/background.frag");
EMBED(matcap, "assets/matcap.png");
EMBED(ladder_css, "assets/ladder.css");

#define ROW(symbol, path)                                \
    {                                                    \
        path, resource_##symbol, resource_##symbol##_end \
    }

const struct resource resources[] = {
    ROW(mesh_vert, "shaders/mesh.vert"),
    ROW(shade_light, "shaders/shade_light.frag"),
    ROW(shade_matcap, "shaders/shade_matcap.frag"),
    ROW(wire_frag, "shaders/wire.frag"),
    ROW(slice_vert, "shaders/slice.vert"),
    ROW(slice_frag, "shaders/slice.frag"),
    ROW(contour_vert, "shaders/contour.vert"),
    ROW(contour_frag, "shaders/contour.frag"),
    ROW(background_vert, "shaders/background.vert"),
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
