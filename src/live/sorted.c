#include "sorted.h"

#include "timing.h"
#include "kernels/gemv.h"
#include "kernels/sort.h"

#include <assert.h>
#include <string.h>

enum { SHOWN, WORK };

static const enum stage stages[2] = { AUX_GEMV, AUX_SORT };

int sorted_open(struct sorted *s, const struct mesh_target *target, struct iso *iso, int threads, struct err *err)
{
    memset(s, 0, sizeof *s);
    const int code = iso ? ERR_NONE : iso_open(&s->own, BACKEND_CPU, -1, threads, err);
    if (code) return code;
    s->iso = iso ? iso : &s->own;
    mesh_open(&s->shown, target, &s->iso->exec);
    mesh_open(&s->next, target, &s->iso->exec);
    return ERR_NONE;
}

void sorted_close(struct sorted *s)
{
    if (!s->iso) return;
    mesh_close(&s->shown);
    mesh_close(&s->next);
    buffer_release(&s->data, s->iso->ops);
    iso_close(&s->own);
    memset(s, 0, sizeof *s);
}

/* The scratch may grow on another thread while that sorts. */
static void note_bytes(struct sorted *s)
{
    s->bytes = s->data.bytes + s->own.scratch.bytes + s->shown.bytes[MESH_INDICES] + s->next.bytes[MESH_INDICES];
}

/* ---- what there is --------------------------------------------------------------------------------------------------- */

bool sorted_is_of(const struct sorted *s, const struct mesh *mesh) { return s->shown.triangles && s->of == mesh->version; }

bool sorted_is_now(const struct sorted *s, const struct mesh *mesh, const float along[3])
{
    bool now = sorted_is_of(s, mesh) && !memcmp(s->along[SHOWN], along, sizeof s->along[SHOWN]);
    for (int i = 0; i < 2; i++) now = now && s->by[SHOWN][i] == s->iso->rung[stages[i]];
    return now;
}

const struct mesh *sorted_mesh(struct sorted *s, const struct mesh *mesh)
{
    assert(sorted_is_of(s, mesh));
    mesh_share_vertices(&s->shown, mesh);
    return &s->shown;
}

/* ---- the order ------------------------------------------------------------------------------------------------------- */

/* Contents of `data`. Once the sums exist, the vertices are no longer needed, and the parts after them share their
 * place. */
struct parts {
    float *along;
    uint32_t *indices;
    float *sums;
    struct vertex *vertices;
    float *depths;
    uint32_t *sorted_depths, *order;
};

enum { ALONG_BYTES = 256 };

static uint64_t keys_bytes(const struct sorted *s) { return scratch_round(s->triangles * sizeof(uint32_t)); }
static uint64_t corners_bytes(const struct sorted *s) { return scratch_round(3 * s->triangles * sizeof(uint32_t)); }

static uint64_t data_bytes(const struct sorted *s)
{
    const uint64_t vertex_bytes = s->vertices * sizeof(struct vertex), keys = 3 * keys_bytes(s);
    return ALONG_BYTES + 2 * corners_bytes(s) + (vertex_bytes > keys ? vertex_bytes : keys);
}

static struct parts parts_of(const struct sorted *s)
{
    char *memory = s->data.memory, *indices = memory + ALONG_BYTES, *sums = indices + corners_bytes(s);
    char *rest = sums + corners_bytes(s);
    return (struct parts){ (float *)memory,
                           (uint32_t *)indices,
                           (float *)sums,
                           (struct vertex *)rest,
                           (float *)rest,
                           (uint32_t *)(rest + keys_bytes(s)),
                           (uint32_t *)(rest + 2 * keys_bytes(s)) };
}

static int take_mesh(struct sorted *s, struct mesh *mesh, struct err *err)
{
    if (s->taken == mesh->version) return ERR_NONE;
    s->taken = 0;
    s->summed = false;
    s->triangles = mesh->triangles, s->vertices = mesh->vertices;
    if (buffer_reserve(&s->data, s->iso->ops, &s->iso->exec, data_bytes(s), "sorting the triangles", err))
        return ERR_FAILED;
    const struct parts p = parts_of(s);
    const struct mesh_out to = { p.vertices, p.indices };
    if (mesh_fetch(mesh, &to, err)) return ERR_FAILED;
    s->taken = mesh->version;
    return ERR_NONE;
}

int sorted_begin(struct sorted *s, struct mesh *mesh, const float along[3], struct err *err)
{
    assert(mesh->triangles && !mesh->queued);
    if (take_mesh(s, mesh, err)) return ERR_FAILED;
    if (mesh_reserve(&s->next, 0, s->triangles, err) || mesh_map(&s->next, &s->out, err)) return ERR_FAILED;
    memcpy(s->along[WORK], along, sizeof s->along[WORK]);
    for (int i = 0; i < 2; i++) s->by[WORK][i] = s->iso->rung[stages[i]];
    note_bytes(s);
    return ERR_NONE;
}

/* y = A x: the depths of the sums along the view direction. */
static int find_depths(struct sorted *s, const struct parts *p, struct err *err)
{
    static const char doing[] = "the depths of the triangles";
    struct iso *iso = s->iso;
    const struct gemv_rung *rung = (const struct gemv_rung *)s->by[WORK][0];
    const struct gemv_desc desc = {
        .m = s->triangles, .n = 3, .alpha = 1, .a = p->sums, .lda = 3, .x = p->along, .y = p->depths
    };
    int code = iso->ops->upload(p->along, s->along[WORK], sizeof s->along[WORK], &iso->exec);
    if (code) return iso_fail(iso, code, doing, err);
    if (iso_aux_begin(iso, AUX_GEMV, &rung->rung, rung->scratch ? rung->scratch(&desc, &iso->exec) : 0, err))
        return ERR_FAILED;
    code = rung->run(&desc, iso->scratch.memory, &iso->exec);
    return iso_aux_end(iso, AUX_GEMV, code, s->triangles * 4 * sizeof(float), doing, err);
}

static int sort_depths(struct sorted *s, const struct parts *p, struct err *err)
{
    struct iso *iso = s->iso;
    const struct sort_rung *rung = (const struct sort_rung *)s->by[WORK][1];
    const struct sort_desc desc = { .n = s->triangles,
                                    .key = SORT_FLOAT32,
                                    .descending = true,
                                    .keys_in = (const sort_bits *)p->depths,
                                    .keys_out = p->sorted_depths,
                                    .values_out = p->order };
    if (iso_aux_begin(iso, AUX_SORT, &rung->rung, rung->scratch ? rung->scratch(&desc, &iso->exec) : 0, err))
        return ERR_FAILED;
    const int code = rung->run(&desc, iso->scratch.memory, &iso->exec);
    return iso_aux_end(iso, AUX_SORT, code, s->triangles * 3 * sizeof(uint32_t), "sorting the triangles", err);
}

static int order_triangles(struct sorted *s, struct err *err)
{
    const struct parts p = parts_of(s);
    struct exec *x = &s->iso->exec;
    const struct backend_ops *ops = s->iso->ops;
    int code = s->summed ? 0 : ops->corner_sums(p.vertices, p.indices, p.sums, s->triangles, x);
    if (code) return iso_fail(s->iso, code, "the centres of the triangles", err);
    s->summed = true;
    if (find_depths(s, &p, err) || sort_depths(s, &p, err)) return ERR_FAILED;
    code = ops->gather_triangles(p.indices, p.order, s->out.mesh.indices, s->triangles, x);
    if (!code) code = ops->sync(x);
    return code ? iso_fail(s->iso, code, "putting the triangles in order", err) : ERR_NONE;
}

void sorted_run(void *sorted)
{
    struct sorted *s = sorted;
    const double start = timing_ms();
    s->err = (struct err){ 0 };
    if (order_triangles(s, &s->err)) s->taken = 0; /* cancelled or failed half way */
    s->ms = timing_ms() - start;
}

int sorted_end(struct sorted *s, struct err *err)
{
    const int code = mesh_unmap(&s->next, 0, s->err.code ? 0 : s->triangles, s->err.code ? NULL : err);
    note_bytes(s);
    if (s->err.code) *err = s->err;
    if (code || s->err.code) return ERR_FAILED;
    const struct mesh old = s->shown;
    s->shown = s->next;
    s->next = old;
    s->of = s->taken;
    memcpy(s->along[SHOWN], s->along[WORK], sizeof s->along[SHOWN]);
    memcpy(s->by[SHOWN], s->by[WORK], sizeof s->by[SHOWN]);
    return ERR_NONE;
}

int sorted_update(struct sorted *s, struct mesh *mesh, const float along[3], struct err *err)
{
    if (sorted_begin(s, mesh, along, err)) return ERR_FAILED;
    sorted_run(s);
    return sorted_end(s, err);
}
