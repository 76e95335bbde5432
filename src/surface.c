#include "surface.h"

#include "timing.h"

/* Maps, lets `write` write, unmaps. *fits false: nothing was written, for want of room. */
static int write_mapped(struct mesh *mesh, struct iso *iso,
                        int (*write)(struct iso *iso, const struct mesh_room *room, bool *fits, struct err *err),
                        bool *fits, double *map_ms, struct err *err)
{
    struct mesh_room room;
    double since = timing_ms();
    if (mesh_map(mesh, &room, err)) return ERR_FAILED;
    *map_ms += timing_ms() - since;
    const int code = write(iso, &room, fits, err);
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

static int emit(struct iso *iso, const struct mesh_room *room, bool *fits, struct err *err)
{
    *fits = true;
    return iso_emit(iso, &room->mesh, err);
}

/* Count, make room, write. */
static int update_staged(struct mesh *mesh, struct iso *iso, float value, double *map_ms, struct err *err)
{
    bool fits;
    const int code = iso_count(iso, value, err);
    if (code) return code;
    if (!iso->counts.triangles) {
        mesh->vertices = mesh->triangles = 0;
        return ERR_NONE;
    }
    if (reserve(mesh, iso, map_ms, err)) return ERR_FAILED;
    return write_mapped(mesh, iso, emit, &fits, map_ms, err);
}

static int fuse(struct iso *iso, const struct mesh_room *room, bool *fits, struct err *err)
{
    return iso_fuse(iso, iso->value, room, fits, err);
}

/* Write into the room of the value before; where that does not do, make room and write again. */
static int update_fused(struct mesh *mesh, struct iso *iso, float value, double *map_ms, struct err *err)
{
    bool fits = false;
    iso->value = value;
    if (mesh->bytes[MESH_VERTICES]) {
        if (write_mapped(mesh, iso, fuse, &fits, map_ms, err)) return ERR_FAILED;
    } else { /* the first surface: only counts */
        const struct mesh_room none = { { NULL, NULL }, 0, 0 };
        if (iso_fuse(iso, value, &none, &fits, err)) return ERR_FAILED;
    }
    if (fits) return ERR_NONE;
    if (reserve(mesh, iso, map_ms, err)) return ERR_FAILED;
    return write_mapped(mesh, iso, fuse, &fits, map_ms, err);
}

int surface_update(struct mesh *mesh, struct iso *iso, float value, double *map_ms, struct err *err)
{
    *map_ms = 0;
    return (iso_is_fused(iso) ? update_fused : update_staged)(mesh, iso, value, map_ms, err);
}
