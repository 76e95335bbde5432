#include "render_layers.h"
#include "caps.h"

#include <GL/glew.h>

#include <math.h>

enum { UNIFORM_CLIP, UNIFORM_VIEW, UNIFORM_NORMAL, UNIFORM_EYE = 4, UNIFORM_TURNING = 30, UNIFORM_FLIPPED = 41 };

/* ---- what there is ------------------------------------------------------------------------------------------------- */

bool layers_empty(const struct mesh *mesh) { return !mesh || (!mesh->triangles && !mesh->queued); }

bool layers_glass(const struct render_surface *s) { return s->transparency > 0; }

struct cut layers_cut(const struct render_view *view)
{
    struct cut cut = { .side = { CUT_NONE } };
    if (view->slices) slices_cut(view->slices, -1, &cut);
    return cut;
}

/* A surface is flipped if caps close it round the lower values, because another one has the opposite value. Its inner
 * side then counts as the outer one. */
unsigned layers_flipped(const struct render_view *view)
{
    double shown[RENDER_SURFACES];
    unsigned flipped = 0;
    for (int i = 0; i < RENDER_SURFACES; i++) shown[i] = view->surface[i].mesh ? view->surface[i].value : NAN;
    for (int i = 0; i < RENDER_SURFACES; i++)
        if (caps_side_of(shown[i], shown, RENDER_SURFACES) == CAPS_BELOW) flipped |= 1u << i;
    return flipped;
}

/* A measure that is larger for a surface than for those that enclose it. */
static double inwards(const struct render_view *view, int number)
{
    const double value = view->surface[number].value;
    return layers_flipped(view) >> number & 1u ? -value : value;
}

bool layers_any_caps(const struct render_view *view)
{
    for (int i = 0; i < RENDER_SURFACES; i++)
        if (!layers_empty(view->surface[i].caps)) return true;
    return false;
}

int layers_sort(const struct render_view *view, int number[RENDER_SURFACES])
{
    int count = 0;
    for (int i = 0; i < RENDER_SURFACES; i++) {
        const struct render_surface *s = &view->surface[i];
        int at = count;
        if (layers_empty(s->mesh) && layers_empty(s->caps)) continue;
        for (; at && inwards(view, number[at - 1]) < inwards(view, i); at--) number[at] = number[at - 1];
        number[at] = i;
        count++;
    }
    return count;
}

/* ---- one mesh ------------------------------------------------------------------------------------------------------ */

void layers_matrices(const struct render_view *view, const struct camera *camera, unsigned step,
                     struct camera_matrices *matrices)
{
    camera_transform(camera, (double)view->width / view->height, matrices);
    for (int i = 0; i < 12; i++) /* the columns of x, y and z */
        matrices->clip_from_voxel[i] *= (float)step, matrices->view_from_voxel[i] *= (float)step;
}

static void set_matrices(unsigned program, const struct camera_matrices *m)
{
    glProgramUniformMatrix4fv(program, UNIFORM_CLIP, 1, GL_FALSE, m->clip_from_voxel);
    glProgramUniformMatrix4fv(program, UNIFORM_VIEW, 1, GL_FALSE, m->view_from_voxel);
    glProgramUniformMatrix3fv(program, UNIFORM_NORMAL, 1, GL_FALSE, m->view_normal);
}

unsigned layers_faces(const struct render_view *view, int number, bool outer)
{
    const bool flipped = layers_flipped(view) >> number & 1u;
    return outer != flipped ? GL_FRONT : GL_BACK;
}

struct layer layers_one(const struct mesh *mesh, unsigned step, int number, unsigned culled)
{
    struct layer layer = { .mesh = mesh, .step = step, .culled = culled };
    for (int i = number + 1; i < RENDER_SURFACES; i++) layer.first[i] = UINT32_MAX;
    return layer;
}

struct cut_pause {
    const struct drawing *d;
    unsigned step;
};

/* Pauses without cuts, because others draw meanwhile. */
static bool go_on_uncut(void *context)
{
    const struct cut_pause *p = context;
    const struct pause *pause = p->d->view->pause;
    cut_end();
    const bool go_on = pause->go_on(pause->context);
    cut_begin(&p->d->cut, p->d->program, p->step);
    return go_on;
}

void layers_turn(const struct drawing *d, const struct mesh *mesh, const struct mesh *turned)
{
    const double *const shift = d->camera->shift;
    if (layers_empty(mesh)) return;
    mesh_gl_turn(mesh, turned);
    glProgramUniform3f(d->program, UNIFORM_TURNING, turned != NULL, (float)shift[0], (float)shift[1]);
}

void layers_begin_part(const struct render_view *view, const float part[2])
{
    const GLint from = (GLint)lrintf(part[0] * (float)view->width), to = (GLint)lrintf(part[1] * (float)view->width);
    if (!(part[1] > 0)) return;
    glEnable(GL_SCISSOR_TEST);
    glScissor(from - (view->tile ? view->tile->at[0] : 0), 0, to - from, view->height);
}

/* Describes for cull how to draw a layer with the current state. */
static struct cull_view cull_view_of(const struct drawing *d, const struct layer *layer, const float clip_from_mesh[16])
{
    const struct passes *p = &d->render->passes;
    struct cull_view view = { clip_from_mesh, { { 0 } }, d->framebuffer, d->depth, p->width, p->height, d->program };
    cut_planes(&d->cut, layer->step, view.cut);
    return view;
}

void layers_draw(const struct drawing *d, const struct layer *layer)
{
    struct camera_matrices matrices;
    layers_matrices(d->view, d->camera, layer->step, &matrices);
    layers_draw_by(d, layer, &matrices);
}

void layers_draw_by(const struct drawing *d, const struct layer *layer, const struct camera_matrices *matrices)
{
    struct cut_pause uncut = { d, layer->step };
    const struct pause pausing = { go_on_uncut, &uncut };
    if (!d->render->complete || layers_empty(layer->mesh)) return;
    set_matrices(d->program, matrices);
    glProgramUniform4uiv(d->program, glGetUniformLocation(d->program, "first"), 1, layer->first); /* edges have none */
    cut_begin(&d->cut, d->program, layer->step);
    if (layer->culled) {
        glEnable(GL_CULL_FACE);
        glCullFace(layer->culled);
    }
    const struct pause *const pause = d->view->pause ? &pausing : NULL;
    const struct cull_view culled = cull_view_of(d, layer, matrices->clip_from_voxel);
    d->render->complete = d->culled ? cull_draw(&d->render->cull, layer->mesh, &culled, pause)
                                    : mesh_gl_draw(layer->mesh, pause);
    glDisable(GL_CULL_FACE);
    cut_end();
}

void layers_set_eye(unsigned program, const struct camera *camera)
{
    glProgramUniform4f(program, UNIFORM_EYE, 0, 0, camera->orthographic, !camera->orthographic); /* shaders/face.glsl */
}

void layers_set_faces(const struct render_view *view, unsigned program, const struct camera *camera)
{
    layers_set_eye(program, camera);
    glProgramUniform1ui(program, UNIFORM_FLIPPED, layers_flipped(view));
}

struct drawing layers_begin(struct render *render, const struct render_view *view, unsigned program,
                            const struct camera *camera)
{
    glFrontFace(camera->left_handed ? GL_CW : GL_CCW);
    glEnable(GL_DEPTH_TEST);
    glUseProgram(program);
    return (
        struct drawing){ .render = render, .view = view, .camera = camera, .cut = layers_cut(view), .program = program };
}
