#include "mesh.h"
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
    glCreateVertexArrays(1, &mesh->array);
    glEnableVertexArrayAttrib(mesh->array, ATTRIBUTE_POSITION);
    glVertexArrayAttribFormat(mesh->array, ATTRIBUTE_POSITION, 3, GL_FLOAT, GL_FALSE, 0);
    glVertexArrayAttribBinding(mesh->array, ATTRIBUTE_POSITION, 0);
    glEnableVertexArrayAttrib(mesh->array, ATTRIBUTE_NORMAL);
    glVertexArrayAttribFormat(mesh->array, ATTRIBUTE_NORMAL, 4, GL_INT_2_10_10_10_REV, GL_TRUE,
                              offsetof(struct vertex, normal));
    glVertexArrayAttribBinding(mesh->array, ATTRIBUTE_NORMAL, 0);

    if (exec->backend != BACKEND_CUDA) {
        mesh->way = MESH_MAPPED;
        snprintf(mesh->why, sizeof mesh->why, "mapped: the CPU writes into OpenGL's buffers");
        return;
    }
    mesh->way = no_sharing ? MESH_STAGED : MESH_SHARED;
    snprintf(mesh->why, sizeof mesh->why, no_sharing ? "staged through pinned memory: asked for"
                                                     : "shared: CUDA writes into OpenGL's buffers");
}

void mesh_close(struct mesh *mesh)
{
    mesh_cuda_close(mesh->cuda); /* lets go of the buffers before they are deleted */
    if (mesh->array) {
        glDeleteVertexArrays(1, &mesh->array);
        glDeleteBuffers(MESH_BUFFERS, mesh->buffer);
    }
    memset(mesh, 0, sizeof *mesh);
}

/* Hands new buffers to CUDA: shared if that works, else staged from now on. */
static int open_cuda(struct mesh *mesh, struct mesh_cuda **cuda, const unsigned buffer[MESH_BUFFERS],
                     const uint64_t bytes[MESH_BUFFERS], struct err *err)
{
    if (mesh->way == MESH_SHARED) {
        const int code = mesh_cuda_open(cuda, mesh->exec, true, buffer, bytes);
        if (!code) return ERR_NONE;
        mesh->way = MESH_STAGED;
        snprintf(mesh->why, sizeof mesh->why, "staged through pinned memory: %s",
                 mesh_cuda_device() < 0 ? "OpenGL does not run on the CUDA device" : mesh_cuda_explain(code));
    }
    const int code = mesh_cuda_open(cuda, mesh->exec, false, buffer, bytes);
    if (!code) return ERR_NONE;
    return err_set(err, ERR_FAILED, "no room for a mesh of %.0f MB in CUDA: %s",
                   (double)(bytes[0] + bytes[1]) * 1e-6, mesh_cuda_explain(code));
}

int mesh_reserve(struct mesh *mesh, uint64_t vertices, uint64_t triangles, struct err *err)
{
    const uint64_t need[MESH_BUFFERS] = { vertices * sizeof(struct vertex), triangles * 3 * sizeof(uint32_t) };
    uint64_t bytes[MESH_BUFFERS];
    bool grow = !mesh->buffer[0];
    for (int i = 0; i < MESH_BUFFERS; i++) {
        bytes[i] = mesh->bytes[i];
        if (need[i] <= bytes[i]) continue;
        bytes[i] = need[i] + need[i] / 4; /* a slider moves in small steps: the next few shall fit */
        grow = true;
    }
    if (!grow) return ERR_NONE;

    GLuint buffer[MESH_BUFFERS];
    while (glGetError() != GL_NO_ERROR) {} /* so that what comes next is about these buffers */
    glCreateBuffers(MESH_BUFFERS, buffer);
    for (int i = 0; i < MESH_BUFFERS; i++) {
        if (!bytes[i]) bytes[i] = 4096; /* OpenGL knows no empty storage */
        glNamedBufferStorage(buffer[i], (GLsizeiptr)bytes[i], NULL, GL_MAP_WRITE_BIT | GL_DYNAMIC_STORAGE_BIT);
    }
    int code = ERR_NONE;
    if (glGetError() != GL_NO_ERROR)
        code = err_set(err, ERR_FAILED, "OpenGL has no room for a mesh of %.0f MB (%llu triangles)",
                       (double)(bytes[0] + bytes[1]) * 1e-6, (unsigned long long)triangles);
    struct mesh_cuda *cuda = NULL;
    if (!code && mesh->exec->backend == BACKEND_CUDA) code = open_cuda(mesh, &cuda, buffer, bytes, err);
    if (code) {
        glDeleteBuffers(MESH_BUFFERS, buffer);
        return code;
    }
    mesh_cuda_close(mesh->cuda);
    mesh->cuda = cuda;
    glDeleteBuffers(MESH_BUFFERS, mesh->buffer);
    memcpy(mesh->buffer, buffer, sizeof buffer);
    memcpy(mesh->bytes, bytes, sizeof bytes);
    mesh->vertices = mesh->triangles = 0;
    glVertexArrayVertexBuffer(mesh->array, 0, buffer[MESH_VERTICES], 0, sizeof(struct vertex));
    glVertexArrayElementBuffer(mesh->array, buffer[MESH_INDICES]);
    return ERR_NONE;
}

int mesh_map(struct mesh *mesh, struct mesh_room *room, struct err *err)
{
    void *memory[MESH_BUFFERS];
    mesh->vertices = mesh->triangles = 0;
    if (mesh->cuda) {
        const int code = mesh_cuda_map(mesh->cuda, memory);
        if (code) return err_set(err, ERR_FAILED, "CUDA cannot reach OpenGL's buffers: %s", mesh_cuda_explain(code));
    } else {
        for (int i = 0; i < MESH_BUFFERS; i++)
            memory[i] = glMapNamedBufferRange(mesh->buffer[i], 0, (GLsizeiptr)mesh->bytes[i], GL_MAP_WRITE_BIT);
        if (!memory[MESH_VERTICES] || !memory[MESH_INDICES]) {
            mesh_unmap(mesh, 0, 0, NULL);
            return err_set(err, ERR_FAILED, "OpenGL cannot map a mesh of %.0f MB",
                           (double)(mesh->bytes[0] + mesh->bytes[1]) * 1e-6);
        }
    }
    *room = (struct mesh_room){ { memory[MESH_VERTICES], memory[MESH_INDICES] },
                                mesh->bytes[MESH_VERTICES] / sizeof(struct vertex),
                                mesh->bytes[MESH_INDICES] / (3 * sizeof(uint32_t)) };
    return ERR_NONE;
}

int mesh_unmap(struct mesh *mesh, uint64_t vertices, uint64_t triangles, struct err *err)
{
    int code = ERR_NONE;
    if (mesh->cuda) {
        const uint64_t bytes[MESH_BUFFERS] = { vertices * sizeof(struct vertex), triangles * 3 * sizeof(uint32_t) };
        const int cuda = mesh_cuda_unmap(mesh->cuda, bytes);
        if (cuda) code = err_set(err, ERR_FAILED, "the mesh did not reach OpenGL: %s", mesh_cuda_explain(cuda));
    } else {
        for (int i = 0; i < MESH_BUFFERS; i++) /* false: the memory was lost meanwhile, as after a mode switch */
            if (!glUnmapNamedBuffer(mesh->buffer[i]) && triangles)
                code = err_set(err, ERR_FAILED, "OpenGL lost the mesh while it was written; choose the value again");
    }
    mesh->vertices = code ? 0 : vertices;
    mesh->triangles = code ? 0 : triangles;
    return code;
}

void mesh_draw(const struct mesh *mesh)
{
    glBindVertexArray(mesh->array);
    const uint64_t indices = mesh->triangles * 3;
    for (uint64_t at = 0; at < indices; at += DRAW_INDICES) {
        const uint64_t count = indices - at < DRAW_INDICES ? indices - at : DRAW_INDICES;
        glDrawElements(GL_TRIANGLES, (GLsizei)count, GL_UNSIGNED_INT, (const void *)(uintptr_t)(at * sizeof(uint32_t)));
    }
}
