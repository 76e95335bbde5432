#include "mesh.h"

#include <stdlib.h>
#include <string.h>

struct store {
    void *memory[MESH_BUFFERS];
    const struct vertex *vertices; /* to draw: in `memory`, or of another mesh */
};

static const struct backend_ops *ops_of(const struct mesh *mesh) { return backends[mesh->exec->backend]; }

static void free_store(const struct backend_ops *ops, struct store *store)
{
    for (int i = 0; store && i < MESH_BUFFERS; i++) ops->free(store->memory[i]);
    free(store);
}

static int no_device(void) { return -1; }

static int memory_grow(struct mesh *mesh, const uint64_t bytes[MESH_BUFFERS], enum mesh_way way, struct err *err)
{
    struct store *store = calloc(1, sizeof *store);
    int code = 0;
    (void)way;
    for (int i = 0; store && i < MESH_BUFFERS && !code; i++) code = ops_of(mesh)->alloc(&store->memory[i], bytes[i]);
    if (!store || code) {
        free_store(ops_of(mesh), store);
        err_set(err, ERR_FAILED, "not enough memory for a mesh of %.1f MB",
                (double)(bytes[MESH_VERTICES] + bytes[MESH_INDICES]) * 1e-6);
        err_advise(err, "choose another isovalue");
        return err_blame(err, ERR_FAILED, CAUSE_MEMORY);
    }
    free_store(ops_of(mesh), mesh->store);
    store->vertices = store->memory[MESH_VERTICES];
    mesh->store = store;
    return ERR_NONE;
}

static int memory_map(struct mesh *mesh, void *memory[MESH_BUFFERS], struct err *err)
{
    const struct store *store = mesh->store;
    (void)err;
    memcpy(memory, store->memory, sizeof store->memory);
    return ERR_NONE;
}

static int memory_unmap(struct mesh *mesh, const uint64_t bytes[MESH_BUFFERS], struct err *err)
{
    (void)mesh, (void)bytes, (void)err;
    return ERR_NONE;
}

static int memory_fetch(struct mesh *mesh, const struct mesh_out *to, struct err *err)
{
    const struct backend_ops *ops = ops_of(mesh);
    const struct mesh_out from = mesh_memory_of(mesh);
    int code = ops->copy(to->vertices, from.vertices, mesh->vertices * sizeof *from.vertices, mesh->exec);
    if (!code) code = ops->copy(to->indices, from.indices, 3 * mesh->triangles * sizeof *from.indices, mesh->exec);
    if (!code) return ERR_NONE;
    err_set(err, ERR_FAILED, "the mesh cannot be read: %s", ops->explain(code));
    return err_blame(err, ERR_FAILED, CAUSE_BACKEND);
}

static void memory_share_vertices(struct mesh *mesh, const struct mesh *with)
{
    ((struct store *)mesh->store)->vertices = ((const struct store *)with->store)->memory[MESH_VERTICES];
}

static void memory_close(struct mesh *mesh) { free_store(ops_of(mesh), mesh->store); }

struct mesh_out mesh_memory_of(const struct mesh *mesh)
{
    const struct store *store = mesh->store;
    if (!store) return (struct mesh_out){ NULL, NULL };
    return (struct mesh_out){ (struct vertex *)store->vertices, store->memory[MESH_INDICES] };
}

const struct mesh_target mesh_memory = {
    .mapped = "mapped: the CPU writes into plain memory",
    .shared = "shared: CUDA writes into its own memory",
    .device = no_device,
    .grow = memory_grow,
    .map = memory_map,
    .unmap = memory_unmap,
    .fetch = memory_fetch,
    .share_vertices = memory_share_vertices,
    .close = memory_close,
};
