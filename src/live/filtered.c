#include "filtered.h"

#include "timing.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN, WORK };

static const char doing[] = "leaving out parts of the surface";

int filtered_open(struct filtered *f, const struct mesh_target *target, struct iso *iso, int threads, struct err *err)
{
    memset(f, 0, sizeof *f);
    const int code = iso ? ERR_NONE : iso_open(&f->own, BACKEND_CPU, -1, threads, err);
    if (code) return code;
    f->iso = iso ? iso : &f->own;
    mesh_open(&f->shown, target, &f->iso->exec);
    mesh_open(&f->next, target, &f->iso->exec);
    return ERR_NONE;
}

void filtered_close(struct filtered *f)
{
    if (!f->iso) return;
    mesh_close(&f->shown);
    mesh_close(&f->next);
    component_list_free(&f->parts);
    buffer_release(&f->data, f->iso->ops);
    mesh_host_free(&f->planes);
    free(f->caps.kept);
    free(f->next_caps.kept);
    iso_close(&f->own);
    memset(f, 0, sizeof *f);
}

/* During a run the buffers may grow on another thread. */
static void note_bytes(struct filtered *f)
{
    f->bytes = f->data.bytes + f->own.scratch.bytes + component_list_bytes(&f->parts) + mesh_bytes(&f->shown) +
               mesh_bytes(&f->next);
}

/* ---- what there is ----------------------------------------------------------------------------------------------- */

bool filtered_is_of(const struct filtered *f, const struct mesh *mesh) { return f->of && f->of == mesh->version; }

static bool is_closed_alike(const struct filtered_by *a, const struct filtered_by *b)
{
    return !a->border == !b->border && (!a->border || a->surface.side == b->surface.side);
}

bool filtered_is_now(const struct filtered *f, const struct mesh *mesh, const struct filtered_by *by)
{
    const struct component_filter *now = &f->by[SHOWN].filter, *wanted = &by->filter;
    return filtered_is_of(f, mesh) && now->keep == wanted->keep && now->min_size == wanted->min_size &&
           now->percent == wanted->percent && is_closed_alike(&f->by[SHOWN], by);
}

/* ---- making it --------------------------------------------------------------------------------------------------- */

static struct mesh_out mesh_in(const struct filtered *f)
{
    char *memory = f->data.memory;
    return (struct mesh_out){ (struct vertex *)memory,
                              (uint32_t *)(memory + scratch_round(f->room * sizeof(struct vertex))) };
}

/* Makes the caps that close the mesh. A soup (triangles without common vertices) stays open, because it has no parts
 * either way. */
static int make_caps(struct filtered *f, const struct filtered_by *by, struct err *err)
{
    int code = ERR_NONE;
    mesh_host_free(&f->planes);
    if (by->border && !component_list_is_soup(f->vertices, f->triangles))
        code = caps_make(by->border, &by->surface, f->iso->exec.threads, &f->planes, err);
    f->cap_vertices = f->planes.vertex_count, f->cap_triangles = f->planes.triangle_count;
    f->room = f->vertices + f->cap_vertices;
    if (code) return code;
    return mesh_host_check("the closed surface has", f->room, f->triangles + f->cap_triangles, "leave it open", err);
}

/* by: how to close the mesh now; f->by[WORK]: how it was closed before. */
static int take_mesh(struct filtered *f, struct mesh *mesh, const struct filtered_by *by, struct err *err)
{
    if (f->taken == mesh->version && is_closed_alike(&f->by[WORK], by)) return ERR_NONE;
    f->taken = 0;
    f->found = false;
    f->triangles = mesh->triangles, f->vertices = mesh->vertices;
    if (make_caps(f, by, err)) return ERR_FAILED;
    const uint64_t bytes = scratch_round(f->room * sizeof(struct vertex)) +
                           (f->triangles + f->cap_triangles) * 3 * sizeof(uint32_t);
    if (buffer_reserve(&f->data, f->iso->ops, &f->iso->exec, bytes, doing, err)) return ERR_FAILED;
    const struct mesh_out to = mesh_in(f);
    if (mesh_fetch(mesh, &to, err)) return ERR_FAILED;
    f->taken = mesh->version;
    return ERR_NONE;
}

/* Makes room for the whole mesh, because the kept parts are not known yet. */
static int map_next(struct filtered *f, struct err *err)
{
    if (mesh_reserve(&f->next, f->vertices, f->triangles + f->cap_triangles, err)) return ERR_FAILED;
    return mesh_map(&f->next, &f->out, err);
}

int filtered_begin(struct filtered *f, struct mesh *mesh, const struct volume *volume, const struct filtered_by *by,
                   struct err *err)
{
    assert(mesh->triangles && !mesh->queued);
    if (take_mesh(f, mesh, by, err)) return ERR_FAILED;
    f->volume = *volume;
    f->volume.grid.voxels = NULL;
    f->by[WORK] = *by;
    if (component_filter_is_on(&by->filter) && map_next(f, err)) return ERR_FAILED;
    note_bytes(f);
    return ERR_NONE;
}

/* Copies the caps, which were joined to the vertices in host memory, behind the mesh in `data`. */
static int put_caps(struct filtered *f, const struct mesh_host *host, struct err *err)
{
    const struct backend_ops *ops = f->iso->ops;
    struct exec *x = &f->iso->exec;
    const struct mesh_out to = mesh_in(f);
    f->cap_vertices = host->vertex_count - f->vertices;
    int code = ops->upload(to.vertices + f->vertices, host->vertices + f->vertices, f->cap_vertices * sizeof *to.vertices,
                           x);
    if (!code)
        code = ops->upload(to.indices + 3 * f->triangles, host->indices, 3 * f->cap_triangles * sizeof *to.indices, x);
    if (!code) code = ops->sync(x);
    return code ? iso_fail(f->iso, code, doing, err) : ERR_NONE;
}

/* Joins the caps to the mesh in `data`. For this, the host needs a copy of the vertices. */
static int close_mesh(struct filtered *f, struct err *err)
{
    const struct grid *g = &f->volume.grid;
    const size_t n[3] = { g->nx, g->ny, g->nz };
    struct mesh_host host;
    if (!f->planes.triangle_count) return ERR_NONE;
    if (mesh_host_alloc(&host, f->room, f->cap_triangles, err)) return ERR_FAILED;
    host.vertex_count = f->vertices, host.triangle_count = 0;
    int code = f->iso->ops->download(host.vertices, mesh_in(f).vertices, f->vertices * sizeof *host.vertices,
                                     &f->iso->exec);
    if (!code) code = f->iso->ops->sync(&f->iso->exec);
    if (code) code = iso_fail(f->iso, code, doing, err);
    if (!code) code = caps_append(&host, &f->planes, n, err);
    if (!code) code = put_caps(f, &host, err);
    mesh_host_free(&host);
    mesh_host_free(&f->planes);
    return code;
}

static int find_parts(struct filtered *f, struct err *err)
{
    const struct mesh_out mesh = mesh_in(f);
    if (f->found) return ERR_NONE;
    if (close_mesh(f, err) || component_list_find(&f->parts, f->iso, &f->volume, &mesh, f->vertices + f->cap_vertices,
                                                  f->triangles + f->cap_triangles, err))
        return ERR_FAILED;
    f->found = true;
    return ERR_NONE;
}

/* Finds which caps are kept. */
static int write_caps(struct filtered *f, struct err *err)
{
    struct filtered_caps *caps = &f->next_caps;
    if (!f->cap_triangles) return ERR_NONE;
    caps->kept = malloc(f->cap_triangles * sizeof *caps->kept);
    if (!caps->kept) return err_set(err, ERR_FAILED, "not enough memory to choose among caps");
    caps->count = f->cap_triangles;
    return component_list_kept(&f->parts, f->iso, f->triangles, caps->kept, err);
}

static uint64_t count_kept(const struct filtered_caps *caps)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < caps->count; i++) count += caps->kept[i];
    return count;
}

static int write_kept(struct filtered *f, struct err *err)
{
    const struct backend_ops *ops = f->iso->ops;
    struct exec *x = &f->iso->exec;
    int code = ops->copy(f->out.mesh.vertices, mesh_in(f).vertices, f->vertices * sizeof(struct vertex), x);
    if (code) return iso_fail(f->iso, code, doing, err);
    if (component_list_filter(&f->parts, f->iso, &f->by[WORK].filter, f->out.mesh.indices, err)) return ERR_FAILED;
    code = ops->sync(x);
    return code ? iso_fail(f->iso, code, doing, err) : write_caps(f, err);
}

void filtered_run(void *filtered)
{
    struct filtered *f = filtered;
    const double start = timing_ms();
    f->err = (struct err){ 0 };
    free(f->next_caps.kept);
    f->next_caps = (struct filtered_caps){ 0, NULL };
    int code = find_parts(f, &f->err);
    if (!code) {
        component_list_sum(&f->parts, &f->by[WORK].filter, &f->working.kept, &f->working.measure);
        f->working.parts = f->parts.count;
        const bool below = f->by[WORK].border && f->by[WORK].surface.side == CAPS_BELOW;
        if (below) f->working.measure.volume *= -1; /* it encloses the lower values */
    }
    if (!code && component_filter_is_on(&f->by[WORK].filter)) code = write_kept(f, &f->err);
    if (code) f->taken = 0; /* cancelled or failed half way */
    f->ms = timing_ms() - start;
}

int filtered_end(struct filtered *f, struct err *err)
{
    const uint64_t triangles = f->err.code ? 0
                                           : f->working.measure.triangles - count_kept(&f->next_caps); /* caps come last */
    const int code = mesh_unmap(&f->next, triangles ? f->vertices : 0, triangles, f->err.code ? NULL : err);
    note_bytes(f);
    if (f->err.code) *err = f->err;
    if (code || f->err.code) return ERR_FAILED;
    const struct mesh old = f->shown;
    f->shown = f->next;
    f->next = old;
    f->of = f->taken;
    f->by[SHOWN] = f->by[WORK];
    f->facts = f->working;
    free(f->caps.kept);
    f->caps = f->next_caps;
    f->next_caps = (struct filtered_caps){ 0, NULL };
    return ERR_NONE;
}

int filtered_update(struct filtered *f, struct mesh *mesh, const struct volume *volume, const struct filtered_by *by,
                    struct err *err)
{
    if (filtered_begin(f, mesh, volume, by, err)) return ERR_FAILED;
    filtered_run(f);
    return filtered_end(f, err);
}
