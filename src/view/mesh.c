#include "mesh.h"
#include "gl.h"
#include "mesh_cuda.h"

#include <GL/glew.h>

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Indices in one draw call: a multiple of 3 whose bytes still fit 32 bits with room, since drivers are not all exact
 * beyond that. */
#define DRAW_INDICES (((uint64_t)1 << 30) / 3 * 3)

#define ATTRIBUTE_POSITION 0 /* as in shaders/mesh.vert */
#define ATTRIBUTE_NORMAL 1

int mesh_device(void) { return mesh_cuda_device(); }

void mesh_open(struct mesh *mesh, struct exec *exec, bool no_sharing)
{
    memset(mesh, 0, sizeof *mesh);
    mesh->exec = exec;
    if (exec->backend != BACKEND_CUDA) {
        mesh->way = MESH_MAPPED;
        snprintf(mesh->why, sizeof mesh->why, "mapped: the CPU writes into OpenGL's buffers");
        return;
    }
    mesh->way = no_sharing ? MESH_STAGED : MESH_SHARED;
    snprintf(mesh->why, sizeof mesh->why,
             no_sharing ? "staged through pinned memory: asked for" : "shared: CUDA writes into OpenGL's buffers");
}

void mesh_close(struct mesh *mesh)
{
    mesh_cuda_close(mesh->cuda); /* lets go of the buffers before they are deleted */
    if (mesh->array) glDeleteVertexArrays(1, &mesh->array);
    if (mesh->buffer[0]) glDeleteBuffers(MESH_BUFFERS, mesh->buffer);
    memset(mesh, 0, sizeof *mesh);
}

static void go_staged(struct mesh *mesh, const char *why)
{
    mesh->way = MESH_STAGED;
    snprintf(mesh->why, sizeof mesh->why, "staged through pinned memory: %s", why);
}

static int fail_cuda(int code, uint64_t bytes, const char *what, struct err *err)
{
    err_set(err, ERR_FAILED, "%s (%.1f MB): %s", what, (double)bytes * 1e-6, mesh_cuda_explain(code));
    return err_blame(err, ERR_FAILED, CAUSE_BACKEND);
}

/* Hands OpenGL's buffers to CUDA: shared if that works, else staged from now on. */
static int open_cuda(struct mesh *mesh, struct mesh_cuda **cuda, const unsigned buffer[MESH_BUFFERS],
                     const uint64_t bytes[MESH_BUFFERS], struct err *err)
{
    if (mesh->way == MESH_SHARED) {
        const int code = mesh_cuda_open(cuda, mesh->exec, true, buffer, bytes);
        if (!code) return ERR_NONE;
        go_staged(mesh, mesh_cuda_device() < 0 ? "OpenGL does not run on the CUDA device" : mesh_cuda_explain(code));
    }
    const int code = mesh_cuda_open(cuda, mesh->exec, false, buffer, bytes);
    return code ? fail_cuda(code, bytes[0] + bytes[1], "CUDA has no room for the mesh", err) : ERR_NONE;
}

static void drop_buffers(unsigned buffer[MESH_BUFFERS])
{
    glDeleteBuffers(MESH_BUFFERS, buffer);
    memset(buffer, 0, MESH_BUFFERS * sizeof *buffer);
}

/* The way a vertex array reads `struct vertex`; the buffers come later. */
static void make_array(struct mesh *mesh)
{
    glCreateVertexArrays(1, &mesh->array);
    glEnableVertexArrayAttrib(mesh->array, ATTRIBUTE_POSITION);
    glVertexArrayAttribFormat(mesh->array, ATTRIBUTE_POSITION, 3, GL_FLOAT, GL_FALSE, 0);
    glVertexArrayAttribBinding(mesh->array, ATTRIBUTE_POSITION, 0);
    glEnableVertexArrayAttrib(mesh->array, ATTRIBUTE_NORMAL);
    glVertexArrayAttribFormat(mesh->array, ATTRIBUTE_NORMAL, 4, GL_INT_2_10_10_10_REV, GL_TRUE,
                              offsetof(struct vertex, normal));
    glVertexArrayAttribBinding(mesh->array, ATTRIBUTE_NORMAL, 0);
}

/* Makes OpenGL's buffers, of those sizes; names are 0 on error. OpenGL does not say what is free, and a driver that gives
 * memory before it has any is stopped by the system. So the backend is asked: a shared or staged mesh lies on its
 * card too, a mapped one in host memory. */
static int make_buffers(struct mesh *mesh, unsigned buffer[MESH_BUFFERS], const uint64_t bytes[MESH_BUFFERS],
                        struct err *err)
{
    const uint64_t all = bytes[0] + bytes[1], at_hand = backends[mesh->exec->backend]->memory_free();
    memset(buffer, 0, MESH_BUFFERS * sizeof *buffer);
    if (all > at_hand) {
        err_set(err, ERR_FAILED, "the mesh needs %.1f MB, and %.1f MB are free", (double)all * 1e-6,
                (double)at_hand * 1e-6);
        err_advise(err, "choose another isovalue");
        return err_blame(err, ERR_FAILED, mesh->exec->backend == BACKEND_CUDA ? CAUSE_MEMORY : CAUSE_OTHER);
    }
    gl_forget_errors();
    if (!mesh->array) make_array(mesh);
    glCreateBuffers(MESH_BUFFERS, buffer);
    for (int i = 0; i < MESH_BUFFERS; i++)
        if (buffer[i])
            glNamedBufferStorage(buffer[i], (GLsizeiptr)bytes[i], NULL, GL_MAP_WRITE_BIT | GL_DYNAMIC_STORAGE_BIT);
    if (buffer[MESH_COMMAND]) /* nothing to draw, until it is written */
        glClearNamedBufferData(buffer[MESH_COMMAND], GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, NULL);
    if (glGetError() == GL_NO_ERROR) return ERR_NONE;
    drop_buffers(buffer);
    return err_set(err, ERR_FAILED, "OpenGL has no room for a mesh of %.1f MB: choose another isovalue",
                   (double)all * 1e-6);
}

/* Takes new buffers in place of the old, which stay on error. */
static int replace_buffers(struct mesh *mesh, const uint64_t bytes[MESH_BUFFERS], struct err *err)
{
    unsigned buffer[MESH_BUFFERS];
    struct mesh_cuda *cuda = NULL;
    int code = make_buffers(mesh, buffer, bytes, err);
    if (!code && mesh->exec->backend == BACKEND_CUDA) code = open_cuda(mesh, &cuda, buffer, bytes, err);
    if (code) {
        drop_buffers(buffer);
        return code;
    }
    mesh_cuda_close(mesh->cuda);
    mesh->cuda = cuda;
    glDeleteBuffers(MESH_BUFFERS, mesh->buffer);
    memcpy(mesh->buffer, buffer, sizeof buffer);
    memcpy(mesh->bytes, bytes, sizeof mesh->bytes);
    mesh_settle(mesh, 0, 0);
    mesh->version++;
    glVertexArrayVertexBuffer(mesh->array, 0, buffer[MESH_VERTICES], 0, sizeof(struct vertex));
    glVertexArrayElementBuffer(mesh->array, buffer[MESH_INDICES]);
    return ERR_NONE;
}

int mesh_reserve(struct mesh *mesh, uint64_t vertices, uint64_t triangles, struct err *err)
{
    const uint64_t need[MESH_BUFFERS] = { vertices * sizeof(struct vertex), triangles * 3 * sizeof(uint32_t),
                                          sizeof(struct draw_command) };
    uint64_t roomy[MESH_BUFFERS], tight[MESH_BUFFERS];
    bool grow = !mesh->buffer[0];
    for (int i = 0; i < MESH_BUFFERS; i++) {
        const uint64_t kept = mesh->bytes[i] ? mesh->bytes[i] : 4096; /* OpenGL knows no empty storage */
        const bool more = need[i] > kept;
        roomy[i] = more ? need[i] + need[i] / 4 : kept; /* a slider moves in small steps: the next few shall fit */
        tight[i] = more ? need[i] : kept;
        grow = grow || more;
    }
    if (!grow || !replace_buffers(mesh, roomy, NULL)) return ERR_NONE;
    return replace_buffers(mesh, tight, err);
}

/* Where sharing breaks off, as when the window moves to another card, the mesh goes through the host from then on. */
static int map_cuda(struct mesh *mesh, void *memory[MESH_BUFFERS], struct err *err)
{
    int code = mesh->cuda ? mesh_cuda_map(mesh->cuda, memory) : 0;
    if (code && mesh->way == MESH_SHARED) {
        mesh_cuda_close(mesh->cuda);
        mesh->cuda = NULL;
        go_staged(mesh, mesh_cuda_explain(code));
    }
    if (!mesh->cuda) {
        code = mesh_cuda_open(&mesh->cuda, mesh->exec, false, mesh->buffer, mesh->bytes);
        if (!code) code = mesh_cuda_map(mesh->cuda, memory);
    }
    return code ? fail_cuda(code, mesh->bytes[0] + mesh->bytes[1], "CUDA cannot reach the mesh", err) : ERR_NONE;
}

static int map_host(struct mesh *mesh, void *memory[MESH_BUFFERS], struct err *err)
{
    for (int i = 0; i < MESH_BUFFERS; i++)
        memory[i] = glMapNamedBufferRange(mesh->buffer[i], 0, (GLsizeiptr)mesh->bytes[i], GL_MAP_WRITE_BIT);
    if (memory[MESH_VERTICES] && memory[MESH_INDICES]) return ERR_NONE;
    for (int i = 0; i < MESH_BUFFERS; i++)
        if (memory[i]) glUnmapNamedBuffer(mesh->buffer[i]);
    return err_set(err, ERR_FAILED, "OpenGL cannot map a mesh of %.1f MB",
                   (double)(mesh->bytes[0] + mesh->bytes[1]) * 1e-6);
}

int mesh_map(struct mesh *mesh, struct mesh_buffers *out, struct err *err)
{
    void *memory[MESH_BUFFERS] = { NULL };
    if (mesh->exec->backend == BACKEND_CUDA ? map_cuda(mesh, memory, err) : map_host(mesh, memory, err)) return ERR_FAILED;
    mesh_settle(mesh, 0, 0);
    mesh->version++;
    mesh->command = mesh->way == MESH_SHARED ? memory[MESH_COMMAND] : NULL;
    *out = (struct mesh_buffers){ { memory[MESH_VERTICES], memory[MESH_INDICES] },
                                  mesh->bytes[MESH_VERTICES] / sizeof(struct vertex),
                                  mesh->bytes[MESH_INDICES] / (3 * sizeof(uint32_t)) };
    return ERR_NONE;
}

static int unmap_cuda(struct mesh *mesh, const uint64_t bytes[MESH_BUFFERS], struct err *err)
{
    const int code = mesh_cuda_unmap(mesh->cuda, bytes);
    mesh->command = NULL;
    return code ? fail_cuda(code, bytes[0] + bytes[1], "the mesh did not reach OpenGL", err) : ERR_NONE;
}

static int unmap_host(struct mesh *mesh, bool written, struct err *err)
{
    bool whole = true; /* or the memory was lost meanwhile, as after a mode switch */
    for (int i = 0; i < MESH_BUFFERS; i++) whole = glUnmapNamedBuffer(mesh->buffer[i]) && whole;
    if (whole || !written) return ERR_NONE;
    return err_set(err, ERR_FAILED, "OpenGL lost the mesh while it was written; choose the value again");
}

int mesh_unmap(struct mesh *mesh, uint64_t vertices, uint64_t triangles, struct err *err)
{
    const uint64_t bytes[MESH_BUFFERS] = { vertices * sizeof(struct vertex), triangles * 3 * sizeof(uint32_t), 0 };
    const int code = mesh->cuda ? unmap_cuda(mesh, bytes, err) : unmap_host(mesh, triangles > 0, err);
    mesh_settle(mesh, code ? 0 : vertices, code ? 0 : triangles);
    return code;
}

int mesh_queue(struct mesh *mesh, struct err *err)
{
    const uint64_t bytes[MESH_BUFFERS] = { 0, 0, 0 };
    const int code = unmap_cuda(mesh, bytes, err);
    mesh->queued = !code;
    return code;
}

void mesh_settle(struct mesh *mesh, uint64_t vertices, uint64_t triangles)
{
    mesh->vertices = vertices;
    mesh->triangles = triangles;
    mesh->queued = false;
}

/* Shared or staged, it is on the device already. */
static int fetch_cuda(struct mesh *mesh, const struct backend_ops *ops, const struct mesh_out *to, struct err *err)
{
    const uint64_t none[MESH_BUFFERS] = { 0, 0, 0 }; /* nothing was written */
    const uint64_t vertex_bytes = mesh->vertices * sizeof(struct vertex);
    const uint64_t index_bytes = mesh->triangles * 3 * sizeof(uint32_t);
    void *memory[MESH_BUFFERS];
    int code = mesh_cuda_map_to_read(mesh->cuda, memory);
    if (code) return fail_cuda(code, vertex_bytes + index_bytes, "CUDA cannot read the mesh", err);
    code = ops->copy(to->vertices, memory[MESH_VERTICES], vertex_bytes, mesh->exec);
    if (!code) code = ops->copy(to->indices, memory[MESH_INDICES], index_bytes, mesh->exec);
    const int unmapped = mesh_cuda_unmap(mesh->cuda, none);
    if (!code) code = unmapped;
    return code ? fail_cuda(code, vertex_bytes + index_bytes, "CUDA cannot read the mesh", err) : ERR_NONE;
}

int mesh_fetch(struct mesh *mesh, const struct backend_ops *ops, const struct mesh_out *to, struct err *err)
{
    if (!mesh->triangles) return ERR_NONE;
    if (mesh->cuda) return fetch_cuda(mesh, ops, to, err);
    const GLsizeiptr vertex_bytes = (GLsizeiptr)(mesh->vertices * sizeof(struct vertex));
    const GLsizeiptr index_bytes = (GLsizeiptr)(mesh->triangles * 3 * sizeof(uint32_t));
    gl_forget_errors();
    glGetNamedBufferSubData(mesh->buffer[MESH_VERTICES], 0, vertex_bytes, to->vertices);
    glGetNamedBufferSubData(mesh->buffer[MESH_INDICES], 0, index_bytes, to->indices);
    if (glGetError() == GL_NO_ERROR) return ERR_NONE;
    return err_set(err, ERR_FAILED, "OpenGL does not give a mesh of %.1f MB back",
                   (double)(mesh->bytes[0] + mesh->bytes[1]) * 1e-6);
}

void mesh_share_vertices(struct mesh *mesh, const struct mesh *with)
{
    glVertexArrayVertexBuffer(mesh->array, 0, with->buffer[MESH_VERTICES], 0, sizeof(struct vertex));
}

void mesh_draw(const struct mesh *mesh)
{
    glBindVertexArray(mesh->array);
    if (mesh->queued) {
        glBindBuffer(GL_DRAW_INDIRECT_BUFFER, mesh->buffer[MESH_COMMAND]);
        glDrawElementsIndirect(GL_TRIANGLES, GL_UNSIGNED_INT, NULL);
        glBindBuffer(GL_DRAW_INDIRECT_BUFFER, 0);
        return;
    }
    const uint64_t indices = mesh->triangles * 3;
    for (uint64_t at = 0; at < indices; at += DRAW_INDICES) {
        const uint64_t count = indices - at < DRAW_INDICES ? indices - at : DRAW_INDICES;
        glDrawElements(GL_TRIANGLES, (GLsizei)count, GL_UNSIGNED_INT, (const void *)(uintptr_t)(at * sizeof(uint32_t)));
    }
}
