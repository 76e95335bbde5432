#include "render_surfaces.h"

#include <GL/glew.h>

#include <math.h>
#include <string.h>

#define CAP_STEPS 32.0f /* of the depth buffer, from a cap to the one over it: interpolated depths differ by several */
#define GAMMA 2.2f      /* as the shading modes have it */

enum { UNIFORM_CLIP, UNIFORM_VIEW, UNIFORM_NORMAL, UNIFORM_VOXEL, UNIFORM_EYE, UNIFORM_BORDER }; /* of the mesh */
enum { UNIFORM_FIRST = 40, UNIFORM_FLIPPED, UNIFORM_PAINT, UNIFORM_TRANSPARENCY = UNIFORM_PAINT + RENDER_SURFACES };
enum { BORDER_CAP = 64 }; /* shaders/surface.frag */
enum { UNIT_MATCAP = 3 }; /* texture unit */

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

bool surfaces_cut(const struct render_view *view)
{
    const struct cut cut = cut_of(view);
    return view->cuts_capped && surfaces_any(view, false) && cut_is_bare(&cut);
}

/* Of two surfaces at v and -v, what is outside of the lower one is what is inside; unless caps close it round what is above -v. */
static unsigned find_flipped(const struct render_view *view)
{
    unsigned flipped = 0;
    for (int i = 0; i < RENDER_SURFACES; i++)
        for (int k = 0; k < RENDER_SURFACES; k++) {
            const struct render_surface *low = &view->surface[i], *high = &view->surface[k];
            const bool closed = !view->border_open && !is_empty(low->caps);
            if (low->mesh && high->mesh && !closed && low->value < 0 && low->value == -high->value) flipped |= 1u << i;
        }
    return flipped;
}

/* Sets the numbers of the surfaces that have a mesh or caps, the highest value first; returns how many. */
static int sort_by_value(const struct render_view *view, int number[RENDER_SURFACES])
{
    int count = 0;
    for (int i = 0; i < RENDER_SURFACES; i++) {
        const struct render_surface *s = &view->surface[i];
        int at = count;
        if (is_empty(s->mesh) && is_empty(s->caps)) continue;
        for (; at && view->surface[number[at - 1]].value < s->value; at--) number[at] = number[at - 1];
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

struct drawing { /* what several layers share */
    struct render *render;
    const struct render_view *view;
    const struct camera *camera;
    struct cut cut; /* what is left out */
    GLuint program; /* the current one */
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
    const struct mesh_gl_pause *pause = p->d->view->pause;
    cut_end();
    const bool go_on = pause->go_on(pause->context);
    cut_begin(&p->d->cut, p->d->program, p->step);
    return go_on;
}

static void draw_layer(const struct drawing *d, const struct layer *layer)
{
    struct camera_matrices matrices;
    struct cut_pause uncut = { d, layer->step };
    const struct mesh_gl_pause pausing = { go_on_uncut, &uncut };
    if (!d->render->complete || is_empty(layer->mesh)) return;
    mesh_matrices(d->view, d->camera, layer->step, &matrices);
    set_matrices(d->program, &matrices);
    glProgramUniform4uiv(d->program, UNIFORM_FIRST, 1, layer->first);
    cut_begin(&d->cut, d->program, layer->step);
    if (layer->culled) {
        glEnable(GL_CULL_FACE);
        glCullFace(layer->culled);
    }
    d->render->complete = mesh_gl_draw(layer->mesh, d->view->pause ? &pausing : NULL);
    glDisable(GL_CULL_FACE);
    cut_end();
}

/* What the triangles' program needs to know of the surfaces, where it asks; and the state of OpenGL. */
static struct drawing begin_mesh(struct render *render, const struct render_view *view, GLuint program,
                                 const struct camera *camera)
{
    float transparency[RENDER_SURFACES];
    for (int i = 0; i < RENDER_SURFACES; i++) transparency[i] = (float)view->surface[i].transparency;
    glFrontFace(camera->left_handed ? GL_CW : GL_CCW);
    glEnable(GL_DEPTH_TEST);
    glProgramUniform4f(program, UNIFORM_EYE, 0, 0, camera->orthographic, !camera->orthographic); /* shaders/face.glsl */
    glProgramUniform1ui(program, UNIFORM_FLIPPED, find_flipped(view));
    glProgramUniform1fv(program, UNIFORM_TRANSPARENCY, RENDER_SURFACES, transparency);
    glUseProgram(program);
    return (struct drawing){ render, view, camera, cut_of(view), program };
}

void surfaces_paint(unsigned program, const struct render_view *view, const struct camera *camera)
{
    float paint[RENDER_SURFACES][4];
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
 * over those of the `below` surfaces of lower values, which enclose it. */
static void draw_opaque(const struct drawing *d, int number, int below, bool cut)
{
    const struct render_surface *s = &d->view->surface[number];
    const bool only_ends = d->view->border_open;
    const struct layer mesh = layer_of(s->mesh, s->step, number, 0),
                       caps = layer_of(s->caps, s->step, number, only_ends ? GL_FRONT : 0);
    const float back = d->view->wireframe, nearer = (float)below;
    const bool flipped = find_flipped(d->view) >> number & 1u; /* its caps end what is not in it */
    glPolygonOffset(back, back);
    glProgramUniform1ui(d->program, UNIFORM_BORDER, 0);
    draw_layer(d, &mesh);
    if (flipped || (only_ends && !cut)) return;
    glPolygonOffset(back - nearer, back - CAP_STEPS * nearer);
    glProgramUniform1ui(d->program, UNIFORM_BORDER, cut ? BORDER_CAP : 0);
    draw_layer(d, &caps);
}

/* Each surface by itself where caps close what is cut open. Its caps on cuts lie in the planes of the others', at the same depths,
 * and the first that is drawn stays: the highest value's, which the others enclose. */
void surfaces_draw(struct render *render, const struct render_view *view, const struct camera *camera)
{
    const GLuint program = render->surface[render_modes[view->mode].plain].program;
    const bool cut = surfaces_cut(view);
    int number[RENDER_SURFACES];
    const int count = sort_by_value(view, number);
    double eye[4];
    camera_eye(view->camera, eye);
    for (int i = 0; i < count && render->complete; i++) {
        if (is_glass(&view->surface[number[i]])) continue;
        if (cut) passes_begin_cut(&render->passes);
        struct drawing d = begin_mesh(render, view, program, camera);
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

static void draw_glass_caps(const struct drawing *d, GLenum culled)
{
    for (int i = 0; i < RENDER_SURFACES; i++) {
        const struct render_surface *s = &d->view->surface[i];
        const struct layer caps = layer_of(s->caps, s->step, i, culled);
        if (is_glass(s) && !d->view->border_open) draw_layer(d, &caps);
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

/* Blends each triangle over those behind it; none hides another. From back to front: caps that face away lie behind the whole
 * surface, the others before it. */
void surfaces_draw_glass(struct render *render, const struct render_view *view, const struct camera *camera)
{
    const GLuint program = render->glass[view->mode].program;
    glDepthFunc(GL_LESS);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glDepthMask(GL_FALSE);
    glBindTextureUnit(UNIT_MATCAP, render->matcap);
    surfaces_paint(program, view, camera);
    const struct drawing d = begin_mesh(render, view, program, camera);
    draw_glass_caps(&d, GL_FRONT);
    draw_glass_meshes(&d);
    draw_glass_caps(&d, GL_BACK);
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
}

/* The shortest side of a voxel, or of what stands for several, in pixels where w is 1. */
static float voxel_pixels(const struct render_view *view, const struct camera_matrices *matrices)
{
    float shortest = INFINITY;
    for (int a = 0; a < 3; a++) {
        const float *side = matrices->view_from_voxel + 4 * a;
        shortest = fminf(shortest, sqrtf(side[0] * side[0] + side[1] * side[1] + side[2] * side[2]));
    }
    return shortest * matrices->clip_from_view[5] * 0.5f * (float)view->height;
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
        glProgramUniform1f(program, UNIFORM_VOXEL, voxel_pixels(view, &matrices));
        draw_layer(&d, &mesh);
        if (!view->border_open) draw_layer(&d, &caps);
    }
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
}
