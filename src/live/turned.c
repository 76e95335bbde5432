#include "turned.h"
#include "live_parts.h"

#include "kernels/gemm.h"

#include <string.h>

enum {
    CHUNK = 1 << 19
}; /* vertices per run: CUDA allows 65535 blocks along an axis, and the smallest tiles have 16 rows */

static const char doing[] = "turning the vertices";

struct room { /* of turned.memory, bytes */
    size_t matrix, from, indices, to, all;
};

static struct room layout_of(const struct mesh *mesh)
{
    const size_t vertices = scratch_round(mesh->vertices * sizeof(struct vertex));
    struct room at = { .matrix = 0, .from = scratch_round(16 * sizeof(float)) };
    at.indices = at.from + vertices;
    at.to = at.indices + scratch_round(3 * mesh->triangles * sizeof(uint32_t));
    at.all = at.to + vertices;
    return at;
}

void turned_close(struct turned *t)
{
    if (t->open) {
        mesh_close(&t->mesh);
        buffer_release(&t->memory, t->iso.ops);
        iso_close(&t->iso);
    }
    *t = (struct turned){ .open = false };
}

static int open_pipeline(struct turned *t, const struct live *live, struct err *err)
{
    const struct exec *exec = &live->iso.exec;
    *t = (struct turned){ .of = NULL };
    const int code = iso_open(&t->iso, exec->backend, exec->device, exec->threads, err);
    if (code) return code;
    t->open = true;
    mesh_open(&t->mesh, live->host.target, &t->iso.exec);
    return ERR_NONE;
}

/* Copies the vertices to `memory`. */
static int fetch(struct turned *t, const struct mesh *of, struct err *err)
{
    const struct room at = layout_of(of);
    struct mesh mesh = *of; /* the target only reads it */
    t->version = 0;
    if (buffer_reserve(&t->memory, t->iso.ops, &t->iso.exec, at.all, doing, err)) return ERR_FAILED;
    char *memory = t->memory.memory;
    const struct mesh_out out = { (struct vertex *)(memory + at.from), (uint32_t *)(memory + at.indices) };
    if (mesh_reserve(&t->mesh, of->vertices, 1, err) || mesh_fetch(&mesh, &out, err)) return ERR_FAILED;
    const bool cuda = t->iso.exec.backend == BACKEND_CUDA; /* it is queued on another stream there */
    const int code = cuda ? t->iso.ops->sync(of->exec) : 0;
    if (code) return iso_fail(&t->iso, code, doing, err);
    t->of = of;
    t->version = of->version;
    return ERR_NONE;
}

/* gemm reads x, y and z of rows of 4 floats, and the first 3 columns of the matrix, which it sees as rows. */
static int multiply(struct turned *t, const struct gemm_rung *rung, size_t vertices, const struct room *at, struct err *err)
{
    struct iso *iso = &t->iso;
    struct stage_stats *stats = &iso->stage[AUX_GEMM], sum = { 0, 0, stats->runs + 1 };
    char *memory = t->memory.memory;
    struct gemm_desc desc = { .n = 4, .k = 3, .alpha = 1, .b = (float *)memory, .lda = 4, .ldb = 4, .ldc = 4 };
    int code = iso->ops->upload(memory, t->matrix, sizeof t->matrix, &iso->exec);
    if (code) return iso_fail(iso, code, doing, err);
    for (size_t i = 0; i < vertices && !code; i += CHUNK) {
        desc.m = vertices - i < CHUNK ? vertices - i : (size_t)CHUNK;
        desc.a = (const float *)(memory + at->from) + 4 * i;
        desc.c = (float *)(memory + at->to) + 4 * i;
        if (iso_aux_begin(iso, AUX_GEMM, &rung->rung, rung->scratch ? rung->scratch(&desc, &iso->exec) : 0, err))
            return ERR_FAILED;
        code = rung->run(&desc, iso->scratch.memory, &iso->exec);
        code = iso_aux_end(iso, AUX_GEMM, code, 2 * desc.m * sizeof(struct vertex), doing, err);
        sum.ms += stats->ms, sum.bytes += stats->bytes;
    }
    *stats = sum;
    t->made_ms = sum.ms;
    return code;
}

/* Copies the result to the target. */
static int hand_on(struct turned *t, size_t vertices, const struct room *at, struct err *err)
{
    const struct backend_ops *ops = t->iso.ops;
    const char *const to = (const char *)t->memory.memory + at->to;
    struct mesh_buffers out;
    if (mesh_map(&t->mesh, &out, err)) return ERR_FAILED;
    int code = ops->copy(out.mesh.vertices, to, vertices * sizeof(struct vertex), &t->iso.exec);
    if (!code) code = ops->sync(&t->iso.exec);
    const int unmapped = mesh_unmap(&t->mesh, code ? 0 : vertices, code ? 0 : 1, code ? NULL : err);
    return code ? iso_fail(&t->iso, code, doing, err) : unmapped;
}

static int turn(struct turned *t, struct live *live, const struct mesh *of, const struct gemm_rung *rung, struct err *err)
{
    const struct room at = layout_of(of);
    const double start = live_now(live);
    double before = start;
    if (t->of != of || t->version != of->version) {
        if (fetch(t, of, err)) return ERR_FAILED;
    }
    t->map_ms = live_now(live) - before;
    if (multiply(t, rung, of->vertices, &at, err)) return ERR_FAILED;
    before = live_now(live);
    if (hand_on(t, of->vertices, &at, err)) return ERR_FAILED;
    t->map_ms += live_now(live) - before;
    t->turns++;
    live_note_aux(live, AUX_GEMM, &t->iso);
    live_log(live, "turned %llu vertices: gemm=%s %.2f ms, map %.2f ms", (unsigned long long)of->vertices, rung->rung.name,
             t->made_ms, t->map_ms);
    return ERR_NONE;
}

int turned_follow(struct turned *t, struct live *live, const struct mesh *of, const float matrix[16],
                  const struct rung *gemm, struct err *err)
{
    if (t->open && t->iso.exec.backend != live->iso.exec.backend) turned_close(t);
    if (!t->open && open_pipeline(t, live, err)) return ERR_FAILED;
    const bool same = !memcmp(t->matrix, matrix, sizeof t->matrix) && t->rung == gemm;
    if (same && t->of == of && t->version == of->version) return ERR_NONE;
    memcpy(t->matrix, matrix, sizeof t->matrix);
    t->rung = gemm;
    if (!turn(t, live, of, (const struct gemm_rung *)gemm, err)) return ERR_NONE;
    turned_close(t);
    return ERR_FAILED;
}
