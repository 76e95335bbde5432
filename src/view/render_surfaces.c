#include "render_surfaces.h"
#include "render_layers.h"
#include "render_ways.h"

#include <GL/glew.h>

#include <math.h>
#include <string.h>

#define CAP_STEPS 32.0f /* steps of depth between a cap and the one over it: interpolated depths differ by several */
#define GAMMA 2.2f      /* as in the shading modes */

enum { UNIFORM_VOXEL = 3, UNIFORM_BORDER = 5, UNIFORM_PAINT = 42, UNIFORM_TRANSPARENCY = UNIFORM_PAINT + RENDER_SURFACES };
enum { UNIFORM_NUMBER = 71, UNIFORM_OVER, UNIFORM_MATERIAL }; /* shaders/cut_glass.frag */
enum { BORDER_CAP = 32 };                                     /* shaders/surface.frag */
enum { UNIT_MATCAP = 3 };                                     /* texture unit */

/* ---- what there is ------------------------------------------------------------------------------------------------- */

bool surfaces_any(const struct render_view *view, enum surfaces_kind kind)
{
    bool any = false;
    for (int i = 0; i < RENDER_SURFACES; i++) {
        const struct render_surface *s = &view->surface[i];
        any = any || (layers_glass(s) == (kind == SURFACES_GLASS) && (!layers_empty(s->mesh) || !layers_empty(s->caps)));
    }
    return any;
}

bool surfaces_cut(const struct render_view *view, enum surfaces_kind kind)
{
    const struct cut cut = layers_cut(view);
    return view->cuts_capped && surfaces_any(view, kind) && cut_is_bare(&cut);
}

void surfaces_linear(const struct render_surface *surface, float linear[3])
{
    for (int c = 0; c < 3; c++) linear[c] = powf(surface->colour[c], GAMMA);
}

void surfaces_paint(unsigned program, const struct render_view *view, const struct camera *camera)
{
    float paint[RENDER_SURFACES][4];
    if (glGetUniformLocation(program, "paints") < 0) return; /* the mode does not use them */
    for (int i = 0; i < RENDER_SURFACES; i++) {
        surfaces_linear(&view->surface[i], paint[i]);
        paint[i][3] = view->surface[i].coloured;
    }
    glProgramUniform4fv(program, UNIFORM_PAINT, RENDER_SURFACES, &paint[0][0]);
    tint_apply(view->tint, program, camera, (double)view->width / view->height);
}

int surfaces_need(struct render *render, bool plain, struct err *err)
{
    const char *face = plain ? "shaders/face_plain.glsl" : "shaders/face.glsl";
    const struct shader_files surface = { { "shaders/mesh.vert", "shaders/surface.frag", face, "shaders/seen.glsl" } };
    return shader_need(&render->surface[plain], surface, err);
}

/* ---- opaque surfaces ----------------------------------------------------------------------------------------------- */

/* The caps of several surfaces lie in the same planes, so each is drawn nearer than those of the `below` surfaces that may
 * enclose it. But not its inner side, which would show as a seam where the outer one ends. If the border is open, only inner
 * sides are wanted. */
static void draw_caps(const struct drawing *d, int number, int below)
{
    struct drawing all = *d;
    const struct render_surface *s = &d->view->surface[number];
    const bool open = d->view->border_open, apart = below > 0 || open;
    const struct layer inner = layers_one(s->caps, s->step, number, apart ? layers_faces(d->view, number, true) : 0),
                       outer = layers_one(s->caps, s->step, number, layers_faces(d->view, number, false));
    const float back = d->view->wireframe, nearer = (float)below;
    all.culled = false;
    glProgramUniform1ui(d->program, UNIFORM_BORDER, BORDER_CAP);
    glPolygonOffset(back, back);
    layers_draw(&all, &inner); /* with the outer sides, unless they are drawn apart */
    if (!apart || open) return;
    glPolygonOffset(back - nearer, back - CAP_STEPS * nearer);
    layers_draw(&all, &outer);
}

/* If edges are drawn, pushes the faces back a little; otherwise they would hide half of every edge. */
static void draw_opaque(const struct drawing *d, int number, int below, bool cut)
{
    const struct render_surface *s = &d->view->surface[number];
    const struct layer mesh = layers_one(s->mesh, s->step, number, 0);
    const float back = d->view->wireframe;
    glPolygonOffset(back, back);
    glProgramUniform1ui(d->program, UNIFORM_BORDER, 0);
    if (!d->rastered) {
        layers_begin_part(d->view, s->part);
        layers_turn(d, s->mesh, s->turned);
        layers_draw(d, &mesh);
        layers_turn(d, s->mesh, NULL);
        glDisable(GL_SCISSOR_TEST);
    }
    if (!d->view->border_open || cut) draw_caps(d, number, below);
}

/* How many of n surfaces have caps. */
static int with_caps(const struct render_view *view, const int number[], int n)
{
    int any = 0;
    for (int i = 0; i < n; i++) any += !layers_empty(view->surface[number[i]].caps);
    return any;
}

/* Draws each surface separately if caps close its cuts. Caps of several surfaces on cuts lie in the same planes, at the
 * same depths. The first one drawn stays: that of the surface that the others enclose. */
void surfaces_draw(struct render *render, const struct render_view *view, const struct camera *camera)
{
    const GLuint program = render->surface[render_modes[view->mode].plain].program;
    const bool cut = surfaces_cut(view, SURFACES_OPAQUE);
    int number[RENDER_SURFACES];
    const int count = layers_sort(view, number);
    double eye[4];
    const bool rastered = render->raster.way != RASTER_CULLED && ways_raster(render, view, camera);
    if (!rastered) passes_clear(&render->passes);
    render->culled = ways_cull(render, view, camera);
    camera_eye(view->camera, eye);
    if (rastered && layers_any_caps(view)) passes_fill(&render->passes);
    for (int i = 0; i < count && render->complete; i++) {
        if (layers_glass(&view->surface[number[i]])) continue;
        if (cut) passes_begin_cut(&render->passes);
        struct drawing d = layers_begin(render, view, program, camera);
        d.rastered = rastered, d.culled = render->culled;
        d.framebuffer = cut ? render->passes.open : render->passes.surface;
        d.depth = cut ? render->passes.open_depth : render->passes.depth;
        layers_set_faces(view, program, camera);
        if (cut) d.cut = cut_entries(&d.cut, eye); /* what is behind the cuts shows whether they are in the material */
        glDepthFunc(GL_LESS);
        glEnable(GL_POLYGON_OFFSET_FILL);
        draw_opaque(&d, number[i], with_caps(view, number + i + 1, count - 1 - i), cut);
        glDisable(GL_POLYGON_OFFSET_FILL);
        glDisable(GL_DEPTH_TEST);
        const struct cut all = layers_cut(view);
        if (cut) passes_end_cut(&render->passes, &all, camera);
    }
}

/* ---- over them ----------------------------------------------------------------------------------------------------- */

enum { OUTER = 1, INNER = 2 }; /* sides from which faces are seen */

/* Draws the caps of translucent surfaces on the volume's border, seen from these sides. */
static void draw_glass_caps(const struct drawing *d, unsigned sides)
{
    for (int i = 0; i < RENDER_SURFACES; i++) {
        const struct render_surface *s = &d->view->surface[i];
        const GLenum culled = sides == (OUTER | INNER) ? 0 : layers_faces(d->view, i, sides == INNER);
        const struct layer caps = layers_one(s->caps, s->step, i, culled);
        if (layers_glass(s)) layers_draw(d, &caps);
    }
}

static void draw_glass_meshes(const struct drawing *d)
{
    const struct render_view *view = d->view;
    struct layer all = { .mesh = view->together, .step = view->together_step };
    memcpy(all.first, view->together_first, sizeof all.first);
    if (view->together) layers_draw(d, &all);
    for (int i = 0; i < RENDER_SURFACES && !view->together; i++) {
        const struct layer layer = layers_one(view->surface[i].mesh, view->surface[i].step, i, 0);
        if (layers_glass(&view->surface[i])) layers_draw(d, &layer);
    }
}

/* Finds where cuts are in the material. Nothing is cut away meanwhile, because what is behind the cuts shows it. */
static void count_glass(struct render *render, const struct render_view *view, const struct camera *camera)
{
    const GLuint program = render->count.program;
    const struct cut cut = layers_cut(view);
    passes_begin_count(&render->passes, program, &cut, camera);
    struct drawing d = layers_begin(render, view, program, camera);
    d.cut = (struct cut){ .side = { CUT_NONE } };
    layers_set_eye(program, camera);
    glDisable(GL_DEPTH_TEST);
    glBlendFunc(GL_ONE, GL_ONE);
    draw_glass_meshes(&d);
    draw_glass_caps(&d, OUTER | INNER);
}

/* Draws caps in the sides where lines of sight enter (`entry`), or leave. Caps of surfaces are drawn over those of
 * others that enclose them. */
static void draw_cut_caps(struct render *render, const struct render_view *view, const struct camera *camera, bool entry)
{
    const GLuint program = render->glass_caps[view->mode].program;
    const unsigned flipped = layers_flipped(view);
    const struct cut cut = layers_cut(view);
    int number[RENDER_SURFACES];
    unsigned over = 0;
    const int count = layers_sort(view, number);
    for (int i = 0; i < count; i++) over |= 1u << number[i];
    glEnable(GL_DEPTH_TEST);
    for (int i = count - 1; i >= 0 && render->complete; i--) {
        const struct render_surface *s = &view->surface[number[i]];
        const float sign = flipped >> number[i] & 1u ? -1 : 1;
        over &= ~(1u << number[i]);
        glProgramUniform1ui(program, UNIFORM_NUMBER, (GLuint)number[i]);
        glProgramUniform1ui(program, UNIFORM_OVER, over);
        glProgramUniform1f(program, UNIFORM_MATERIAL, sign);
        if (layers_glass(s)) passes_draw_cap(&render->passes, program, &cut, camera, entry);
    }
}

/* Sets colours and transparency for a program that blends. */
static void set_glass(struct render *render, const struct render_view *view, GLuint program, const struct camera *camera)
{
    float transparency[RENDER_SURFACES];
    for (int i = 0; i < RENDER_SURFACES; i++) transparency[i] = (float)view->surface[i].transparency;
    glProgramUniform1fv(program, UNIFORM_TRANSPARENCY, RENDER_SURFACES, transparency);
    glBindTextureUnit(UNIT_MATCAP, render->matcap);
    surfaces_paint(program, view, camera);
}

/* Blends each triangle over those behind it; none hides another. The order is from back to front: caps that face away
 * lie behind the whole surface, the others in front of it. */
void surfaces_draw_glass(struct render *render, const struct render_view *view, const struct camera *camera)
{
    const GLuint program = render->glass[view->mode].program;
    const bool cut = surfaces_cut(view, SURFACES_GLASS), closed = !view->border_open;
    glDepthFunc(GL_LESS);
    glEnable(GL_BLEND);
    glDepthMask(GL_FALSE);
    if (cut) count_glass(render, view, camera);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    if (cut) set_glass(render, view, render->glass_caps[view->mode].program, camera);
    glBindFramebuffer(GL_FRAMEBUFFER, render->passes.scene);
    if (cut) draw_cut_caps(render, view, camera, false);
    set_glass(render, view, program, camera);
    layers_set_faces(view, program, camera);
    const struct drawing d = layers_begin(render, view, program, camera);
    if (closed) draw_glass_caps(&d, INNER);
    draw_glass_meshes(&d);
    if (closed) draw_glass_caps(&d, OUTER);
    if (cut) draw_cut_caps(render, view, camera, true);
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
}

/* The shortest side of a voxel, or of a coarser unit of the mesh, in pixels where w is 1. */
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
    const struct drawing d = layers_begin(render, view, program, camera);
    for (int i = 0; i < RENDER_SURFACES; i++) {
        const struct render_surface *s = &view->surface[i];
        const struct layer mesh = layers_one(s->mesh, s->step, i, 0), caps = layers_one(s->caps, s->step, i, 0);
        layers_matrices(view, camera, s->step, &matrices);
        glProgramUniform1f(program, UNIFORM_VOXEL, voxel_pixels(render, &matrices));
        layers_begin_part(view, s->part);
        layers_turn(&d, s->mesh, s->turned);
        layers_draw(&d, &mesh);
        layers_turn(&d, s->mesh, NULL);
        glDisable(GL_SCISSOR_TEST);
        passes_begin_kept(&render->passes); /* the part has changed the scissor box */
        if (!view->border_open) layers_draw(&d, &caps);
    }
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
}
