#include "merged.h"

#include "backend_fail.h"
#include "mesh_host.h"

#include <string.h>

static const char doing[] = "putting translucent surfaces together";

void merged_open(struct merged *m, const struct mesh_target *target, struct exec *exec)
{
    memset(m, 0, sizeof *m);
    mesh_open(&m->mesh, target, exec);
}

void merged_close(struct merged *m)
{
    if (!m->mesh.target) return;
    buffer_release(&m->data, backends[m->mesh.exec->backend]);
    mesh_close(&m->mesh);
    memset(m, 0, sizeof *m);
}

uint64_t merged_bytes(const struct merged *m) { return m->data.bytes + mesh_bytes(&m->mesh); }

/* Whether `mesh` consists of exactly these. */
static bool is_of(const struct merged *m, struct mesh *const mesh[MERGED_MOST])
{
    bool same = m->mesh.triangles > 0;
    for (int i = 0; i < MERGED_MOST; i++) same = same && m->of[i] == (mesh[i] ? mesh[i]->version : 0);
    return same;
}

/* Copies through the backend's memory, because mapped memory may be write-only. */
static int append(struct merged *m, struct mesh *mesh, const struct mesh_out *to, uint32_t first, struct err *err)
{
    struct exec *x = m->mesh.exec;
    const struct backend_ops *ops = backends[x->backend];
    const uint64_t vertex_bytes = mesh->vertices * sizeof(struct vertex), indices = 3 * mesh->triangles;
    const uint64_t apart = scratch_round(vertex_bytes);
    if (buffer_reserve(&m->data, ops, x, apart + indices * sizeof(uint32_t), doing, err)) return ERR_FAILED;
    char *memory = m->data.memory;
    const struct mesh_out from = { (struct vertex *)memory, (uint32_t *)(memory + apart) };
    if (mesh_fetch(mesh, &from, err)) return ERR_FAILED;
    int code = ops->copy(to->vertices, from.vertices, vertex_bytes, x);
    if (!code) code = ops->shift_indices(from.indices, first, to->indices, indices, x);
    if (!code) code = ops->sync(x);
    return code ? backend_fail(ops, code, doing, err) : ERR_NONE;
}

static int append_all(struct merged *m, struct mesh *const mesh[MERGED_MOST], const struct mesh_out *all, struct err *err)
{
    struct mesh_out to = *all;
    for (int i = 0; i < MERGED_MOST; i++) {
        if (!mesh[i]) continue;
        if (append(m, mesh[i], &to, m->first[i], err)) return ERR_FAILED;
        to.vertices += mesh[i]->vertices;
        to.indices += 3 * mesh[i]->triangles;
    }
    return ERR_NONE;
}

int merged_update(struct merged *m, struct mesh *const mesh[MERGED_MOST], struct err *err)
{
    struct mesh_buffers out;
    uint64_t vertices = 0, triangles = 0;
    if (is_of(m, mesh)) return ERR_NONE;
    memset(m->of, 0, sizeof m->of);
    for (int i = 0; i < MERGED_MOST; i++) {
        m->first[i] = (uint32_t)vertices;
        if (mesh[i]) vertices += mesh[i]->vertices, triangles += mesh[i]->triangles;
    }
    if (mesh_host_check("the translucent surfaces together have", vertices, triangles, "hide one of them", err))
        return ERR_FAILED;
    if (mesh_reserve(&m->mesh, vertices, triangles, err) || mesh_map(&m->mesh, &out, err)) return ERR_FAILED;
    const int code = append_all(m, mesh, &out.mesh, err);
    const int unmapped = mesh_unmap(&m->mesh, code ? 0 : vertices, code ? 0 : triangles, code ? NULL : err);
    if (code || unmapped) return ERR_FAILED;
    for (int i = 0; i < MERGED_MOST; i++) m->of[i] = mesh[i] ? mesh[i]->version : 0;
    return ERR_NONE;
}
