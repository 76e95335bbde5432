#include "raster_compute.h"
#include "cull.h"
#include "gl.h"
#include "mesh_gl.h"

#include <GL/glew.h>

/* As in the shaders: triangles per work group; bindings. */
enum { SMALL_GROUP = 128, KEYS_GROUP = 128 };
enum { VERTICES, INDICES, KEYS, LISTED, PIXELS };
enum { UNIFORM_CLIP = 0, UNIFORM_SIZE = 4, UNIFORM_FIRST, UNIFORM_LAST, UNIFORM_AGAIN = 8 };
enum { UNIFORM_NORMAL = 6, UNIFORM_FACE = 9, UNIFORM_OVER }; /* raster_keys.comp */

enum {
    LISTED_GROUPS = 2048, /* most work groups for listed triangles */
    BATCH = 1 << 24,      /* triangles at once, which limits the list's memory */
};

#define PLACE "shaders/raster_place.glsl"
#define PUT "shaders/raster_put.glsl"
static const struct shader_files small_files = { { "shaders/raster_small.comp", PLACE, PUT } };
static const struct shader_files listed_files = { { "shaders/raster_listed.comp", PLACE, PUT } };
static const struct shader_files keys_files = { { "shaders/raster_keys.comp", PLACE, "shaders/seen.glsl" } };

/* cull refuses meshes for the same reasons. */
const char *raster_compute_refusal(const struct mesh *mesh) { return cull_refusal(mesh); }

/* ---- objects ------------------------------------------------------------------------------------------------------- */

void raster_compute_close(struct raster_compute *compute)
{
    glDeleteBuffers(3, (const GLuint[]){ compute->key, compute->more, compute->list });
    shader_close(&compute->small);
    shader_close(&compute->listed);
    shader_close(&compute->keys);
    *compute = (struct raster_compute){ .key = 0 };
}

bool raster_compute_reload(struct raster_compute *compute, struct err *err)
{
    bool changed = shader_reload(&compute->small, err);
    changed |= shader_reload(&compute->listed, err);
    return changed | shader_reload(&compute->keys, err);
}

static int need_shaders(struct raster_compute *compute, struct err *err)
{
    int code = shader_need(&compute->small, small_files, err);
    if (!code) code = shader_need(&compute->listed, listed_files, err);
    return code ? code : shader_need(&compute->keys, keys_files, err);
}

static int need_buffer(unsigned *buffer, size_t *bytes, size_t needed, const char *name, struct err *err)
{
    if (needed <= *bytes) return ERR_NONE;
    glDeleteBuffers(1, buffer);
    *buffer = gl_make_buffer(needed, name, err);
    *bytes = *buffer ? needed : 0;
    return *buffer ? ERR_NONE : ERR_FAILED;
}

static int need_buffers(struct raster_compute *compute, const struct passes *passes, uint64_t triangles, bool over,
                        struct err *err)
{
    const size_t pixels = (size_t)passes->width * (size_t)passes->height;
    const size_t listed = triangles < BATCH ? (size_t)triangles : BATCH;
    const int code = over ? need_buffer(&compute->more, &compute->more_bytes, 8 * pixels, "keys of another surface", err)
                          : need_buffer(&compute->key, &compute->key_bytes, 8 * pixels, "keys of pixels", err);
    return code ? code : need_buffer(&compute->list, &compute->list_bytes, 4 * (1 + listed), "large triangles", err);
}

/* ---- drawing ------------------------------------------------------------------------------------------------------- */

static void tell(GLuint program, const struct passes *passes, const struct raster_layer *layer)
{
    glProgramUniformMatrix4fv(program, UNIFORM_CLIP, 1, GL_FALSE, layer->clip_from_voxel);
    glProgramUniform2ui(program, UNIFORM_SIZE, (GLuint)passes->width, (GLuint)passes->height);
}

static void cover(const struct raster_compute *compute, uint64_t triangles)
{
    const GLuint none = 0;
    for (uint64_t at = 0, end; at < triangles; at = end) {
        end = triangles - at < BATCH ? triangles : at + BATCH;
        const unsigned listed = gl_groups(end - at, 1);
        glClearNamedBufferSubData(compute->list, GL_R32UI, 0, sizeof none, GL_RED_INTEGER, GL_UNSIGNED_INT, &none);
        glProgramUniform1ui(compute->small.program, UNIFORM_FIRST, (GLuint)at);
        glProgramUniform1ui(compute->small.program, UNIFORM_LAST, (GLuint)end);
        gl_dispatch(compute->small.program, gl_groups(end - at, SMALL_GROUP));
        gl_dispatch(compute->listed.program, listed < LISTED_GROUPS ? listed : LISTED_GROUPS);
    }
}

/* With 32-bit atomic operations, depths are drawn first, then numbers. With 64-bit ones, the compiler removes the
 * uniform. */
static void cover_all(const struct raster_compute *compute, uint64_t triangles)
{
    const GLuint program[] = { compute->small.program, compute->listed.program };
    const bool twice = !(GLEW_NV_shader_atomic_int64 && GLEW_ARB_gpu_shader_int64);
    for (int time = 0; time <= (int)twice; time++) {
        for (int i = 0; i < 2 && twice; i++) glProgramUniform1i(program[i], UNIFORM_AGAIN, time);
        cover(compute, triangles);
    }
}

static void find_seen(const struct raster_compute *compute, const struct passes *passes, const struct raster_layer *layer,
                      bool over)
{
    const GLuint program = compute->keys.program;
    tell(program, passes, layer);
    glProgramUniformMatrix3fv(program, UNIFORM_NORMAL, 1, GL_FALSE, layer->view_normal);
    glProgramUniform3ui(program, UNIFORM_FACE, layer->surface, layer->clockwise, layer->flipped);
    glProgramUniform1i(program, UNIFORM_OVER, over);
    gl_dispatch(program, gl_groups((uint64_t)passes->width * (uint64_t)passes->height, KEYS_GROUP));
}

int raster_compute_draw(struct raster_compute *compute, const struct passes *passes, const struct raster_layer *layer,
                        bool over, struct err *err)
{
    static const GLuint farthest[] = { UINT32_MAX, 0x3f800000 }; /* the last triangle, and the depth 1 */
    struct mesh_names names;
    if (need_shaders(compute, err) || need_buffers(compute, passes, layer->triangles, over, err)) return err->code;
    if (!mesh_gl_names(layer->mesh, &names)) return err_set(err, ERR_FAILED, "the mesh is being made");
    const GLuint keys = over ? compute->more : compute->key;
    const GLuint buffer[] = { [VERTICES] = names.vertices,
                              [INDICES] = names.indices,
                              [KEYS] = keys,
                              [LISTED] = compute->list,
                              [PIXELS] = compute->key };
    for (GLuint i = 0; i < sizeof buffer / sizeof buffer[0]; i++) glBindBufferBase(GL_SHADER_STORAGE_BUFFER, i, buffer[i]);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT); /* the layer before may still be read */
    glClearNamedBufferData(keys, GL_RG32UI, GL_RG_INTEGER, GL_UNSIGNED_INT, farthest);
    tell(compute->small.program, passes, layer);
    tell(compute->listed.program, passes, layer);
    cover_all(compute, layer->triangles);
    find_seen(compute, passes, layer, over);
    return ERR_NONE;
}
