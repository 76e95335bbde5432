/* The mesh in host memory, and the voxels that it is made from. */
#include "iso.h"

#include <stdlib.h>

int iso_download_mesh(struct iso *iso, const struct mesh_out *from, const struct mesh_host *to, struct err *err)
{
    int code = iso->ops->download(to->vertices, from->vertices, to->vertex_count * sizeof *to->vertices, &iso->exec);
    if (!code) code = iso->ops->download(to->indices, from->indices, 12 * to->triangle_count, &iso->exec);
    return code ? iso_fail(iso, code, "downloading the mesh", err) : ERR_NONE;
}

int iso_emit_host(struct iso *iso, const struct mesh_host *mesh, struct err *err)
{
    const bool there = iso->exec.backend != BACKEND_CPU;
    struct buffer buffer = { NULL, 0 };
    struct mesh_buffers out = { { mesh->vertices, mesh->indices }, mesh->vertex_count, mesh->triangle_count };
    bool fits;
    if (there && iso_reserve_mesh(iso, &buffer, &out, err)) return ERR_FAILED;
    int failed = iso->fusing ? iso_fuse(iso, iso->value, &out, &fits, err) : iso_emit(iso, &out.mesh, err);
    if (!failed && there) failed = iso_download_mesh(iso, &out.mesh, mesh, err);
    buffer_release(&buffer, iso->ops);
    return failed;
}

/* An ordered fused rung counts without memory for the mesh, and then writes the mesh into exactly enough memory. */
int iso_count_host(struct iso *iso, float value, struct err *err)
{
    const struct mesh_buffers none = { { NULL, NULL }, 0, 0 };
    bool fits;
    return iso_is_fused(iso) && iso_is_ordered(iso) ? iso_fuse(iso, value, &none, &fits, err) : iso_count(iso, value, err);
}

int iso_mesh_host(struct iso *iso, struct mesh_host *mesh, struct err *err)
{
    if (mesh_host_alloc(mesh, iso->counts.vertices, iso->counts.triangles, err)) return ERR_FAILED;
    const int failed = mesh->vertex_count ? iso_emit_host(iso, mesh, err) : ERR_NONE;
    if (failed) mesh_host_free(mesh);
    return failed;
}

int iso_extract(struct iso *iso, float value, struct mesh_host *mesh, struct err *err)
{
    *mesh = (struct mesh_host){ NULL, NULL, 0, 0 };
    const int code = iso_count_host(iso, value, err);
    return code ? code : iso_mesh_host(iso, mesh, err);
}

uint64_t iso_inside_host(const struct grid *grid, float value)
{
    uint64_t inside = 0;
    for (size_t i = 0, n = grid_voxels(grid); i < n; i++) inside += grid_value(grid, i) >= value;
    return inside;
}

int iso_voxels_host(struct iso *iso, const struct grid *host, struct grid *grid, void **copy, struct err *err)
{
    *copy = NULL;
    *grid = iso->grid;
    if (!(iso->sigma > 0)) grid->voxels = host->voxels;
    if (!(iso->sigma > 0) || iso->exec.backend == BACKEND_CPU) return ERR_NONE;
    const size_t bytes = grid_bytes(grid);
    *copy = bytes <= backend_cpu.memory_free() ? malloc(bytes) : NULL;
    if (!*copy)
        return err_set(err, ERR_FAILED, "not enough memory for the smoothed voxels (%.1f MiB)", (double)bytes / 1048576);
    const int code = iso->ops->download(*copy, grid->voxels, bytes, &iso->exec);
    grid->voxels = *copy;
    if (!code) return ERR_NONE;
    free(*copy);
    *copy = NULL;
    return iso_fail(iso, code, "downloading the smoothed voxels", err);
}
