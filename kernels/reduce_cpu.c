/* reduce on the CPU; contract in reduce.h.
 * Run: isoscope ladder reduce --bench --backend cpu */
#include "reduce.h"

#include "cpu_vectors.h"

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * One voxel at a time (Welford 1962): each costs a division and a chain of dependent additions. */

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
 * The textbook pays the latency of a division per voxel. Idea: read a chunk that fits the cache twice, once for its sum
 * and once for the differences from its mean. Both are done in LANES independent columns, which the compiler
 * vectorises, and only one merge per chunk remains. Chunks are merged in order, so the result does not depend on the
 * number of threads.
 * Cost: each chunk is read twice. */

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

/* Summarise chunks with all threads, and merge them in order. */
static int merge_chunks(const struct grid *grid, struct summary *out, void *scratch, struct exec *x,
                        struct summary (*summarise)(const struct grid *g, size_t begin, size_t end))
{
    struct summary *part = scratch;
    const size_t n = grid_voxels(grid), count = (n + CHUNK - 1) / CHUNK;
#pragma omp parallel for num_threads(x->threads) schedule(static)
    for (size_t c = 0; c < count; c++)
        if (!exec_is_cancelled(x)) part[c] = summarise(grid, c * CHUNK, min_size((c + 1) * CHUNK, n));
    *out = summary_empty();
    for (size_t c = 0; c < count && !exec_is_cancelled(x); c++) *out = summary_merge(*out, part[c]);
    return 0;
}

static struct summary chunk_any(const struct grid *g, size_t begin, size_t end)
{
    struct summary s;
    GRID_TYPED(g, s = chunk_body(&GRID, begin, end))
    return s;
}

static int chunks(const struct grid *grid, struct summary *out, void *scratch, struct exec *x)
{
    return merge_chunks(grid, out, scratch, x, chunk_any);
}

static size_t chunks_scratch(size_t voxels, const struct exec *x)
{
    (void)x;
    return (voxels + CHUNK - 1) / CHUNK * sizeof(struct summary);
}

/* ---- narrow and avx2 -----------------------------------------------------------------------------------------------
 * chunks converts every voxel to double, twice, and a vector holds only two doubles. Idea: keep integers of 8 and 16
 * bits as they are, 16 or 8 to a vector. S, the sum of a chunk's values, and Q, the sum of their squares, are exact, so
 * reading once is enough: m2 = (n Q - S^2) / n loses no digits, since the difference is also exact in 64 bits. Floats
 * still have to be read twice. But they are tested one by one for NaN and infinity only in chunks whose plain sum is
 * not finite. They have four times as many columns; with fewer, the compiler unrolls them instead of using vectors.
 * AVX2 doubles what a vector holds.
 * Cost: three bodies. Vectors of 512 bits gain nothing more, because memory is the limit. */

enum { WIDE = 32, BLOCK = 8 * WIDE /* sums of a block fit 16 bits */ };
_Static_assert(CHUNK <= 1 << 16, "sums of a chunk fit: 32 bits, of squares 48, times their number 64");

struct whole_sums { /* minimum, maximum, sum, and sum of squares of values minus a constant */
    int32_t least, most;
    int64_t sum;
    uint64_t squares;
};

ISO_FN struct summary whole_summary(struct whole_sums w, size_t n, int32_t constant)
{
    struct summary s = summary_empty();
    s.min = w.least + constant, s.max = w.most + constant;
    s.count = n;
    s.mean = (double)(w.sum + (int64_t)n * constant) / (double)n;
    s.m2 = (double)(n * w.squares - (uint64_t)w.sum * (uint64_t)w.sum) / (double)n; /* a difference below 2^62 */
    return s;
}

/* flip: 128 if the bytes are signed, else 0. */
ISO_FN struct summary bytes_body(const uint8_t *v, size_t n, uint8_t flip)
{
    uint8_t least = 255, most = 0;
    int32_t sum = 0, squares = 0;
    size_t i = 0;
    for (; i + BLOCK <= n; i += BLOCK) {
        int16_t column[WIDE] = { 0 };
        for (size_t row = i; row < i + BLOCK; row += WIDE)
            for (unsigned l = 0; l < WIDE; l++) column[l] = (int16_t)(column[l] + (v[row + l] ^ flip) - 128);
        for (unsigned l = 0; l < WIDE; l++) sum += column[l];
        for (unsigned k = 0; k < BLOCK; k++) {
            const uint8_t b = v[i + k] ^ flip;
            const int16_t d = (int16_t)(b - 128); /* two products of 16 bits are one instruction */
            least = b < least ? b : least;
            most = b > most ? b : most;
            squares += (int32_t)d * d;
        }
    }
    for (; i < n; i++) {
        const uint8_t b = v[i] ^ flip;
        least = b < least ? b : least;
        most = b > most ? b : most;
        sum += b - 128;
        squares += (b - 128) * (b - 128);
    }
    return whole_summary((struct whole_sums){ least - 128, most - 128, sum, (uint64_t)squares }, n, flip ? 0 : 128);
}

/* flip: 32768 if the words are signed, else 0. */
ISO_FN struct summary words_body(const uint16_t *v, size_t n, uint16_t flip)
{
    uint16_t least = UINT16_MAX, most = 0;
    uint32_t sum = 0, low = 0, high = 0; /* halves of the squares: CHUNK of each fit */
    for (size_t i = 0; i < n; i++) {
        const uint16_t w = v[i] ^ flip;
        const uint32_t square = (uint32_t)w * w;
        least = w < least ? w : least;
        most = w > most ? w : most;
        sum += w;
        low += (uint16_t)square;
        high += (uint16_t)(square >> 16);
    }
    return whole_summary((struct whole_sums){ least, most, sum, low + ((uint64_t)high << 16) }, n, -(int32_t)flip);
}

struct float_sums {
    double sum[WIDE];
    float min[WIDE], max[WIDE];
    uint32_t finite[WIDE];
};

ISO_FN void float_add(struct float_sums *c, unsigned l, float v, bool all)
{
    const bool is_finite = all || fabsf(v) < INFINITY;
    const float low = is_finite ? v : INFINITY, high = is_finite ? v : -INFINITY;
    c->sum[l] += is_finite ? v : 0;
    c->min[l] = low < c->min[l] ? low : c->min[l];
    c->max[l] = high > c->max[l] ? high : c->max[l];
    c->finite[l] += is_finite;
}

ISO_FN double float_square(float v, double mean, bool all)
{
    const double d = all || fabsf(v) < INFINITY ? v - mean : 0;
    return d * d;
}

/* all: take every voxel as finite. If one is not, the resulting mean is not finite. */
ISO_FN struct summary floats_body(const float *v, size_t n, bool all)
{
    struct float_sums c;
    struct summary s = summary_empty();
    double sum = 0, square[WIDE] = { 0 };
    size_t i = 0;
    for (unsigned l = 0; l < WIDE; l++) c.sum[l] = 0, c.min[l] = INFINITY, c.max[l] = -INFINITY, c.finite[l] = 0;
    for (; i + WIDE <= n; i += WIDE)
        for (unsigned l = 0; l < WIDE; l++) float_add(&c, l, v[i + l], all);
    for (unsigned l = 0; i + l < n; l++) float_add(&c, l, v[i + l], all);
    for (unsigned l = 0; l < WIDE; l++) {
        sum += c.sum[l];
        s.count += c.finite[l];
        s.min = c.min[l] < s.min ? c.min[l] : s.min;
        s.max = c.max[l] > s.max ? c.max[l] : s.max;
    }
    for (i = 0; i < n && !all; i++) s.nan += v[i] != v[i];
    s.infinite = n - s.count - s.nan;
    if (!s.count) return s;
    s.mean = sum / (double)s.count;
    for (i = 0; i + WIDE <= n; i += WIDE)
        for (unsigned l = 0; l < WIDE; l++) square[l] += float_square(v[i + l], s.mean, all);
    for (unsigned l = 0; i + l < n; l++) square[l] += float_square(v[i + l], s.mean, all);
    for (unsigned l = 0; l < WIDE; l++) s.m2 += square[l];
    return s;
}

ISO_FN struct summary narrow_body(const struct grid *g, size_t begin, size_t end)
{
    const size_t n = end - begin;
    const char *at = (const char *)g->voxels + begin * voxel_bytes(g->type);
    if (voxel_bytes(g->type) == 1) return bytes_body((const void *)at, n, g->type == VOXEL_INT8 ? 128 : 0);
    if (voxel_bytes(g->type) == 2) return words_body((const void *)at, n, g->type == VOXEL_INT16 ? 32768 : 0);
    const struct summary s = floats_body((const void *)at, n, true);
    return isfinite(s.mean) ? s : floats_body((const void *)at, n, false);
}

static struct summary chunk_narrow(const struct grid *g, size_t begin, size_t end) { return narrow_body(g, begin, end); }

FOR_AVX2 static struct summary chunk_avx2(const struct grid *g, size_t begin, size_t end)
{
    return narrow_body(g, begin, end);
}

static int narrow(const struct grid *grid, struct summary *out, void *scratch, struct exec *x)
{
    return merge_chunks(grid, out, scratch, x, chunk_narrow);
}

static int avx2(const struct grid *grid, struct summary *out, void *scratch, struct exec *x)
{
    return merge_chunks(grid, out, scratch, x, chunk_avx2);
}

static int simd(const struct grid *grid, struct summary *out, void *scratch, struct exec *x)
{
    return merge_chunks(grid, out, scratch, x, cpu_has_avx2() ? chunk_avx2 : chunk_narrow);
}

/* clang-format off */
const struct reduce_rung reduce_cpu[] = {
    { { "textbook", "one voxel after the other, running mean, one thread", false }, textbook, NULL },
    { { "chunks", "cached chunks read twice in independent columns, merged in order; threads", false }, chunks,
      chunks_scratch },
    { { "narrow", "exact sums of whole numbers in one reading, in the voxels' own type", false }, narrow, chunks_scratch },
    { { "avx2", "as narrow, with vectors of 256 bits", false, cpu_lacks_avx2 }, avx2, chunks_scratch },
    { { "simd", "the rung above with the widest vectors that the machine has", true }, simd, chunks_scratch },
    { { NULL, NULL, false }, NULL, NULL },
};
/* clang-format on */
