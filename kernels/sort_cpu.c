/* sort on the CPU; contract in sort.h.
 * Run: isoscope ladder sort --bench --backend cpu */
#include "sort.h"

#include "cpu_util.h"

#include <stdlib.h>
#include <string.h>

/* ---- qsort ---------------------------------------------------------------------------------------------------------
 * The C library's sort of items.
 * Cost: a call through a pointer for each of the n log2 n comparisons. */

static int compare(const void *a, const void *b)
{
    const uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    return p < q ? -1 : p > q;
}

static int run_qsort(const struct sort_desc *d, void *scratch, struct exec *x)
{
    (void)x;
    uint64_t *item = scratch;
    for (size_t i = 0; i < d->n; i++) item[i] = sort_item(d, i);
    if (d->n) qsort(item, d->n, sizeof *item, compare);
    for (size_t i = 0; i < d->n; i++) sort_store(d, i, item[i]);
    return 0;
}

static size_t scratch_qsort(const struct sort_desc *d, const struct exec *x)
{
    (void)x;
    return d->n * sizeof(uint64_t);
}

/* ---- merge ---------------------------------------------------------------------------------------------------------
 * qsort calls a function per comparison. Idea: inline comparisons: merge runs of 1, 2, 4, .. items in pairs, from one
 * buffer into another and back.
 * Cost: a second buffer, and log2 n passes over both; which run is next cannot be predicted. */

static void merge_runs(const uint64_t *in, uint64_t *out, size_t begin, size_t middle, size_t end, const struct exec *x)
{
    size_t a = begin, b = middle;
    for (size_t i = begin; i < end;) {
        const size_t stop = cpu_piece_end(x, i, end);
        if (stop == i) return; /* cancelled */
        for (; i < stop; i++) out[i] = b >= end || (a < middle && in[a] < in[b]) ? in[a++] : in[b++];
    }
}

static int run_merge(const struct sort_desc *d, void *scratch, struct exec *x)
{
    const size_t n = d->n;
    uint64_t *in = scratch, *out = in + n;
    if (exec_is_cancelled(x)) return 0;
    for (size_t i = 0; i < n; i++) in[i] = sort_item(d, i);
    for (size_t run = 1; run < n && !exec_is_cancelled(x); run *= 2) {
        for (size_t begin = 0; begin < n; begin += 2 * run) {
            const size_t middle = n - begin < run ? n : begin + run, end = n - begin < 2 * run ? n : begin + 2 * run;
            merge_runs(in, out, begin, middle, end, x);
        }
        uint64_t *swap = in;
        in = out, out = swap;
    }
    if (exec_is_cancelled(x)) return 0; /* there may be no positions */
    for (size_t i = 0; i < n; i++) sort_store(d, i, in[i]);
    return 0;
}

static size_t scratch_merge(const struct sort_desc *d, const struct exec *x)
{
    (void)x;
    return 2 * d->n * sizeof(uint64_t);
}

/* ---- radix ---------------------------------------------------------------------------------------------------------
 * merge takes 20 passes for a million items, with a branch that is mispredicted half the time. Idea (Knuth, volume 3,
 * 5.2.5): no comparisons: four passes, each of which orders the items by one byte of the rank, last byte first, and
 * keeps the order of equal ones. Threads count and move a part each; counts by digit, then by part, give the offsets,
 * so the result does not depend on the number of threads.
 * Cost: 256 positions are written at once, more than L1 has ways. */

enum { DIGITS = 256, PASSES = 4 };

static void count_digits(const uint64_t *in, size_t n, int p, unsigned shift, size_t *count, const struct exec *x)
{
    memset(count, 0, DIGITS * sizeof *count);
    CPU_PART(x, i, n, p, { count[in[i] >> shift & (DIGITS - 1)]++; })
}

/* A part whose counts are not complete, since x was cancelled, is not moved: it could leave the array. */
static void move_digits(const uint64_t *in, uint64_t *out, size_t n, int p, unsigned shift, size_t *offset,
                        const struct exec *x)
{
    CPU_PART(x, i, n, p, { out[offset[in[i] >> shift & (DIGITS - 1)]++] = in[i]; })
}

static void radix_pass(const uint64_t *in, uint64_t *out, size_t n, unsigned shift, size_t *counts, const struct exec *x)
{
    const int parts = x->threads;
#pragma omp parallel for num_threads(parts) schedule(static, 1)
    for (int p = 0; p < parts; p++) count_digits(in, n, p, shift, counts + (size_t)p * DIGITS, x);
    size_t sum = 0;
    for (size_t digit = 0; digit < DIGITS; digit++)
        for (int p = 0; p < parts; p++) {
            size_t *offset = &counts[(size_t)p * DIGITS + digit];
            const size_t next = sum + *offset;
            *offset = sum;
            sum = next;
        }
#pragma omp parallel for num_threads(parts) schedule(static, 1)
    for (int p = 0; p < parts; p++) move_digits(in, out, n, p, shift, counts + (size_t)p * DIGITS, x);
}

static int run_radix(const struct sort_desc *d, void *scratch, struct exec *x)
{
    const size_t n = d->n;
    uint64_t *in = scratch, *out = in + n;
    size_t *counts = (size_t *)(out + n);
    CPU_EACH(x, i, n, { in[i] = sort_item(d, i); })
    for (unsigned pass = 0; pass < PASSES; pass += 2) { /* there and back */
        radix_pass(in, out, n, 32 + 8 * pass, counts, x);
        radix_pass(out, in, n, 40 + 8 * pass, counts, x);
    }
    CPU_EACH(x, i, n, { sort_store(d, i, in[i]); })
    return 0;
}

static size_t scratch_radix(const struct sort_desc *d, const struct exec *x)
{
    return scratch_merge(d, x) + (size_t)x->threads * DIGITS * sizeof(size_t);
}

const struct sort_rung sort_cpu[] = {
    { { "qsort", "the C library's qsort, by rank and position", false }, run_qsort, scratch_qsort },
    { { "merge", "runs merged in pairs, twice as long each time", false }, run_merge, scratch_merge },
    { { "radix", "four passes of one byte each; threads", true }, run_radix, scratch_radix },
    { { NULL, NULL, false }, NULL, NULL },
};
