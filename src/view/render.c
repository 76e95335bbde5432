#include "render.h"
#include "gl.h"
#include "mesh_gl.h"
#include "image.h"
#include "resource.h"
#include "shader.h"

#include <GL/glew.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* To add a mode: a fragment shader shaders/shade_<name>.frag, embedded in resource.c, and a row here. */
const struct render_mode render_modes[] = {
    { "light", "a lamp beside the viewer, sky and ground; inner faces are blue", "shaders/mesh.vert",
      "shaders/shade_light.frag" },
    { "matcap", "the picture of a lit clay sphere, looked up by the normal", "shaders/mesh.vert",
      "shaders/shade_matcap.frag" },
    { NULL, NULL, NULL, NULL },
};

enum { UNIFORM_CLIP, UNIFORM_VIEW, UNIFORM_NORMAL, UNIFORM_MATCAP, UNIFORM_CLEAR }; /* locations in the shaders */

/* ---- what lasts ------------------------------------------------------------------------------------------------ */

static int load_matcap(struct render *render, struct err *err)
{
    const struct resource *file = resource_find("assets/matcap.png");
    int width, height;
    unsigned char *pixels = file ? image_decode(file->begin, (size_t)(file->end - file->begin), &width, &height) : NULL;
    if (!pixels) return err_set(err, ERR_GL, "assets/matcap.png in this program cannot be read: no memory, or no picture");
    glCreateTextures(GL_TEXTURE_2D, 1, &render->matcap);
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
    glCreateVertexArrays(1, &render->empty);
    glCreateQueries(GL_TIME_ELAPSED, RENDER_TIMERS, render->timer);
    int code = shader_program(&render->background, "shaders/background.vert", "shaders/background.frag", err);
    if (!code) code = load_matcap(render, err);
    if (!code && glGetError() != GL_NO_ERROR) code = err_set(err, ERR_GL, "OpenGL has no memory for what drawing needs");
    if (code) render_close(render);
    return code;
}

static void drop_framebuffers(struct render *render)
{
    if (render->resolved != render->drawn) {
        glDeleteFramebuffers(1, &render->resolved);
        glDeleteRenderbuffers(1, &render->picture);
    }
    glDeleteFramebuffers(1, &render->drawn);
    glDeleteRenderbuffers(1, &render->colour);
    glDeleteRenderbuffers(1, &render->depth);
    render->drawn = render->resolved = render->colour = render->depth = render->picture = 0;
    render->width = render->height = 0;
}

void render_close(struct render *render)
{
    if (!render->samples) return; /* never opened: there may be no OpenGL */
    drop_framebuffers(render);
    for (int i = 0; i < RENDER_MODES; i++) glDeleteProgram(render->program[i]);
    glDeleteProgram(render->background);
    glDeleteProgram(render->wire);
    glDeleteTextures(1, &render->matcap);
    glDeleteQueries(RENDER_TIMERS, render->timer);
    glDeleteVertexArrays(1, &render->empty);
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

static GLuint make_renderbuffer(GLuint framebuffer, GLenum attachment, GLenum format, int samples, int width, int height)
{
    GLuint buffer = 0;
    glCreateRenderbuffers(1, &buffer);
    glNamedRenderbufferStorageMultisample(buffer, samples > 1 ? samples : 0, format, width, height);
    glNamedFramebufferRenderbuffer(framebuffer, attachment, GL_RENDERBUFFER, buffer);
    return buffer;
}

static int fit_framebuffers(struct render *render, int width, int height, struct err *err)
{
    if (render->width == width && render->height == height) return ERR_NONE;
    drop_framebuffers(render);
    gl_forget_errors();
    glCreateFramebuffers(1, &render->drawn);
    render->colour = make_renderbuffer(render->drawn, GL_COLOR_ATTACHMENT0, GL_RGBA8, render->samples, width, height);
    render->depth = make_renderbuffer(render->drawn, GL_DEPTH_ATTACHMENT, GL_DEPTH_COMPONENT32F, render->samples, width,
                                      height);
    render->resolved = render->drawn;
    if (render->samples > 1) {
        glCreateFramebuffers(1, &render->resolved);
        render->picture = make_renderbuffer(render->resolved, GL_COLOR_ATTACHMENT0, GL_RGBA8, 1, width, height);
    }
    render->width = width;
    render->height = height;
    if (glGetError() == GL_NO_ERROR &&
        glCheckNamedFramebufferStatus(render->drawn, GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE &&
        glCheckNamedFramebufferStatus(render->resolved, GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE)
        return ERR_NONE;
    drop_framebuffers(render);
    return err_set(err, ERR_GL, "OpenGL cannot make a picture of %d x %d pixels", width, height);
}

/* ---- drawing --------------------------------------------------------------------------------------------------- */

static void set_matrices(GLuint program, const struct camera_matrices *m)
{
    glProgramUniformMatrix4fv(program, UNIFORM_CLIP, 1, GL_FALSE, m->clip_from_voxel);
    glProgramUniformMatrix4fv(program, UNIFORM_VIEW, 1, GL_FALSE, m->view_from_voxel);
    glProgramUniformMatrix3fv(program, UNIFORM_NORMAL, 1, GL_FALSE, m->view_normal);
}

/* Programs are compiled when they are first used: a start pays for one mode only. */
static int need_programs(struct render *render, const struct render_view *view, struct err *err)
{
    const struct render_mode *mode = &render_modes[view->mode];
    int code = ERR_NONE;
    if (!render->program[view->mode])
        code = shader_program(&render->program[view->mode], mode->vertex_file, mode->fragment_file, err);
    if (!code && view->wireframe && !render->wire)
        code = shader_program(&render->wire, "shaders/mesh.vert", "shaders/wire.frag", err);
    return code;
}

static void draw_surface(struct render *render, const struct render_view *view)
{
    const GLuint program = render->program[view->mode];
    struct camera_matrices matrices;
    camera_transform(view->camera, (double)view->width / view->height, &matrices);
    for (int i = 0; i < 12; i++) /* the columns of x, y and z */
        matrices.clip_from_voxel[i] *= (float)view->step, matrices.view_from_voxel[i] *= (float)view->step;
    glFrontFace(view->camera->left_handed ? GL_CW : GL_CCW);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LESS);
    glDepthMask(GL_TRUE);

    /* Where edges come on top, the faces step back a little, or half of every edge would be hidden in them. */
    if (view->wireframe) {
        glEnable(GL_POLYGON_OFFSET_FILL);
        glPolygonOffset(1, 1);
    }
    if (view->transparency > 0) { /* each over what lies behind it, outer and inner faces, whose colour is darker */
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        glDepthMask(GL_FALSE);
    }
    glBindTextureUnit(0, render->matcap);
    set_matrices(program, &matrices);
    glProgramUniform1f(program, UNIFORM_CLEAR, (float)view->transparency);
    glUseProgram(program);
    mesh_gl_draw(view->mesh);
    glDisable(GL_POLYGON_OFFSET_FILL);
    glDisable(GL_BLEND);
    glDepthMask(GL_TRUE);

    if (view->wireframe) {
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        glDepthFunc(GL_LEQUAL);
        glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
        set_matrices(render->wire, &matrices);
        glUseProgram(render->wire);
        mesh_gl_draw(view->mesh);
        glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
        glDisable(GL_BLEND);
    }
    glDisable(GL_DEPTH_TEST);
}

int render_draw(struct render *render, const struct render_view *view, struct err *err)
{
    assert(view->mode < RENDER_MODES && view->width > 0 && view->height > 0);
    int code = fit_framebuffers(render, view->width, view->height, err);
    if (!code) code = need_programs(render, view, err);
    if (code) return code;

    const bool timed = render->timers_asked - render->timers_read < RENDER_TIMERS;
    if (timed) render->timed[render->timers_asked % RENDER_TIMERS] = view->step;
    if (timed) glBeginQuery(GL_TIME_ELAPSED, render->timer[render->timers_asked % RENDER_TIMERS]);

    glBindFramebuffer(GL_FRAMEBUFFER, render->drawn);
    glViewport(0, 0, view->width, view->height);
    glDisable(GL_SCISSOR_TEST); /* the panel leaves these as it likes */
    glDisable(GL_CULL_FACE);
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
    const float far = 1.0f;
    glDepthMask(GL_TRUE);
    glClearNamedFramebufferfv(render->drawn, GL_DEPTH, 0, &far);
    glUseProgram(render->background);
    glBindVertexArray(render->empty);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    if (view->mesh && (view->mesh->triangles || view->mesh->queued)) draw_surface(render, view);
    if (view->slices) slices_draw(view->slices, view->camera, view->width, view->height);
    if (render->resolved != render->drawn)
        glBlitNamedFramebuffer(render->drawn, render->resolved, 0, 0, view->width, view->height, 0, 0, view->width,
                               view->height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    if (timed) {
        glEndQuery(GL_TIME_ELAPSED);
        render->timers_asked++;
    }
    return ERR_NONE;
}

/* Samples of a pixel are resolved by a copy into one of its own. */
int render_depth(struct render *render, int x, int y, float *depth, struct err *err)
{
    const bool copied = render->samples > 1;
    GLuint one = render->drawn, buffer = 0;
    gl_forget_errors();
    if (copied) {
        glCreateFramebuffers(1, &one);
        buffer = make_renderbuffer(one, GL_DEPTH_ATTACHMENT, GL_DEPTH_COMPONENT32F, 1, 1, 1);
        glNamedFramebufferDrawBuffer(one, GL_NONE);
        glNamedFramebufferReadBuffer(one, GL_NONE);
        glBlitNamedFramebuffer(render->drawn, one, x, y, x + 1, y + 1, 0, 0, 1, 1, GL_DEPTH_BUFFER_BIT, GL_NEAREST);
    }
    *depth = 1;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, one);
    glReadPixels(copied ? 0 : x, copied ? 0 : y, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, depth);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    if (copied) {
        glDeleteFramebuffers(1, &one);
        glDeleteRenderbuffers(1, &buffer);
    }
    return glGetError() == GL_NO_ERROR ? ERR_NONE : err_set(err, ERR_GL, "OpenGL does not tell the depth under the cursor");
}

void render_show(const struct render *render, int x, int y)
{
    glBlitNamedFramebuffer(render->resolved, 0, 0, 0, render->width, render->height, x, y, x + render->width,
                           y + render->height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

bool render_time(struct render *render, double *ms, unsigned *step)
{
    GLuint ready = GL_FALSE;
    if (!render_time_pending(render)) return false;
    const GLuint query = render->timer[render->timers_read % RENDER_TIMERS];
    glGetQueryObjectuiv(query, GL_QUERY_RESULT_AVAILABLE, &ready);
    if (!ready) return false;
    GLuint64 ns = 0;
    glGetQueryObjectui64v(query, GL_QUERY_RESULT, &ns);
    *step = render->timed[render->timers_read++ % RENDER_TIMERS];
    *ms = (double)ns * 1e-6;
    return true;
}

bool render_time_pending(const struct render *render) { return render->timers_asked != render->timers_read; }
