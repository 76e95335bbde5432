#include "render.h"
#include "gl.h"
#include "image_decode.h"
#include "mesh_gl.h"
#include "resource.h"
#include "text.h"
#include "timing.h"
#include "trace.h"

#include <GL/glew.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RELOAD_MS 250.0 /* between two looks for saved shaders */

/* To add a mode, write its function `shade` as shaders/shade_<name>.glsl, embed it in resource.c, and add a row here. */
/* clang-format off */
const struct render_mode render_modes[] = {
    { "light", "a lamp beside the viewer, sky and ground; inner faces are blue", "shaders/shade_light.glsl", false },
    { "matcap", "the image of a lit clay sphere, looked up by the normal", "shaders/shade_matcap.glsl", false },
    { "jade", "polished stone that lets some light through", "shaders/shade_jade.glsl", false },
    { "x-ray", "bright outlines, dark faces; best translucent", "shaders/shade_x-ray.glsl", false },
    { "normals", "the direction of the surface as a colour", "shaders/shade_normals.glsl", false },
    { "flat", "the light of the first mode on triangles that are not smoothed", "shaders/shade_light.glsl", true },
    { NULL },
};
/* clang-format on */

enum { UNIFORM_CLIP, UNIFORM_VIEW, UNIFORM_NORMAL, UNIFORM_TRANSPARENCY, UNIFORM_VOXEL = 3, UNIFORM_EYE }; /* of the mesh */
enum { UNIT_MATCAP = 3 }; /* texture unit */

/* ---- objects --------------------------------------------------------------------------------------------------- */

static int load_matcap(struct render *render, struct err *err)
{
    const struct resource *file = resource_find("assets/matcap.png");
    int width, height;
    unsigned char *pixels = file ? image_decode(file->begin, (size_t)(file->end - file->begin), &width, &height) : NULL;
    if (!pixels) return err_set(err, ERR_GL, "assets/matcap.png in this program cannot be read: no memory, or not a PNG");
    glCreateTextures(GL_TEXTURE_2D, 1, &render->matcap);
    gl_label(GL_TEXTURE, render->matcap, "matcap");
    glTextureStorage2D(render->matcap, 1, GL_RGBA8, width, height);
    glTextureSubImage2D(render->matcap, 0, 0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    glTextureParameteri(render->matcap, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTextureParameteri(render->matcap, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTextureParameteri(render->matcap, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTextureParameteri(render->matcap, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    free(pixels);
    return ERR_NONE;
}

int render_open(struct render *render, bool is_software, struct err *err)
{
    *render = (struct render){ .is_open = true, .is_software = is_software };
    gl_forget_errors();
    glCreateQueries(GL_TIME_ELAPSED, RENDER_TIMERS, render->query);
    const struct shader_files background = { { "shaders/screen.vert", "shaders/background.frag" } };
    int code = passes_open(&render->passes, err);
    if (!code) code = shader_need(&render->background, background, err);
    if (!code) code = load_matcap(render, err);
    if (!code && glGetError() != GL_NO_ERROR) code = err_set(err, ERR_GL, "OpenGL has no memory for what drawing needs");
    if (code) render_close(render);
    return code;
}

void render_close(struct render *render)
{
    if (!render->is_open) return; /* never opened: there may be no OpenGL */
    passes_close(&render->passes);
    box_close(&render->box);
    for (int i = 0; i < RENDER_MODES; i++) shader_close(&render->opaque[i]), shader_close(&render->glass[i]);
    for (int i = 0; i < 2; i++) shader_close(&render->surface[i]);
    shader_close(&render->background);
    shader_close(&render->wire);
    glDeleteTextures(1, &render->matcap);
    glDeleteQueries(RENDER_TIMERS, render->query);
    memset(render, 0, sizeof *render);
}

int render_mode_find(const char *name, struct err *err)
{
    char list[256];
    const int found = name ? text_row(name, render_modes, sizeof *render_modes) : 0;
    if (found < 0)
        err_set(err, ERR_USAGE, "there is no shading mode '%s'; there are:%s", name,
                text_names(list, sizeof list, render_modes, sizeof *render_modes));
    return found;
}

/* ---- drawing --------------------------------------------------------------------------------------------------- */

static void set_matrices(GLuint program, const struct camera_matrices *m)
{
    glProgramUniformMatrix4fv(program, UNIFORM_CLIP, 1, GL_FALSE, m->clip_from_voxel);
    glProgramUniformMatrix4fv(program, UNIFORM_VIEW, 1, GL_FALSE, m->view_from_voxel);
    glProgramUniformMatrix3fv(program, UNIFORM_NORMAL, 1, GL_FALSE, m->view_normal);
}

static bool is_glass(const struct render_view *view) { return view->transparency > 0; }

/* Compiles programs at their first use: startup pays for one mode only. */
static int need_programs(struct render *render, const struct render_view *view, struct err *err)
{
    const struct render_mode *mode = &render_modes[view->mode];
    const char *face = mode->plain ? "shaders/face_plain.glsl" : "shaders/face.glsl";
    const struct shader_files opaque = { { "shaders/screen.vert", "shaders/shade.frag", "shaders/seen.glsl",
                                           "shaders/view.glsl", mode->shade_file } },
                              glass = { { "shaders/mesh.vert", "shaders/glass.frag", face, mode->shade_file } },
                              surface = { { "shaders/mesh.vert", "shaders/surface.frag", face, "shaders/seen.glsl" } },
                              wire = { { "shaders/mesh.vert", "shaders/wire.frag" } };
    int code = shader_need(&render->opaque[view->mode], opaque, err);
    if (!code && is_glass(view)) code = shader_need(&render->glass[view->mode], glass, err);
    if (!code && !is_glass(view)) code = shader_need(&render->surface[mode->plain], surface, err);
    if (!code && view->wireframe) code = shader_need(&render->wire, wire, err);
    if (!code && view->box) code = box_need(&render->box, err);
    return code;
}

bool render_reload(struct render *render, struct slices *slices, struct err *err)
{
    bool changed = false;
    err->code = ERR_NONE;
    if (timing_ms() < render->reload_due) return false;
    render->reload_due = shader_is_watched() ? timing_ms() + RELOAD_MS : INFINITY;
    for (int i = 0; i < RENDER_MODES; i++) {
        changed |= shader_reload(&render->opaque[i], err);
        changed |= shader_reload(&render->glass[i], err);
    }
    for (int i = 0; i < SLICES_SHADERS; i++) changed |= shader_reload(&slices->shader[i], err);
    changed |= passes_reload(&render->passes, err);
    for (int i = 0; i < 2; i++) changed |= shader_reload(&render->surface[i], err);
    changed |= shader_reload(&render->background, err);
    changed |= shader_reload(&render->wire, err);
    changed |= shader_reload(&render->box.shader, err);
    return changed;
}

/* The matrices of the mesh, whose unit may be several voxels. */
static void mesh_matrices(const struct render_view *view, const struct camera *camera, struct camera_matrices *matrices)
{
    camera_transform(camera, (double)view->width / view->height, matrices);
    for (int i = 0; i < 12; i++) /* the columns of x, y and z */
        matrices->clip_from_voxel[i] *= (float)view->step, matrices->view_from_voxel[i] *= (float)view->step;
}

static bool is_empty(const struct mesh *mesh) { return !mesh || (!mesh->triangles && !mesh->queued); }

/* culled: GL_FRONT or GL_BACK faces are left out; 0: none. */
static void draw_part(struct render *render, const struct render_view *view, const struct mesh *mesh, GLenum culled)
{
    if (!render->complete || is_empty(mesh)) return;
    if (culled) {
        glEnable(GL_CULL_FACE);
        glCullFace(culled);
    }
    render->complete = mesh_gl_draw(mesh, view->pause);
    glDisable(GL_CULL_FACE);
}

/* Draws the triangles by a program, blended or not; with depth test. Clears render->complete if it is told to stop, and does
 * nothing afterwards. From back to front: caps that face away lie behind the whole surface, the others before it. */
static void draw_mesh(struct render *render, const struct render_view *view, GLuint program,
                      const struct camera_matrices *matrices)
{
    glFrontFace(view->camera->left_handed ? GL_CW : GL_CCW);
    glEnable(GL_DEPTH_TEST);
    set_matrices(program, matrices);
    struct cut cut = { .plane = { { 0 } } };
    if (view->slices) slices_cut(view->slices, -1, &cut);
    cut_begin(&cut, program, view->step);
    glUseProgram(program);
    draw_part(render, view, view->caps, GL_FRONT);
    draw_part(render, view, view->mesh, 0);
    draw_part(render, view, view->caps, GL_BACK);
    cut_end();
    glDisable(GL_DEPTH_TEST);
}

/* Where the eye is: shaders/face.glsl. */
static void set_eye(GLuint program, const struct camera *camera)
{
    glProgramUniform4f(program, UNIFORM_EYE, 0, 0, camera->orthographic, !camera->orthographic);
}

/* What is seen. Under edges, pushes the faces back a little; otherwise they would hide half of every edge. */
static void draw_surface(struct render *render, const struct render_view *view, const struct camera_matrices *matrices)
{
    glDepthFunc(GL_LESS);
    if (view->wireframe) {
        glEnable(GL_POLYGON_OFFSET_FILL);
        glPolygonOffset(1, 1);
    }
    const GLuint program = render->surface[render_modes[view->mode].plain].program;
    set_eye(program, view->camera);
    draw_mesh(render, view, program, matrices);
    glDisable(GL_POLYGON_OFFSET_FILL);
}

/* Blends each triangle over those behind it; none hides another. */
static void draw_glass(struct render *render, const struct render_view *view, const struct camera_matrices *matrices)
{
    const GLuint program = render->glass[view->mode].program;
    glDepthFunc(GL_LESS);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glDepthMask(GL_FALSE);
    glBindTextureUnit(UNIT_MATCAP, render->matcap);
    glProgramUniform1f(program, UNIFORM_TRANSPARENCY, (float)view->transparency);
    set_eye(program, view->camera);
    draw_mesh(render, view, program, matrices);
    glDisable(GL_BLEND);
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

static void draw_wire(struct render *render, const struct render_view *view, const struct camera_matrices *matrices)
{
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glDepthFunc(GL_LEQUAL);
    glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    glProgramUniform1f(render->wire.program, UNIFORM_VOXEL, voxel_pixels(view, matrices));
    draw_mesh(render, view, render->wire.program, matrices);
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    glDisable(GL_BLEND);
}

/* What is drawn over the opaque surface, from back to front: slices are opaque and hide glass behind them. */
static void draw_over(struct render *render, const struct render_view *view, const struct camera *camera,
                      const struct camera_matrices *matrices, bool has_mesh)
{
    if (view->slices && slices_any(view->slices)) {
        gl_push_group("slices");
        slices_draw(view->slices, camera, view->width, view->height);
        gl_pop_group();
    }
    gl_push_group("over");
    if (view->box) box_draw(&render->box, view->box, camera, view->width, view->height);
    if (has_mesh && is_glass(view)) draw_glass(render, view, matrices);
    if (has_mesh && view->wireframe) draw_wire(render, view, matrices);
    gl_pop_group();
}

/* Of occlusion. Software OpenGL takes 20 ms for it, so there it waits until the view rests. */
static unsigned taps(const struct render *render, const struct render_view *view)
{
    if (!render->is_software) return 16;
    return view->moving ? 0 : 8;
}

static void draw_passes(struct render *render, const struct render_view *view)
{
    const bool has_mesh = !is_empty(view->mesh) || !is_empty(view->caps);
    struct camera camera = *view->camera;
    struct camera_matrices matrices;
    memcpy(camera.shift, render->shift, sizeof camera.shift);
    mesh_matrices(view, &camera, &matrices);
    const bool opaque = has_mesh && !is_glass(view);
    const struct passes_look look = { .camera = &camera,
                                      .background = render->background.program,
                                      .shade = render->opaque[view->mode].program,
                                      .taps = opaque ? taps(render, view) : 0,
                                      .sample = view->sample,
                                      .samples = view->samples };
    gl_push_group("surface");
    passes_begin(&render->passes);
    if (opaque) draw_surface(render, view, &matrices);
    gl_pop_group();
    if (!render->complete) return;
    gl_push_group("shade");
    glBindTextureUnit(UNIT_MATCAP, render->matcap);
    passes_shade(&render->passes, &look);
    gl_pop_group();
    draw_over(render, view, &camera, &matrices, has_mesh);
    if (render->complete) render->resolved = passes_end(&render->passes, &look);
}

static double golden_part(unsigned k) { return fmod(0.5 + k * 0.61803398874989485, 1); }

/* Samples lie evenly over the pixel: none shares its row or column of the pixel with another, as queens, and four of them stand
 * on a rotated square. Rows are taken in the order of the golden ratio's multiples. */
static void choose_shift(const struct render_view *view, double shift[2])
{
    const unsigned n = view->samples > 1 ? view->samples : 1;
    unsigned row = 0;
    for (unsigned k = 0; k < n; k++) row += golden_part(k) < golden_part(view->sample);
    shift[0] = 2 * ((view->sample + 0.5) / n - 0.5) / view->width;
    shift[1] = 2 * ((row + 0.5) / n - 0.5) / view->height;
}

int render_draw(struct render *render, const struct render_view *view, struct err *err)
{
    assert(view->mode < RENDER_MODES && view->width > 0 && view->height > 0);
    int code = passes_fit(&render->passes, view->width, view->height, err);
    render->width = render->passes.width;
    render->height = render->passes.height;
    if (!code) code = need_programs(render, view, err);
    if (code) return code;
    choose_shift(view, render->shift);

    trace_push("draw", NULL);
    const unsigned slot = render->queries_begun % RENDER_TIMERS;
    const bool timed = view->timed && !view->sample && render->queries_begun - render->queries_read < RENDER_TIMERS;
    if (timed) {
        render->query_step[slot] = view->step;
        render->query_begin[slot] = timing_ms();
        glBeginQuery(GL_TIME_ELAPSED, render->query[slot]);
        render->queries_begun++;
    }
    render->complete = true;
    draw_passes(render, view);
    if (timed) glEndQuery(GL_TIME_ELAPSED);
    if (timed && !render->complete) render->query_step[slot] = 0;
    trace_pop();
    return ERR_NONE;
}

int render_pick(struct render *render, int x, int y, double ndc[3], struct err *err)
{
    float depth = 1;
    gl_forget_errors();
    glBindFramebuffer(GL_READ_FRAMEBUFFER, render->passes.scene);
    glReadPixels(x, y, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, &depth);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    ndc[0] = 2 * (x + 0.5) / render->width - 1 - render->shift[0];
    ndc[1] = 2 * (y + 0.5) / render->height - 1 - render->shift[1];
    ndc[2] = 2 * (double)depth - 1;
    return glGetError() == GL_NO_ERROR ? ERR_NONE : err_set(err, ERR_GL, "OpenGL cannot read the depth under the cursor");
}

void render_show(const struct render *render, int x, int y)
{
    glBlitNamedFramebuffer(render->resolved, 0, 0, 0, render->width, render->height, x, y, x + render->width,
                           y + render->height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

/* The trace's track of OpenGL. A draw has a duration but no time on the host's clock: it starts when it was queued, or when
 * the draw before it ends. */
static void trace_draw(struct render *render, double queued, double ms)
{
    const double begin = fmax(queued, render->drawn_until);
    render->drawn_until = begin + ms;
    trace_add(TRACE_OPENGL, "draw", NULL, begin, render->drawn_until);
}

bool render_time(struct render *render, double *ms, unsigned *step)
{
    GLuint ready = GL_FALSE;
    if (!render_time_pending(render)) return false;
    const unsigned slot = render->queries_read % RENDER_TIMERS;
    glGetQueryObjectuiv(render->query[slot], GL_QUERY_RESULT_AVAILABLE, &ready);
    if (!ready) return false;
    GLuint64 ns = 0;
    glGetQueryObjectui64v(render->query[slot], GL_QUERY_RESULT, &ns);
    render->queries_read++;
    *step = render->query_step[slot];
    *ms = (double)ns * 1e-6;
    trace_draw(render, render->query_begin[slot], *ms);
    return true;
}

bool render_time_pending(const struct render *render) { return render->queries_begun != render->queries_read; }
