/* lower_bound on the CPU; contract in lower_bound.h.
 * Run: isoscope ladder lower_bound --bench --backend cpu */
#include "lower_bound.h"

/* ---- linear --------------------------------------------------------------------------------------------------------
 * Each query reads one element after the other.
 * Cost: n / 2 reads on average. */

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
 * linear reads n / 2 elements. Idea: read the middle one, then the middle one of the remaining half, and so on: log2 n
 * reads, 20 for a million elements.
 * Cost: each read depends on the one before, and the first dozen are cache lines apart. */

static int run_binary(const struct lower_bound_desc *d, void *scratch, struct exec *x)
{
    (void)scratch, (void)x;
    for (size_t q = 0; q < d->count; q++) d->bounds[q] = lower_bound_within(d->sorted, 0, d->n, d->queries[q]);
    return 0;
}

/* ---- threads -------------------------------------------------------------------------------------------------------
 * binary waits for memory at each read. Idea: queries are independent, so each thread takes a part of them. */

static int run_threads(const struct lower_bound_desc *d, void *scratch, struct exec *x)
{
    (void)scratch;
#pragma omp parallel for num_threads(x->threads) schedule(static)
    for (size_t q = 0; q < d->count; q++) d->bounds[q] = lower_bound_within(d->sorted, 0, d->n, d->queries[q]);
    return 0;
}

/* ---- together ------------------------------------------------------------------------------------------------------
 * threads waits for each read before it knows the next one: some 16 times 5 ns in L2. Idea: do 16 queries at a time,
 * step by step, so that 16 reads are in flight. The number of elements left does not depend on the answers: a step
 * either adds the half or does not, and what remains is the same for all queries. So there is no branch. Predicted: a
 * tenth of the time, since each read then costs a cycle or two. Measured on one core, for 4096 queries: 0.031 ms
 * instead of 0.335. Vectors with gather instructions gain nothing more (0.030 with AVX-512), because they make the same
 * reads.
 * Cost: one more step where the half was rounded down. With fewer than 16 queries, the gain is smaller. */

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
    { { "binary", "halves the range at each step", false }, run_binary, NULL },
    { { "threads", "binary, a part of the queries per thread", false }, run_threads, NULL },
    { { "together", "16 queries in step, so that their reads overlap", true }, run_together, NULL },
    { { NULL, NULL, false }, NULL, NULL },
};
