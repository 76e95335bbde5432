#include "cull.h"
#include "gl.h"
#include "mesh_gl.h"

#include <GL/glew.h>

#include <string.h>

/* As in the shaders: elements per work group, pixels along its sides. */
enum { CELLS_GROUP = 256, TEST_GROUP = 64, BLOCK = 1024, DEPTH_GROUP = 8 };
enum { COMMAND_TRIANGLES = 16384, COMMAND_BYTES = 20, STATE_BYTES = 8 }; /* the same */
enum { UNIT_DEPTHS = 6 };                                                /* texture unit */

enum { UNIFORM_PART, UNIFORM_SIDE, UNIFORM_VERTICES, UNIFORM_FILED }; /* cull_cells.comp; its parts: */
enum { PART_EXTENT, PART_FILE };
enum { UNIFORM_CLIP = 0, UNIFORM_CUT = 4, UNIFORM_CELLS = 11, UNIFORM_AGAIN }; /* cull_test.comp, */
enum { UNIFORM_SIZE = 13, UNIFORM_LEVELS };                                    /* and its picture */
enum { UNIFORM_TRIANGLES };                                                    /* cull_count.comp, cull_pick.comp */
enum { UNIFORM_BLOCKS, UNIFORM_COMMANDS };                                     /* cull_scan.comp */
enum { UNIFORM_BELOW_SIZE, UNIFORM_BELOW_LEVEL };                              /* cull_depth.comp */

static const char *const file[CULL_SHADERS] = { "shaders/cull_cells.comp", "shaders/cull_test.comp",
                                                "shaders/cull_count.comp", "shaders/cull_scan.comp",
                                                "shaders/cull_pick.comp",  "shaders/cull_depth.comp" };

/* ---- objects ------------------------------------------------------------------------------------------------------- */

int cull_need(struct cull *cull, struct err *err)
{
    int code = ERR_NONE;
    for (int i = 0; i < CULL_SHADERS && !code; i++)
        code = shader_need(&cull->shader[i], (struct shader_files){ { file[i] } }, err);
    return code;
}

bool cull_reload(struct cull *cull, struct err *err)
{
    bool changed = false;
    for (int i = 0; i < CULL_SHADERS; i++) changed |= shader_reload(&cull->shader[i], err);
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
    for (int i = 0; i < CULL_TOLD; i++) {
        if (cull->fence[i]) glDeleteSync(cull->fence[i]);
        cull->fence[i] = NULL;
    }
    glDeleteBuffers(1, &cull->counter);
    glDeleteBuffers(1, &cull->told);
    cull->counter = cull->told = 0;
}

void cull_close(struct cull *cull)
{
    for (int i = 0; i < CULL_MESHES; i++) drop_mesh(&cull->mesh[i]);
    drop_pyramid(cull);
    drop_counters(cull);
    for (int i = 0; i < CULL_SHADERS; i++) shader_close(&cull->shader[i]);
    memset(cull, 0, sizeof *cull);
}

static int fail_memory(struct err *err) { return err_set(err, ERR_FAILED, "OpenGL has no memory for culling"); }

/* The smallest power of 2 that is at least half of a length, rounded up. */
static int room_of(int pixels)
{
    int room = 1;
    while (2 * room < pixels) room *= 2;
    return room;
}

static int levels_of(int width, int height)
{
    int longest = room_of(width > height ? width : height), levels = 1;
    for (; longest > 1; longest /= 2) levels++;
    return levels;
}

static int fit_pyramid(struct cull *cull, int width, int height, struct err *err)
{
    const int room[2] = { room_of(width), room_of(height) };
    if (cull->pyramid && room[0] == cull->room[0] && room[1] == cull->room[1]) return ERR_NONE;
    drop_pyramid(cull);
    glCreateTextures(GL_TEXTURE_2D, 1, &cull->pyramid);
    gl_label(GL_TEXTURE, cull->pyramid, "pyramid of depths");
    glTextureStorage2D(cull->pyramid, levels_of(width, height), GL_R32F, room[0], room[1]);
    glTextureParameteri(cull->pyramid, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    glTextureParameteri(cull->pyramid, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    memcpy(cull->room, room, sizeof room);
    if (glGetError() == GL_NO_ERROR) return ERR_NONE;
    drop_pyramid(cull);
    return fail_memory(err);
}

static void clear(GLuint buffer, GLuint value)
{
    glClearNamedBufferData(buffer, GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, &value);
}

static int fit_counters(struct cull *cull, struct err *err)
{
    const GLbitfield seen = GL_MAP_READ_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    if (cull->counter) return ERR_NONE;
    glCreateBuffers(1, &cull->counter);
    glCreateBuffers(1, &cull->told);
    glNamedBufferStorage(cull->counter, sizeof(GLuint), NULL, 0);
    glNamedBufferStorage(cull->told, CULL_TOLD * sizeof(GLuint), NULL, seen);
    gl_label(GL_BUFFER, cull->counter, "triangles drawn");
    gl_label(GL_BUFFER, cull->told, "triangles drawn, for the host");
    cull->count = glMapNamedBufferRange(cull->told, 0, CULL_TOLD * sizeof(GLuint), seen);
    if (cull->count && glGetError() == GL_NO_ERROR) {
        clear(cull->counter, 0);
        return ERR_NONE;
    }
    drop_counters(cull);
    return fail_memory(err);
}

/* ---- meshes -------------------------------------------------------------------------------------------------------- */

const char *cull_refusal(const struct mesh *mesh)
{
    GLint64 bytes = 0;
    if (mesh->queued) return "only the GPU knows the new mesh's size";
    if (!mesh_gl_is_drawn(mesh)) return "the mesh is being made";
    glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &bytes);
    const uint64_t reached = (uint64_t)bytes < UINT32_MAX ? (uint64_t)bytes : UINT32_MAX;
    if (mesh->vertices * sizeof(struct vertex) > reached || mesh->triangles * 3 * sizeof(GLuint) > reached ||
        mesh->triangles > (uint64_t)GL_MOST_GROUPS * BLOCK)
        return "the mesh is larger than OpenGL's shaders reach";
    return NULL;
}

static unsigned blocks_of(const struct mesh *mesh) { return (unsigned)((mesh->triangles + BLOCK - 1) / BLOCK); }

static unsigned commands_of(const struct mesh *mesh)
{
    return (unsigned)((mesh->triangles + COMMAND_TRIANGLES - 1) / COMMAND_TRIANGLES);
}

/* Some hundred triangles per cell: fewer would not hide better, but take longer to test. */
static unsigned side_of(const struct mesh *mesh) { return mesh->triangles < (uint64_t)1 << 21 ? 32 : 64; }

/* Finds the entry of a mesh, or else that of the mesh drawn longest ago. */
static struct cull_mesh *find_mesh(struct cull *cull, const struct mesh *mesh)
{
    struct cull_mesh *oldest = cull->mesh;
    for (int i = 0; i < CULL_MESHES; i++) {
        if (cull->mesh[i].version == mesh->version) return &cull->mesh[i];
        if (cull->mesh[i].picture < oldest->picture) oldest = &cull->mesh[i];
    }
    return oldest;
}

static int make_buffers(struct cull_mesh *m, const struct mesh *mesh, struct err *err)
{
    const size_t word = sizeof(GLuint), cells = (size_t)m->side * m->side * m->side;
    const struct {
        const char *name;
        size_t bytes;
    } buffer[CULL_BUFFERS] = {
        [CULL_CELL] = { "cells of triangles", mesh->triangles * word },
        [CULL_LOW] = { "cells, low corners", 3 * cells * word },
        [CULL_HIGH] = { "cells, high corners", (3 * cells + 1) * word },
        [CULL_STATES] = { "cells seen and drawn", cells * STATE_BYTES },
        [CULL_BLOCKS] = { "triangles drawn, by blocks", ((size_t)blocks_of(mesh) + 1) * word },
        [CULL_COMMANDS] = { "commands", (size_t)commands_of(mesh) * COMMAND_BYTES },
        [CULL_PICKED] = { "indices drawn", mesh->triangles * 3 * word },
    };
    glCreateBuffers(CULL_BUFFERS, m->buffer);
    for (int i = 0; i < CULL_BUFFERS; i++) {
        glNamedBufferStorage(m->buffer[i], (GLsizeiptr)buffer[i].bytes, NULL, 0);
        gl_label(GL_BUFFER, m->buffer[i], buffer[i].name);
    }
    if (glGetError() == GL_NO_ERROR) return ERR_NONE;
    drop_mesh(m);
    return fail_memory(err);
}

/* Binds `count` buffers for shaders, from binding 0 on. */
static void bind(const GLuint *buffer, GLuint count)
{
    for (GLuint i = 0; i < count; i++) glBindBufferBase(GL_SHADER_STORAGE_BUFFER, i, buffer[i]);
}

static void find_cells(const struct cull *cull, const struct cull_mesh *m, const struct mesh *mesh)
{
    const GLuint program = cull->shader[CULL_CELLS].program;
    struct mesh_names names;
    mesh_gl_names(mesh, &names);
    clear(m->buffer[CULL_LOW], UINT32_MAX);
    clear(m->buffer[CULL_HIGH], 0);
    clear(m->buffer[CULL_STATES], 0);
    bind((const GLuint[]){ names.vertices, names.indices, m->buffer[CULL_CELL], m->buffer[CULL_LOW], m->buffer[CULL_HIGH] },
         5);
    glProgramUniform1ui(program, UNIFORM_SIDE, m->side);
    glProgramUniform1ui(program, UNIFORM_VERTICES, (GLuint)mesh->vertices);
    glProgramUniform1ui(program, UNIFORM_FILED, (GLuint)mesh->triangles);
    glProgramUniform1ui(program, UNIFORM_PART, PART_EXTENT);
    gl_dispatch(program, gl_groups(mesh->vertices, CELLS_GROUP));
    glProgramUniform1ui(program, UNIFORM_PART, PART_FILE);
    gl_dispatch(program, gl_groups(mesh->triangles, CELLS_GROUP));
}

static int fit_mesh(struct cull *cull, const struct mesh *mesh, struct err *err)
{
    struct cull_mesh *m = find_mesh(cull, mesh);
    if (m->version != mesh->version) {
        drop_mesh(m);
        m->side = side_of(mesh);
        if (make_buffers(m, mesh, err)) return ERR_FAILED;
        m->version = mesh->version;
        m->is_new = true;
        find_cells(cull, m, mesh);
    }
    m->picture = cull->picture;
    return ERR_NONE;
}

int cull_fit(struct cull *cull, const struct mesh *mesh, int width, int height, struct err *err)
{
    gl_forget_errors();
    int code = fit_counters(cull, err);
    if (!code) code = fit_pyramid(cull, width, height, err);
    return code ? code : fit_mesh(cull, mesh, err);
}

/* ---- drawing ------------------------------------------------------------------------------------------------------- */

static int half_up(int pixels) { return (pixels + 1) / 2; }

/* Unbinds the framebuffer, so that nothing is drawn to the depths meanwhile. */
static void make_pyramid(const struct cull *cull, const struct cull_view *view)
{
    const GLuint program = cull->shader[CULL_DEPTH].program;
    const int levels = levels_of(view->width, view->height);
    GLint width = view->width, height = view->height;
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glUseProgram(program);
    glBindTextureUnit(UNIT_DEPTHS, view->depth);
    for (int level = 0; level < levels; level++) {
        glBindImageTexture(0, cull->pyramid, level, GL_FALSE, 0, GL_WRITE_ONLY, GL_R32F);
        glProgramUniform2i(program, UNIFORM_BELOW_SIZE, width, height);
        glProgramUniform1i(program, UNIFORM_BELOW_LEVEL, level ? level - 1 : 0);
        width = half_up(width), height = half_up(height);
        glDispatchCompute((GLuint)(width + DEPTH_GROUP - 1) / DEPTH_GROUP, (GLuint)(height + DEPTH_GROUP - 1) / DEPTH_GROUP,
                          1);
        glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT);
        glBindTextureUnit(UNIT_DEPTHS, cull->pyramid);
    }
}

/* Decides for each cell whether this round draws it. */
static void test(const struct cull *cull, const struct cull_mesh *m, const struct cull_view *view, bool again)
{
    const GLuint program = cull->shader[CULL_TEST].program;
    const unsigned cells = m->side * m->side * m->side;
    bind((const GLuint[]){ m->buffer[CULL_LOW], m->buffer[CULL_HIGH], m->buffer[CULL_STATES] }, 3);
    glProgramUniformMatrix4fv(program, UNIFORM_CLIP, 1, GL_FALSE, view->clip_from_mesh);
    glProgramUniform4fv(program, UNIFORM_CUT, CUT_PLANES, &view->cut[0][0]);
    glProgramUniform1ui(program, UNIFORM_CELLS, cells);
    glProgramUniform1i(program, UNIFORM_AGAIN, again);
    glProgramUniform2i(program, UNIFORM_SIZE, view->width, view->height);
    glProgramUniform1i(program, UNIFORM_LEVELS, levels_of(view->width, view->height));
    gl_dispatch(program, (cells + TEST_GROUP - 1) / TEST_GROUP);
}

/* Collects the indices of those cells' triangles, and writes the commands. */
static void pick(const struct cull *cull, const struct cull_mesh *m, const struct mesh *mesh)
{
    const GLuint count = cull->shader[CULL_COUNT].program, scan = cull->shader[CULL_SCAN].program,
                 copy = cull->shader[CULL_PICK].program, *const buffer = m->buffer;
    struct mesh_names names;
    mesh_gl_names(mesh, &names);
    bind((const GLuint[]){ buffer[CULL_CELL], buffer[CULL_STATES], buffer[CULL_BLOCKS], buffer[CULL_COMMANDS],
                           cull->counter },
         5);
    glProgramUniform1ui(count, UNIFORM_TRIANGLES, (GLuint)mesh->triangles);
    gl_dispatch(count, blocks_of(mesh));
    glProgramUniform1ui(scan, UNIFORM_BLOCKS, blocks_of(mesh));
    glProgramUniform1ui(scan, UNIFORM_COMMANDS, commands_of(mesh));
    gl_dispatch(scan, 1);
    bind(
        (const GLuint[]){ buffer[CULL_CELL], buffer[CULL_STATES], buffer[CULL_BLOCKS], names.indices, buffer[CULL_PICKED] },
        5);
    glProgramUniform1ui(copy, UNIFORM_TRIANGLES, (GLuint)mesh->triangles);
    gl_dispatch(copy, blocks_of(mesh));
    glMemoryBarrier(GL_COMMAND_BARRIER_BIT | GL_ELEMENT_ARRAY_BARRIER_BIT);
}

static bool draw_round(const struct cull *cull, const struct cull_mesh *m, const struct mesh *mesh,
                       const struct cull_view *view, bool again, const struct pause *pause)
{
    const struct mesh_commands commands = { m->buffer[CULL_PICKED], m->buffer[CULL_COMMANDS], commands_of(mesh) };
    glMemoryBarrier(GL_COMMAND_BARRIER_BIT | GL_ELEMENT_ARRAY_BARRIER_BIT); /* the last round's are read until then */
    test(cull, m, view, again);
    pick(cull, m, mesh);
    glBindFramebuffer(GL_FRAMEBUFFER, view->framebuffer);
    glUseProgram(view->program);
    return mesh_gl_draw_commands(mesh, &commands, pause);
}

bool cull_draw(struct cull *cull, const struct mesh *mesh, const struct cull_view *view, const struct pause *pause)
{
    struct cull_mesh *m = find_mesh(cull, mesh);
    cull->all += mesh->triangles;
    if (!m->is_new && !draw_round(cull, m, mesh, view, false, pause)) return false;
    m->is_new = false;
    make_pyramid(cull, view);
    return draw_round(cull, m, mesh, view, true, pause);
}

/* ---- a picture ----------------------------------------------------------------------------------------------------- */

void cull_begin(struct cull *cull)
{
    cull->picture++;
    cull->all = 0;
    if (cull->counter) clear(cull->counter, 0);
}

static void tell_count(struct cull *cull)
{
    const unsigned own = cull->picture % CULL_TOLD;
    cull_take(cull);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    if (cull->fence[own]) return; /* the host is too far ahead; a later picture may report its count */
    glCopyNamedBufferSubData(cull->counter, cull->told, 0, (GLintptr)(own * sizeof(GLuint)), sizeof(GLuint));
    cull->fence[own] = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    cull->all_told[own] = cull->all;
}

void cull_end(struct cull *cull)
{
    if (cull->all) tell_count(cull);
    for (int i = 0; i < CULL_MESHES; i++)
        if (cull->mesh[i].version && cull->mesh[i].picture != cull->picture) drop_mesh(&cull->mesh[i]);
}

void cull_take(struct cull *cull)
{
    for (unsigned i = 1; i <= CULL_TOLD; i++) { /* the oldest first */
        const unsigned from = (cull->picture + i) % CULL_TOLD;
        if (!cull->fence[from]) continue;
        if (glClientWaitSync(cull->fence[from], 0, 0) == GL_TIMEOUT_EXPIRED) return;
        glDeleteSync(cull->fence[from]);
        cull->fence[from] = NULL;
        cull->drawn = cull->count[from];
        cull->of = cull->all_told[from];
    }
}
