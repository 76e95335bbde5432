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

const struct lower_bound_rung lower_bound_cpu[] = {
    { { "linear", "one element after the other", false }, run_linear, NULL },
    { { "binary", "halves the range at each look", false }, run_binary, NULL },
    { { "threads", "binary, a part of the queries per thread", true }, run_threads, NULL },
    { { NULL, NULL, false }, NULL, NULL },
};
