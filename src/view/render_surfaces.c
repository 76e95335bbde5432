#include "render_surfaces.h"
#include "caps.h"
#include "timing.h"

#include <GL/glew.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CAP_STEPS 32.0f /* of the depth buffer, from a cap to the one over it: interpolated depths differ by several */
#define GAMMA 2.2f      /* as the shading modes have it */

enum {
    UNIFORM_CLIP,
    UNIFORM_VIEW,
    UNIFORM_NORMAL,
    UNIFORM_VOXEL,
    UNIFORM_EYE,
    UNIFORM_BORDER,
    UNIFORM_TURNING = 30
}; /* of the mesh */
enum { UNIFORM_FLIPPED = 41, UNIFORM_PAINT, UNIFORM_TRANSPARENCY = UNIFORM_PAINT + RENDER_SURFACES };
enum { UNIFORM_NUMBER = 71, UNIFORM_OVER, UNIFORM_MATERIAL }; /* shaders/cut_glass.frag */
enum { BORDER_CAP = 32 };                                     /* shaders/surface.frag */
enum { UNIT_MATCAP = 3 };                                     /* texture unit */

/* ---- what there is ------------------------------------------------------------------------------------------------- */

static bool is_empty(const struct mesh *mesh) { return !mesh || (!mesh->triangles && !mesh->queued); }

static bool is_glass(const struct render_surface *s) { return s->transparency > 0; }

bool surfaces_any(const struct render_view *view, bool glass)
{
    bool any = false;
    for (int i = 0; i < RENDER_SURFACES; i++) {
        const struct render_surface *s = &view->surface[i];
        any = any || (is_glass(s) == glass && (!is_empty(s->mesh) || !is_empty(s->caps)));
    }
    return any;
}

/* What is not drawn. */
static struct cut cut_of(const struct render_view *view)
{
    struct cut cut = { .side = { CUT_NONE } };
    if (view->slices) slices_cut(view->slices, -1, &cut);
    return cut;
}

bool surfaces_cut(const struct render_view *view, bool glass)
{
    const struct cut cut = cut_of(view);
    return view->cuts_capped && surfaces_any(view, glass) && cut_is_bare(&cut);
}

/* Of two surfaces at v and -v, what is outside of the lower one is what is inside; its caps close it round that. */
static unsigned find_flipped(const struct render_view *view)
{
    unsigned flipped = 0;
    for (int i = 0; i < RENDER_SURFACES; i++)
        for (int k = 0; k < RENDER_SURFACES; k++) {
            const struct render_surface *low = &view->surface[i], *high = &view->surface[k];
            if (low->mesh && high->mesh && caps_is_mirrored(low->value, high->value)) flipped |= 1u << i;
        }
    return flipped;
}

/* Larger for a surface than for those that enclose it. */
static double inwards(const struct render_view *view, int number)
{
    const double value = view->surface[number].value;
    return find_flipped(view) >> number & 1u ? -value : value;
}

/* Sets the numbers of the surfaces that have a mesh or caps, those first that others enclose; returns how many. */
static int sort_by_value(const struct render_view *view, int number[RENDER_SURFACES])
{
    int count = 0;
    for (int i = 0; i < RENDER_SURFACES; i++) {
        const struct render_surface *s = &view->surface[i];
        int at = count;
        if (is_empty(s->mesh) && is_empty(s->caps)) continue;
        for (; at && inwards(view, number[at - 1]) < inwards(view, i); at--) number[at] = number[at - 1];
        number[at] = i;
        count++;
    }
    return count;
}

/* ---- one mesh ------------------------------------------------------------------------------------------------------ */

/* The matrices of a mesh whose unit is so many voxels. */
static void mesh_matrices(const struct render_view *view, const struct camera *camera, unsigned step,
                          struct camera_matrices *matrices)
{
    camera_transform(camera, (double)view->width / view->height, matrices);
    for (int i = 0; i < 12; i++) /* the columns of x, y and z */
        matrices->clip_from_voxel[i] *= (float)step, matrices->view_from_voxel[i] *= (float)step;
}

static void set_matrices(GLuint program, const struct camera_matrices *m)
{
    glProgramUniformMatrix4fv(program, UNIFORM_CLIP, 1, GL_FALSE, m->clip_from_voxel);
    glProgramUniformMatrix4fv(program, UNIFORM_VIEW, 1, GL_FALSE, m->view_from_voxel);
    glProgramUniformMatrix3fv(program, UNIFORM_NORMAL, 1, GL_FALSE, m->view_normal);
}

/* The faces of a surface that are drawn as outer ones, or as inner ones. */
static GLenum faces_of(const struct render_view *view, int number, bool outer)
{
    const bool flipped = find_flipped(view) >> number & 1u;
    return outer != flipped ? GL_FRONT : GL_BACK;
}

struct drawing { /* what several layers share */
    struct render *render;
    const struct render_view *view;
    const struct camera *camera;
    struct cut cut;              /* what is left out */
    GLuint program;              /* the current one */
    bool rastered;               /* opaque meshes are drawn already, without their caps */
    bool culled;                 /* opaque meshes are drawn by cull */
    unsigned framebuffer, depth; /* that is drawn to, of opaque surfaces */
};

struct layer { /* what is drawn at once */
    const struct mesh *mesh;
    unsigned step;
    GLenum culled;                   /* GL_FRONT or GL_BACK faces are left out; 0: none */
    uint32_t first[RENDER_SURFACES]; /* its vertices of each surface */
};

/* All of its vertices are of surface `number`. */
static struct layer layer_of(const struct mesh *mesh, unsigned step, int number, GLenum culled)
{
    struct layer layer = { .mesh = mesh, .step = step, .culled = culled };
    for (int i = number + 1; i < RENDER_SURFACES; i++) layer.first[i] = UINT32_MAX;
    return layer;
}

struct cut_pause {
    const struct drawing *d;
    unsigned step;
};

/* What is drawn meanwhile knows of no cut. */
static bool go_on_uncut(void *context)
{
    const struct cut_pause *p = context;
    const struct pause *pause = p->d->view->pause;
    cut_end();
    const bool go_on = pause->go_on(pause->context);
    cut_begin(&p->d->cut, p->d->program, p->step);
    return go_on;
}

/* Where the vertices come from that are drawn next. */
static void set_turned(const struct drawing *d, const struct mesh *mesh, const struct mesh *turned)
{
    const double *const shift = d->camera->shift;
    if (is_empty(mesh)) return;
    mesh_gl_turn(mesh, turned);
    glProgramUniform3f(d->program, UNIFORM_TURNING, turned != NULL, (float)shift[0], (float)shift[1]);
}

/* Only a part of the picture's width is drawn. */
static void begin_part(const struct render_view *view, const float part[2])
{
    const GLint from = (GLint)lrintf(part[0] * (float)view->width), to = (GLint)lrintf(part[1] * (float)view->width);
    if (!(part[1] > 0)) return;
    glEnable(GL_SCISSOR_TEST);
    glScissor(from - (view->tile ? view->tile->at[0] : 0), 0, to - from, view->height);
}

/* How cull draws it, with the current state. */
static struct cull_view cull_view_of(const struct drawing *d, const struct layer *layer, const float clip_from_mesh[16])
{
    const struct passes *p = &d->render->passes;
    struct cull_view view = { clip_from_mesh, { { 0 } }, d->framebuffer, d->depth, p->width, p->height, d->program };
    cut_planes(&d->cut, layer->step, view.cut);
    return view;
}

static void draw_layer(const struct drawing *d, const struct layer *layer)
{
    struct camera_matrices matrices;
    struct cut_pause uncut = { d, layer->step };
    const struct pause pausing = { go_on_uncut, &uncut };
    if (!d->render->complete || is_empty(layer->mesh)) return;
    mesh_matrices(d->view, d->camera, layer->step, &matrices);
    set_matrices(d->program, &matrices);
    glProgramUniform4uiv(d->program, glGetUniformLocation(d->program, "first"), 1, layer->first); /* edges do not ask */
    cut_begin(&d->cut, d->program, layer->step);
    if (layer->culled) {
        glEnable(GL_CULL_FACE);
        glCullFace(layer->culled);
    }
    const struct pause *const pause = d->view->pause ? &pausing : NULL;
    const struct cull_view culled = cull_view_of(d, layer, matrices.clip_from_voxel);
    d->render->complete = d->culled ? cull_draw(&d->render->cull, layer->mesh, &culled, pause)
                                    : mesh_gl_draw(layer->mesh, pause);
    glDisable(GL_CULL_FACE);
    cut_end();
}

static void set_eye(GLuint program, const struct camera *camera)
{
    glProgramUniform4f(program, UNIFORM_EYE, 0, 0, camera->orthographic, !camera->orthographic); /* shaders/face.glsl */
}

/* What a program of faces asks for. */
static void set_faces(const struct render_view *view, GLuint program, const struct camera *camera)
{
    set_eye(program, camera);
    glProgramUniform1ui(program, UNIFORM_FLIPPED, find_flipped(view));
}

static struct drawing begin_mesh(struct render *render, const struct render_view *view, GLuint program,
                                 const struct camera *camera)
{
    glFrontFace(camera->left_handed ? GL_CW : GL_CCW);
    glEnable(GL_DEPTH_TEST);
    glUseProgram(program);
    return (struct drawing){ .render = render, .view = view, .camera = camera, .cut = cut_of(view), .program = program };
}

void surfaces_paint(unsigned program, const struct render_view *view, const struct camera *camera)
{
    float paint[RENDER_SURFACES][4];
    if (glGetUniformLocation(program, "paints") < 0) return; /* the mode has colours of another kind */
    for (int i = 0; i < RENDER_SURFACES; i++) {
        const struct render_surface *s = &view->surface[i];
        for (int c = 0; c < 3; c++) paint[i][c] = powf(s->colour[c], GAMMA); /* linear light */
        paint[i][3] = s->coloured;
    }
    glProgramUniform4fv(program, UNIFORM_PAINT, RENDER_SURFACES, &paint[0][0]);
    tint_apply(view->tint, program, camera, (double)view->width / view->height);
}

/* ---- opaque surfaces ----------------------------------------------------------------------------------------------- */

/* Under edges, pushes the faces back a little; otherwise they would hide half of every edge. Caps lie in the same planes, each
 * over those of the `below` surfaces that may enclose it. */
static void draw_opaque(const struct drawing *d, int number, int below, bool cut)
{
    struct drawing all = *d;
    const struct render_surface *s = &d->view->surface[number];
    const bool only_ends = d->view->border_open;
    const struct layer mesh = layer_of(s->mesh, s->step, number, 0),
                       caps = layer_of(s->caps, s->step, number, only_ends ? faces_of(d->view, number, true) : 0);
    const float back = d->view->wireframe, nearer = (float)below;
    glPolygonOffset(back, back);
    glProgramUniform1ui(d->program, UNIFORM_BORDER, 0);
    if (!d->rastered) {
        begin_part(d->view, s->part);
        set_turned(d, s->mesh, s->turned);
        draw_layer(d, &mesh);
        set_turned(d, s->mesh, NULL);
        glDisable(GL_SCISSOR_TEST);
    }
    if (only_ends && !cut) return;
    all.culled = false;
    glPolygonOffset(back - nearer, back - CAP_STEPS * nearer);
    glProgramUniform1ui(d->program, UNIFORM_BORDER, BORDER_CAP);
    draw_layer(&all, &caps);
}

/* ---- opaque surfaces by raster --------------------------------------------------------------------------------------- */

/* Gives the layers in the order in which they are drawn; returns how many. */
static int layers_of(const struct render_view *view, const struct camera *camera,
                     struct raster_layer layer[RENDER_SURFACES])
{
    int number[RENDER_SURFACES], layers = 0;
    const int count = sort_by_value(view, number);
    for (int i = 0; i < count; i++) {
        const struct render_surface *s = &view->surface[number[i]];
        struct camera_matrices m;
        if (is_glass(s) || is_empty(s->mesh)) continue;
        mesh_matrices(view, camera, s->step, &m);
        struct raster_layer *l = &layer[layers++];
        *l = (struct raster_layer){ .mesh = s->mesh,
                                    .triangles = s->mesh->triangles,
                                    .surface = (uint32_t)number[i] + 1,
                                    .clockwise = camera->left_handed,
                                    .flipped = find_flipped(view) >> number[i] & 1u };
        memcpy(l->clip_from_voxel, m.clip_from_voxel, sizeof l->clip_from_voxel);
        memcpy(l->view_normal, m.view_normal, sizeof l->view_normal);
    }
    return layers;
}

/* Why OpenGL has to draw these layers, one clause; NULL: it need not. */
static const char *needs_opengl(const struct render_view *view, const struct passes *passes,
                                const struct raster_layer *layer, int layers)
{
    const struct cut cut = cut_of(view);
    for (int i = 0; i < CUT_PLANES; i++)
        if (cut.side[i] > CUT_BORDER) return "the surface is cut";
    for (int i = 0; i < RENDER_SURFACES; i++) {
        if (view->surface[i].turned) return "its vertices come in clip coordinates";
        if (view->surface[i].part[0] < view->surface[i].part[1]) return "the picture is split";
    }
    if (view->wireframe) return "edges are drawn over it";
    if (render_modes[view->mode].plain) return "triangles have one normal each";
    if (passes->width > DRAW_MOST_PIXELS || passes->height > DRAW_MOST_PIXELS) return "the picture is too large";
    for (int i = 0; i < layers; i++)
        if (layer[i].triangles > DRAW_MOST_TRIANGLES) return "it has too many triangles";
    return raster_refusal(layer, layers);
}

/* How many triangles of a layer are drawn both ways. */
static uint64_t measurable(const struct render *render, const struct raster_layer *layer)
{
    const uint64_t most = render->is_software ? RASTER_MEASURED : RASTER_MEASURED_GPU;
    return layer->triangles < most ? layer->triangles : most;
}

/* Draws the first triangles of a layer both ways, in turns; the quickest counts. The first drawing by OpenGL compiles. */
static void measure(struct render *render, const struct render_view *view, const struct camera *camera,
                    const struct raster_layer *layer)
{
    const GLuint program = render->surface[0].program;
    struct render_view alone = *view;
    struct mesh part = *layer->mesh;
    struct raster_layer few = *layer;
    struct raster *raster = &render->raster;
    struct err err;
    const double begin = timing_ms();
    alone.pause = NULL;
    raster->measured = few.triangles = part.triangles = measurable(render, layer);
    raster->opengl_ms = raster->raster_ms = INFINITY;
    for (int turn = 0; turn < 3; turn++) {
        glFinish();
        const double start = timing_ms();
        struct drawing d = begin_mesh(render, &alone, program, camera);
        set_faces(view, program, camera);
        glDepthFunc(GL_LESS);
        const struct layer one = layer_of(&part, view->surface[layer->surface - 1].step, (int)layer->surface - 1, 0);
        draw_layer(&d, &one);
        glFinish();
        const double half = timing_ms();
        raster->opengl_ms = fmin(raster->opengl_ms, half - start);
        passes_begin(&render->passes);
        raster_draw(raster, &render->passes, &few, 1, NULL, &err);
        glFinish();
        if (err.code) snprintf(raster->failure, sizeof raster->failure, "%.120s", err.text);
        else raster->raster_ms = fmin(raster->raster_ms, timing_ms() - half);
        passes_begin(&render->passes);
    }
    raster->measuring_ms = timing_ms() - begin;
}

/* Returns whether raster draws, and says why, or why not. */
static bool choose_raster(struct render *render, const struct render_view *view, const struct camera *camera,
                          const struct raster_layer *layer, int layers)
{
    struct raster *raster = &render->raster;
    const char *needs = needs_opengl(view, &render->passes, layer, layers);
    const char *name = raster_backend(layer, layers) == BACKEND_CUDA ? "raster on CUDA" : "raster";
    uint64_t triangles = 0;
    int largest = 0;
    for (int i = 0; i < layers; i++) {
        triangles += layer[i].triangles;
        if (layer[i].triangles > layer[largest].triangles) largest = i;
    }
    if (raster->way == RASTER_OPENGL) needs = "asked for";
    else if (raster->way == RASTER_AUTO && triangles < RASTER_LEAST) needs = "the surface is small";
    if (needs || !layers) {
        snprintf(raster->why, sizeof raster->why, "OpenGL: %s", needs ? needs : "no opaque surface");
        return false;
    }
    if (raster->way == RASTER_ALWAYS) {
        snprintf(raster->why, sizeof raster->why, "%s: asked for", name);
        return true;
    }
    if (measurable(render, &layer[largest]) >= RASTER_LARGER * raster->measured)
        measure(render, view, camera, &layer[largest]);
    if (isinf(raster->raster_ms)) {
        snprintf(raster->why, sizeof raster->why, "OpenGL: %s", raster->failure);
        return false;
    }
    const bool faster = raster_is_faster(raster);
    snprintf(raster->why, sizeof raster->why, "%s: measured here, %llu triangles take %.2f ms by raster, %.2f by OpenGL",
             faster ? name : "OpenGL", (unsigned long long)raster->measured, raster->raster_ms, raster->opengl_ms);
    return faster;
}

/* Returns whether all opaque meshes are drawn, or it was told to stop. */
static bool draw_rastered(struct render *render, const struct render_view *view, const struct camera *camera)
{
    struct raster_layer layer[RENDER_SURFACES];
    const int layers = layers_of(view, camera, layer);
    struct err err;
    render->raster.drew = choose_raster(render, view, camera, layer, layers);
    if (!render->raster.drew) return false;
    render->complete = raster_draw(&render->raster, &render->passes, layer, layers, view->pause, &err);
    if (err.code) snprintf(render->raster.why, sizeof render->raster.why, "OpenGL: %.140s", err.text);
    return render->raster.drew = !err.code;
}

/* ---- opaque surfaces, culled ----------------------------------------------------------------------------------------- */

/* Why OpenGL has to draw all of these layers, one clause; NULL: it need not. */
static const char *needs_all(const struct render_view *view, const struct raster_layer *layer, int layers)
{
    const char *needs = layers ? NULL : "no opaque surface";
    for (int i = 0; i < RENDER_SURFACES; i++)
        if (view->surface[i].turned) return "its vertices come in clip coordinates";
    for (int i = 0; i < layers && !needs; i++) needs = cull_refusal(layer[i].mesh);
    return needs;
}

/* Returns whether cull is to draw the opaque meshes, for which all is made then, and says why not. */
static bool choose_culled(struct render *render, const struct render_view *view, const struct camera *camera)
{
    struct raster_layer layer[RENDER_SURFACES];
    struct raster *raster = &render->raster;
    struct err err = { 0 };
    if (raster->way != RASTER_CULLED) return false;
    raster->drew = false;
    const int layers = layers_of(view, camera, layer);
    const char *needs = needs_all(view, layer, layers);
    int code = needs ? ERR_NONE : cull_need(&render->cull, &err);
    for (int i = 0; i < layers && !needs && !code; i++)
        code = cull_fit(&render->cull, layer[i].mesh, render->passes.width, render->passes.height, &err);
    if (code) needs = err.text;
    if (needs) snprintf(raster->why, sizeof raster->why, "OpenGL: %.140s", needs);
    else snprintf(raster->why, sizeof raster->why, "culled: asked for");
    return !needs;
}

/* Each surface by itself where caps close what is cut open. Its caps on cuts lie in the planes of the others', at the same depths,
 * and the first that is drawn stays: that of the surface which the others enclose. */
void surfaces_draw(struct render *render, const struct render_view *view, const struct camera *camera)
{
    const GLuint program = render->surface[render_modes[view->mode].plain].program;
    const bool cut = surfaces_cut(view, false);
    int number[RENDER_SURFACES];
    const int count = sort_by_value(view, number);
    double eye[4];
    const bool rastered = render->raster.way != RASTER_CULLED && draw_rastered(render, view, camera);
    render->culled = choose_culled(render, view, camera);
    camera_eye(view->camera, eye);
    for (int i = 0; i < count && render->complete; i++) {
        if (is_glass(&view->surface[number[i]])) continue;
        if (cut) passes_begin_cut(&render->passes);
        struct drawing d = begin_mesh(render, view, program, camera);
        d.rastered = rastered, d.culled = render->culled;
        d.framebuffer = cut ? render->passes.open : render->passes.surface;
        d.depth = cut ? render->passes.open_depth : render->passes.depth;
        set_faces(view, program, camera);
        if (cut) d.cut = cut_entries(&d.cut, eye); /* what lies behind the cuts tells whether they are in the material */
        glDepthFunc(GL_LESS);
        glEnable(GL_POLYGON_OFFSET_FILL);
        draw_opaque(&d, number[i], count - 1 - i, cut);
        glDisable(GL_POLYGON_OFFSET_FILL);
        glDisable(GL_DEPTH_TEST);
        const struct cut all = cut_of(view);
        if (cut) passes_end_cut(&render->passes, &all, camera);
    }
}

/* ---- over them ----------------------------------------------------------------------------------------------------- */

/* Their faces in the volume's border, seen from outside or from inside; at least one of the two. */
static void draw_glass_caps(const struct drawing *d, bool outer, bool inner)
{
    for (int i = 0; i < RENDER_SURFACES; i++) {
        const struct render_surface *s = &d->view->surface[i];
        const GLenum culled = outer && inner ? 0 : faces_of(d->view, i, inner);
        const struct layer caps = layer_of(s->caps, s->step, i, culled);
        if (is_glass(s)) draw_layer(d, &caps);
    }
}

static void draw_glass_meshes(const struct drawing *d)
{
    const struct render_view *view = d->view;
    struct layer all = { .mesh = view->together, .step = view->together_step };
    memcpy(all.first, view->together_first, sizeof all.first);
    if (view->together) draw_layer(d, &all);
    for (int i = 0; i < RENDER_SURFACES && !view->together; i++) {
        const struct layer layer = layer_of(view->surface[i].mesh, view->surface[i].step, i, 0);
        if (is_glass(&view->surface[i])) draw_layer(d, &layer);
    }
}

/* Finds where cuts are in the material. Nothing is cut away meanwhile: what lies behind the cuts tells. */
static void count_glass(struct render *render, const struct render_view *view, const struct camera *camera)
{
    const GLuint program = render->count.program;
    const struct cut cut = cut_of(view);
    passes_begin_count(&render->passes, program, &cut, camera);
    struct drawing d = begin_mesh(render, view, program, camera);
    d.cut = (struct cut){ .side = { CUT_NONE } };
    set_eye(program, camera);
    glDisable(GL_DEPTH_TEST);
    glBlendFunc(GL_ONE, GL_ONE);
    draw_glass_meshes(&d);
    draw_glass_caps(&d, true, true);
}

/* In the sides where lines of sight come in (`entry`), or go out. Those of surfaces lie over those of others that enclose them. */
static void draw_cut_caps(struct render *render, const struct render_view *view, const struct camera *camera, bool entry)
{
    const GLuint program = render->glass_caps[view->mode].program;
    const unsigned flipped = find_flipped(view);
    const struct cut cut = cut_of(view);
    int number[RENDER_SURFACES];
    unsigned over = 0;
    const int count = sort_by_value(view, number);
    for (int i = 0; i < count; i++) over |= 1u << number[i];
    glEnable(GL_DEPTH_TEST);
    for (int i = count - 1; i >= 0 && render->complete; i--) {
        const struct render_surface *s = &view->surface[number[i]];
        const float sign = flipped >> number[i] & 1u ? -1 : 1;
        over &= ~(1u << number[i]);
        glProgramUniform1ui(program, UNIFORM_NUMBER, (GLuint)number[i]);
        glProgramUniform1ui(program, UNIFORM_OVER, over);
        glProgramUniform1f(program, UNIFORM_MATERIAL, sign);
        if (is_glass(s)) passes_draw_cap(&render->passes, program, &cut, camera, entry);
    }
}

/* Colours and transparency for a program that blends. */
static void set_glass(struct render *render, const struct render_view *view, GLuint program, const struct camera *camera)
{
    float transparency[RENDER_SURFACES];
    for (int i = 0; i < RENDER_SURFACES; i++) transparency[i] = (float)view->surface[i].transparency;
    glProgramUniform1fv(program, UNIFORM_TRANSPARENCY, RENDER_SURFACES, transparency);
    glBindTextureUnit(UNIT_MATCAP, render->matcap);
    surfaces_paint(program, view, camera);
}

/* Blends each triangle over those behind it; none hides another. From back to front: caps that face away lie behind the whole
 * surface, the others before it. */
void surfaces_draw_glass(struct render *render, const struct render_view *view, const struct camera *camera)
{
    const GLuint program = render->glass[view->mode].program;
    const bool cut = surfaces_cut(view, true), closed = !view->border_open;
    glDepthFunc(GL_LESS);
    glEnable(GL_BLEND);
    glDepthMask(GL_FALSE);
    if (cut) count_glass(render, view, camera);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    if (cut) set_glass(render, view, render->glass_caps[view->mode].program, camera);
    glBindFramebuffer(GL_FRAMEBUFFER, render->passes.scene);
    if (cut) draw_cut_caps(render, view, camera, false);
    set_glass(render, view, program, camera);
    set_faces(view, program, camera);
    const struct drawing d = begin_mesh(render, view, program, camera);
    if (closed) draw_glass_caps(&d, false, true);
    draw_glass_meshes(&d);
    if (closed) draw_glass_caps(&d, true, false);
    if (cut) draw_cut_caps(render, view, camera, true);
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
}

/* The shortest side of a voxel, or of what stands for several, in pixels where w is 1. */
static float voxel_pixels(const struct render *render, const struct camera_matrices *matrices)
{
    float shortest = INFINITY;
    for (int a = 0; a < 3; a++) {
        const float *side = matrices->view_from_voxel + 4 * a;
        shortest = fminf(shortest, sqrtf(side[0] * side[0] + side[1] * side[1] + side[2] * side[2]));
    }
    return shortest * matrices->clip_from_view[5] * 0.5f * (float)render->height;
}

void surfaces_draw_wire(struct render *render, const struct render_view *view, const struct camera *camera)
{
    const GLuint program = render->wire.program;
    struct camera_matrices matrices;
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glDepthFunc(GL_LEQUAL);
    glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    const struct drawing d = begin_mesh(render, view, program, camera);
    for (int i = 0; i < RENDER_SURFACES; i++) {
        const struct render_surface *s = &view->surface[i];
        const struct layer mesh = layer_of(s->mesh, s->step, i, 0), caps = layer_of(s->caps, s->step, i, 0);
        mesh_matrices(view, camera, s->step, &matrices);
        glProgramUniform1f(program, UNIFORM_VOXEL, voxel_pixels(render, &matrices));
        begin_part(view, s->part);
        set_turned(&d, s->mesh, s->turned);
        draw_layer(&d, &mesh);
        set_turned(&d, s->mesh, NULL);
        glDisable(GL_SCISSOR_TEST);
        if (!view->border_open) draw_layer(&d, &caps);
    }
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
}
