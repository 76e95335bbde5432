#include "raster.h"
#include "text.h"
#include "timing.h"
#include "trace.h"

#include <GL/glew.h>

#include <stdlib.h>
#include <string.h>

enum { BATCH = 1 << 21 }; /* triangles between two looks at what has happened meanwhile: some hundredths of a second */

const char *const raster_way_name[RASTER_WAYS] = { "auto", "opengl", "raster" };

int raster_way_find(const char *name, struct err *err)
{
    if (!name) return RASTER_AUTO;
    for (int i = 0; i < RASTER_WAYS; i++)
        if (!strcmp(name, raster_way_name[i])) return i;
    err_set(err, ERR_USAGE, "there is no way to draw '%s'; there are: auto opengl raster", name);
    return -1;
}

void raster_close(struct raster *raster)
{
    if (raster->is_open) backend_cpu.close(&raster->exec);
    free(raster->memory);
    *raster = (struct raster){ .way = raster->way };
}

static const struct draw_rung *rung_of(const struct raster *raster)
{
    return (const struct draw_rung *)ladder_find(ladder_of("draw"), raster->exec.backend, NULL);
}

/* Lays depth, what is seen and the scratch memory out in what there is. */
static bool lay_out(struct raster *raster, struct draw_desc *d, void **scratch)
{
    const size_t plane = scratch_round((size_t)d->width * d->height * 4);
    const size_t bytes = 2 * plane + rung_of(raster)->scratch(d, &raster->exec);
    if (bytes > raster->bytes) {
        free(raster->memory);
        raster->bytes = 0;
        raster->memory = malloc(bytes);
        if (!raster->memory) return false;
        raster->bytes = bytes;
    }
    char *const memory = raster->memory;
    d->depth = (float *)memory, d->seen = (uint32_t *)(memory + plane);
    *scratch = memory + 2 * plane;
    return true;
}

static struct draw_desc desc_of(const struct passes *passes, const struct raster_layer *layer)
{
    struct draw_desc d = { .vertex_count = layer->mesh->vertices,
                           .width = (uint32_t)passes->width,
                           .height = (uint32_t)passes->height,
                           .surface = layer->surface,
                           .clockwise = layer->clockwise,
                           .flipped = layer->flipped };
    memcpy(d.clip_from_voxel, layer->clip_from_voxel, sizeof d.clip_from_voxel);
    memcpy(d.view_normal, layer->view_normal, sizeof d.view_normal);
    return d;
}

/* The mesh is OpenGL's again whenever others may draw. over: there is something already. */
static bool draw_layer(struct raster *raster, const struct passes *passes, const struct raster_layer *layer, bool over,
                       const struct pause *pause, bool *failed)
{
    struct draw_desc d = desc_of(passes, layer);
    for (uint64_t at = 0; at < layer->triangles; at += BATCH) {
        struct mesh_out mesh;
        void *scratch;
        if (at && pause && !pause->go_on(pause->context)) return false;
        if (!mesh_gl_begin_read(layer->mesh, &mesh)) {
            *failed = true;
            return true;
        }
        d.vertices = mesh.vertices, d.indices = mesh.indices + 3 * at, d.over = over || at;
        d.triangle_count = layer->triangles - at < BATCH ? layer->triangles - at : BATCH;
        *failed = !lay_out(raster, &d, &scratch) || rung_of(raster)->run(&d, scratch, &raster->exec);
        *failed = !mesh_gl_end_read(layer->mesh) || *failed;
        if (*failed) return true;
    }
    return true;
}

static void upload(const struct raster *raster, const struct passes *passes)
{
    const int width = passes->width, height = passes->height;
    const size_t plane = scratch_round((size_t)width * (size_t)height * 4);
    const char *const memory = raster->memory;
    glTextureSubImage2D(passes->depth, 0, 0, 0, width, height, GL_DEPTH_COMPONENT, GL_FLOAT, memory);
    glTextureSubImage2D(passes->seen, 0, 0, 0, width, height, GL_RED_INTEGER, GL_UNSIGNED_INT, memory + plane);
}

bool raster_draw(struct raster *raster, const struct passes *passes, const struct raster_layer *layer, int count,
                 const struct pause *pause, bool *failed)
{
    const double start = timing_ms();
    bool go_on = true;
    *failed = !raster->is_open && backend_cpu.open(&raster->exec, -1, 0);
    raster->is_open = !*failed;
    trace_push("raster", NULL);
    for (int i = 0; i < count && go_on && !*failed; i++)
        go_on = draw_layer(raster, passes, &layer[i], i > 0, pause, failed);
    if (go_on && !*failed) upload(raster, passes);
    trace_pop();
    raster->ms = timing_ms() - start;
    return go_on;
}
