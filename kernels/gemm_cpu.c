/* gemm on the CPU; contract in gemm.h.
 * Run: isoscope ladder gemm --bench --backend cpu */
#include "gemm.h"

#include "cpu_util.h"

/* Combine a sum of products with C; the one place that knows not to read C if beta == 0. */
static void store_c(const struct gemm_desc *d, size_t i, size_t j, float sum)
{
    float *c = d->c + i * d->ldc + j;
    *c = d->beta == 0 ? d->alpha * sum : d->alpha * sum + d->beta * *c;
}

/* ---- ijk -----------------------------------------------------------------------------------------------------------
 * The definition: one inner product per element of C.
 * Cost: walks down a column of B, a 64-byte cache line for each 4 bytes used; and each addition waits for the previous
 * one, about 4 cycles: less than one product per nanosecond. */

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
 * ijk strides through B. Idea: exchange the two inner loops: each element of A scales a row of B and adds it to a row
 * of C. Both rows are read in order, and the additions are independent: the compiler vectorises them. It may because
 * `restrict` promises that the rows do not overlap; without, each store to C could change B, so it would have to ask first.
 * Cost: the row of C is read and written k times, 12 bytes per product, at best from the cache; a transposed B is still
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
 * ikj moves 12 bytes per product. Idea (Goto and van de Geijn 2008): cut B into blocks that stay in L2, and copy each
 * into strips of 8 columns, transposed or not. A strip meets 4 rows of A at a time, whose 4 x 8 sums stay in registers:
 * 12 loads serve 32 products.
 *
 *    block of B  (128, 512) as strips     strip: 8 columns, 128 deep, its 8 floats of each depth contiguous
 *    | 0 | 1 | 2 | ..                     sums:  4 rows of A x 8 columns, added to C once per block
 *
 * Cost: the copy, once per block: a read and a write per float of B, for m / 4 uses of it. */

enum { DEEP = 128, WIDE = 512, STRIP = 8, ROWS = 4 };

struct block {
    size_t p0, depth, j0, width;
}; /* of op(B) */

static void pack_block(const struct gemm_desc *d, const struct block *k, float *strips)
{
    const struct gemm_view b = gemm_view_b(d);
    for (size_t j = 0; j < k->width; j += STRIP)
        for (size_t p = 0; p < k->depth; p++)
            for (size_t s = 0; s < STRIP; s++)
                *strips++ = j + s < k->width ? b.at[(k->p0 + p) * b.row + (k->j0 + j + s) * b.column] : 0;
}

/* Multiply up to ROWS rows of C from row i by one strip. Rows past the end read the last row and are not stored. */
static void add_strip(const struct gemm_desc *d, const struct block *k, const float *strip, size_t i, size_t rows, size_t j)
{
    const struct gemm_view a = gemm_view_a(d);
    const float *row[ROWS];
    float sum[ROWS][STRIP] = { { 0 } };
    for (size_t r = 0; r < ROWS; r++) row[r] = a.at + (i + (r < rows ? r : rows - 1)) * a.row + k->p0 * a.column;
    for (size_t p = 0; p < k->depth; p++, strip += STRIP)
        for (size_t r = 0; r < ROWS; r++) {
            const float scale = row[r][p * a.column];
            for (size_t s = 0; s < STRIP; s++) sum[r][s] += scale * strip[s];
        }
    const size_t have = k->width - j < STRIP ? k->width - j : STRIP;
    for (size_t r = 0; r < rows; r++)
        for (size_t s = 0; s < have; s++) d->c[(i + r) * d->ldc + k->j0 + j + s] += d->alpha * sum[r][s];
}

/* Compute rows [begin, end) of C. strips: DEEP * WIDE floats. */
static void blocked_rows(const struct gemm_desc *d, size_t begin, size_t end, float *strips)
{
    const size_t depth = gemm_depth(d);
    for (size_t i = begin; i < end; i++) scale_row(d, i);
    for (size_t j0 = 0; j0 < d->n && begin < end; j0 += WIDE)
        for (size_t p0 = 0; p0 < depth; p0 += DEEP) {
            const struct block k = { p0, depth - p0 < DEEP ? depth - p0 : DEEP, j0, d->n - j0 < WIDE ? d->n - j0 : WIDE };
            pack_block(d, &k, strips);
            for (size_t j = 0; j < k.width; j += STRIP)
                for (size_t i = begin; i < end; i += ROWS)
                    add_strip(d, &k, strips + j * k.depth, i, end - i < ROWS ? end - i : ROWS, j);
        }
}

static int run_blocked(const struct gemm_desc *d, void *scratch, struct exec *x)
{
    (void)x;
    blocked_rows(d, 0, d->m, scratch);
    return 0;
}

static size_t scratch_blocked(const struct gemm_desc *d, const struct exec *x)
{
    (void)d, (void)x;
    return DEEP * WIDE * sizeof(float);
}

/* ---- threads -------------------------------------------------------------------------------------------------------
 * blocked leaves all cores but one idle. Idea: each thread takes a part of the rows of C. A row's sums do not depend on
 * its part, so the result is the same for any number of threads.
 * Cost: every thread copies all of B. */

static int run_threads(const struct gemm_desc *d, void *scratch, struct exec *x)
{
#pragma omp parallel for num_threads(x->threads) schedule(static, 1)
    for (int p = 0; p < x->threads; p++)
        blocked_rows(d, part_start(d->m, p, x->threads), part_start(d->m, p + 1, x->threads),
                     (float *)scratch + (size_t)p * DEEP * WIDE);
    return 0;
}

static size_t scratch_threads(const struct gemm_desc *d, const struct exec *x)
{
    return (size_t)x->threads * scratch_blocked(d, x);
}

/* clang-format off */
const struct gemm_rung gemm_cpu[] = {
    { { "ijk", "an inner product per element", false }, run_ijk, NULL, 0, GEMM_FLOAT_ERROR },
    { { "ikj", "inner loops exchanged: rows of B are added to a row of C", false }, run_ikj, NULL, 0,
      GEMM_FLOAT_ERROR },
    { { "blocked", "blocks of B packed for the cache, 4 x 8 sums in registers", false }, run_blocked, scratch_blocked, 0,
      GEMM_FLOAT_ERROR },
    { { "threads", "blocked, a part of the rows per thread", true }, run_threads, scratch_threads, 0,
      GEMM_FLOAT_ERROR },
    { { NULL, NULL, false }, NULL, NULL, 0, 0 },
};
/* clang-format on */
