/* Vertices from voxel coordinates to the world: the volume's direction matrix times each position, by the gemm op. */
#include "export_format.h"

#include "text.h"
#include "kernels/gemm.h"

#include <stdlib.h>

enum { CHUNK = 1 << 18 }; /* vertices per run: 7 MiB; else all would be in memory twice */

static const char doing[] = "transforming the vertices";

/* Returns the chosen rung, unless it rounds its input: with the 11 bits of tensor cores, coordinates up to 512 mm are off
 * by up to 0.25 mm, too coarse for a file. Nor does it return the CPU's default, which uses fused multiply-adds only if the
 * processor has them. A file must have the same bits on every machine, and on every node of a cluster. */
static const struct gemm_rung *exact_rung(const struct iso *iso, char note[256])
{
    const struct gemm_rung *rung = (const struct gemm_rung *)iso->rung[AUX_GEMM];
    const bool on_cpu = iso->exec.backend == BACKEND_CPU;
    if (rung->input_error == 0 && !(on_cpu && rung->rung.is_default)) return rung;
    const struct rung *exact = ladder_find(ladder_of("gemm"), iso->exec.backend, on_cpu ? "threads" : NULL);
    if (rung->input_error != 0)
        text_note(note, "coordinates were made by gemm=%s, since %s rounds them to 11 bits", exact->name, rung->rung.name);
    return (const struct gemm_rung *)exact;
}

struct transform {
    const struct gemm_rung *rung;
    struct gemm_desc desc;
    struct buffer buffer; /* the matrix, a chunk of vertices, their world positions */
    float *host;          /* the positions of a chunk */
};

/* The vertices are a matrix with rows of 4 floats, of which gemm reads the first 3. */
static int open_transform(struct transform *t, struct iso *iso, const struct volume *v, size_t chunk, struct err *err)
{
    float direction[9];
    const size_t matrix = scratch_round(sizeof direction), in = scratch_round(chunk * sizeof(struct vertex));
    const size_t out = chunk * 3 * sizeof(float);
    for (int i = 0; i < 9; i++) direction[i] = (float)v->direction[i / 3][i % 3];
    t->host = malloc(out);
    if (!t->host) return err_set(err, ERR_FAILED, "not enough memory to transform %zu vertices", chunk);
    if (buffer_reserve(&t->buffer, iso->ops, &iso->exec, matrix + in + out, doing, err)) return ERR_FAILED;
    char *memory = t->buffer.memory;
    t->desc = (struct gemm_desc){ .m = chunk,
                                  .n = 3,
                                  .k = 3,
                                  .alpha = 1,
                                  .a = (float *)(memory + matrix),
                                  .lda = 4,
                                  .b = (float *)memory,
                                  .ldb = 3,
                                  .trans_b = true,
                                  .c = (float *)(memory + matrix + in),
                                  .ldc = 3 };
    const int code = iso->ops->upload(memory, direction, sizeof direction, &iso->exec);
    return code ? iso_fail(iso, code, doing, err) : ERR_NONE;
}

static int transform_chunk(struct transform *t, struct iso *iso, struct vertex *vertices, size_t n, struct err *err)
{
    const size_t in = n * sizeof *vertices, out = n * 3 * sizeof(float);
    t->desc.m = n;
    int code = iso->ops->upload((void *)t->desc.a, vertices, in, &iso->exec);
    if (code) return iso_fail(iso, code, doing, err);
    if (iso_aux_begin(iso, AUX_GEMM, &t->rung->rung, t->rung->scratch ? t->rung->scratch(&t->desc, &iso->exec) : 0, err))
        return ERR_FAILED;
    code = t->rung->run(&t->desc, iso->scratch.memory, &iso->exec);
    if (iso_aux_end(iso, AUX_GEMM, code, in + out, doing, err)) return ERR_FAILED;
    code = iso->ops->download(t->host, t->desc.c, out, &iso->exec);
    if (code) return iso_fail(iso, code, doing, err);
    for (size_t i = 0; i < n; i++)
        vertices[i].x = t->host[3 * i], vertices[i].y = t->host[3 * i + 1], vertices[i].z = t->host[3 * i + 2];
    return ERR_NONE;
}

/* Times all chunks as one run of gemm. */
int export_transform(struct export_file *e, struct export_part *p, struct iso *iso, const struct volume *volume,
                     struct err *err)
{
    struct stage_stats *stats = &iso->stage[AUX_GEMM], sum = { 0, 0, stats->runs + 1 };
    struct transform t = { .rung = exact_rung(iso, e->note) };
    const uint64_t count = p->mesh.vertex_count;
    int code = open_transform(&t, iso, volume, count < CHUNK ? (size_t)count : CHUNK, err);
    for (uint64_t at = 0; at < count && !code; at += CHUNK) {
        const size_t n = count - at < CHUNK ? (size_t)(count - at) : CHUNK;
        code = transform_chunk(&t, iso, p->mesh.vertices + at, n, err);
        sum.ms += stats->ms, sum.bytes += stats->bytes;
    }
    if (!code) *stats = sum;
    buffer_release(&t.buffer, iso->ops);
    free(t.host);
    return code;
}
