/* search: where each query belongs in a sorted array: how many elements come before the first that is >= the query.
 *
 *    sorted 1 2 2 5     queries 0 2 3 9     places 0 1 3 4
 *
 * `sorted` ascends and holds no NaN; infinities are fine. A query that is NaN, or larger than all, gives n. n == 0 gives 0.
 * Known elsewhere as lower bound; the place after the last equal element is that of nextafterf(query, INFINITY). */
#ifndef ISO_LOWER_BOUND_H
#define ISO_LOWER_BOUND_H

#include "grid.h"
#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lower_bound_desc {
    const float *sorted; /* [n], backend memory, as all here */
    size_t n;
    const float *queries; /* [count], in any order */
    size_t count;
    uint64_t *positions; /* [count] */
};

struct lower_bound_rung {
    struct rung rung;
    int (*run)(const struct lower_bound_desc *desc, void *scratch, struct exec *x);
    size_t (*scratch)(const struct lower_bound_desc *desc, const struct exec *x); /* bytes, 256-byte aligned; NULL: none */
};

extern const struct lower_bound_rung lower_bound_cpu[], lower_bound_cuda[];

/* Whether an element comes before the query's place; written so that NaN comes after all. */
ISO_FN bool lower_bound_before(float element, float query) { return !(element >= query); }

/* The place within sorted[low .. low + n). Without a branch that depends on the data: its outcome is even odds, and a wrong
 * guess costs more than the step. */
ISO_FN size_t lower_bound_within(const float *sorted, size_t low, size_t n, float query)
{
    while (n > 0) {
        const size_t half = n / 2;
        const bool upper = lower_bound_before(sorted[low + half], query);
        low += upper ? half + 1 : 0;
        n = upper ? n - half - 1 : half;
    }
    return low;
}

#ifdef __cplusplus
}
#endif
#endif
