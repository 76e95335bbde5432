#include "mesh_host.h"

#include "kernels/backend.h"
#include "kernels/host_memory.h"
#include "mesh.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int mesh_host_check(const char *what, uint64_t vertices, uint64_t triangles, const char *advice, struct err *err)
{
    if (vertices <= UINT32_MAX && triangles <= UINT32_MAX) return ERR_NONE;
    err_set(err, ERR_FAILED, "%s %" PRIu64 " vertices and %" PRIu64 " triangles, more than 32-bit indices allow", what,
            vertices, triangles);
    err_advise(err, "%s", advice);
    return ERR_FAILED;
}

int mesh_host_alloc(struct mesh_host *mesh, uint64_t vertices, uint64_t triangles, struct err *err)
{
    *mesh = (struct mesh_host){ NULL, NULL, vertices, triangles };
    if (!vertices) return ERR_NONE;
    const uint64_t bytes = vertices * sizeof(struct vertex) + 3 * triangles * sizeof(uint32_t);
    if (bytes <= backend_cpu.memory_free()) { /* check first: malloc may promise more than there is */
        mesh->vertices = host_memory_alloc(vertices * sizeof(struct vertex));
        mesh->indices = host_memory_alloc(3 * triangles * sizeof(uint32_t));
    }
    if (mesh->vertices && mesh->indices) return ERR_NONE;
    mesh_host_free(mesh);
    return err_set(err, ERR_FAILED, "not enough memory for the mesh (%.1f MiB)", (double)bytes / 1048576.0);
}

void mesh_host_free(struct mesh_host *mesh)
{
    free(mesh->vertices);
    free(mesh->indices);
    *mesh = (struct mesh_host){ NULL, NULL, 0, 0 };
}

int mesh_host_copy(const struct mesh_host *from, struct mesh *to, struct err *err)
{
    struct mesh_buffers out;
    mesh_clear(to);
    if (!from->triangle_count) return ERR_NONE;
    if (mesh_reserve(to, from->vertex_count, from->triangle_count, err) || mesh_map(to, &out, err)) return ERR_FAILED;
    memcpy(out.mesh.vertices, from->vertices, from->vertex_count * sizeof *from->vertices);
    memcpy(out.mesh.indices, from->indices, from->triangle_count * 3 * sizeof *from->indices);
    return mesh_unmap(to, from->vertex_count, from->triangle_count, err);
}

int mesh_host_soup(const struct mesh_host *mesh, struct mesh_host *soup, struct err *err)
{
    const uint64_t corners = 3 * mesh->triangle_count;
    if (mesh_host_alloc(soup, corners, mesh->triangle_count, err)) return ERR_FAILED;
    for (uint64_t i = 0; i < corners; i++) {
        soup->vertices[i] = mesh->vertices[mesh->indices[i]];
        soup->indices[i] = (uint32_t)i;
    }
    return ERR_NONE;
}

void mesh_host_drop_unused(struct mesh_host *mesh, uint32_t *number)
{
    uint32_t used = 0;
    memset(number, 0, mesh->vertex_count * sizeof *number);
    for (uint64_t i = 0; i < 3 * mesh->triangle_count; i++) number[mesh->indices[i]] = 1;
    for (uint64_t v = 0; v < mesh->vertex_count; v++)
        if (number[v]) mesh->vertices[used] = mesh->vertices[v], number[v] = used++;
    for (uint64_t i = 0; i < 3 * mesh->triangle_count; i++) mesh->indices[i] = number[mesh->indices[i]];
    mesh->vertex_count = used;
}
