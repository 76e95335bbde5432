/* lower_bound: for each query, the number of elements of a sorted array before the first that is >= the query.
 *
 *    sorted 1 2 2 5     queries 0 2 3 9     bounds 0 1 3 4
 *
 * `sorted` ascends and holds no NaN; infinities are allowed. A query that is NaN, or larger than all, gives n. The
 * upper bound is the lower bound of nextafterf(query, INFINITY). */
#ifndef ISO_LOWER_BOUND_H
#define ISO_LOWER_BOUND_H

#include "grid.h"
#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lower_bound_desc {
    const float *sorted; /* [n]; this and all below in backend memory */
    size_t n;
    const float *queries; /* [count], in any order */
    size_t count;
    uint64_t *bounds; /* [count] */
};

struct lower_bound_rung {
    struct rung rung;
    int (*run)(const struct lower_bound_desc *desc, void *scratch, struct exec *x);
    size_t (*scratch)(const struct lower_bound_desc *desc, const struct exec *x); /* bytes, 256-byte aligned; NULL: none */
    bool any_block; /* CUDA: accepts x->block threads per block */
};

extern const struct lower_bound_rung lower_bound_cpu[], lower_bound_cuda[];

/* Return true if `element` comes before the lower bound of `query`; NaN comes after all. */
ISO_FN bool lower_bound_before(float element, float query) { return !(element >= query); }

/* Return the lower bound within sorted[low .. low + n). It does not branch on the data: the outcome of each comparison
 * is a coin toss, and a mispredicted branch would cost more than the step itself. */
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
