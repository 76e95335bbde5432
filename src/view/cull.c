#include "cull.h"
#include "gl.h"
#include "mesh_gl.h"

#include <GL/glew.h>

#include <string.h>

enum { MOST_LEVELS = 16, THREADS = 64, TILE = 8 }; /* of cull_test.comp, cull_depth.comp */
enum {
    UNIFORM_CLIP = 0,
    UNIFORM_CUT = 4,
    UNIFORM_TRIANGLES = 11,
    UNIFORM_CLUSTERS,
    UNIFORM_AGAIN,
    UNIFORM_SIZE,
    UNIFORM_LEVELS
};
enum { UNIFORM_BELOW_SIZE, UNIFORM_BELOW_LEVEL }; /* cull_depth.comp */
enum { UNIFORM_FIRST, UNIFORM_INDICES };          /* cull_boxes.comp */
enum { UNIT_DEPTHS = 6 };                         /* texture unit */
enum { BOX_BYTES = 32, COMMAND_BYTES = 20 };      /* as the shaders have them */
enum { MOST_GROUPS = 65535 };                     /* at once, that any OpenGL takes */
enum {
    INDEX_BYTES = CULL_CLUSTER * 3 * sizeof(GLuint)
}; /* of a cluster: a multiple of the alignment that any OpenGL wants */

/* ---- objects ------------------------------------------------------------------------------------------------------- */

int cull_need(struct cull *cull, struct err *err)
{
    int code = shader_need(&cull->boxes, (struct shader_files){ { "shaders/cull_boxes.comp" } }, err);
    if (!code) code = shader_need(&cull->depth, (struct shader_files){ { "shaders/cull_depth.comp" } }, err);
    return code ? code : shader_need(&cull->test, (struct shader_files){ { "shaders/cull_test.comp" } }, err);
}

bool cull_reload(struct cull *cull, struct err *err)
{
    bool changed = shader_reload(&cull->boxes, err);
    changed |= shader_reload(&cull->depth, err);
    changed |= shader_reload(&cull->test, err);
    return changed;
}

static void drop_mesh(struct cull_mesh *m)
{
    glDeleteBuffers(CULL_BUFFERS, m->buffer);
    *m = (struct cull_mesh){ .version = 0 };
}

static void drop_pyramid(struct cull *cull)
{
    glDeleteTextures(1, &cull->pyramid);
    cull->pyramid = 0;
}

static void drop_counters(struct cull *cull)
{
    if (cull->fence) glDeleteSync(cull->fence);
    glDeleteBuffers(1, &cull->counter);
    glDeleteBuffers(1, &cull->told);
    cull->counter = cull->told = 0;
    cull->fence = NULL;
}

void cull_close(struct cull *cull)
{
    if (!cull->boxes.program) return; /* there may be no OpenGL */
    for (int i = 0; i < CULL_MESHES; i++) drop_mesh(&cull->mesh[i]);
    drop_pyramid(cull);
    drop_counters(cull);
    shader_close(&cull->boxes);
    shader_close(&cull->depth);
    shader_close(&cull->test);
    memset(cull, 0, sizeof *cull);
}

static int fail_memory(struct err *err) { return err_set(err, ERR_FAILED, "OpenGL has no memory for culling"); }

/* The least power of 2 that has room for half of a length, rounded up. */
static int side_of(int pixels)
{
    int side = 1;
    while (2 * side < pixels) side *= 2;
    return side;
}

static int levels_of(int width, int height)
{
    int longest = side_of(width > height ? width : height), levels = 1;
    for (; longest > 1; longest /= 2) levels++;
    return levels;
}

static int fit_pyramid(struct cull *cull, int width, int height, struct err *err)
{
    const int side[2] = { side_of(width), side_of(height) };
    if (cull->pyramid && side[0] == cull->side[0] && side[1] == cull->side[1]) return ERR_NONE;
    drop_pyramid(cull);
    glCreateTextures(GL_TEXTURE_2D, 1, &cull->pyramid);
    gl_label(GL_TEXTURE, cull->pyramid, "pyramid of depths");
    glTextureStorage2D(cull->pyramid, levels_of(width, height), GL_R32F, side[0], side[1]);
    glTextureParameteri(cull->pyramid, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    glTextureParameteri(cull->pyramid, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    memcpy(cull->side, side, sizeof side);
    if (glGetError() == GL_NO_ERROR) return ERR_NONE;
    drop_pyramid(cull);
    return fail_memory(err);
}

static int fit_counters(struct cull *cull, struct err *err)
{
    const GLbitfield seen = GL_MAP_READ_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    if (cull->counter) return ERR_NONE;
    glCreateBuffers(1, &cull->counter);
    glCreateBuffers(1, &cull->told);
    glNamedBufferStorage(cull->counter, sizeof(GLuint), NULL, 0);
    glNamedBufferStorage(cull->told, sizeof(GLuint), NULL, seen);
    gl_label(GL_BUFFER, cull->counter, "triangles drawn");
    gl_label(GL_BUFFER, cull->told, "triangles drawn, for the host");
    cull->count = glMapNamedBufferRange(cull->told, 0, sizeof(GLuint), seen);
    if (cull->count && glGetError() == GL_NO_ERROR) return ERR_NONE;
    drop_counters(cull);
    return fail_memory(err);
}

/* ---- meshes -------------------------------------------------------------------------------------------------------- */

const char *cull_refusal(const struct mesh *mesh)
{
    struct mesh_names names;
    GLint64 most = 0;
    if (mesh->queued) return "only the GPU knows the new mesh's size";
    if (!mesh_gl_names(mesh, &names)) return "the mesh is being made";
    glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &most);
    if (mesh->vertices * sizeof(struct vertex) > (uint64_t)most) return "it has more vertices than shaders reach at once";
    if (mesh->triangles * 3 * sizeof(GLuint) > UINT32_MAX) return "it has too many triangles";
    return NULL;
}

/* Those of a mesh; or of the one that was drawn longest ago, if nobody knows the mesh. */
static struct cull_mesh *find_mesh(struct cull *cull, const struct mesh *mesh)
{
    struct cull_mesh *oldest = cull->mesh;
    for (int i = 0; i < CULL_MESHES; i++) {
        if (cull->mesh[i].version == mesh->version) return &cull->mesh[i];
        if (cull->mesh[i].used < oldest->used) oldest = &cull->mesh[i];
    }
    return oldest;
}

static int make_buffers(struct cull_mesh *m, struct err *err)
{
    static const char *const name[CULL_BUFFERS] = { "boxes of clusters", "clusters seen", "clusters' commands" };
    static const GLsizeiptr bytes[CULL_BUFFERS] = { BOX_BYTES, sizeof(GLuint), 2 * COMMAND_BYTES };
    gl_forget_errors();
    glCreateBuffers(CULL_BUFFERS, m->buffer);
    for (int i = 0; i < CULL_BUFFERS; i++) {
        glNamedBufferStorage(m->buffer[i], (GLsizeiptr)m->room * bytes[i], NULL, 0);
        gl_label(GL_BUFFER, m->buffer[i], name[i]);
    }
    if (glGetError() == GL_NO_ERROR) return ERR_NONE;
    drop_mesh(m);
    return fail_memory(err);
}

/* Binds a part of the indices at a time: shaders may not reach all at once. */
static void compute_boxes(const struct cull *cull, const struct cull_mesh *m, const struct mesh *mesh)
{
    struct mesh_names names;
    const GLuint program = cull->boxes.program;
    mesh_gl_names(mesh, &names);
    glUseProgram(program);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, m->buffer[CULL_BOXES]);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, names.vertices);
    GLint64 most;
    glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &most);
    const unsigned groups = most / INDEX_BYTES < MOST_GROUPS ? (unsigned)(most / INDEX_BYTES) : MOST_GROUPS;
    for (unsigned at = 0, count; at < m->clusters; at += count) {
        count = m->clusters - at < groups ? m->clusters - at : groups;
        const uint64_t begin = (uint64_t)at * CULL_CLUSTER * 3, left = mesh->triangles * 3 - begin,
                       room = (uint64_t)count * CULL_CLUSTER * 3, indices = left < room ? left : room;
        glBindBufferRange(GL_SHADER_STORAGE_BUFFER, 2, names.indices, (GLintptr)(begin * sizeof(GLuint)),
                          (GLsizeiptr)(indices * sizeof(GLuint)));
        glProgramUniform1ui(program, UNIFORM_FIRST, at);
        glProgramUniform1ui(program, UNIFORM_INDICES, (GLuint)indices);
        glDispatchCompute(count, 1, 1);
    }
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}

static int fit_mesh(struct cull *cull, const struct mesh *mesh, struct err *err)
{
    struct cull_mesh *m = find_mesh(cull, mesh);
    const uint64_t clusters = (mesh->triangles + CULL_CLUSTER - 1) / CULL_CLUSTER;
    if (m->version == mesh->version) return ERR_NONE;
    if (m->room < clusters || m->room > 2 * clusters) {
        drop_mesh(m);
        m->room = (unsigned)clusters;
        if (make_buffers(m, err)) return ERR_FAILED;
    }
    m->clusters = (unsigned)clusters;
    m->version = mesh->version;
    m->is_new = true;
    glClearNamedBufferData(m->buffer[CULL_SEEN], GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, NULL);
    compute_boxes(cull, m, mesh);
    return ERR_NONE;
}

int cull_fit(struct cull *cull, const struct mesh *mesh, int width, int height, struct err *err)
{
    gl_forget_errors();
    if (fit_counters(cull, err) || fit_pyramid(cull, width, height, err) || fit_mesh(cull, mesh, err)) return ERR_FAILED;
    find_mesh(cull, mesh)->used = cull->pictures;
    return ERR_NONE;
}

/* ---- drawing ------------------------------------------------------------------------------------------------------- */

static int half_up(int pixels) { return (pixels + 1) / 2; }

/* The depths must not be drawn to meanwhile. */
static void make_pyramid(const struct cull *cull, const struct cull_view *view)
{
    const GLuint program = cull->depth.program;
    GLint width = view->width, height = view->height;
    const int levels = levels_of(width, height);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glUseProgram(program);
    glBindTextureUnit(UNIT_DEPTHS, view->depth);
    for (int level = 0; level < levels; level++) {
        glBindImageTexture(0, cull->pyramid, level, GL_FALSE, 0, GL_WRITE_ONLY, GL_R32F);
        glProgramUniform2i(program, UNIFORM_BELOW_SIZE, width, height);
        glProgramUniform1i(program, UNIFORM_BELOW_LEVEL, level ? level - 1 : 0);
        width = half_up(width), height = half_up(height);
        glDispatchCompute((GLuint)(width + TILE - 1) / TILE, (GLuint)(height + TILE - 1) / TILE, 1);
        glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT);
        glBindTextureUnit(UNIT_DEPTHS, cull->pyramid);
    }
}

/* Writes the commands of a round. */
static void test(const struct cull *cull, const struct cull_mesh *m, const struct mesh *mesh, const struct cull_view *view,
                 bool again)
{
    const GLuint program = cull->test.program;
    glUseProgram(program);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, m->buffer[CULL_BOXES]);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, m->buffer[CULL_SEEN]);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, m->buffer[CULL_COMMANDS]);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 3, cull->counter);
    glProgramUniformMatrix4fv(program, UNIFORM_CLIP, 1, GL_FALSE, view->clip_from_mesh);
    glProgramUniform4fv(program, UNIFORM_CUT, CUT_PLANES, &view->cut[0][0]);
    glProgramUniform1ui(program, UNIFORM_TRIANGLES, (GLuint)mesh->triangles);
    glProgramUniform1ui(program, UNIFORM_CLUSTERS, m->clusters);
    glProgramUniform1i(program, UNIFORM_AGAIN, again);
    glProgramUniform2i(program, UNIFORM_SIZE, view->width, view->height);
    glProgramUniform1i(program, UNIFORM_LEVELS, levels_of(view->width, view->height));
    glDispatchCompute((m->clusters + THREADS - 1) / THREADS, 1, 1);
    glMemoryBarrier(GL_COMMAND_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT);
}

static bool draw_round(const struct cull *cull, const struct cull_mesh *m, const struct mesh *mesh,
                       const struct cull_view *view, bool again, const struct pause *pause)
{
    test(cull, m, mesh, view, again);
    glBindFramebuffer(GL_FRAMEBUFFER, view->framebuffer);
    glUseProgram(view->program);
    return mesh_gl_draw_commands(mesh, m->buffer[CULL_COMMANDS], again ? m->clusters : 0, m->clusters, pause);
}

bool cull_draw(struct cull *cull, const struct mesh *mesh, const struct cull_view *view, const struct pause *pause)
{
    struct cull_mesh *m = find_mesh(cull, mesh);
    cull->drawing += mesh->triangles;
    if (!m->is_new && !draw_round(cull, m, mesh, view, false, pause)) return false;
    m->is_new = false;
    make_pyramid(cull, view);
    return draw_round(cull, m, mesh, view, true, pause);
}

/* ---- what was drawn ------------------------------------------------------------------------------------------------ */

void cull_begin(struct cull *cull)
{
    cull->pictures++;
    cull->drawing = 0;
    if (cull->counter) glClearNamedBufferData(cull->counter, GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, NULL);
}

/* A count that the host has not taken yet stays: the next picture's may be taken. */
void cull_end(struct cull *cull)
{
    cull_take(cull);
    if (cull->fence || !cull->drawing) return;
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glCopyNamedBufferSubData(cull->counter, cull->told, 0, 0, sizeof(GLuint));
    cull->fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    cull->fenced_of = cull->drawing;
}

void cull_take(struct cull *cull)
{
    if (!cull->fence || glClientWaitSync(cull->fence, 0, 0) == GL_TIMEOUT_EXPIRED) return;
    glDeleteSync(cull->fence);
    cull->fence = NULL;
    cull->drawn = *cull->count;
    cull->of = cull->fenced_of;
}
