#include "render_ways.h"
#include "render_layers.h"
#include "render_shade.h"
#include "timing.h"

#include <GL/glew.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- raster -------------------------------------------------------------------------------------------------------- */

_Static_assert((int)RASTER_LAYERS >= (int)RENDER_SURFACES, "each opaque surface is a layer");

static struct raster_layers opaque_layers(const struct render_view *view, const struct camera *camera)
{
    struct raster_layers layers = { .count = 0 };
    int number[RENDER_SURFACES];
    const int count = layers_sort(view, number);
    for (int i = 0; i < count; i++) {
        const struct render_surface *s = &view->surface[number[i]];
        struct camera_matrices m;
        if (layers_glass(s) || layers_empty(s->mesh)) continue;
        layers_matrices(view, camera, s->step, &m);
        struct raster_layer *l = &layers.layer[layers.count++];
        *l = (struct raster_layer){ .mesh = s->mesh,
                                    .triangles = s->mesh->triangles,
                                    .surface = (uint32_t)number[i] + 1,
                                    .clockwise = camera->left_handed,
                                    .flipped = layers_flipped(view) >> number[i] & 1u };
        memcpy(l->clip_from_voxel, m.clip_from_voxel, sizeof l->clip_from_voxel);
        memcpy(l->view_normal, m.view_normal, sizeof l->view_normal);
    }
    return layers;
}

/* Returns why OpenGL has to draw these layers, as one clause; NULL: it need not. */
static const char *needs_opengl(const struct render_view *view, const struct passes *passes,
                                const struct raster_layers *layers)
{
    const struct cut cut = layers_cut(view);
    for (int i = 0; i < CUT_PLANES; i++)
        if (cut.side[i] > CUT_BORDER) return "the surface is cut";
    for (int i = 0; i < RENDER_SURFACES; i++) {
        if (view->surface[i].turned) return "its vertices come in clip coordinates";
        if (view->surface[i].part[0] < view->surface[i].part[1]) return "the picture is split";
    }
    if (view->wireframe) return "edges are drawn over it";
    if (render_modes[view->mode].plain) return "triangles have one normal each";
    if (passes->width > DRAW_MOST_PIXELS || passes->height > DRAW_MOST_PIXELS) return "the picture is too large";
    for (int i = 0; i < layers->count; i++)
        if (layers->layer[i].triangles > DRAW_MOST_TRIANGLES) return "it has too many triangles";
    return NULL;
}

/* How many triangles of a layer are drawn to measure the ways. */
static uint64_t measurable(const struct render *render, const struct raster_layer *layer)
{
    const uint64_t most = render->is_software ? RASTER_MEASURED : RASTER_MEASURED_GPU;
    return layer->triangles < most ? layer->triangles : most;
}

static double opengl_ms(struct render *render, const struct render_view *view, const struct camera *camera,
                        const struct layer *layer)
{
    const GLuint program = render->surface[0].program;
    passes_clear(&render->passes);
    glFinish();
    const double start = timing_ms();
    struct drawing d = layers_begin(render, view, program, camera);
    layers_set_faces(view, program, camera);
    glDepthFunc(GL_LESS);
    layers_draw(&d, layer);
    glFinish();
    return timing_ms() - start;
}

/* Returns infinity on failure; raster->failure says why. */
static double raster_ms(struct render *render, enum raster_way way, const struct raster_layers *layers)
{
    struct err err;
    passes_begin(&render->passes);
    const double start = timing_ms();
    const int code = raster_draw(&render->raster, way, &render->passes, layers, NULL, &err);
    glFinish();
    if (code) snprintf(render->raster.failure, sizeof render->raster.failure, "%.120s", err.text);
    return code ? INFINITY : timing_ms() - start;
}

/* If the CPU runs OpenGL's shaders, the op itself is faster than its copy in shaders. */
static bool measures(const struct render *render, enum raster_way way, const struct raster_layers *layers)
{
    return !(way == RASTER_COMPUTE && render->is_software) && !raster_refusal(way, layers);
}

/* Draws the first triangles of a layer in all ways, three times each; the quickest counts. The first drawing compiles,
 * and the first by CUDA takes the mesh from OpenGL. */
static void measure(struct render *render, const struct render_view *view, const struct camera *camera,
                    const struct raster_layer *layer)
{
    enum { TURNS = 3 };
    static const enum raster_way way[] = { RASTER_COMPUTE, RASTER_ALWAYS };
    struct render_view alone = *view;
    struct mesh part = *layer->mesh;
    struct raster_layers few = { .layer = { *layer }, .count = 1 };
    struct raster *raster = &render->raster;
    double *const by = raster->by;
    const int number = (int)layer->surface - 1;
    const struct layer one = layers_one(&part, view->surface[number].step, number, 0);
    const double begin = timing_ms(), compiled = shader_ms();
    alone.pause = NULL;
    raster->measured = few.layer[0].triangles = part.triangles = measurable(render, layer);
    for (int i = 0; i < RASTER_WAYS; i++) by[i] = INFINITY;
    for (int turn = 0; turn < TURNS; turn++)
        by[RASTER_OPENGL] = fmin(by[RASTER_OPENGL], opengl_ms(render, &alone, camera, &one));
    for (int i = 0; i < 2; i++)
        for (int turn = 0; turn < TURNS && measures(render, way[i], &few); turn++)
            by[way[i]] = fmin(by[way[i]], raster_ms(render, way[i], &few));
    passes_begin(&render->passes);
    raster->measuring_ms = timing_ms() - begin - (shader_ms() - compiled); /* compiling is counted separately */
}

static const char *name_of(enum raster_way way, const struct raster_layers *layers)
{
    if (way != RASTER_ALWAYS) return way == RASTER_COMPUTE ? "compute" : "OpenGL";
    return raster_backend(layers) == BACKEND_CUDA ? "raster on CUDA" : "raster";
}

/* Writes the times of all ways that can draw, as "0.50 by compute". */
static void list_times(const struct raster *raster, char *text, size_t size)
{
    size_t at = 0;
    for (int way = RASTER_WAYS - 1; way > RASTER_AUTO; way--)
        if (!isinf(raster->by[way]) && at < size)
            at += (size_t)snprintf(text + at, size - at, "%s%.2f%s by %s", at ? ", " : "", raster->by[way], at ? "" : " ms",
                                   way == RASTER_OPENGL ? "OpenGL" : raster_way_name[way]);
}

/* Returns whether one of these meshes was not shown in any picture. */
static bool is_new(struct raster *raster, const struct raster_layers *layers)
{
    const uint64_t before = raster->newest;
    for (int i = 0; i < layers->count; i++)
        if (layers->layer[i].mesh->version > raster->newest) raster->newest = layers->layer[i].mesh->version;
    return raster->newest > before;
}

/* Returns the fastest way to draw a large surface, and says why. A mesh that CUDA has just made belongs to CUDA, and
 * while the value is dragged the next one is made there, too. So if CUDA's way is the second best, it draws such a
 * mesh. */
static enum raster_way choose_fastest(struct render *render, const struct render_view *view, const struct camera *camera,
                                      const struct raster_layers *layers, const struct raster_layer *largest)
{
    struct raster *raster = &render->raster;
    const char *const no_compute = raster_refusal(RASTER_COMPUTE, layers);
    const char *const no_raster = raster_refusal(RASTER_ALWAYS, layers);
    char times[120] = "";
    if (no_raster && (no_compute || render->is_software)) {
        snprintf(raster->why, sizeof raster->why, "OpenGL: %s", no_raster);
        return RASTER_OPENGL;
    }
    if (measurable(render, largest) >= RASTER_LARGER * raster->measured) measure(render, view, camera, largest);
    const enum raster_way fastest = raster_fastest(raster);
    const bool stays = is_new(raster, layers) && fastest == RASTER_COMPUTE && !no_raster &&
                       raster->by[RASTER_ALWAYS] < raster->by[RASTER_OPENGL];
    const enum raster_way way = stays ? RASTER_ALWAYS : fastest;
    const char *const lacks = way == RASTER_COMPUTE ? no_compute : way == RASTER_ALWAYS ? no_raster : NULL;
    list_times(raster, times, sizeof times);
    if (lacks || (isinf(raster->by[RASTER_COMPUTE]) && isinf(raster->by[RASTER_ALWAYS])))
        snprintf(raster->why, sizeof raster->why, "OpenGL: %s", lacks ? lacks : raster->failure);
    else
        snprintf(raster->why, sizeof raster->why, "%s: %smeasured here, %llu triangles take %s", name_of(way, layers),
                 stays ? "CUDA has just made the mesh; " : "", (unsigned long long)raster->measured, times);
    return lacks ? RASTER_OPENGL : way;
}

/* Returns the way to draw: compute, raster or opengl; and says why. */
static enum raster_way choose_way(struct render *render, const struct render_view *view, const struct camera *camera,
                                  const struct raster_layers *layers)
{
    struct raster *raster = &render->raster;
    const char *needs = layers->count ? needs_opengl(view, &render->passes, layers) : "no opaque surface";
    const bool hasty = raster->way == RASTER_AUTO && shade_in_haste(render, view);
    enum raster_way way = hasty ? RASTER_ALWAYS : raster->way; /* hasty: also for a small surface */
    uint64_t triangles = 0;
    const struct raster_layer *largest = &layers->layer[0];
    for (int i = 0; i < layers->count; i++) {
        triangles += layers->layer[i].triangles;
        if (layers->layer[i].triangles > largest->triangles) largest = &layers->layer[i];
    }
    raster->is_small = triangles < RASTER_LEAST;
    if (raster->way == RASTER_OPENGL) needs = "asked for";
    else if (!needs && raster->way == RASTER_AUTO && !raster->is_small)
        return choose_fastest(render, view, camera, layers, largest);
    else if (!needs && way == RASTER_AUTO) needs = "the surface is small";
    if (!needs) needs = raster_refusal(way, layers);
    if (needs) {
        snprintf(raster->why, sizeof raster->why, "OpenGL: %s", needs);
        return RASTER_OPENGL;
    }
    const char *const why = hasty ? "it also shades while something moves" : "asked for";
    snprintf(raster->why, sizeof raster->why, "%s: %s", name_of(way, layers), why);
    return way;
}

bool ways_raster(struct render *render, const struct render_view *view, const struct camera *camera)
{
    const struct raster_layers layers = opaque_layers(view, camera);
    struct raster *raster = &render->raster;
    struct err err;
    const enum raster_way way = choose_way(render, view, camera, &layers);
    raster->drew = RASTER_OPENGL;
    if (way == RASTER_OPENGL) return false;
    const int code = raster_draw(raster, way, &render->passes, &layers, view->pause, &err);
    render->complete = raster->complete;
    if (code) snprintf(raster->why, sizeof raster->why, "OpenGL: %.140s", err.text);
    else raster->drew = way;
    return !code;
}

/* ---- cull ------------------------------------------------------------------------------------------------------------ */

/* Returns why OpenGL has to draw all triangles of these layers, as one clause; NULL: it need not. */
static const char *needs_all(const struct render_view *view, const struct raster_layers *layers)
{
    const char *needs = layers->count ? NULL : "no opaque surface";
    for (int i = 0; i < RENDER_SURFACES; i++)
        if (view->surface[i].turned) return "its vertices come in clip coordinates";
    for (int i = 0; i < layers->count && !needs; i++) needs = cull_refusal(layers->layer[i].mesh);
    return needs;
}

bool ways_cull(struct render *render, const struct render_view *view, const struct camera *camera)
{
    struct raster *raster = &render->raster;
    struct err err = { 0 };
    if (raster->way != RASTER_CULLED) return false;
    raster->drew = RASTER_OPENGL;
    const struct raster_layers layers = opaque_layers(view, camera);
    const char *needs = needs_all(view, &layers);
    int code = needs ? ERR_NONE : cull_need(&render->cull, &err);
    for (int i = 0; i < layers.count && !needs && !code; i++)
        code = cull_fit(&render->cull, layers.layer[i].mesh, render->passes.width, render->passes.height, &err);
    if (code) needs = err.text;
    if (needs) snprintf(raster->why, sizeof raster->why, "OpenGL: %.140s", needs);
    else snprintf(raster->why, sizeof raster->why, "culled: asked for");
    return !needs;
}
