#include "mesh.h"

#include "kernels/fused.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static uint64_t next_version(void)
{
    static uint64_t last;
    return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

static void set_way(struct mesh *mesh, enum mesh_way way, const char *why_staged)
{
    mesh->way = way;
    if (way == MESH_STAGED) snprintf(mesh->why, sizeof mesh->why, "staged through pinned memory: %.200s", why_staged);
    else snprintf(mesh->why, sizeof mesh->why, "%s", way == MESH_SHARED ? mesh->target->shared : mesh->target->mapped);
}

void mesh_open(struct mesh *mesh, const struct mesh_target *target, struct exec *exec)
{
    const bool cuda = exec->backend == BACKEND_CUDA;
    memset(mesh, 0, sizeof *mesh);
    mesh->target = target;
    mesh->exec = exec;
    snprintf(mesh->refusal, sizeof mesh->refusal, "%s", target->refusal ? target->refusal : "");
    set_way(mesh, !cuda ? MESH_MAPPED : mesh->refusal[0] ? MESH_STAGED : MESH_SHARED, mesh->refusal);
}

void mesh_close(struct mesh *mesh)
{
    if (mesh->target) mesh->target->close(mesh);
    memset(mesh, 0, sizeof *mesh);
}

/* ---- capacity ------------------------------------------------------------------------------------------------------ */

/* A target may be unable to tell what is free, and if a driver promises memory that it lacks, the system kills the program.
 * So ask the backend: a shared or staged mesh also lies on its card, a mapped one in host memory. */
static int check_free(const struct mesh *mesh, const uint64_t bytes[MESH_BUFFERS], struct err *err)
{
    const uint64_t all = bytes[MESH_VERTICES] + bytes[MESH_INDICES], at_hand = backends[mesh->exec->backend]->memory_free();
    if (all <= at_hand) return ERR_NONE;
    err_set(err, ERR_FAILED, "the mesh needs %.1f MB, but only %.1f MB are free", (double)all * 1e-6,
            (double)at_hand * 1e-6);
    err_advise(err, "choose another isovalue");
    return err_blame(err, ERR_FAILED, mesh->exec->backend == BACKEND_CUDA ? CAUSE_MEMORY : CAUSE_OTHER);
}

static int grow_by(struct mesh *mesh, const uint64_t bytes[MESH_BUFFERS], enum mesh_way way, const char *why_staged,
                   struct err *err)
{
    if (mesh->target->grow(mesh, bytes, way, err)) return ERR_FAILED;
    if (bytes != mesh->bytes) memcpy(mesh->bytes, bytes, sizeof mesh->bytes);
    set_way(mesh, way, why_staged);
    mesh_clear(mesh);
    return ERR_NONE;
}

static void refuse(struct mesh *mesh, const struct err *found)
{
    snprintf(mesh->refusal, sizeof mesh->refusal, "%.*s", (int)sizeof mesh->refusal - 1, found->text);
}

/* Replaces the buffers; on error the old ones stay. If sharing does not work, it is given up for good. If it found no
 * memory, the buffers are staged instead, but only if `last`: the caller has no smaller request to try. */
static int grow(struct mesh *mesh, const uint64_t bytes[MESH_BUFFERS], bool last, struct err *err)
{
    const bool cuda = mesh->exec->backend == BACKEND_CUDA;
    struct err found = { 0 };
    if (check_free(mesh, bytes, err)) return ERR_FAILED;
    if (!cuda) return grow_by(mesh, bytes, MESH_MAPPED, NULL, err);
    if (mesh->refusal[0]) return grow_by(mesh, bytes, MESH_STAGED, mesh->refusal, err);
    if (!grow_by(mesh, bytes, MESH_SHARED, NULL, &found)) return ERR_NONE;
    if (found.cause == CAUSE_BACKEND) refuse(mesh, &found);
    else if (found.cause != CAUSE_MEMORY || !last) {
        if (err) *err = found;
        return ERR_FAILED;
    }
    return grow_by(mesh, bytes, MESH_STAGED, found.text, err);
}

int mesh_reserve(struct mesh *mesh, uint64_t vertices, uint64_t triangles, struct err *err)
{
    const uint64_t need[MESH_BUFFERS] = { vertices * sizeof(struct vertex), triangles * 3 * sizeof(uint32_t),
                                          sizeof(struct draw_command) };
    uint64_t roomy[MESH_BUFFERS], tight[MESH_BUFFERS];
    bool more_needed = !mesh->store;
    for (int i = 0; i < MESH_BUFFERS; i++) {
        const uint64_t kept = mesh->bytes[i] ? mesh->bytes[i] : 4096; /* OpenGL does not allow empty storage */
        const bool more = need[i] > kept;
        roomy[i] = more ? need[i] + need[i] / 4 : kept; /* a slider moves in small steps: leave room for the next few */
        tight[i] = more ? need[i] : kept;
        more_needed = more_needed || more;
    }
    if (!more_needed || !grow(mesh, roomy, false, NULL)) return ERR_NONE;
    return grow(mesh, tight, true, err);
}

uint64_t mesh_bytes(const struct mesh *mesh) { return mesh->bytes[MESH_VERTICES] + mesh->bytes[MESH_INDICES]; }

/* ---- writing ------------------------------------------------------------------------------------------------------- */

/* If sharing stops working, for instance because the window moves to another card, the mesh is staged from then on. */
static int map(struct mesh *mesh, void *memory[MESH_BUFFERS], struct err *err)
{
    struct err found = { 0 };
    const int code = mesh->target->map(mesh, memory, mesh->way == MESH_SHARED ? &found : err);
    if (!code || mesh->way != MESH_SHARED) return code;
    refuse(mesh, &found);
    if (grow_by(mesh, mesh->bytes, MESH_STAGED, mesh->refusal, err)) return ERR_FAILED;
    return mesh->target->map(mesh, memory, err);
}

int mesh_map(struct mesh *mesh, struct mesh_buffers *out, struct err *err)
{
    void *memory[MESH_BUFFERS] = { NULL };
    assert(!mesh->mapped);
    if (map(mesh, memory, err)) return ERR_FAILED;
    mesh_clear(mesh);
    mesh->mapped = true;
    mesh->command = mesh->way == MESH_SHARED ? memory[MESH_COMMAND] : NULL;
    *out = (struct mesh_buffers){ { memory[MESH_VERTICES], memory[MESH_INDICES] },
                                  mesh->bytes[MESH_VERTICES] / sizeof(struct vertex),
                                  mesh->bytes[MESH_INDICES] / (3 * sizeof(uint32_t)) };
    return ERR_NONE;
}

static int unmap(struct mesh *mesh, uint64_t vertices, uint64_t triangles, struct err *err)
{
    const uint64_t bytes[MESH_BUFFERS] = { vertices * sizeof(struct vertex), triangles * 3 * sizeof(uint32_t), 0 };
    mesh->mapped = false;
    mesh->command = NULL;
    return mesh->target->unmap(mesh, bytes, err);
}

int mesh_unmap(struct mesh *mesh, uint64_t vertices, uint64_t triangles, struct err *err)
{
    if (!mesh->mapped) return ERR_NONE;
    const int code = unmap(mesh, vertices, triangles, err);
    mesh_resolve(mesh, code ? 0 : vertices, code ? 0 : triangles);
    return code;
}

int mesh_queue(struct mesh *mesh, struct err *err)
{
    assert(mesh->command);
    const int code = unmap(mesh, 0, 0, err);
    mesh->queued = !code;
    return code;
}

void mesh_resolve(struct mesh *mesh, uint64_t vertices, uint64_t triangles)
{
    mesh->vertices = vertices;
    mesh->triangles = triangles;
    mesh->queued = false;
}

void mesh_clear(struct mesh *mesh)
{
    mesh_resolve(mesh, 0, 0);
    mesh->version = next_version();
}

/* ---- reading ------------------------------------------------------------------------------------------------------- */

int mesh_fetch(struct mesh *mesh, const struct mesh_out *to, struct err *err)
{
    assert(!mesh->mapped && !mesh->queued);
    return mesh->triangles ? mesh->target->fetch(mesh, to, err) : ERR_NONE;
}

void mesh_share_vertices(struct mesh *mesh, const struct mesh *with) { mesh->target->share_vertices(mesh, with); }
