#include "filtered.h"

#include "timing.h"

#include <assert.h>
#include <math.h>
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

bool filtered_is_now(const struct filtered *f, const struct mesh *mesh, const struct component_filter *filter)
{
    const struct component_filter *by = &f->by[SHOWN];
    return filtered_is_of(f, mesh) && by->keep == filter->keep && by->min_size == filter->min_size &&
           by->percent == filter->percent;
}

/* ---- making it --------------------------------------------------------------------------------------------------- */

static struct mesh_out mesh_in(const struct filtered *f)
{
    char *memory = f->data.memory;
    return (struct mesh_out){ (struct vertex *)memory,
                              (uint32_t *)(memory + scratch_round(f->vertices * sizeof(struct vertex))) };
}

static int take_mesh(struct filtered *f, struct mesh *mesh, struct err *err)
{
    if (f->taken == mesh->version) return ERR_NONE;
    f->taken = 0;
    f->found = false;
    f->triangles = mesh->triangles, f->vertices = mesh->vertices;
    const uint64_t bytes = scratch_round(f->vertices * sizeof(struct vertex)) + f->triangles * 3 * sizeof(uint32_t);
    if (buffer_reserve(&f->data, f->iso->ops, &f->iso->exec, bytes, doing, err)) return ERR_FAILED;
    const struct mesh_out to = mesh_in(f);
    if (mesh_fetch(mesh, &to, err)) return ERR_FAILED;
    f->taken = mesh->version;
    return ERR_NONE;
}

/* Room for all: how much is kept is known only when the parts are. */
static int map_next(struct filtered *f, struct err *err)
{
    if (mesh_reserve(&f->next, f->vertices, f->triangles, err)) return ERR_FAILED;
    return mesh_map(&f->next, &f->out, err);
}

int filtered_begin(struct filtered *f, struct mesh *mesh, const struct volume *volume,
                   const struct component_filter *filter, struct err *err)
{
    assert(mesh->triangles && !mesh->queued);
    if (take_mesh(f, mesh, err)) return ERR_FAILED;
    f->volume = *volume;
    f->volume.grid.voxels = NULL;
    f->by[WORK] = *filter;
    if (component_filter_is_on(filter) && map_next(f, err)) return ERR_FAILED;
    note_bytes(f);
    return ERR_NONE;
}

static int find_parts(struct filtered *f, struct err *err)
{
    const struct mesh_out mesh = mesh_in(f);
    if (f->found) return ERR_NONE;
    if (component_list_find(&f->parts, f->iso, &f->volume, &mesh, f->vertices, f->triangles, err)) return ERR_FAILED;
    f->found = true;
    return ERR_NONE;
}

static int write_kept(struct filtered *f, struct err *err)
{
    const struct backend_ops *ops = f->iso->ops;
    struct exec *x = &f->iso->exec;
    int code = ops->copy(f->out.mesh.vertices, mesh_in(f).vertices, f->vertices * sizeof(struct vertex), x);
    if (code) return iso_fail(f->iso, code, doing, err);
    if (component_list_filter(&f->parts, f->iso, &f->by[WORK], f->out.mesh.indices, err)) return ERR_FAILED;
    code = ops->sync(x);
    return code ? iso_fail(f->iso, code, doing, err) : ERR_NONE;
}

void filtered_run(void *filtered)
{
    struct filtered *f = filtered;
    const double start = timing_ms();
    f->err = (struct err){ 0 };
    int code = find_parts(f, &f->err);
    if (!code) {
        component_list_sum(&f->parts, &f->by[WORK], &f->working.kept, &f->working.measure);
        f->working.parts = f->parts.count;
    }
    if (!code && component_filter_is_on(&f->by[WORK])) code = write_kept(f, &f->err);
    if (code) f->taken = 0; /* cancelled or failed half way */
    f->ms = timing_ms() - start;
}

int filtered_end(struct filtered *f, struct err *err)
{
    const uint64_t triangles = f->err.code ? 0 : f->working.measure.triangles;
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
    return ERR_NONE;
}

int filtered_update(struct filtered *f, struct mesh *mesh, const struct volume *volume,
                    const struct component_filter *filter, struct err *err)
{
    if (filtered_begin(f, mesh, volume, filter, err)) return ERR_FAILED;
    filtered_run(f);
    return filtered_end(f, err);
}
