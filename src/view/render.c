#include "render.h"
#include "gl.h"
#include "image_decode.h"
#include "mesh_gl.h"
#include "resource.h"
#include "timing.h"
#include "trace.h"

#include <GL/glew.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RELOAD_MS 250.0 /* between two looks for saved shaders */

/* To add a mode, write a fragment shader shaders/shade_<name>.frag, embed it in resource.c, and add a row here. */
const struct render_mode render_modes[] = {
    { "light", "a lamp beside the viewer, sky and ground; inner faces are blue", "shaders/mesh.vert",
      "shaders/shade_light.frag" },
    { "matcap", "the image of a lit clay sphere, looked up by the normal", "shaders/mesh.vert",
      "shaders/shade_matcap.frag" },
    { NULL, NULL, NULL, NULL },
};

enum { UNIFORM_CLIP, UNIFORM_VIEW, UNIFORM_NORMAL, UNIFORM_MATCAP, UNIFORM_TRANSPARENCY }; /* locations in the shaders */

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
    memset(render, 0, sizeof *render);
    gl_forget_errors();
    GLint samples = 1;
    glGetIntegerv(GL_MAX_SAMPLES, &samples);
    render->samples = is_software || samples < 4 ? 1 : 4;
    glCreateVertexArrays(1, &render->no_attributes);
    gl_label(GL_VERTEX_ARRAY, render->no_attributes, "no attributes");
    glCreateQueries(GL_TIME_ELAPSED, RENDER_TIMERS, render->query);
    int code = shader_need(&render->background, "shaders/background.vert", "shaders/background.frag", err);
    if (!code) code = load_matcap(render, err);
    if (!code && glGetError() != GL_NO_ERROR) code = err_set(err, ERR_GL, "OpenGL has no memory for what drawing needs");
    if (code) render_close(render);
    return code;
}

static void drop_framebuffers(struct render *render)
{
    glDeleteFramebuffers(1, &render->resolved);
    glDeleteRenderbuffers(1, &render->resolved_colour);
    glDeleteFramebuffers(1, &render->framebuffer);
    glDeleteRenderbuffers(1, &render->colour);
    glDeleteRenderbuffers(1, &render->depth);
    render->framebuffer = render->colour = render->depth = render->resolved = render->resolved_colour = 0;
    render->width = render->height = 0;
}

void render_close(struct render *render)
{
    if (!render->samples) return; /* never opened: there may be no OpenGL */
    drop_framebuffers(render);
    for (int i = 0; i < RENDER_MODES; i++) shader_close(&render->mode[i]);
    shader_close(&render->background);
    shader_close(&render->wire);
    glDeleteTextures(1, &render->matcap);
    glDeleteQueries(RENDER_TIMERS, render->query);
    glDeleteVertexArrays(1, &render->no_attributes);
    memset(render, 0, sizeof *render);
}

int render_mode_find(const char *name, struct err *err)
{
    char list[256] = "";
    for (int i = 0; render_modes[i].name; i++) {
        if (!name || !strcmp(render_modes[i].name, name)) return i;
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, " %s", render_modes[i].name);
    }
    err_set(err, ERR_USAGE, "there is no shading mode '%s'; there are:%s", name, list);
    return -1;
}

/* ---- framebuffers ---------------------------------------------------------------------------------------------- */

static GLuint make_framebuffer(const char *name)
{
    GLuint framebuffer = 0;
    glCreateFramebuffers(1, &framebuffer);
    gl_label(GL_FRAMEBUFFER, framebuffer, name);
    return framebuffer;
}

/* A target of the framebuffer, which gets the same name. */
static GLuint make_target(GLuint framebuffer, GLenum attachment, GLenum format, int samples, int width, int height,
                          const char *name)
{
    GLuint buffer = 0;
    glCreateRenderbuffers(1, &buffer);
    gl_label(GL_RENDERBUFFER, buffer, name);
    glNamedRenderbufferStorageMultisample(buffer, samples > 1 ? samples : 0, format, width, height);
    glNamedFramebufferRenderbuffer(framebuffer, attachment, GL_RENDERBUFFER, buffer);
    return buffer;
}

static int fit_framebuffers(struct render *render, int width, int height, struct err *err)
{
    if (render->width == width && render->height == height) return ERR_NONE;
    drop_framebuffers(render);
    gl_forget_errors();
    render->framebuffer = make_framebuffer("scene");
    render->colour = make_target(render->framebuffer, GL_COLOR_ATTACHMENT0, GL_RGBA8, render->samples, width, height,
                                 "scene colour");
    render->depth = make_target(render->framebuffer, GL_DEPTH_ATTACHMENT, GL_DEPTH_COMPONENT32F, render->samples, width,
                                height, "scene depth");
    render->resolved = make_framebuffer("resolved scene");
    render->resolved_colour = make_target(render->resolved, GL_COLOR_ATTACHMENT0, GL_RGBA8, 1, width, height,
                                          "resolved scene colour");
    render->width = width;
    render->height = height;
    if (glGetError() == GL_NO_ERROR &&
        glCheckNamedFramebufferStatus(render->framebuffer, GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE &&
        glCheckNamedFramebufferStatus(render->resolved, GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE)
        return ERR_NONE;
    drop_framebuffers(render);
    return err_set(err, ERR_GL, "OpenGL cannot make an image of %d x %d pixels", width, height);
}

/* ---- drawing --------------------------------------------------------------------------------------------------- */

static void set_matrices(GLuint program, const struct camera_matrices *m)
{
    glProgramUniformMatrix4fv(program, UNIFORM_CLIP, 1, GL_FALSE, m->clip_from_voxel);
    glProgramUniformMatrix4fv(program, UNIFORM_VIEW, 1, GL_FALSE, m->view_from_voxel);
    glProgramUniformMatrix3fv(program, UNIFORM_NORMAL, 1, GL_FALSE, m->view_normal);
}

/* Compiles programs at their first use: startup pays for one mode only. */
static int need_programs(struct render *render, const struct render_view *view, struct err *err)
{
    const struct render_mode *mode = &render_modes[view->mode];
    int code = shader_need(&render->mode[view->mode], mode->vertex_file, mode->fragment_file, err);
    if (!code && view->wireframe) code = shader_need(&render->wire, "shaders/mesh.vert", "shaders/wire.frag", err);
    return code;
}

bool render_reload(struct render *render, struct slices *slices, struct err *err)
{
    bool changed = false;
    err->code = ERR_NONE;
    if (timing_ms() < render->reload_due) return false;
    render->reload_due = shader_is_watched() ? timing_ms() + RELOAD_MS : INFINITY;
    for (int i = 0; i < RENDER_MODES; i++) changed |= shader_reload(&render->mode[i], err);
    for (int i = 0; i < SLICES_SHADERS; i++) changed |= shader_reload(&slices->shader[i], err);
    changed |= shader_reload(&render->background, err);
    changed |= shader_reload(&render->wire, err);
    return changed;
}

/* False: it was told to stop. */
static bool draw_surface(const struct render *render, const struct render_view *view)
{
    const GLuint program = render->mode[view->mode].program;
    struct camera_matrices matrices;
    camera_transform(view->camera, (double)view->width / view->height, &matrices);
    for (int i = 0; i < 12; i++) /* the columns of x, y and z */
        matrices.clip_from_voxel[i] *= (float)view->step, matrices.view_from_voxel[i] *= (float)view->step;
    glFrontFace(view->camera->left_handed ? GL_CW : GL_CCW);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LESS);
    glDepthMask(GL_TRUE);

    /* Under edges, push the faces back a little; otherwise they would hide half of every edge. */
    if (view->wireframe) {
        glEnable(GL_POLYGON_OFFSET_FILL);
        glPolygonOffset(1, 1);
    }
    if (view->transparency > 0) { /* blend each triangle over those behind it; none hides another */
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        glDepthMask(GL_FALSE);
    }
    glBindTextureUnit(0, render->matcap);
    set_matrices(program, &matrices);
    glProgramUniform1f(program, UNIFORM_TRANSPARENCY, (float)view->transparency);
    glUseProgram(program);
    bool complete = mesh_gl_draw(view->mesh, view->pause);
    glDisable(GL_POLYGON_OFFSET_FILL);
    glDisable(GL_BLEND);
    glDepthMask(GL_TRUE);

    if (view->wireframe && complete) {
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        glDepthFunc(GL_LEQUAL);
        glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
        set_matrices(render->wire.program, &matrices);
        glUseProgram(render->wire.program);
        complete = mesh_gl_draw(view->mesh, view->pause);
        glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
        glDisable(GL_BLEND);
    }
    glDisable(GL_DEPTH_TEST);
    return complete;
}

/* Also sets all state that the panel may have changed. */
static void draw_background(const struct render *render, int width, int height)
{
    glBindFramebuffer(GL_FRAMEBUFFER, render->framebuffer);
    glViewport(0, 0, width, height);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_CULL_FACE);
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
    const float far = 1.0f;
    glDepthMask(GL_TRUE);
    glClearNamedFramebufferfv(render->framebuffer, GL_DEPTH, 0, &far);
    glUseProgram(render->background.program);
    glBindVertexArray(render->no_attributes);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void draw_passes(struct render *render, const struct render_view *view)
{
    const int width = view->width, height = view->height;
    gl_push_group("background");
    draw_background(render, width, height);
    gl_pop_group();
    if (view->mesh && (view->mesh->triangles || view->mesh->queued)) {
        gl_push_group("surface");
        render->complete = draw_surface(render, view);
        gl_pop_group();
    }
    if (!render->complete) return;
    if (view->slices && slices_any(view->slices)) {
        gl_push_group("slices");
        slices_draw(view->slices, view->camera, width, height);
        gl_pop_group();
    }
    glBlitNamedFramebuffer(render->framebuffer, render->resolved, 0, 0, width, height, 0, 0, width, height,
                           GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

int render_draw(struct render *render, const struct render_view *view, struct err *err)
{
    assert(view->mode < RENDER_MODES && view->width > 0 && view->height > 0);
    int code = fit_framebuffers(render, view->width, view->height, err);
    if (!code) code = need_programs(render, view, err);
    if (code) return code;

    trace_push("draw", NULL);
    const unsigned slot = render->queries_begun % RENDER_TIMERS;
    const bool timed = render->queries_begun - render->queries_read < RENDER_TIMERS;
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

/* With several samples per pixel, a blit resolves the pixel into a framebuffer of one pixel first. */
int render_depth(struct render *render, int x, int y, float *depth, struct err *err)
{
    const bool copied = render->samples > 1;
    GLuint one = render->framebuffer, buffer = 0;
    gl_forget_errors();
    if (copied) {
        one = make_framebuffer("depth of one pixel");
        buffer = make_target(one, GL_DEPTH_ATTACHMENT, GL_DEPTH_COMPONENT32F, 1, 1, 1, "depth of one pixel");
        glNamedFramebufferDrawBuffer(one, GL_NONE);
        glNamedFramebufferReadBuffer(one, GL_NONE);
        glBlitNamedFramebuffer(render->framebuffer, one, x, y, x + 1, y + 1, 0, 0, 1, 1, GL_DEPTH_BUFFER_BIT, GL_NEAREST);
    }
    *depth = 1;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, one);
    glReadPixels(copied ? 0 : x, copied ? 0 : y, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, depth);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    if (copied) {
        glDeleteFramebuffers(1, &one);
        glDeleteRenderbuffers(1, &buffer);
    }
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
