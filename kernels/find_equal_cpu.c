/* find_equal on the CPU; contract in find_equal.h.
 * Run: isoscope ladder find_equal --bench --backend cpu */
#include "find_equal.h"

#include "cpu_util.h"

/* Write the positions in [begin, end) to `list` unless it is NULL; return how many there are. */
static size_t find_part(const struct find_equal_desc *d, size_t begin, size_t end, uint64_t *list)
{
    size_t count = 0;
    for (size_t i = begin; i < end; i++)
        if (d->values[i] == d->value) {
            if (list) list[count] = i;
            count++;
        }
    return count;
}

/* Return the first position in [begin, end), or n. */
static size_t first_of_part(const struct find_equal_desc *d, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        if (d->values[i] == d->value) return i;
    return d->n;
}

/* ---- linear --------------------------------------------------------------------------------------------------------
 * One value at a time; stops at the first match if only that is wanted.
 * Cost: one core does not fill the memory bus. */

static int run_linear(const struct find_equal_desc *d, void *scratch, struct exec *x)
{
    (void)scratch, (void)x;
    *d->first = first_of_part(d, 0, d->n);
    if (d->list) *d->count = find_part(d, *d->first, d->n, d->list);
    return 0;
}

/* ---- threads -------------------------------------------------------------------------------------------------------
 * linear leaves all cores but one idle. Idea: each thread counts in its part, the counts become starts, and each thread
 * writes from its own: the list ascends.
 * Cost: all values are read twice. The first alone takes as long as the slowest part that has it. */

static int run_threads(const struct find_equal_desc *d, void *scratch, struct exec *x)
{
    uint64_t *found = scratch; /* per part: the first, then the count, then the start */
    *d->first = d->n;
#pragma omp parallel for num_threads(x->threads) schedule(static, 1)
    for (int p = 0; p < x->threads; p++)
        found[p] = first_of_part(d, part_start(d->n, p, x->threads), part_start(d->n, p + 1, x->threads));
    for (int p = x->threads - 1; p >= 0; p--)
        if (found[p] < d->n) *d->first = found[p];
    if (!d->list) return 0;
#pragma omp parallel for num_threads(x->threads) schedule(static, 1)
    for (int p = 0; p < x->threads; p++)
        found[p] = find_part(d, part_start(d->n, p, x->threads), part_start(d->n, p + 1, x->threads), NULL);
    *d->count = counts_to_starts(found, x->threads);
#pragma omp parallel for num_threads(x->threads) schedule(static, 1)
    for (int p = 0; p < x->threads; p++)
        (void)find_part(d, part_start(d->n, p, x->threads), part_start(d->n, p + 1, x->threads), d->list + found[p]);
    return 0;
}

static size_t scratch_threads(const struct find_equal_desc *d, const struct exec *x)
{
    (void)d;
    return (size_t)x->threads * sizeof(uint64_t);
}

/* clang-format off */
const struct find_equal_rung find_equal_cpu[] = {
    { { "linear", "one value after the other", false }, run_linear, NULL, true },
    { { "threads", "counts per part, then each part writes from its own start", true }, run_threads, scratch_threads,
      true },
    { { NULL, NULL, false }, NULL, NULL, false },
};
/* clang-format on */
