#include "simplify.h"

#include "trace.h"
#include "kernels/backend.h"

#include <float.h>
#include <math.h>
#include <meshoptimizer.h>
#include <stdlib.h>
#include <string.h>

/* What meshopt_simplify and this file allocate, at most: positions, quadrics and maps; adjacency and collapses. The library
 * ends the program if it gets no memory, so it is asked for before. */
enum { VERTEX_BYTES = 128, TRIANGLE_BYTES = 128 };

/* Distances must be the world's: voxels may be longer than wide. */
static void place(float *position, const struct mesh_host *mesh, const struct volume *v)
{
    for (uint64_t i = 0; i < mesh->vertex_count; i++) {
        const struct vertex *p = &mesh->vertices[i];
        for (int r = 0; r < 3; r++)
            position[3 * i + (uint64_t)r] = (float)(v->direction[r][0] * (double)p->x + v->direction[r][1] * (double)p->y +
                                                    v->direction[r][2] * (double)p->z);
    }
}

/* Leaves out the vertices that no triangle uses; the others keep their order. `number` has room for one per vertex. */
static void drop_unused(struct mesh_host *mesh, uint32_t *number)
{
    const uint64_t corners = 3 * mesh->triangle_count;
    uint32_t used = 0;
    memset(number, 0, mesh->vertex_count * sizeof *number);
    for (uint64_t i = 0; i < corners; i++) number[mesh->indices[i]] = 1;
    for (uint64_t v = 0; v < mesh->vertex_count; v++)
        if (number[v]) mesh->vertices[used] = mesh->vertices[v], number[v] = used++;
    for (uint64_t i = 0; i < corners; i++) mesh->indices[i] = number[mesh->indices[i]];
    mesh->vertex_count = used;
}

/* Gives back the memory behind the mesh's end; that may fail without harm. */
static void shrink(struct mesh_host *mesh)
{
    void *vertices = realloc(mesh->vertices, mesh->vertex_count * sizeof *mesh->vertices);
    void *indices = realloc(mesh->indices, 3 * mesh->triangle_count * sizeof *mesh->indices);
    if (vertices) mesh->vertices = vertices;
    if (indices) mesh->indices = indices;
}

static void simplify(struct mesh_host *mesh, const float *position, double keep, double most, double *error)
{
    const size_t stride = 3 * sizeof(float), vertices = (size_t)mesh->vertex_count;
    const uint64_t wanted = 3 * (uint64_t)(keep * (double)mesh->triangle_count);
    const float scale = meshopt_simplifyScale(position, vertices, stride);
    const float limit = keep > 0 ? FLT_MAX : (float)fmin(FLT_MAX, most / (double)scale);
    float relative = 0;
    trace_push("simplify", NULL);
    mesh->triangle_count = meshopt_simplify(mesh->indices, mesh->indices, 3 * mesh->triangle_count, position, vertices,
                                            stride, wanted, limit, meshopt_SimplifyLockBorder, &relative) /
                           3;
    trace_pop();
    *error = (double)relative * (double)scale;
}

int simplify_mesh(struct mesh_host *mesh, const struct volume *volume, double keep, double most, double *error,
                  struct err *err)
{
    const uint64_t vertices = mesh->vertex_count;
    const uint64_t bytes = VERTEX_BYTES * vertices + TRIANGLE_BYTES * mesh->triangle_count;
    *error = 0;
    if (!vertices) return ERR_NONE;
    float *position = bytes <= backend_cpu.memory_free() ? malloc(3 * vertices * sizeof *position) : NULL;
    if (!position) return err_set(err, ERR_FAILED, "no memory to simplify the mesh (%.1f MiB)", (double)bytes / 1048576);
    place(position, mesh, volume);
    simplify(mesh, position, keep, most, error);
    if (mesh->triangle_count) {
        drop_unused(mesh, (uint32_t *)position);
        shrink(mesh);
    } else mesh_host_free(mesh);
    free(position);
    return ERR_NONE;
}
