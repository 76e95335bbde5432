/* reduce on the CPU; contract in reduce.h.
 * Run: isoscope ladder reduce --bench --backend cpu */
#include "reduce.h"

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * One voxel at a time (Welford 1962): a division and a chain of dependent additions for each. */

ISO_FN struct summary textbook_body(const struct grid *g)
{
    struct summary s = summary_empty();
    for (size_t i = 0, n = grid_voxels(g); i < n; i++) {
        const double v = grid_value(g, i);
        if (isfinite(v)) {
            const double d = v - s.mean;
            s.mean += d / (double)++s.count;
            s.m2 += d * (v - s.mean);
            s.min = v < s.min ? v : s.min;
            s.max = v > s.max ? v : s.max;
        } else *(isnan(v) ? &s.nan : &s.infinite) += 1;
    }
    return s;
}

static int textbook(const struct grid *grid, struct summary *out, void *scratch, struct exec *x)
{
    (void)scratch, (void)x;
    GRID_TYPED(grid, *out = textbook_body(&GRID))
    return 0;
}

/* ---- chunks --------------------------------------------------------------------------------------------------------
 * The textbook pays a division's latency per voxel. Idea: read a cache-sized chunk twice, once for its sum and once for
 * the differences from its mean, in LANES independent columns that the compiler vectorises; one merge per chunk
 * remains. Chunks are merged in order, so the result does not depend on the number of threads. Cost: each chunk is read
 * twice. */

enum { CHUNK = REDUCE_CHUNK, LANES = 8 };

struct chunk_sums {
    double sum[LANES];
    float min[LANES], max[LANES];
    uint32_t nan[LANES], infinite[LANES];
};

ISO_FN void chunk_add(struct chunk_sums *c, const struct grid *g, size_t i, unsigned lane)
{
    const float v = grid_value(g, i);
    if (g->type == VOXEL_FLOAT32 && !isfinite(v)) {
        *(isnan(v) ? &c->nan[lane] : &c->infinite[lane]) += 1;
        return;
    }
    c->sum[lane] += v;
    c->min[lane] = v < c->min[lane] ? v : c->min[lane];
    c->max[lane] = v > c->max[lane] ? v : c->max[lane];
}

ISO_FN double chunk_square(const struct grid *g, size_t i, double mean)
{
    const float v = grid_value(g, i);
    const double d = g->type == VOXEL_FLOAT32 && !isfinite(v) ? 0 : v - mean;
    return d * d;
}

ISO_FN struct summary chunk_body(const struct grid *g, size_t begin, size_t end)
{
    struct chunk_sums c;
    struct summary s = summary_empty();
    for (unsigned l = 0; l < LANES; l++) {
        c.sum[l] = 0, c.nan[l] = c.infinite[l] = 0;
        c.min[l] = INFINITY, c.max[l] = -INFINITY;
    }
    size_t i = begin;
    for (; i + LANES <= end; i += LANES)
        for (unsigned l = 0; l < LANES; l++) chunk_add(&c, g, i + l, l);
    for (; i < end; i++) chunk_add(&c, g, i, 0);

    double sum = 0, square[LANES] = { 0 };
    for (unsigned l = 0; l < LANES; l++) {
        sum += c.sum[l];
        s.nan += c.nan[l], s.infinite += c.infinite[l];
        s.min = c.min[l] < s.min ? c.min[l] : s.min;
        s.max = c.max[l] > s.max ? c.max[l] : s.max;
    }
    s.count = end - begin - s.nan - s.infinite;
    if (!s.count) return s;
    s.mean = sum / (double)s.count;
    for (i = begin; i + LANES <= end; i += LANES)
        for (unsigned l = 0; l < LANES; l++) square[l] += chunk_square(g, i + l, s.mean);
    for (; i < end; i++) square[0] += chunk_square(g, i, s.mean);
    for (unsigned l = 0; l < LANES; l++) s.m2 += square[l];
    return s;
}

static int chunks(const struct grid *grid, struct summary *out, void *scratch, struct exec *x)
{
    struct summary *part = scratch;
    const size_t n = grid_voxels(grid), count = (n + CHUNK - 1) / CHUNK;
#pragma omp parallel for num_threads(x->threads) schedule(static)
    for (size_t c = 0; c < count; c++) {
        if (exec_is_cancelled(x)) continue;
        const size_t end = (c + 1) * CHUNK < n ? (c + 1) * CHUNK : n;
        GRID_TYPED(grid, part[c] = chunk_body(&GRID, c * CHUNK, end))
    }
    *out = summary_empty();
    for (size_t c = 0; c < count && !exec_is_cancelled(x); c++) *out = summary_merge(*out, part[c]);
    return 0;
}

static size_t chunks_scratch(size_t voxels, const struct exec *x)
{
    (void)x;
    return (voxels + CHUNK - 1) / CHUNK * sizeof(struct summary);
}

/* clang-format off */
const struct reduce_rung reduce_cpu[] = {
    { { "textbook", "one voxel after the other, running mean, one thread", false }, textbook, NULL },
    { { "chunks", "cached chunks read twice in independent columns, merged in order; threads", true }, chunks,
      chunks_scratch },
    { { NULL, NULL, false }, NULL, NULL },
};
/* clang-format on */
