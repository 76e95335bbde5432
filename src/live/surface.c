#include "surface.h"

#include "timing.h"

/* Maps, lets the pipeline write, unmaps. *fits false: there was too little room, and the mesh is empty. */
static int write_mapped(struct mesh *mesh, struct iso *iso, float value, bool *fits, double *map_ms, struct err *err)
{
    struct mesh_buffers out;
    double since = timing_ms();
    if (mesh_map(mesh, &out, err)) return ERR_FAILED;
    *map_ms += timing_ms() - since;
    *fits = true;
    const int code = iso_is_fused(iso) ? iso_fuse(iso, value, &out, fits, err) : iso_emit(iso, &out.mesh, err);
    const bool written = !code && *fits;
    since = timing_ms();
    const int unmapped = mesh_unmap(mesh, written ? iso->counts.vertices : 0, written ? iso->counts.triangles : 0,
                                    code ? NULL : err);
    *map_ms += timing_ms() - since;
    return code ? code : unmapped;
}

static int reserve(struct mesh *mesh, const struct iso *iso, double *map_ms, struct err *err)
{
    const double since = timing_ms();
    const int code = mesh_reserve(mesh, iso->counts.vertices, iso->counts.triangles, err);
    *map_ms += timing_ms() - since;
    return code;
}

/* Counts, makes room, writes. */
static int update_staged(struct mesh *mesh, struct iso *iso, float value, double *map_ms, struct err *err)
{
    bool fits;
    const int code = iso_count(iso, value, err);
    if (code) return code;
    if (!iso->counts.triangles) {
        mesh_clear(mesh);
        return ERR_NONE;
    }
    if (reserve(mesh, iso, map_ms, err)) return ERR_FAILED;
    return write_mapped(mesh, iso, value, &fits, map_ms, err);
}

/* Writes into the existing room; if that is too small, makes room and writes again. */
static int update_fused(struct mesh *mesh, struct iso *iso, float value, double *map_ms, struct err *err)
{
    const struct mesh_buffers none = { { NULL, NULL }, 0, 0 }; /* before the first surface: only counts */
    bool fits = false;
    const int code = mesh->bytes[MESH_VERTICES] ? write_mapped(mesh, iso, value, &fits, map_ms, err)
                                                : iso_fuse(iso, value, &none, &fits, err);
    if (code || fits) return code;
    if (reserve(mesh, iso, map_ms, err)) return ERR_FAILED;
    return write_mapped(mesh, iso, value, &fits, map_ms, err);
}

int surface_update(struct mesh *mesh, struct iso *iso, float value, double *map_ms, struct err *err)
{
    *map_ms = 0;
    return (iso_is_fused(iso) ? update_fused : update_staged)(mesh, iso, value, map_ms, err);
}

int surface_begin(struct mesh *mesh, struct iso *iso, float value, double *map_ms, struct err *err)
{
    struct mesh_buffers out;
    if (!iso_is_fused(iso) || mesh->way != MESH_SHARED || !mesh->bytes[MESH_VERTICES])
        return surface_update(mesh, iso, value, map_ms, err);
    double since = timing_ms();
    if (mesh_map(mesh, &out, err)) return ERR_FAILED;
    *map_ms = timing_ms() - since;
    const int code = iso_fuse_begin(iso, value, &out, mesh->command, err);
    since = timing_ms();
    const int unmapped = code || !mesh->command ? mesh_unmap(mesh, 0, 0, NULL) : mesh_queue(mesh, err);
    *map_ms += timing_ms() - since;
    if (code || mesh->queued) return code;
    return unmapped ? unmapped : surface_update(mesh, iso, value, map_ms, err); /* sharing has failed */
}

int surface_end(struct mesh *mesh, struct iso *iso, float value, bool *again, double *map_ms, struct err *err)
{
    bool fits, counted;
    *again = false;
    *map_ms = 0;
    if (!mesh->queued) return ERR_NONE;
    int code = iso_fuse_end(iso, &fits, &counted, err);
    mesh_resolve(mesh, code || !fits ? 0 : iso->counts.vertices, code || !fits ? 0 : iso->counts.triangles);
    if (code || fits) return code;
    *again = true; /* only now is it known how much room the bricks and the mesh need */
    return surface_update(mesh, iso, value, map_ms, err);
}
