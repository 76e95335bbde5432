/* To add a file: one EMBED line and one row. CMakeLists.txt rebuilds this when anything in shaders/ or assets/ changes. */
#include "embed.h"
#include "resource.h"

#include <string.h>

EMBED(mesh_vert, "shaders/mesh.vert");
EMBED(screen_vert, "shaders/screen.vert");
EMBED(surface_frag, "shaders/surface.frag");
EMBED(seen_glsl, "shaders/seen.glsl");
EMBED(face_glsl, "shaders/face.glsl");
EMBED(face_plain, "shaders/face_plain.glsl");
EMBED(seen_texture, "shaders/seen_texture.glsl");
EMBED(seen_buffer, "shaders/seen_buffer.glsl");
EMBED(view_glsl, "shaders/view.glsl");
EMBED(way_glsl, "shaders/way.glsl");
EMBED(pass_frag, "shaders/pass.frag");
EMBED(pass_comp, "shaders/pass.comp");
EMBED(occlusion_glsl, "shaders/occlusion.glsl");
EMBED(soften_glsl, "shaders/soften.glsl");
EMBED(count_frag, "shaders/count.frag");
EMBED(cull_cells, "shaders/cull_cells.comp");
EMBED(cull_test, "shaders/cull_test.comp");
EMBED(cull_count, "shaders/cull_count.comp");
EMBED(cull_scan, "shaders/cull_scan.comp");
EMBED(cull_pick, "shaders/cull_pick.comp");
EMBED(cull_depth, "shaders/cull_depth.comp");
EMBED(raster_small, "shaders/raster_small.comp");
EMBED(raster_listed, "shaders/raster_listed.comp");
EMBED(raster_keys, "shaders/raster_keys.comp");
EMBED(raster_place, "shaders/raster_place.glsl");
EMBED(raster_put, "shaders/raster_put.glsl");
EMBED(cut_frag, "shaders/cut.frag");
EMBED(cut_glass_frag, "shaders/cut_glass.frag");
EMBED(shade_frag, "shaders/shade.frag");
EMBED(shade_comp, "shaders/shade.comp");
EMBED(shade_glsl, "shaders/shade.glsl");
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
EMBED(fill_frag, "shaders/fill.frag");
EMBED(box_vert, "shaders/box.vert");
EMBED(box_frag, "shaders/box.frag");
EMBED(wire_frag, "shaders/wire.frag");
EMBED(slice_vert, "shaders/slice.vert");
EMBED(slice_frag, "shaders/slice.frag");
EMBED(contour_vert, "shaders/contour.vert");
EMBED(contour_frag, "shaders/contour.frag");
EMBED(background_frag, "shaders/background.frag");
EMBED(background_glsl, "shaders/background.glsl");
EMBED(matcap, "assets/matcap.png");
EMBED(ladder_css, "assets/ladder.css");

const struct resource resources[] = {
    EMBEDDED(mesh_vert, "shaders/mesh.vert"),
    EMBEDDED(screen_vert, "shaders/screen.vert"),
    EMBEDDED(surface_frag, "shaders/surface.frag"),
    EMBEDDED(seen_glsl, "shaders/seen.glsl"),
    EMBEDDED(face_glsl, "shaders/face.glsl"),
    EMBEDDED(face_plain, "shaders/face_plain.glsl"),
    EMBEDDED(seen_texture, "shaders/seen_texture.glsl"),
    EMBEDDED(seen_buffer, "shaders/seen_buffer.glsl"),
    EMBEDDED(view_glsl, "shaders/view.glsl"),
    EMBEDDED(way_glsl, "shaders/way.glsl"),
    EMBEDDED(pass_frag, "shaders/pass.frag"),
    EMBEDDED(pass_comp, "shaders/pass.comp"),
    EMBEDDED(occlusion_glsl, "shaders/occlusion.glsl"),
    EMBEDDED(soften_glsl, "shaders/soften.glsl"),
    EMBEDDED(count_frag, "shaders/count.frag"),
    EMBEDDED(cull_cells, "shaders/cull_cells.comp"),
    EMBEDDED(cull_test, "shaders/cull_test.comp"),
    EMBEDDED(cull_count, "shaders/cull_count.comp"),
    EMBEDDED(cull_scan, "shaders/cull_scan.comp"),
    EMBEDDED(cull_pick, "shaders/cull_pick.comp"),
    EMBEDDED(cull_depth, "shaders/cull_depth.comp"),
    EMBEDDED(raster_small, "shaders/raster_small.comp"),
    EMBEDDED(raster_listed, "shaders/raster_listed.comp"),
    EMBEDDED(raster_keys, "shaders/raster_keys.comp"),
    EMBEDDED(raster_place, "shaders/raster_place.glsl"),
    EMBEDDED(raster_put, "shaders/raster_put.glsl"),
    EMBEDDED(cut_frag, "shaders/cut.frag"),
    EMBEDDED(cut_glass_frag, "shaders/cut_glass.frag"),
    EMBEDDED(shade_frag, "shaders/shade.frag"),
    EMBEDDED(shade_comp, "shaders/shade.comp"),
    EMBEDDED(shade_glsl, "shaders/shade.glsl"),
    EMBEDDED(glass_frag, "shaders/glass.frag"),
    EMBEDDED(paint_glsl, "shaders/paint.glsl"),
    EMBEDDED(paint_seen, "shaders/paint_seen.glsl"),
    EMBEDDED(paint_glass, "shaders/paint_glass.glsl"),
    EMBEDDED(shade_light, "shaders/shade_light.glsl"),
    EMBEDDED(shade_matcap, "shaders/shade_matcap.glsl"),
    EMBEDDED(shade_jade, "shaders/shade_jade.glsl"),
    EMBEDDED(shade_x_ray, "shaders/shade_x-ray.glsl"),
    EMBEDDED(shade_normals, "shaders/shade_normals.glsl"),
    EMBEDDED(copy_frag, "shaders/copy.frag"),
    EMBEDDED(fill_frag, "shaders/fill.frag"),
    EMBEDDED(box_vert, "shaders/box.vert"),
    EMBEDDED(box_frag, "shaders/box.frag"),
    EMBEDDED(wire_frag, "shaders/wire.frag"),
    EMBEDDED(slice_vert, "shaders/slice.vert"),
    EMBEDDED(slice_frag, "shaders/slice.frag"),
    EMBEDDED(contour_vert, "shaders/contour.vert"),
    EMBEDDED(contour_frag, "shaders/contour.frag"),
    EMBEDDED(background_frag, "shaders/background.frag"),
    EMBEDDED(background_glsl, "shaders/background.glsl"),
    EMBEDDED(matcap, "assets/matcap.png"),
    EMBEDDED(ladder_css, "assets/ladder.css"),
    { NULL, NULL, NULL },
};

const struct resource *resource_find(const char *name)
{
    for (const struct resource *r = resources; r->name; r++)
        if (!strcmp(r->name, name)) return r;
    return NULL;
}
