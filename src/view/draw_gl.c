#include "draw_gl.h"
#include "gl.h"
#include "render_layers.h"
#include "render_surfaces.h"
#include "timing.h"

#include <GL/glew.h>

#include <string.h>

/* ---- what is drawn ------------------------------------------------------------------------------------------------- */

static int load_mesh(struct draw_gl *g, const struct draw_desc *d, struct err *err)
{
    struct mesh_buffers out;
    if (!g->mesh.target) mesh_open(&g->mesh, &mesh_gl, &g->exec);
    int code = mesh_reserve(&g->mesh, d->vertex_count, d->triangle_count, err);
    if (!code) code = mesh_map(&g->mesh, &out, err);
    if (code) return code;
    if (d->vertex_count) memcpy(out.mesh.vertices, d->vertices, d->vertex_count * sizeof *d->vertices);
    if (d->triangle_count) memcpy(out.mesh.indices, d->indices, d->triangle_count * 3 * sizeof *d->indices);
    return mesh_unmap(&g->mesh, d->vertex_count, d->triangle_count, err);
}

/* For inner sides marked as outer ones, adds a surface with the opposite value (render_layers.h: layers_flipped). */
static void load_view(struct draw_gl *g, const struct draw_desc *d)
{
    g->number = (int)d->surface - 1;
    g->view = (struct render_view){ .camera = &g->camera, .width = (int)d->width, .height = (int)d->height };
    g->view.surface[g->number] = (struct render_surface){ .mesh = &g->mesh, .step = 1, .value = -1 };
    if (d->flipped) g->view.surface[!g->number] = (struct render_surface){ .mesh = &g->mesh, .step = 1, .value = 1 };
    g->camera = (struct camera){ .left_handed = d->clockwise };
    memcpy(g->matrices.clip_from_voxel, d->clip_from_voxel, sizeof d->clip_from_voxel);
    memcpy(g->matrices.view_normal, d->view_normal, sizeof d->view_normal);
}

int draw_gl_load(struct draw_gl *g, const struct draw_desc *d, bool is_software, struct err *err)
{
    const struct tile all = tile_whole((int)d->width, (int)d->height);
    if (d->surface < 1 || d->surface > RENDER_SURFACES)
        return err_set(err, ERR_USAGE, "OpenGL draws surfaces 1 to %d", RENDER_SURFACES);
    g->exec = (struct exec){ .backend = BACKEND_CPU, .threads = 1 };
    int code = g->render.is_open ? ERR_NONE : render_open(&g->render, is_software, err);
    if (!code) code = surfaces_need(&g->render, false, err);
    if (!code) code = passes_fit(&g->render.passes, &all, 0, err);
    if (!code) code = load_mesh(g, d, err);
    if (code) return code;
    load_view(g, d);
    for (int way = 0; way < DRAW_GL_WAYS && !code; way++) {
        double ms;
        if (!draw_gl_refusal(g, (enum draw_gl_way)way)) code = draw_gl_run(g, (enum draw_gl_way)way, &ms, err);
    }
    return code;
}

/* ---- drawing ------------------------------------------------------------------------------------------------------- */

const char *draw_gl_refusal(const struct draw_gl *g, enum draw_gl_way way)
{
    if (way == DRAW_GL_ALL || !g->mesh.triangles) return NULL;
    return way == DRAW_GL_CULLED ? cull_refusal(&g->mesh) : raster_compute_refusal(&g->mesh);
}

static int fit_cull(struct draw_gl *g, struct err *err)
{
    struct render *r = &g->render;
    const int code = cull_need(&r->cull, err);
    return code ? code : cull_fit(&r->cull, &g->mesh, r->passes.width, r->passes.height, err);
}

static int draw_compute(struct draw_gl *g, struct err *err)
{
    struct render *r = &g->render;
    struct raster_layers layers = { .count = 1 };
    struct raster_layer *layer = &layers.layer[0];
    *layer = (struct raster_layer){ .mesh = &g->mesh,
                                    .triangles = g->mesh.triangles,
                                    .surface = (uint32_t)g->number + 1,
                                    .clockwise = g->camera.left_handed,
                                    .flipped = layers_flipped(&g->view) >> g->number & 1u };
    memcpy(layer->clip_from_voxel, g->matrices.clip_from_voxel, sizeof layer->clip_from_voxel);
    memcpy(layer->view_normal, g->matrices.view_normal, sizeof layer->view_normal);
    return raster_draw(&r->raster, RASTER_COMPUTE, &r->passes, &layers, NULL, err);
}

static void draw(struct draw_gl *g, bool culled)
{
    struct render *r = &g->render;
    const unsigned program = r->surface[0].program;
    struct drawing d = layers_begin(r, &g->view, program, &g->camera);
    const struct layer layer = layers_one(&g->mesh, 1, g->number, 0);
    d.culled = culled, d.framebuffer = r->passes.surface, d.depth = r->passes.depth;
    layers_set_faces(&g->view, program, &g->camera);
    glDepthFunc(GL_LESS);
    r->complete = true;
    layers_draw_by(&d, &layer, &g->matrices);
}

/* llvmpipe's clock starts when pixels are filled, after the work for the vertices. So the host's clock is used there. */
static double wait(const struct draw_gl *g, double start)
{
    GLuint64 ns = 0;
    glFinish();
    const double host = timing_ms() - start;
    glGetQueryObjectui64v(g->render.query[0], GL_QUERY_RESULT, &ns);
    return g->render.is_software ? host : (double)ns * 1e-6;
}

int draw_gl_run(struct draw_gl *g, enum draw_gl_way way, double *ms, struct err *err)
{
    struct cull *cull = &g->render.cull;
    const bool computes = way == DRAW_GL_COMPUTE && g->mesh.triangles;
    const bool culled = way == DRAW_GL_CULLED, drawn = culled && g->mesh.triangles;
    int code = ERR_NONE;
    gl_forget_errors();
    glFinish();
    const double start = timing_ms();
    glBeginQuery(GL_TIME_ELAPSED, g->render.query[0]);
    passes_begin(&g->render.passes);
    if (!computes) passes_clear(&g->render.passes); /* compute writes every pixel */
    if (drawn) cull_begin(cull);
    if (drawn) code = fit_cull(g, err);
    if (computes) code = draw_compute(g, err);
    else if (!code) draw(g, culled);
    if (drawn) cull_end(cull);
    glEndQuery(GL_TIME_ELAPSED);
    *ms = wait(g, start);
    if (code || glGetError() == GL_NO_ERROR) return code;
    return err_set(err, ERR_GL, "OpenGL did not draw %llu triangles", (unsigned long long)g->mesh.triangles);
}

int draw_gl_read(struct draw_gl *g, float *depth, uint32_t *seen, struct err *err)
{
    const struct passes *p = &g->render.passes;
    const GLsizei bytes = (GLsizei)(4 * (size_t)p->width * (size_t)p->height);
    gl_forget_errors();
    passes_fill(&g->render.passes);
    glGetTextureImage(p->depth, 0, GL_DEPTH_COMPONENT, GL_FLOAT, bytes, depth);
    glGetTextureImage(p->seen, 0, GL_RED_INTEGER, GL_UNSIGNED_INT, bytes, seen);
    return glGetError() == GL_NO_ERROR ? ERR_NONE : err_set(err, ERR_GL, "OpenGL does not give back what it drew");
}

void draw_gl_close(struct draw_gl *g)
{
    mesh_close(&g->mesh);
    render_close(&g->render);
    memset(g, 0, sizeof *g);
}
