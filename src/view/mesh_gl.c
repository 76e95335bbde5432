#include "mesh_gl.h"
#include "gl.h"
#include "mesh_cuda.h"
#include "timing.h"

#include <GL/glew.h>

#include <stddef.h>
#include <stdlib.h>

/* Most indices in one draw call: a multiple of 3 whose bytes are well below 2^32, because not all drivers are exact
 * beyond that. */
#define DRAW_INDICES (((uint64_t)1 << 30) / 3 * 3)

/* First and least piece of a drawing that may be interrupted. It is small because glass that covers a large window is
 * slow. */
#define FIRST_TRIANGLES ((uint64_t)1 << 14)
#define LEAST_TRIANGLES ((uint64_t)1 << 10)

#define FIRST_COMMANDS 1u /* the same, in commands of that many triangles */
#define COMMAND_BYTES 20

#define CANNOT_READ "CUDA cannot read the mesh"

#define ATTRIBUTE_POSITION 0 /* as in shaders/mesh.vert */
#define ATTRIBUTE_NORMAL 1
#define ATTRIBUTE_TURNED 2

/* mesh.store */
struct store {
    unsigned array; /* vertex array object */
    unsigned buffer[MESH_BUFFERS];
    unsigned written[MESH_BUFFERS]; /* written by the CPU, copied to the GPU, which else draws across the bus; 0: none */
    unsigned vertices;              /* the vertex buffer to draw: its own, or another mesh's */
    struct mesh_cuda *cuda;         /* NULL: the CPU writes */
    bool readable;
};

static int fail_cuda(int code, uint64_t bytes, const char *what, struct err *err)
{
    err_set(err, ERR_FAILED, "%s (%.1f MB): %s", what, (double)bytes * 1e-6, mesh_cuda_explain(code));
    return err_blame(err, ERR_FAILED, CAUSE_BACKEND);
}

/* Hands OpenGL's buffers to CUDA. */
static int open_cuda(struct mesh_cuda **cuda, const struct exec *exec, bool shared, const unsigned buffer[MESH_BUFFERS],
                     const uint64_t bytes[MESH_BUFFERS], struct err *err)
{
    const int code = mesh_cuda_open(cuda, exec, shared, buffer, bytes);
    if (!code) return ERR_NONE;
    if (!shared) return fail_cuda(code, bytes[0] + bytes[1], "CUDA has no room for the mesh", err);
    err_set(err, ERR_FAILED, "%s",
            mesh_cuda_device() < 0 ? "OpenGL does not run on the CUDA device" : mesh_cuda_explain(code));
    return err_blame(err, ERR_FAILED, mesh_cuda_is_memory(code) ? CAUSE_MEMORY : CAUSE_BACKEND);
}

static void drop_store(struct store *store)
{
    if (!store) return;
    mesh_cuda_close(store->cuda); /* lets go of the buffers before they are deleted */
    if (store->array) glDeleteVertexArrays(1, &store->array);
    if (store->buffer[0]) glDeleteBuffers(MESH_BUFFERS, store->buffer);
    if (store->written[0]) glDeleteBuffers(MESH_BUFFERS, store->written);
    free(store);
}

/* Sets how a vertex array reads `struct vertex`; the buffers come later. */
static void make_array(struct store *store)
{
    glCreateVertexArrays(1, &store->array);
    glEnableVertexArrayAttrib(store->array, ATTRIBUTE_POSITION);
    glVertexArrayAttribFormat(store->array, ATTRIBUTE_POSITION, 3, GL_FLOAT, GL_FALSE, 0);
    glVertexArrayAttribBinding(store->array, ATTRIBUTE_POSITION, 0);
    glEnableVertexArrayAttrib(store->array, ATTRIBUTE_NORMAL);
    glVertexArrayAttribFormat(store->array, ATTRIBUTE_NORMAL, 4, GL_INT_2_10_10_10_REV, GL_TRUE,
                              offsetof(struct vertex, normal));
    glVertexArrayAttribBinding(store->array, ATTRIBUTE_NORMAL, 0);
    gl_label(GL_VERTEX_ARRAY, store->array, "mesh");
}

static void draw_vertices(struct store *store, unsigned buffer)
{
    glVertexArrayVertexBuffer(store->array, 0, buffer, 0, sizeof(struct vertex));
    store->vertices = buffer;
}

/* Makes OpenGL's buffers of these sizes. */
static int make_buffers(struct store *store, const uint64_t bytes[MESH_BUFFERS], enum mesh_way way, struct err *err)
{
    static const char *const name[MESH_BUFFERS] = { "mesh vertices", "mesh indices", "mesh command" };
    unsigned *buffer = store->buffer;
    const bool software = gl_is_software(), copied = way == MESH_MAPPED && !software;
    const GLbitfield kept = copied ? 0 : GL_MAP_WRITE_BIT | GL_DYNAMIC_STORAGE_BIT; /* 0: the host never sees it */
    gl_forget_errors();
    make_array(store);
    store->readable = software; /* a GPU's driver might keep it in host memory if it was readable */
    glCreateBuffers(MESH_BUFFERS, buffer);
    if (copied) glCreateBuffers(MESH_BUFFERS, store->written);
    for (int i = 0; i < MESH_BUFFERS; i++) {
        if (!buffer[i]) continue;
        glNamedBufferStorage(buffer[i], (GLsizeiptr)bytes[i], NULL, kept | (software ? GL_MAP_READ_BIT : 0));
        if (copied)
            glNamedBufferStorage(store->written[i], (GLsizeiptr)bytes[i], NULL, GL_MAP_WRITE_BIT | GL_CLIENT_STORAGE_BIT);
        gl_label(GL_BUFFER, buffer[i], name[i]);
    }
    if (buffer[MESH_COMMAND]) /* nothing to draw, until it is written */
        glClearNamedBufferData(buffer[MESH_COMMAND], GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, NULL);
    if (glGetError() != GL_NO_ERROR) {
        err_set(err, ERR_FAILED, "OpenGL has no room for a mesh of %.1f MB", (double)(bytes[0] + bytes[1]) * 1e-6);
        err_advise(err, "choose another isovalue");
        return ERR_FAILED;
    }
    draw_vertices(store, buffer[MESH_VERTICES]);
    glVertexArrayElementBuffer(store->array, buffer[MESH_INDICES]);
    return ERR_NONE;
}

static int grow(struct mesh *mesh, const uint64_t bytes[MESH_BUFFERS], enum mesh_way way, struct err *err)
{
    struct store *store = calloc(1, sizeof *store);
    if (!store) return err_set(err, ERR_FAILED, "not enough memory for a mesh");
    int code = make_buffers(store, bytes, way, err);
    if (!code && way != MESH_MAPPED)
        code = open_cuda(&store->cuda, mesh->exec, way == MESH_SHARED, store->buffer, bytes, err);
    if (code) {
        drop_store(store);
        return code;
    }
    drop_store(mesh->store);
    mesh->store = store;
    return ERR_NONE;
}

static void close_mesh(struct mesh *mesh) { drop_store(mesh->store); }

/* The buffers that the CPU writes. */
static const unsigned *written_of(const struct store *store) { return store->written[0] ? store->written : store->buffer; }

static int map_host(struct mesh *mesh, void *memory[MESH_BUFFERS], struct err *err)
{
    const unsigned *const buffer = written_of(mesh->store);
    for (int i = 0; i < MESH_BUFFERS; i++)
        memory[i] = glMapNamedBufferRange(buffer[i], 0, (GLsizeiptr)mesh->bytes[i], GL_MAP_WRITE_BIT);
    if (memory[MESH_VERTICES] && memory[MESH_INDICES]) return ERR_NONE;
    for (int i = 0; i < MESH_BUFFERS; i++)
        if (memory[i]) glUnmapNamedBuffer(buffer[i]);
    return err_set(err, ERR_FAILED, "OpenGL cannot map a mesh of %.1f MB", (double)mesh_bytes(mesh) * 1e-6);
}

static int map(struct mesh *mesh, void *memory[MESH_BUFFERS], struct err *err)
{
    const struct store *store = mesh->store;
    if (!store->cuda) return map_host(mesh, memory, err);
    const int code = mesh_cuda_map(store->cuda, memory);
    if (!code) return ERR_NONE;
    if (mesh->way != MESH_SHARED) return fail_cuda(code, mesh_bytes(mesh), "CUDA cannot reach the mesh", err);
    err_set(err, ERR_FAILED, "%s", mesh_cuda_explain(code));
    return err_blame(err, ERR_FAILED, CAUSE_BACKEND);
}

static int unmap_host(const struct store *store, const uint64_t bytes[MESH_BUFFERS], struct err *err)
{
    bool whole = true; /* false: the memory was lost meanwhile, for example by a mode switch */
    for (int i = 0; i < MESH_BUFFERS; i++) {
        whole = glUnmapNamedBuffer(written_of(store)[i]) && whole;
        if (store->written[i] && bytes[i])
            glCopyNamedBufferSubData(store->written[i], store->buffer[i], 0, 0, (GLsizeiptr)bytes[i]);
    }
    if (whole || !bytes[MESH_INDICES]) return ERR_NONE;
    return err_set(err, ERR_FAILED, "OpenGL lost the mesh while it was written; choose the value again");
}

static int unmap(struct mesh *mesh, const uint64_t bytes[MESH_BUFFERS], struct err *err)
{
    const struct store *store = mesh->store;
    if (!store->cuda) return unmap_host(store, bytes, err);
    const int code = mesh_cuda_unmap(store->cuda, bytes);
    return code ? fail_cuda(code, bytes[0] + bytes[1], "the mesh did not reach OpenGL", err) : ERR_NONE;
}

/* Shared or staged, the mesh is on the device already. */
static int fetch_cuda(struct mesh *mesh, const struct mesh_out *to, struct err *err)
{
    struct mesh_cuda *cuda = ((struct store *)mesh->store)->cuda;
    const uint64_t none[MESH_BUFFERS] = { 0, 0, 0 }; /* nothing was written */
    const uint64_t vertex_bytes = mesh->vertices * sizeof(struct vertex);
    const uint64_t index_bytes = mesh->triangles * 3 * sizeof(uint32_t);
    const struct backend_ops *ops = backends[mesh->exec->backend];
    void *memory[MESH_BUFFERS];
    int code = mesh_cuda_map_to_read(cuda, memory);
    if (code) return fail_cuda(code, vertex_bytes + index_bytes, CANNOT_READ, err);
    code = ops->copy(to->vertices, memory[MESH_VERTICES], vertex_bytes, mesh->exec);
    if (!code) code = ops->copy(to->indices, memory[MESH_INDICES], index_bytes, mesh->exec);
    const int unmapped = mesh_cuda_unmap(cuda, none);
    if (!code) code = unmapped;
    return code ? fail_cuda(code, vertex_bytes + index_bytes, CANNOT_READ, err) : ERR_NONE;
}

static int fetch(struct mesh *mesh, const struct mesh_out *to, struct err *err)
{
    const struct store *store = mesh->store;
    if (store->cuda) return fetch_cuda(mesh, to, err);
    const GLsizeiptr vertex_bytes = (GLsizeiptr)(mesh->vertices * sizeof(struct vertex));
    const GLsizeiptr index_bytes = (GLsizeiptr)(mesh->triangles * 3 * sizeof(uint32_t));
    gl_forget_errors();
    glGetNamedBufferSubData(store->buffer[MESH_VERTICES], 0, vertex_bytes, to->vertices);
    glGetNamedBufferSubData(store->buffer[MESH_INDICES], 0, index_bytes, to->indices);
    if (glGetError() == GL_NO_ERROR) return ERR_NONE;
    return err_set(err, ERR_FAILED, "OpenGL does not give a mesh of %.1f MB back", (double)mesh_bytes(mesh) * 1e-6);
}

static void share_vertices(struct mesh *mesh, const struct mesh *with)
{
    const struct store *from = with->store;
    draw_vertices(mesh->store, from->buffer[MESH_VERTICES]);
}

void mesh_gl_turn(const struct mesh *mesh, const struct mesh *turned)
{
    const struct store *store = mesh->store, *from = turned ? turned->store : NULL;
    if (!store) return;
    if (!from) {
        glDisableVertexArrayAttrib(store->array, ATTRIBUTE_TURNED);
        return;
    }
    glVertexArrayVertexBuffer(store->array, 1, from->buffer[MESH_VERTICES], 0, sizeof(struct vertex));
    glVertexArrayAttribFormat(store->array, ATTRIBUTE_TURNED, 4, GL_FLOAT, GL_FALSE, 0);
    glVertexArrayAttribBinding(store->array, ATTRIBUTE_TURNED, 1);
    glEnableVertexArrayAttrib(store->array, ATTRIBUTE_TURNED);
}

enum backend mesh_gl_reader(const struct mesh *mesh)
{
    const struct store *store = mesh->store;
    if (!store || mesh->queued || mesh->mapped) return BACKEND_COUNT;
    /* Each CUDA resource belongs to a single mesh, so CUDA cannot read another mesh's vertices. */
    if (store->cuda && mesh->way == MESH_SHARED && store->vertices == store->buffer[MESH_VERTICES]) return BACKEND_CUDA;
    return store->readable ? BACKEND_CPU : BACKEND_COUNT;
}

static int begin_read_host(const struct mesh *mesh, struct mesh_out *out, struct err *err)
{
    const struct store *store = mesh->store;
    const GLsizeiptr vertex_bytes = (GLsizeiptr)(mesh->vertices * sizeof(struct vertex));
    const GLsizeiptr index_bytes = (GLsizeiptr)(mesh->triangles * 3 * sizeof(uint32_t));
    const GLuint vertices = store->vertices;
    out->vertices = glMapNamedBufferRange(vertices, 0, vertex_bytes, GL_MAP_READ_BIT);
    out->indices = glMapNamedBufferRange(store->buffer[MESH_INDICES], 0, index_bytes, GL_MAP_READ_BIT);
    if (out->vertices && out->indices) return ERR_NONE;
    if (out->vertices) glUnmapNamedBuffer(vertices);
    if (out->indices) glUnmapNamedBuffer(store->buffer[MESH_INDICES]);
    gl_forget_errors();
    return err_set(err, ERR_FAILED, "not enough memory for the mesh (%.1f MB)", (double)mesh_bytes(mesh) * 1e-6);
}

int mesh_gl_begin_read(const struct mesh *mesh, struct mesh_out *out, struct err *err)
{
    const struct store *store = mesh->store;
    void *memory[MESH_BUFFERS] = { NULL };
    if (mesh_gl_reader(mesh) != BACKEND_CUDA) return begin_read_host(mesh, out, err);
    mesh_cuda_keep(store->cuda);
    const int code = mesh_cuda_map_to_read(store->cuda, memory);
    if (code) return fail_cuda(code, mesh_bytes(mesh), CANNOT_READ, err);
    out->vertices = memory[MESH_VERTICES], out->indices = memory[MESH_INDICES];
    return ERR_NONE;
}

int mesh_gl_end_read(const struct mesh *mesh, struct err *err)
{
    static const uint64_t none[MESH_BUFFERS] = { 0, 0, 0 }; /* was written */
    const struct store *store = mesh->store;
    if (mesh_gl_reader(mesh) == BACKEND_CUDA) {
        const int code = mesh_cuda_unmap(store->cuda, none);
        return code ? fail_cuda(code, mesh_bytes(mesh), CANNOT_READ, err) : ERR_NONE;
    }
    const bool vertices = glUnmapNamedBuffer(store->vertices), indices = glUnmapNamedBuffer(store->buffer[MESH_INDICES]);
    return vertices && indices ? ERR_NONE : err_set(err, ERR_FAILED, "OpenGL lost the mesh while it was read");
}

/* Returns how many indices to draw next, after `count` took `ms`. */
static uint64_t next_batch(uint64_t count, double ms)
{
    const uint64_t triangles = pause_next(count / 3, ms), most = DRAW_INDICES / 3;
    return 3 * (triangles < LEAST_TRIANGLES ? LEAST_TRIANGLES : triangles < most ? triangles : most);
}

bool mesh_gl_draw(const struct mesh *mesh, const struct pause *pause)
{
    const struct store *store = mesh->store;
    if (!store) return true;
    mesh_cuda_let_go();
    glBindVertexArray(store->array);
    if (mesh->queued) {
        glBindBuffer(GL_DRAW_INDIRECT_BUFFER, store->buffer[MESH_COMMAND]);
        glDrawElementsIndirect(GL_TRIANGLES, GL_UNSIGNED_INT, NULL);
        glBindBuffer(GL_DRAW_INDIRECT_BUFFER, 0);
        return true;
    }
    const uint64_t indices = mesh->triangles * 3;
    uint64_t batch = pause ? 3 * FIRST_TRIANGLES : DRAW_INDICES;
    for (uint64_t at = 0, count; at < indices; at += count) {
        const double start = timing_ms();
        count = indices - at < batch ? indices - at : batch;
        glBindVertexArray(store->array);
        glDrawElements(GL_TRIANGLES, (GLsizei)count, GL_UNSIGNED_INT, (const void *)(uintptr_t)(at * sizeof(uint32_t)));
        if (!pause) continue;
        glFinish();
        batch = next_batch(count, timing_ms() - start);
        if (!pause->go_on(pause->context)) return false;
    }
    return true;
}

static void draw_commands(const struct store *store, const struct mesh_commands *commands, unsigned at, unsigned count)
{
    const uintptr_t offset = (uintptr_t)at * COMMAND_BYTES;
    glVertexArrayElementBuffer(store->array, commands->indices);
    glBindVertexArray(store->array);
    glBindBuffer(GL_DRAW_INDIRECT_BUFFER, commands->buffer);
    glMultiDrawElementsIndirect(GL_TRIANGLES, GL_UNSIGNED_INT, (const void *)offset, (GLsizei)count, 0);
    glBindBuffer(GL_DRAW_INDIRECT_BUFFER, 0);
    glVertexArrayElementBuffer(store->array, store->buffer[MESH_INDICES]);
}

bool mesh_gl_draw_commands(const struct mesh *mesh, const struct mesh_commands *commands, const struct pause *pause)
{
    const struct store *store = mesh->store;
    unsigned batch = pause ? FIRST_COMMANDS : commands->count;
    mesh_cuda_let_go();
    for (unsigned at = 0, count; at < commands->count; at += count) {
        const double start = timing_ms();
        count = commands->count - at < batch ? commands->count - at : batch;
        draw_commands(store, commands, at, count);
        if (!pause) continue;
        glFinish();
        batch = (unsigned)pause_next(batch, timing_ms() - start);
        if (!pause->go_on(pause->context)) return false;
    }
    return true;
}

bool mesh_gl_is_drawn(const struct mesh *mesh) { return mesh->store && !mesh->mapped && !mesh->queued; }

bool mesh_gl_names(const struct mesh *mesh, struct mesh_names *names)
{
    const struct store *store = mesh->store;
    if (!mesh_gl_is_drawn(mesh)) return false;
    mesh_cuda_let_go();
    *names = (struct mesh_names){ store->vertices, store->buffer[MESH_INDICES] };
    return true;
}

#define MAPPED "mapped: the CPU writes into OpenGL's buffers"
#define SHARED "shared: CUDA writes into OpenGL's buffers"
#define FUNCTIONS                                                                         \
    .device = mesh_cuda_device, .grow = grow, .map = map, .unmap = unmap, .fetch = fetch, \
    .share_vertices = share_vertices, .close = close_mesh

const struct mesh_target mesh_gl = { MAPPED, SHARED, NULL, FUNCTIONS };
const struct mesh_target mesh_gl_staged = { MAPPED, SHARED, "asked for", FUNCTIONS };
