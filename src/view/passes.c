#include "passes.h"
#include "gl.h"
#include "timing.h"

#include <GL/glew.h>

#include <cglm/cglm.h>

#include <math.h>
#include <string.h>

/* Locations in shaders/view.glsl; TAPS: their number in occlusion.glsl, whether there are any in shade.glsl */
enum { UNIFORM_LENS, UNIFORM_DEPTHS, UNIFORM_TAPS, UNIFORM_TURN, UNIFORM_PARALLEL, UNIFORM_REACH };
enum { UNIFORM_ORIGIN = 80, UNIFORM_WHOLE };   /* in background.glsl */
enum { UNIFORM_PLAIN = 82, UNIFORM_GROUND };   /* in shade.comp */
enum { UNIFORM_SHAPE = 84, UNIFORM_FIRST };    /* in seen_buffer.glsl */
enum { PIXELS = 0, GROUP = 8 };                /* binding in seen_buffer.glsl; pixels of a group in *.comp, along x and y */
enum { UNIFORM_PLANE = 8, UNIFORM_SIDE = 64 }; /* in way.glsl */
enum { UNIFORM_ENTRY = 74 };                   /* in cut_glass.frag */
enum { FIRST_PIXELS = 1 << 20 };               /* first piece of a pass: 25 ms of software OpenGL */
enum { UNIT_SEEN, UNIT_DEPTH, UNIT_OPEN, UNIT_COUNT = 5, UNIT_PICTURE = 0 }; /* texture units */
enum { NEAR_REACH = 16 }; /* pixels: more than softening, outlines and rims reach */

#define OCCLUSION_RADIUS 0.14f /* scene units; the diagonal of the box is 2 */
#define OCCLUSION_MOST 0.25f   /* of the picture's height */

#define TEXTURES "shaders/seen_texture.glsl"
#define BUFFER "shaders/seen_buffer.glsl"
#define OCCLUSION "shaders/occlusion.glsl", "shaders/seen.glsl", "shaders/view.glsl"
/* [0] reads what is seen from textures, [1] from a buffer. */
static const struct shader_files occlusion_files[2] = { { { "shaders/screen.vert", "shaders/pass.frag", OCCLUSION,
                                                            TEXTURES } },
                                                        { { "shaders/pass.comp", OCCLUSION, BUFFER } } },
                                 soften_files[2] = { { { "shaders/screen.vert", "shaders/pass.frag",
                                                         "shaders/soften.glsl" } },
                                                     { { "shaders/pass.comp", "shaders/soften.glsl" } } };
static const struct shader_files fill_files = { { "shaders/screen.vert", "shaders/fill.frag", BUFFER } },
                                 copy_files = { { "shaders/screen.vert", "shaders/copy.frag" } },
                                 cut_files = { { "shaders/screen.vert", "shaders/cut.frag", "shaders/way.glsl",
                                                 "shaders/seen.glsl", "shaders/view.glsl", TEXTURES } };

/* ---- objects ------------------------------------------------------------------------------------------------------- */

int passes_open(struct passes *passes, struct err *err)
{
    memset(passes, 0, sizeof *passes);
    glCreateVertexArrays(1, &passes->no_attributes);
    gl_label(GL_VERTEX_ARRAY, passes->no_attributes, "no attributes");
    int code = shader_need(&passes->occlusion[0], occlusion_files[0], err);
    if (!code) code = shader_need(&passes->soften[0], soften_files[0], err);
    return code ? code : shader_need(&passes->copy, copy_files, err);
}

void passes_drop_kept(struct passes *passes)
{
    glDeleteFramebuffers(1, &passes->kept);
    glDeleteTextures(1, &passes->kept_colour);
    passes->kept = passes->kept_colour = 0;
}

/* Width / height of the picture, as for the camera. */
static double aspect(const struct passes *passes) { return (double)passes->tile.whole[0] / passes->tile.whole[1]; }

/* Keeps a picture from being dropped when the size changes. */
static void keep(struct passes *p, GLuint picture)
{
    GLuint *const those[][2] = { { &p->scene, &p->colour },
                                 { &p->aside, &p->aside_colour },
                                 { &p->mean, &p->mean_colour } };
    for (size_t i = 0; i < sizeof those / sizeof *those && picture; i++) {
        if (*those[i][0] != picture) continue; /* or it is kept already */
        passes_drop_kept(p);
        p->kept = *those[i][0], p->kept_colour = *those[i][1];
        *those[i][0] = *those[i][1] = 0;
        return;
    }
}

static void drop_pictures(struct passes *passes)
{
    GLuint *const framebuffers[] = { &passes->surface, &passes->scene, &passes->aside, &passes->mean,
                                     &passes->rough,   &passes->soft,  &passes->open,  &passes->counts };
    GLuint *const textures[] = { &passes->seen,        &passes->depth,      &passes->colour,    &passes->aside_colour,
                                 &passes->mean_colour, &passes->rough_open, &passes->soft_open, &passes->open_seen,
                                 &passes->open_depth,  &passes->counted[0], &passes->counted[1] };
    for (size_t i = 0; i < sizeof framebuffers / sizeof *framebuffers; i++) {
        glDeleteFramebuffers(1, framebuffers[i]);
        *framebuffers[i] = 0;
    }
    for (size_t i = 0; i < sizeof textures / sizeof *textures; i++) {
        glDeleteTextures(1, textures[i]);
        *textures[i] = 0;
    }
    passes->width = passes->height = 0;
    passes->pixels.buffer = 0;
}

void passes_close(struct passes *passes)
{
    drop_pictures(passes);
    passes_drop_kept(passes);
    for (int i = 0; i < 2; i++) shader_close(&passes->occlusion[i]), shader_close(&passes->soften[i]);
    shader_close(&passes->copy);
    shader_close(&passes->cut);
    shader_close(&passes->fill);
    glDeleteVertexArrays(1, &passes->no_attributes);
    memset(passes, 0, sizeof *passes);
}

static GLuint make_texture(GLenum format, int width, int height, const char *name)
{
    GLuint texture = 0;
    glCreateTextures(GL_TEXTURE_2D, 1, &texture);
    gl_label(GL_TEXTURE, texture, name);
    glTextureStorage2D(texture, 1, format, width, height);
    glTextureParameteri(texture, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTextureParameteri(texture, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return texture;
}

/* depth: 0 for none. */
static GLuint make_framebuffer(GLuint colour, GLuint depth, const char *name)
{
    GLuint framebuffer = 0;
    glCreateFramebuffers(1, &framebuffer);
    gl_label(GL_FRAMEBUFFER, framebuffer, name);
    glNamedFramebufferTexture(framebuffer, GL_COLOR_ATTACHMENT0, colour, 0);
    if (depth) glNamedFramebufferTexture(framebuffer, GL_DEPTH_ATTACHMENT, depth, 0);
    return framebuffer;
}

static bool is_complete(GLuint framebuffer)
{
    return glCheckNamedFramebufferStatus(framebuffer, GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

int passes_fit(struct passes *p, const struct tile *tile, unsigned picture, struct err *err)
{
    const int width = tile->size[0], height = tile->size[1];
    p->tile = *tile;
    if (p->width == width && p->height == height) return ERR_NONE;
    keep(p, picture);
    drop_pictures(p);
    gl_forget_errors();
    p->seen = make_texture(GL_R32UI, width, height, "what is seen");
    p->depth = make_texture(GL_DEPTH_COMPONENT32F, width, height, "depth");
    p->colour = make_texture(GL_RGBA8, width, height, "scene");
    p->mean_colour = make_texture(GL_RGBA16F, width, height, "mean of scenes");
    p->rough_open = make_texture(GL_RG16F, (width + 1) / 2, (height + 1) / 2, "occlusion");
    p->soft_open = make_texture(GL_RG16F, (width + 1) / 2, (height + 1) / 2, "soft occlusion");
    p->surface = make_framebuffer(p->seen, p->depth, "what is seen");
    p->scene = make_framebuffer(p->colour, p->depth, "scene");
    p->mean = make_framebuffer(p->mean_colour, 0, "mean of scenes");
    p->rough = make_framebuffer(p->rough_open, 0, "occlusion");
    p->soft = make_framebuffer(p->soft_open, 0, "soft occlusion");
    p->width = width;
    p->height = height;
    if (glGetError() == GL_NO_ERROR && is_complete(p->surface) && is_complete(p->scene) && is_complete(p->mean) &&
        is_complete(p->rough) && is_complete(p->soft))
        return ERR_NONE;
    drop_pictures(p);
    passes_drop_kept(p);
    return err_set(err, ERR_GL, "OpenGL cannot make an image of %d x %d pixels", width, height);
}

/* On failure deletes what was made, a framebuffer and its textures; the last picture stays. */
static int check_cut(const struct passes *p, GLuint *framebuffer, GLuint *const texture[2], struct err *err)
{
    if (glGetError() == GL_NO_ERROR && is_complete(*framebuffer)) return ERR_NONE;
    glDeleteFramebuffers(1, framebuffer);
    *framebuffer = 0;
    for (int i = 0; i < 2; i++) {
        glDeleteTextures(1, texture[i]);
        *texture[i] = 0;
    }
    return err_set(err, ERR_GL, "OpenGL has no memory for caps on cuts in an image of %d x %d pixels", p->width, p->height);
}

int passes_need_cut(struct passes *p, struct err *err)
{
    const int code = shader_need(&p->cut, cut_files, err);
    if (code || p->open) return code;
    gl_forget_errors();
    p->open_seen = make_texture(GL_R32UI, p->width, p->height, "what is cut open");
    p->open_depth = make_texture(GL_DEPTH_COMPONENT32F, p->width, p->height, "depth of what is cut open");
    p->open = make_framebuffer(p->open_seen, p->open_depth, "what is cut open");
    return check_cut(p, &p->open, (GLuint *const[]){ &p->open_seen, &p->open_depth }, err);
}

int passes_need_glass_cut(struct passes *p, struct err *err)
{
    static const GLenum both[2] = { GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1 };
    if (p->counts) return ERR_NONE;
    gl_forget_errors();
    for (int i = 0; i < 2; i++)
        p->counted[i] = make_texture(GL_RGBA16F, p->width, p->height, i ? "faces behind exits" : "faces behind entries");
    p->counts = make_framebuffer(p->counted[0], 0, "faces behind cuts");
    glNamedFramebufferTexture(p->counts, GL_COLOR_ATTACHMENT1, p->counted[1], 0);
    glNamedFramebufferDrawBuffers(p->counts, 2, both);
    return check_cut(p, &p->counts, (GLuint *const[]){ &p->counted[0], &p->counted[1] }, err);
}

bool passes_reload(struct passes *passes, struct err *err)
{
    bool changed = shader_reload(&passes->fill, err);
    for (int i = 0; i < 2; i++) {
        changed |= shader_reload(&passes->occlusion[i], err);
        changed |= shader_reload(&passes->soften[i], err);
    }
    changed |= shader_reload(&passes->copy, err);
    changed |= shader_reload(&passes->cut, err);
    return changed;
}

/* ---- drawing ------------------------------------------------------------------------------------------------------- */

static void swap(GLuint *a, GLuint *b)
{
    const GLuint before = *a;
    *a = *b, *b = before;
}

void passes_set_aside(struct passes *p, unsigned picture)
{
    if (!picture || picture != p->scene) return;
    if (!p->aside) {
        gl_forget_errors();
        p->aside_colour = make_texture(GL_RGBA8, p->width, p->height, "scene before");
        p->aside = make_framebuffer(p->aside_colour, p->depth, "scene before");
        if (glGetError() != GL_NO_ERROR || !is_complete(p->aside)) {
            glDeleteFramebuffers(1, &p->aside);
            glDeleteTextures(1, &p->aside_colour);
            p->aside = p->aside_colour = 0;
            return;
        }
    }
    swap(&p->scene, &p->aside);
    swap(&p->colour, &p->aside_colour);
}

/* Clears a framebuffer of what is seen. */
static void clear_seen(GLuint framebuffer)
{
    static const GLuint nothing[4] = { 0 };
    static const GLfloat far = 1;
    glClearNamedFramebufferuiv(framebuffer, GL_COLOR, 0, nothing);
    glClearNamedFramebufferfv(framebuffer, GL_DEPTH, 0, &far);
}

static void set_state(const struct passes *passes)
{
    glViewport(0, 0, passes->width, passes->height);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_CULL_FACE);
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
}

void passes_begin(struct passes *passes)
{
    passes->pixels.buffer = 0;
    set_state(passes);
    glBindFramebuffer(GL_FRAMEBUFFER, passes->surface);
}

void passes_clear(const struct passes *passes) { clear_seen(passes->surface); }

static void draw_screen(const struct passes *passes, GLuint framebuffer, GLuint program)
{
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glBindVertexArray(passes->no_attributes);
    glUseProgram(program);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

/* Tells a program with shaders/seen_buffer.glsl where to find what is seen. */
static void set_pixels(const struct passes *passes, GLuint program)
{
    const struct passes_pixels *const p = &passes->pixels;
    glProgramUniform4ui(program, UNIFORM_SHAPE, (GLuint)passes->width, (GLuint)passes->height, p->step, p->depth);
    glProgramUniform1ui(program, UNIFORM_FIRST, p->seen);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, PIXELS, p->buffer);
}

int passes_take(struct passes *passes, const struct passes_pixels *pixels, struct err *err)
{
    int code = shader_need(&passes->fill, fill_files, err);
    if (!code) code = shader_need(&passes->occlusion[1], occlusion_files[1], err);
    if (!code) code = shader_need(&passes->soften[1], soften_files[1], err);
    if (!code) passes->pixels = *pixels;
    return code;
}

void passes_fill(struct passes *passes)
{
    if (!passes->pixels.buffer) return;
    set_state(passes);
    set_pixels(passes, passes->fill.program);
    glEnable(GL_DEPTH_TEST); /* otherwise depth is not written */
    glDepthFunc(GL_ALWAYS);
    draw_screen(passes, passes->surface, passes->fill.program);
    glDisable(GL_DEPTH_TEST);
    passes->pixels.buffer = 0;
}

struct area { /* pixels of a framebuffer */
    int x, y, width, height;
};

static struct area kept_area(const struct passes *p)
{
    const struct tile *t = &p->tile;
    return (struct area){ t->from[0] - t->at[0], t->from[1] - t->at[1], t->kept[0], t->kept[1] };
}

/* The same area in the occlusion textures, with the pixels that softening reads. */
static struct area open_area(const struct passes *p)
{
    const struct area kept = kept_area(p);
    const int width = (p->width + 1) / 2, height = (p->height + 1) / 2;
    const int x = kept.x / 2 - 4, y = kept.y / 2 - 4, right = (kept.x + kept.width) / 2 + 4,
              top = (kept.y + kept.height) / 2 + 4;
    struct area a = { x > 0 ? x : 0, y > 0 ? y : 0, 0, 0 };
    a.width = (right < width ? right : width) - a.x;
    a.height = (top < height ? top : height) - a.y;
    return a;
}

void passes_begin_kept(const struct passes *passes)
{
    const struct area a = kept_area(passes);
    if (a.width == passes->width && a.height == passes->height) return;
    glEnable(GL_SCISSOR_TEST);
    glScissor(a.x, a.y, a.width, a.height);
}

void passes_end_kept(void) { glDisable(GL_SCISSOR_TEST); }

/* Draws the screen in strips of rows from below, small enough that no pause comes too late. Their number is even,
 * because pixels are shaded in blocks of four. Returns false if it was told to stop. */
static bool draw_rows(const struct passes *passes, GLuint framebuffer, GLuint program, struct area area,
                      const struct pause *pause)
{
    bool going = true;
    int rows = FIRST_PIXELS / area.width / 2 * 2 + 2;
    for (int y = 0, count; y < area.height && going; y += count) {
        const double start = timing_ms();
        count = pause && rows < area.height - y ? rows : area.height - y;
        glEnable(GL_SCISSOR_TEST);
        glScissor(area.x, area.y + y, area.width, count);
        draw_screen(passes, framebuffer, program);
        glDisable(GL_SCISSOR_TEST);
        if (!pause) continue;
        glFinish();
        rows = (int)(pause_next((uint64_t)count, timing_ms() - start) / 2 * 2 + 2);
        going = pause_take(pause);
    }
    return going;
}

void passes_lens(const struct passes *passes, const struct camera *camera, float lens[4], float depths[2])
{
    struct camera_matrices matrices;
    camera_transform(camera, aspect(passes), &matrices);
    const float *m = matrices.clip_from_view;
    lens[0] = 2 / (m[0] * (float)passes->width), lens[1] = 2 / (m[5] * (float)passes->height);
    lens[2] = (m[8] - m[12] - 1) / m[0], lens[3] = (m[9] - m[13] - 1) / m[5];
    depths[0] = m[14], depths[1] = m[10];
}

/* Sets how to get from pixels back to the view: see shaders/view.glsl. */
static void set_view(const struct passes *passes, GLuint program, const struct camera *camera)
{
    float lens[4], depths[2];
    passes_lens(passes, camera, lens, depths);
    glProgramUniform4fv(program, UNIFORM_LENS, 1, lens);
    glProgramUniform2fv(program, UNIFORM_DEPTHS, 1, depths);
    glProgramUniform1i(program, UNIFORM_PARALLEL, camera->orthographic);
}

/* A plane is a row vector times a column of coordinates: row * voxel = (row * voxel_from_view) * view. */
static void set_cut(const struct passes *passes, GLuint program, const struct cut *cut, const struct camera *camera)
{
    struct camera_matrices matrices;
    mat4 view = GLM_MAT4_IDENTITY_INIT, voxel;
    GLfloat plane[CUT_PLANES][4];
    GLint side[CUT_PLANES];
    camera_transform(camera, aspect(passes), &matrices);
    memcpy(view, matrices.view_from_voxel, sizeof view);
    glm_mat4_inv(view, voxel);
    for (int i = 0; i < CUT_PLANES; i++) {
        side[i] = (GLint)cut->side[i];
        for (int a = 0; a < 4; a++) {
            plane[i][a] = 0;
            for (int k = 0; k < 4; k++) plane[i][a] += voxel[a][k] * cut->plane[i][k];
        }
    }
    glProgramUniform4fv(program, UNIFORM_PLANE, CUT_PLANES, &plane[0][0]);
    glProgramUniform1iv(program, UNIFORM_SIDE, CUT_PLANES, side);
}

void passes_begin_cut(const struct passes *passes)
{
    glBindFramebuffer(GL_FRAMEBUFFER, passes->open);
    clear_seen(passes->open);
}

void passes_end_cut(const struct passes *passes, const struct cut *cut, const struct camera *camera)
{
    const GLuint program = passes->cut.program;
    set_view(passes, program, camera);
    set_cut(passes, program, cut, camera);
    glBindTextureUnit(UNIT_SEEN, passes->open_seen);
    glBindTextureUnit(UNIT_DEPTH, passes->open_depth);
    glEnable(GL_DEPTH_TEST); /* several surfaces may be cut, and the nearest is seen */
    glDepthFunc(GL_LESS);
    draw_screen(passes, passes->surface, program);
    glDisable(GL_DEPTH_TEST);
}

void passes_begin_count(const struct passes *passes, unsigned program, const struct cut *cut, const struct camera *camera)
{
    static const GLfloat nothing[4] = { 0 };
    glBindFramebuffer(GL_FRAMEBUFFER, passes->counts);
    for (GLint i = 0; i < 2; i++) glClearNamedFramebufferfv(passes->counts, GL_COLOR, i, nothing);
    set_cut(passes, program, cut, camera);
}

void passes_draw_cap(const struct passes *passes, unsigned program, const struct cut *cut, const struct camera *camera,
                     bool entry)
{
    set_view(passes, program, camera);
    set_cut(passes, program, cut, camera);
    glProgramUniform1i(program, UNIFORM_ENTRY, entry);
    glBindTextureUnit(UNIT_SEEN, passes->seen);
    glBindTextureUnit(UNIT_COUNT, passes->counted[!entry]);
    draw_screen(passes, passes->scene, program);
}

int passes_reach(const struct camera *camera, int width, int height, const double low[3], const double high[3])
{
    struct camera_matrices matrices;
    camera_transform(camera, (double)width / height, &matrices);
    const float *m = matrices.clip_from_voxel;
    float nearest = INFINITY;
    for (int corner = 0; corner < 8; corner++) {
        float w = m[15];
        for (int a = 0; a < 3; a++) w += m[4 * a + 3] * (float)(corner >> a & 1 ? high[a] : low[a]);
        nearest = fminf(nearest, w);
    }
    const float most = OCCLUSION_MOST * (float)height;
    const float pixels = OCCLUSION_RADIUS * matrices.clip_from_view[5] * 0.5f * (float)height / fmaxf(nearest, 1e-3f);
    return (int)ceilf(fminf(pixels, most)) + NEAR_REACH;
}

/* Computes all pixels of a texture. */
static void compute(GLuint program, GLuint texture, GLenum format, int width, int height)
{
    glBindImageTexture(0, texture, 0, GL_FALSE, 0, GL_WRITE_ONLY, format);
    glUseProgram(program);
    glDispatchCompute(gl_groups((uint64_t)width, GROUP), gl_groups((uint64_t)height, GROUP), 1);
    glMemoryBarrier(GL_FRAMEBUFFER_BARRIER_BIT | GL_TEXTURE_FETCH_BARRIER_BIT | GL_TEXTURE_UPDATE_BARRIER_BIT);
}

static void compute_occlusion(const struct passes *p)
{
    const int width = (p->width + 1) / 2, height = (p->height + 1) / 2;
    set_pixels(p, p->occlusion[1].program);
    compute(p->occlusion[1].program, p->rough_open, GL_RG16F, width, height);
    glBindTextureUnit(UNIT_PICTURE, p->rough_open);
    compute(p->soften[1].program, p->soft_open, GL_RG16F, width, height);
}

static bool draw_occlusion(const struct passes *p, const struct passes_look *look)
{
    const struct area area = open_area(p);
    glViewport(0, 0, (p->width + 1) / 2, (p->height + 1) / 2);
    bool going = draw_rows(p, p->rough, p->occlusion[0].program, area, look->pause);
    glBindTextureUnit(UNIT_PICTURE, p->rough_open);
    going = going && draw_rows(p, p->soft, p->soften[0].program, area, look->pause);
    glBindTextureUnit(UNIT_SEEN, p->seen);
    glViewport(0, 0, p->width, p->height);
    return going;
}

static bool find_occlusion(const struct passes *passes, const struct passes_look *look)
{
    const bool buffered = passes->pixels.buffer != 0;
    const GLuint program = passes->occlusion[buffered].program;
    bool going = true;
    set_view(passes, program, look->camera);
    glProgramUniform1i(program, UNIFORM_TAPS, (GLint)look->taps);
    glProgramUniform1f(program, UNIFORM_TURN, look->samples ? (float)look->sample / (float)look->samples / 16 : 0);
    glProgramUniform2f(program, UNIFORM_REACH, OCCLUSION_RADIUS, (float)(passes->tile.whole[1] - 1) * OCCLUSION_MOST);
    if (buffered) compute_occlusion(passes);
    else going = draw_occlusion(passes, look);
    glBindTextureUnit(UNIT_OPEN, passes->soft_open);
    return going;
}

/* A user's own background may leave these uniforms out. */
static void set_place(const struct passes *passes, GLuint program)
{
    const struct tile *const tile = &passes->tile;
    if (glGetUniformLocation(program, "origin") == UNIFORM_ORIGIN)
        glProgramUniform2f(program, UNIFORM_ORIGIN, (float)tile->at[0], (float)tile->at[1]);
    if (glGetUniformLocation(program, "whole") == UNIFORM_WHOLE)
        glProgramUniform2f(program, UNIFORM_WHOLE, (float)tile->whole[0], (float)tile->whole[1]);
}

bool passes_background(const struct passes *passes, const struct passes_look *look)
{
    if (look->plain) {
        glClearNamedFramebufferfv(passes->scene, GL_COLOR, 0, look->plain);
        return true;
    }
    set_place(passes, look->background);
    return draw_rows(passes, passes->scene, look->background, kept_area(passes), look->pause);
}

/* Takes a picture that was made elsewhere. */
static void take_picture(const struct passes *p, const uint32_t *picture)
{
    glTextureSubImage2D(p->colour, 0, 0, 0, p->width, p->height, GL_RGBA, GL_UNSIGNED_BYTE, picture);
    glBindFramebuffer(GL_FRAMEBUFFER, p->scene);
}

/* Computes all pixels of the picture. */
static void compute_picture(const struct passes *p, const struct passes_look *look)
{
    static const float none[4] = { 0 };
    set_pixels(p, look->shade);
    set_place(p, look->shade);
    glProgramUniform1i(look->shade, UNIFORM_PLAIN, look->plain != NULL);
    glProgramUniform4fv(look->shade, UNIFORM_GROUND, 1, look->plain ? look->plain : none);
    compute(look->shade, p->colour, GL_RGBA8, p->width, p->height);
}

/* Draws the background, and what is seen over it. */
static bool draw_picture(const struct passes *passes, const struct passes_look *look)
{
    bool going = passes_background(passes, look);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_GREATER); /* the screen is at the far plane, so only pixels with something in front pass */
    glDepthMask(GL_FALSE);   /* the shader reads depth too, which is allowed while nothing writes it */
    going = going && draw_rows(passes, passes->scene, look->shade, kept_area(passes), look->pause);
    glTextureBarrier(); /* the next drawing writes depths that some pixels may still read */
    glDepthMask(GL_TRUE);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_BLEND);
    return going;
}

bool passes_shade(struct passes *passes, const struct passes_look *look)
{
    if (look->picture) {
        take_picture(passes, look->picture);
        return true;
    }
    glBindTextureUnit(UNIT_SEEN, passes->seen);
    glBindTextureUnit(UNIT_DEPTH, passes->depth);
    if (look->taps && !find_occlusion(passes, look)) return false;
    set_view(passes, look->shade, look->camera);
    glProgramUniform1i(look->shade, UNIFORM_TAPS, look->taps > 0);
    if (!passes->pixels.buffer) return draw_picture(passes, look);
    compute_picture(passes, look);
    if (look->over) passes_fill(passes);
    glBindFramebuffer(GL_FRAMEBUFFER, passes->scene);
    return true;
}

unsigned passes_end(const struct passes *passes, const struct passes_look *look)
{
    if (look->samples <= 1) return passes->scene;
    glEnable(GL_BLEND);
    glBlendFunc(GL_CONSTANT_ALPHA, GL_ONE_MINUS_CONSTANT_ALPHA);
    glBlendColor(0, 0, 0, 1 / ((float)look->sample + 1));
    glBindTextureUnit(UNIT_PICTURE, passes->colour);
    const bool going = draw_rows(passes, passes->mean, passes->copy.program, kept_area(passes), look->pause);
    glDisable(GL_BLEND);
    return going ? passes->mean : 0;
}
