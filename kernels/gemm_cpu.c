/* gemm on the CPU; contract in gemm.h.
 * Run: isoscope ladder gemm --bench --backend cpu */
#include "gemm.h"

#include "cpu_util.h"
#include "cpu_vectors.h"

#include <string.h>

/* Combine a sum of products with C. This is the only place that has to know not to read C if beta == 0. */
static void store_c(const struct gemm_desc *d, size_t i, size_t j, float sum)
{
    float *c = d->c + i * d->ldc + j;
    *c = d->beta == 0 ? d->alpha * sum : d->alpha * sum + d->beta * *c;
}

/* ---- ijk -----------------------------------------------------------------------------------------------------------
 * The definition: one inner product per element of C.
 * Cost: it walks down a column of B, so it fetches a 64-byte cache line for each 4 bytes used. And each addition waits
 * for the previous one, about 4 cycles: less than one product per nanosecond. */

static int run_ijk(const struct gemm_desc *d, void *scratch, struct exec *x)
{
    (void)scratch, (void)x;
    const struct gemm_view a = gemm_view_a(d), b = gemm_view_b(d);
    const size_t depth = gemm_depth(d);
    for (size_t i = 0; i < d->m; i++)
        for (size_t j = 0; j < d->n; j++) {
            float sum = 0;
            for (size_t p = 0; p < depth; p++) sum += a.at[i * a.row + p * a.column] * b.at[p * b.row + j * b.column];
            store_c(d, i, j, sum);
        }
    return 0;
}

/* ---- ikj -----------------------------------------------------------------------------------------------------------
 * ijk strides through B. Idea: exchange the two inner loops. Now each element of A scales a row of B and adds it to a
 * row of C. Both rows are read in order, and the additions are independent, so the compiler vectorises them. It may do
 * so because `restrict` promises that the rows do not overlap; otherwise each store to C might change B, and it would
 * have to test for that first.
 * Cost: the row of C is read and written k times, 12 bytes per product, at best from the cache. A transposed B is still
 * walked across its rows. */

static void scale_row(const struct gemm_desc *d, size_t i)
{
    float *c = d->c + i * d->ldc;
    for (size_t j = 0; j < d->n; j++) c[j] = d->beta == 0 ? 0 : d->beta * c[j];
}

static void add_row(float *restrict c, const float *restrict b, size_t step, size_t n, float scale)
{
    if (step == 1)
        for (size_t j = 0; j < n; j++) c[j] += scale * b[j];
    else
        for (size_t j = 0; j < n; j++) c[j] += scale * b[j * step];
}

static int run_ikj(const struct gemm_desc *d, void *scratch, struct exec *x)
{
    (void)scratch, (void)x;
    const struct gemm_view a = gemm_view_a(d), b = gemm_view_b(d);
    const size_t depth = gemm_depth(d);
    for (size_t i = 0; i < d->m; i++) {
        scale_row(d, i);
        for (size_t p = 0; p < depth; p++)
            add_row(d->c + i * d->ldc, b.at + p * b.row, b.column, d->n, d->alpha * a.at[i * a.row + p * a.column]);
    }
    return 0;
}

/* ---- blocked -------------------------------------------------------------------------------------------------------
 * ikj moves 12 bytes per product. Idea (Goto and van de Geijn 2008): cut A and B into blocks that stay in the cache,
 * and copy these into strips, whether transposed or not: strips of 4 rows of A and of 8 columns of B. Two strips are
 * multiplied at a time. Their 4 x 8 sums stay in registers until the strips end, and 12 loads serve 32 products.
 *
 *    block of A   (168, 256)   strips of 4 rows:    the 4 floats of each depth are contiguous
 *    block of B   (256, 512)   strips of 8 columns: the 8 floats of each depth, two vectors
 *
 * The sums have a vector type. When they were an array of floats that the compiler was to vectorise, they stayed in
 * memory: it mixed rows and columns, with three shuffles per product, and took three times as long as ikj. Cost: the
 * copies; but a float of B is used m times, and one of A 512 times. Tiles over an edge are computed whole. */

struct tile {
    size_t rows, columns; /* of C, at most MOST elements */
    void (*pack_a)(const float *from, size_t across, size_t along, size_t lines, size_t depth, float *to);
    void (*pack_b)(const float *from, size_t across, size_t along, size_t lines, size_t depth, float *to);
    void (*multiply)(const float *a, const float *b, size_t depth, float alpha, float *c, size_t ldc);
};

enum { DEEP = 256, WIDE = 512, TALL = 168, MOST = 14 * 32 }; /* TALL: whole tiles of all kinds */

/* Copy `lines` rows of op(A) or columns of op(B) into strips of `side` lines; what is missing from the last strip is 0.
 * across: floats from one line to the next; along: from one element of a line to the next. */
ISO_FN void pack(const float *from, size_t across, size_t along, size_t lines, size_t depth, size_t side, float *to)
{
    size_t l = 0;
    for (; l + side <= lines; l += side, from += side * across)
        for (size_t p = 0; p < depth; p++, to += side)
            if (across == 1) memcpy(to, from + p * along, side * sizeof *to);
            else
                for (size_t s = 0; s < side; s++) to[s] = from[s * across + p * along];
    for (size_t p = 0; p < depth && l < lines; p++, to += side)
        for (size_t s = 0; s < side; s++) to[s] = s < lines - l ? from[s * across + p * along] : 0;
}

#define TILE plain
#define TARGET
#define VECTOR floats4
#define ALL(s) ((floats4){ s, s, s, s })
#define FMA(a, b, c) ((a) * (b) + (c))
#define ROWS 4
#define VECTORS 2
#include "gemm_cpu_tile.inc"

struct block {
    size_t i0, height, j0, width, p0, depth;
}; /* rows and columns of C, products */

/* A tile over an edge of C: it is computed whole, in a buffer beside C, and then the part that exists is added. */
static void add_edge(const struct gemm_desc *d, const struct tile *t, const float *a, const float *b, size_t depth,
                     float *c, size_t rows, size_t columns)
{
    float whole[MOST] = { 0 };
    t->multiply(a, b, depth, d->alpha, whole, t->columns);
    for (size_t r = 0; r < rows; r++)
        for (size_t s = 0; s < columns; s++) c[r * d->ldc + s] += whole[r * t->columns + s];
}

static void multiply_block(const struct gemm_desc *d, const struct tile *t, const struct block *k, const float *a,
                           const float *b)
{
    for (size_t j = 0; j < k->width; j += t->columns)
        for (size_t i = 0; i < k->height; i += t->rows) {
            const size_t rows = min_size(t->rows, k->height - i), columns = min_size(t->columns, k->width - j);
            const float *strip_a = a + i * k->depth, *strip_b = b + j * k->depth;
            float *c = d->c + (k->i0 + i) * d->ldc + k->j0 + j;
            if (rows == t->rows && columns == t->columns) t->multiply(strip_a, strip_b, k->depth, d->alpha, c, d->ldc);
            else add_edge(d, t, strip_a, strip_b, k->depth, c, rows, columns);
        }
}

enum { STRIPS = DEEP * (WIDE + TALL) }; /* floats */

_Static_assert(STRIPS * sizeof(float) % sizeof(floats16) == 0, "no vector of a part straddles two cache lines");

static size_t strips_bytes(int parts) { return (size_t)parts * STRIPS * sizeof(float); }

/* Compute rows [begin, end) of C. strips: STRIPS floats. */
static void blocked_rows(const struct gemm_desc *d, const struct tile *t, size_t begin, size_t end, float *strips)
{
    const struct gemm_view a = gemm_view_a(d), b = gemm_view_b(d);
    float *const strips_b = strips, *const strips_a = strips + DEEP * WIDE;
    struct block k;
    for (size_t i = begin; i < end; i++) scale_row(d, i);
    for (k.j0 = 0; k.j0 < d->n && begin < end; k.j0 += WIDE)
        for (k.p0 = 0; k.p0 < gemm_depth(d); k.p0 += DEEP) {
            k.width = min_size(WIDE, d->n - k.j0), k.depth = min_size(DEEP, d->k - k.p0);
            t->pack_b(b.at + k.p0 * b.row + k.j0 * b.column, b.column, b.row, k.width, k.depth, strips_b);
            for (k.i0 = begin; k.i0 < end; k.i0 += TALL) {
                k.height = min_size(TALL, end - k.i0);
                t->pack_a(a.at + k.i0 * a.row + k.p0 * a.column, a.row, a.column, k.height, k.depth, strips_a);
                multiply_block(d, t, &k, strips_a, strips_b);
            }
        }
}

static int run_blocked(const struct gemm_desc *d, void *scratch, struct exec *x)
{
    (void)x;
    blocked_rows(d, &plain, 0, d->m, scratch);
    return 0;
}

static size_t scratch_blocked(const struct gemm_desc *d, const struct exec *x)
{
    (void)d, (void)x;
    return strips_bytes(1);
}

/* ---- threads -------------------------------------------------------------------------------------------------------
 * blocked leaves all cores but one idle. Idea: each thread takes a part of the rows of C. The sums of a row do not
 * depend on which part it is in, so the result is the same for any number of threads.
 * Cost: every thread copies all of B. */

static void blocked_parts(const struct gemm_desc *d, const struct tile *t, void *scratch, const struct exec *x)
{
#pragma omp parallel for num_threads(x->threads) schedule(static, 1)
    for (int p = 0; p < x->threads; p++)
        blocked_rows(d, t, part_start(d->m, p, x->threads), part_start(d->m, p + 1, x->threads),
                     (float *)scratch + (size_t)p * STRIPS);
}

static int run_threads(const struct gemm_desc *d, void *scratch, struct exec *x)
{
    blocked_parts(d, &plain, scratch, x);
    return 0;
}

static size_t scratch_threads(const struct gemm_desc *d, const struct exec *x)
{
    (void)d;
    return strips_bytes(x->threads);
}

/* ---- avx2 ----------------------------------------------------------------------------------------------------------
 * On any x86-64, a vector has 4 floats, and multiplication and addition are separate instructions. Idea: 8 floats, and
 * both in one instruction (FMA). Two can start per cycle and each takes four cycles, so at least 8 sums must be in
 * progress. 6 x 16 sums are 12 vectors; with two of B and one of A, 15 of the 16 registers are used, and 8 loads serve
 * 12 FMAs. Predicted: three to four times as fast as threads, as in fma_peak. Measured: 2.5 ms for 512^3 on a core on
 * which threads takes 7.9.
 * Cost: a narrow C wastes more of its tiles. */

#define TILE wide
#define TARGET FOR_FMA
#define VECTOR floats8
#define ALL ALL8
#define FMA FMA8
#define ROWS 6
#define VECTORS 2
#include "gemm_cpu_tile.inc"

static int run_avx2(const struct gemm_desc *d, void *scratch, struct exec *x)
{
    blocked_parts(d, &wide, scratch, x);
    return 0;
}

/* ---- avx512 --------------------------------------------------------------------------------------------------------
 * Idea: 16 floats per vector, and 32 registers. 14 x 32 sums fill 28 of them, and 16 loads serve 28 FMAs. Predicted:
 * twice as fast as avx2 where a core starts two such instructions per cycle, as servers do. Measured: 1.5 ms, 176
 * GFLOP/s, three quarters of the peak. Copying into strips takes half of the rest. */

#define TILE widest
#define TARGET FOR_AVX512
#define VECTOR floats16
#define ALL ALL16
#define FMA FMA16
#define ROWS 14
#define VECTORS 2
#include "gemm_cpu_tile.inc"

static int run_avx512(const struct gemm_desc *d, void *scratch, struct exec *x)
{
    blocked_parts(d, &widest, scratch, x);
    return 0;
}

/* ---- simd ----------------------------------------------------------------------------------------------------------
 * Not every machine has the widest vectors. A narrow C, such as transforms of vertices with 3 or 4 columns, wastes most
 * of a wide tile, but is not slower for that: 1.3 ms with avx512 for 200000 x 4 x 3 on one core, against 1.9 with
 * blocked. */

static int run_simd(const struct gemm_desc *d, void *scratch, struct exec *x)
{
    blocked_parts(d, cpu_has_avx512() ? &widest : cpu_has_fma() ? &wide : &plain, scratch, x);
    return 0;
}

/* clang-format off */
const struct gemm_rung gemm_cpu[] = {
    { { "ijk", "an inner product per element", false }, run_ijk, NULL, 0, GEMM_FLOAT_ERROR },
    { { "ikj", "inner loops exchanged: rows of B are added to a row of C", false }, run_ikj, NULL, 0,
      GEMM_FLOAT_ERROR },
    { { "blocked", "blocks of A and B packed for the cache, 4 x 8 sums in registers", false }, run_blocked, scratch_blocked,
      0, GEMM_FLOAT_ERROR },
    { { "threads", "blocked, a part of the rows per thread", false }, run_threads, scratch_threads, 0,
      GEMM_FLOAT_ERROR },
    { { "avx2", "6 x 16 sums, in vectors of 256 bits, with fused multiply-adds", false, cpu_lacks_fma }, run_avx2,
      scratch_threads, 0, GEMM_FLOAT_ERROR },
    { { "avx512", "14 x 32 sums, in vectors of 512 bits", false, cpu_lacks_avx512 }, run_avx512, scratch_threads, 0,
      GEMM_FLOAT_ERROR },
    { { "simd", "the rung above with the widest vectors that the machine has", true }, run_simd, scratch_threads, 0,
      GEMM_FLOAT_ERROR },
    { { NULL, NULL, false }, NULL, NULL, 0, 0 },
};
/* clang-format on */
