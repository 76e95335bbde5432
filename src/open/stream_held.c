#include "stream_held.h"

#include "kernels/host_memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- room -------------------------------------------------------------------------------------------------------- */

static uint64_t room_bytes(const struct stream_room *r)
{
    return plan_bytes((struct iso_layer){ r->mesh.vertex_count, r->mesh.triangle_count, 0 });
}

void stream_room_free(struct stream_room *r)
{
    mesh_host_free(&r->mesh);
    free(r->normals);
    r->normals = NULL;
}

int stream_room_reserve(struct stream_room *r, uint64_t vertices, uint64_t triangles, struct err *err)
{
    if (vertices <= r->mesh.vertex_count && triangles <= r->mesh.triangle_count) return ERR_NONE;
    stream_room_free(r);
    const int code = mesh_host_alloc(&r->mesh, vertices, triangles, err);
    if (code || !vertices) return code;
    r->normals = host_memory_alloc(vertices * 3 * sizeof *r->normals);
    return r->normals ? ERR_NONE : err_set(err, ERR_FAILED, "not enough memory for the normals of a slab");
}

/* Makes room for a mesh of these counts and a little more, as the next slab's is about as large. */
static bool grow(struct stream_room *r, const struct iso_counts *counts)
{
    const struct iso_layer more = { counts->vertices + counts->vertices / 4, counts->triangles + counts->triangles / 4, 0 };
    const uint64_t left = r->left + room_bytes(r);
    if (plan_bytes(more) >= left || stream_room_reserve(r, more.vertices, more.triangles, NULL)) {
        stream_room_free(r);
        r->left = 0;
        return false;
    }
    r->left = left - room_bytes(r);
    return true;
}

int stream_room_make(struct stream_room *r, struct iso *iso, float value, bool *made, struct err *err)
{
    int code = ERR_NONE;
    *made = false;
    for (int turn = 0; turn < 2 && !code && !*made; turn++) {
        if (turn && !grow(r, &iso->counts)) break; /* it has been counted, though not made */
        const struct mesh_buffers out = { { r->mesh.vertices, r->mesh.indices },
                                          r->mesh.vertex_count,
                                          r->mesh.triangle_count };
        code = iso_make_block(iso, value, &out, made, err);
    }
    return code;
}

/* ---- what is held ------------------------------------------------------------------------------------------------ */

/* Copies the slab's own triangles, and renumbers their vertices from the first own one. False: no memory. */
static bool copy(struct stream_mesh *to, const struct slab_mesh *m, uint64_t normals)
{
    struct mesh_host *mesh = &to->made.mesh;
    const uint64_t vertices = m->mesh.vertex_count - m->skip.vertices, triangles = m->slab.own.triangles;
    const uint32_t *from = m->mesh.indices + 3 * m->skip.triangles;
    to->memory = host_memory_alloc(plan_bytes((struct iso_layer){ vertices, triangles, 0 }));
    if (!to->memory) return false;
    *mesh = (struct mesh_host){ to->memory, NULL, vertices, triangles };
    to->made.slab = m->slab;
    to->made.normals = (float *)(mesh->vertices + vertices);
    mesh->indices = (uint32_t *)(to->made.normals + 3 * vertices);
    memcpy(mesh->vertices, m->mesh.vertices + m->skip.vertices, vertices * sizeof *mesh->vertices);
    memcpy(to->made.normals, m->normals + 3 * m->skip.vertices, normals * 3 * sizeof *m->normals);
    for (uint64_t i = 0; i < 3 * triangles; i++) mesh->indices[i] = from[i] - (uint32_t)m->skip.vertices;
    return true;
}

/* Makes room for one more mesh in the list. */
static bool lengthen(struct stream_held *h)
{
    if (h->count < h->capacity) return true;
    const size_t capacity = h->capacity ? 2 * h->capacity : 16;
    struct stream_mesh *list = realloc(h->list, capacity * sizeof *list);
    if (list) h->list = list, h->capacity = capacity;
    return list != NULL;
}

void stream_held_add(struct stream_held *h, struct stream_room *room, const struct slab_mesh *m, uint64_t normals)
{
    const struct plan_share own = plan_own(&m->slab);
    const struct iso_layer kept = { m->mesh.vertex_count - m->skip.vertices, m->slab.own.triangles, 0 };
    const uint64_t bytes = plan_bytes(kept) + sizeof(struct stream_mesh);
    struct stream_mesh one = { .memory = NULL };
    if (!m->slab.own.vertices && !m->slab.own.triangles) {
        h->layers.end = own.end;
    } else if (bytes < room->left && lengthen(h) && copy(&one, m, normals)) {
        h->list[h->count++] = one;
        h->layers.end = own.end, room->left -= bytes;
    } else {
        room->left = 0;
    }
}

void stream_held_free(struct stream_held *h)
{
    for (size_t i = 0; i < h->count; i++) free(h->list[i].memory);
    free(h->list);
    *h = (struct stream_held){ .count = 0 };
}
