/* The mesh in host memory. */
#include "iso.h"

/* The mesh of the last count into `mesh`, by way of the backend's memory if that is not the host's. */
static int emit_to_host(struct iso *iso, const struct mesh_host *mesh, struct err *err)
{
    const struct mesh_out host = { mesh->vertices, mesh->indices };
    struct buffer buffer = { NULL, 0 };
    struct mesh_buffers there;
    if (iso->exec.backend == BACKEND_CPU) return iso_emit(iso, &host, err);
    if (iso_reserve_mesh(iso, &buffer, &there, err)) return ERR_FAILED;
    int failed = iso_emit(iso, &there.mesh, err);
    if (!failed) {
        const size_t vertex_bytes = mesh->vertex_count * sizeof *mesh->vertices, index_bytes = 12 * mesh->triangle_count;
        int code = iso->ops->download(mesh->vertices, there.mesh.vertices, vertex_bytes, &iso->exec);
        if (!code) code = iso->ops->download(mesh->indices, there.mesh.indices, index_bytes, &iso->exec);
        if (code) failed = iso_fail(iso, code, "downloading the mesh", err);
    }
    buffer_release(&buffer, iso->ops);
    return failed;
}

int iso_mesh_host(struct iso *iso, struct mesh_host *mesh, struct err *err)
{
    if (mesh_host_alloc(mesh, iso->counts.vertices, iso->counts.triangles, err)) return ERR_FAILED;
    if (!mesh->vertex_count) return ERR_NONE;
    const int failed = emit_to_host(iso, mesh, err);
    if (failed) mesh_host_free(mesh);
    return failed;
}

/* Counts by writing into no memory, then writes into exactly enough. */
static int fuse_to_host(struct iso *iso, float value, struct mesh_host *mesh, struct err *err)
{
    const struct mesh_buffers none = { { NULL, NULL }, 0, 0 };
    bool fits = false;
    if (iso_fuse(iso, value, &none, &fits, err) || mesh_host_alloc(mesh, iso->counts.vertices, iso->counts.triangles, err))
        return err->code;
    const struct mesh_buffers out = { { mesh->vertices, mesh->indices }, mesh->vertex_count, mesh->triangle_count };
    const int failed = fits ? ERR_NONE : iso_fuse(iso, value, &out, &fits, err);
    if (failed) mesh_host_free(mesh);
    return failed;
}

int iso_extract(struct iso *iso, float value, struct mesh_host *mesh, struct err *err)
{
    *mesh = (struct mesh_host){ NULL, NULL, 0, 0 };
    if (iso->exec.backend == BACKEND_CPU && iso_is_fused(iso) && iso_is_ordered(iso))
        return fuse_to_host(iso, value, mesh, err);
    if (iso_count(iso, value, err)) return err->code;
    return iso_mesh_host(iso, mesh, err);
}
