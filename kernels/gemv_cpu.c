/* gemv on the CPU; contract in gemv.h.
 * Run: isoscope ladder gemv --bench --backend cpu */
#include "gemv.h"

#include "cpu_util.h"

#include <string.h>

static void store_y(const struct gemv_desc *d, size_t i, float sum)
{
    d->y[i] = d->beta == 0 ? d->alpha * sum : d->alpha * sum + d->beta * d->y[i];
}

/* ---- loop ----------------------------------------------------------------------------------------------------------
 * The definition: an inner product per float of y; if A is transposed, down its columns.
 * Cost: each addition waits for the previous one, 4 cycles for 4 bytes of A. That is about 3 GB/s, while memory
 * delivers ten times that. If A is transposed, a 64-byte cache line is fetched for each float. */

static int run_loop(const struct gemv_desc *d, void *scratch, struct exec *x)
{
    (void)scratch, (void)x;
    const size_t row = d->trans ? 1 : d->lda, column = d->trans ? d->lda : 1, depth = gemv_depth(d);
    for (size_t i = 0; i < gemv_rows(d); i++) {
        float sum = 0;
        for (size_t p = 0; p < depth; p++) sum += d->a[i * row + p * column] * d->x[p];
        store_y(d, i, sum);
    }
    return 0;
}

/* ---- threads -------------------------------------------------------------------------------------------------------
 * loop waits for its additions. Idea: 8 independent sums, which the compiler vectorises, and a part of y per thread. If
 * A is transposed: blocks of 256 columns, whose sums stay in the cache while the rows pass, so that A is read in the
 * order of memory.
 * Cost: the order of the sum differs from the definition, but not between numbers of threads. */

enum { LANES = 8, COLUMNS = 256 };

static float inner_product(const float *a, const float *x, size_t n)
{
    float lane[LANES] = { 0 }, sum = 0;
    size_t p = 0;
    for (; p + LANES <= n; p += LANES)
        for (size_t l = 0; l < LANES; l++) lane[l] += a[p + l] * x[p + l];
    for (size_t l = 0; l < LANES; l++) sum += lane[l];
    for (; p < n; p++) sum += a[p] * x[p];
    return sum;
}

/* Sum columns [begin, end), COLUMNS at most. */
static void sum_columns(const struct gemv_desc *d, size_t begin, size_t end)
{
    float sum[COLUMNS];
    const size_t depth = gemv_depth(d), n = end - begin;
    memset(sum, 0, sizeof sum);
    for (size_t p = 0; p < depth; p++) {
        const float *row = d->a + p * d->lda + begin, scale = d->x[p];
        for (size_t j = 0; j < n; j++) sum[j] += row[j] * scale;
    }
    for (size_t j = 0; j < n; j++) store_y(d, begin + j, sum[j]);
}

static int run_threads(const struct gemv_desc *d, void *scratch, struct exec *x)
{
    (void)scratch;
    const size_t depth = gemv_depth(d), rows = gemv_rows(d);
#pragma omp parallel for num_threads(x->threads) schedule(static, 1)
    for (int p = 0; p < x->threads; p++) {
        const size_t end = part_start(rows, p + 1, x->threads);
        if (!d->trans) CPU_PART(x, i, rows, p, { store_y(d, i, inner_product(d->a + i * d->lda, d->x, depth)); })
        else
            for (size_t j = part_start(rows, p, x->threads); j < end && !exec_is_cancelled(x); j += COLUMNS)
                sum_columns(d, j, end - j < COLUMNS ? end : j + COLUMNS);
    }
    return 0;
}

const struct gemv_rung gemv_cpu[] = {
    { { "loop", "an inner product per float of y", false }, run_loop, NULL },
    { { "threads", "8 sums side by side, a part of y per thread; A read in memory order", true }, run_threads, NULL },
    { { NULL, NULL, false }, NULL, NULL },
};
