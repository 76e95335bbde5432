/* A mesh in host memory, for files, reports and tests. */
#ifndef ISO_MESH_HOST_H
#define ISO_MESH_HOST_H

#include "error.h"
#include "kernels/grid.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mesh;

struct mesh_host {           /* zero is an empty one */
    struct vertex *vertices; /* vertex_count of them, owned */
    uint32_t *indices;       /* 3 per triangle, owned */
    uint64_t vertex_count, triangle_count;
};

/* Returns the vertex at the corner that follows corner i in its triangle. */
static inline uint32_t mesh_host_next(const struct mesh_host *mesh, uint64_t i)
{
    return mesh->indices[i % 3 == 2 ? i - 2 : i + 1];
}

/* Checks that 32 bits can number so many vertices and triangles. `what` begins the message. Error: ERR_FAILED, with
 * `advice`. */
int mesh_host_check(const char *what, uint64_t vertices, uint64_t triangles, const char *advice, struct err *err);

/* Allocates a mesh of that size, uninitialised; nothing if there are no vertices. Error: ERR_FAILED, and the mesh is
 * empty. */
int mesh_host_alloc(struct mesh_host *mesh, uint64_t vertices, uint64_t triangles, struct err *err);

/* Frees the mesh; it is then empty. */
void mesh_host_free(struct mesh_host *mesh);

/* Removes the vertices that no triangle uses; the others keep their order. number: scratch, one word per vertex. */
void mesh_host_drop_unused(struct mesh_host *mesh, uint32_t *number);

/* Makes `to` hold a copy of `from`. Error: ERR_FAILED. */
int mesh_host_copy(const struct mesh_host *from, struct mesh *to, struct err *err);

/* Allocates `soup`: the triangles of `mesh`, each with its own three vertices. Error: ERR_FAILED, and `soup` is empty. */
int mesh_host_soup(const struct mesh_host *mesh, struct mesh_host *soup, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
