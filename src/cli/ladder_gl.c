#include "ladder_gl.h"

#include "draw_gl.h"
#include "gl.h"
#include "resource.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct rung ladder_gl_rungs[] = {
    [DRAW_GL_ALL] = { "opengl", "all triangles, by OpenGL's own rasteriser", false },
    [DRAW_GL_CULLED] = { "culled", "by cells: first those seen in the last picture, then those that these do not hide",
                         false },
    [DRAW_GL_COMPUTE] = { "compute", "OpenGL's compute shaders: one thread per triangle, an atomic minimum per pixel",
                          false },
    { NULL },
};

struct ladder_gl {
    struct gl gl;
    struct draw_gl draw;
    struct err absent; /* why OpenGL does not draw */
    char device[224];
};

/* ---- guests -------------------------------------------------------------------------------------------------------- */

static void load(void *context, const struct draw_desc *d)
{
    struct ladder_gl *g = context;
    if (!g) return;
    g->absent.code = ERR_NONE;
    int code = g->gl.context ? ERR_NONE : gl_open_offscreen(&g->gl, &g->absent);
    const char *const clock = g->gl.is_software ? "the host's clock" : "its timer query";
    if (!code) snprintf(g->device, sizeof g->device, "OpenGL on %s, timed by %s", g->gl.renderer, clock);
    if (!code) draw_gl_load(&g->draw, d, g->gl.is_software, &g->absent);
}

static enum draw_gl_way way_of(const struct rung *rung) { return (enum draw_gl_way)(rung - ladder_gl_rungs); }

static const char *refuses(void *context, const struct rung *rung)
{
    const struct ladder_gl *g = context;
    if (!g) return "not enough memory for it";
    return g->absent.code ? g->absent.text : draw_gl_refusal(&g->draw, way_of(rung));
}

static int draw(void *context, const struct rung *rung, double *ms, struct err *err)
{
    return draw_gl_run(&((struct ladder_gl *)context)->draw, way_of(rung), ms, err);
}

static int read_back(void *context, float *depth, uint32_t *seen, struct err *err)
{
    return draw_gl_read(&((struct ladder_gl *)context)->draw, depth, seen, err);
}

struct draw_guests ladder_gl_open(void)
{
    struct ladder_gl *g = calloc(1, sizeof *g);
    return (struct draw_guests){ LADDER_GL_NAME, ladder_gl_rungs, g ? g->device : "", g, load, refuses, draw, read_back };
}

void ladder_gl_close(struct draw_guests *guests)
{
    struct ladder_gl *g = guests->context;
    if (g) draw_gl_close(&g->draw);
    if (g) gl_close(&g->gl);
    free(g);
    memset(guests, 0, sizeof *guests);
}

/* ---- lessons ------------------------------------------------------------------------------------------------------- */

bool ladder_gl_fits(const struct ladder *ladder) { return !strcmp(ladder->op, "draw"); }

const struct rung *ladder_gl_find(const char *name)
{
    for (const struct rung *rung = ladder_gl_rungs; rung->name; rung++)
        if (!strcmp(rung->name, name)) return rung;
    return NULL;
}

const char *const *ladder_gl_shaders(const struct rung *rung)
{
    static const char *const files[][8] = {
        [DRAW_GL_ALL] = { "shaders/mesh.vert", "shaders/surface.frag", "shaders/face.glsl", "shaders/seen.glsl" },
        [DRAW_GL_CULLED] = { "shaders/cull_cells.comp", "shaders/cull_test.comp", "shaders/cull_count.comp",
                             "shaders/cull_scan.comp", "shaders/cull_pick.comp", "shaders/cull_depth.comp" },
        [DRAW_GL_COMPUTE] = { "shaders/raster_small.comp", "shaders/raster_place.glsl", "shaders/raster_put.glsl",
                              "shaders/raster_listed.comp", "shaders/raster_keys.comp" },
    };
    return files[rung - ladder_gl_rungs];
}

void ladder_gl_teach(const struct rung *rung)
{
    printf("draw %s by OpenGL: %s\n", rung->name, rung->idea);
    for (const char *const *file = ladder_gl_shaders(rung); *file; file++) {
        const struct resource *r = resource_find(*file);
        if (r) printf("\n%s:1\n\n%.*s", *file, (int)(r->end - r->begin), (const char *)r->begin);
    }
}
