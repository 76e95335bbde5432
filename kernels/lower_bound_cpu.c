/* lower_bound on the CPU; contract in lower_bound.h.
 * Run: isoscope ladder lower_bound --bench --backend cpu */
#include "lower_bound.h"

/* ---- linear --------------------------------------------------------------------------------------------------------
 * Each query reads one element after the other.
 * Cost: n / 2 of them, on average. */

static int run_linear(const struct lower_bound_desc *d, void *scratch, struct exec *x)
{
    (void)scratch, (void)x;
    for (size_t q = 0; q < d->count; q++) {
        size_t i = 0;
        while (i < d->n && lower_bound_before(d->sorted[i], d->queries[q])) i++;
        d->bounds[q] = i;
    }
    return 0;
}

/* ---- binary --------------------------------------------------------------------------------------------------------
 * linear reads n / 2 elements. Idea: read the middle one, then that of the remaining half: log2 n, 20 for a million.
 * Cost: each read depends on the last, and the first dozen are cache lines apart. */

static int run_binary(const struct lower_bound_desc *d, void *scratch, struct exec *x)
{
    (void)scratch, (void)x;
    for (size_t q = 0; q < d->count; q++) d->bounds[q] = lower_bound_within(d->sorted, 0, d->n, d->queries[q]);
    return 0;
}

/* ---- threads -------------------------------------------------------------------------------------------------------
 * binary waits for memory at each read. Idea: queries are independent; each thread takes a part of them. */

static int run_threads(const struct lower_bound_desc *d, void *scratch, struct exec *x)
{
    (void)scratch;
#pragma omp parallel for num_threads(x->threads) schedule(static)
    for (size_t q = 0; q < d->count; q++) d->bounds[q] = lower_bound_within(d->sorted, 0, d->n, d->queries[q]);
    return 0;
}

/* ---- together ------------------------------------------------------------------------------------------------------
 * threads waits for each read before it knows the next, some 16 times 5 ns in L2. Idea: 16 queries at a time, step by
 * step. How much is left does not depend on the answers if the half is added or not and the rest is the same for all: no
 * branch, and 16 reads under way. Predicted: a tenth of the time, as each read then costs a cycle or two. One core:
 * 0.031 ms in place of 0.335 for 4096 queries. Vectors that gather gain nothing more (0.030 with AVX-512): they do the
 * same reads.
 * Cost: a step more, where the half was rounded down; fewer than 16 queries gain less. */

enum { TOGETHER = 16 };

static void search_together(const float *sorted, size_t n, const float *queries, uint64_t *bounds)
{
    size_t at[TOGETHER] = { 0 };
    for (size_t left = n, half; left > 1; left -= half) {
        half = left / 2;
        for (unsigned l = 0; l < TOGETHER; l++)
            at[l] += lower_bound_before(sorted[at[l] + half - 1], queries[l]) ? half : 0;
    }
    for (unsigned l = 0; l < TOGETHER; l++) bounds[l] = at[l] + (n && lower_bound_before(sorted[at[l]], queries[l]));
}

static int run_together(const struct lower_bound_desc *d, void *scratch, struct exec *x)
{
    (void)scratch;
    const size_t whole = d->count / TOGETHER * TOGETHER;
#pragma omp parallel for num_threads(x->threads) schedule(static)
    for (size_t q = 0; q < whole; q += TOGETHER) search_together(d->sorted, d->n, d->queries + q, d->bounds + q);
    for (size_t q = whole; q < d->count; q++) d->bounds[q] = lower_bound_within(d->sorted, 0, d->n, d->queries[q]);
    return 0;
}

const struct lower_bound_rung lower_bound_cpu[] = {
    { { "linear", "one element after the other", false }, run_linear, NULL },
    { { "binary", "halves the range at each look", false }, run_binary, NULL },
    { { "threads", "binary, a part of the queries per thread", false }, run_threads, NULL },
    { { "together", "16 queries step by step, so that their reads overlap", true }, run_together, NULL },
    { { NULL, NULL, false }, NULL, NULL },
};
