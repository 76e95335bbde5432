/* reduce: voxels -> minimum, maximum, mean, spread and the number of NaN, in stored units.
 *
 * Minimum, maximum, mean and m2 (the sum of squared differences from the mean) cover the finite voxels. Means and m2 of
 * parts are merged in pairs (Chan, Golub and LeVeque 1983), which keeps the digits that a plain sum of squares would
 * lose. */
#ifndef ISO_REDUCE_H
#define ISO_REDUCE_H

#include "grid.h"
#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

struct summary {
    double min, max; /* +infinity and -infinity if no voxel is finite */
    double mean, m2;
    uint64_t count;         /* finite voxels */
    uint64_t nan, infinite; /* the others */
};

/* Voxels of a chunk. The CPU's default rung merges the summaries of chunks in order. A caller who gets the voxels piece
 * by piece can do the same, and gets the same bits. */
enum { REDUCE_CHUNK = 1 << 15 };

struct reduce_rung {
    struct rung rung;
    int (*run)(const struct grid *grid, struct summary *out, void *scratch, struct exec *x); /* out: backend memory */
    size_t (*scratch)(size_t voxels, const struct exec *x); /* bytes, 256-byte aligned; NULL: none */
};

extern const struct reduce_rung reduce_cpu[], reduce_cuda[];

ISO_FN struct summary summary_empty(void)
{
    struct summary s = { (double)INFINITY, -(double)INFINITY, 0, 0, 0, 0, 0 };
    return s;
}

ISO_FN struct summary summary_merge(struct summary a, struct summary b)
{
    struct summary s;
    const double n = (double)(a.count + b.count), d = b.mean - a.mean;
    s.min = a.min < b.min ? a.min : b.min;
    s.max = a.max > b.max ? a.max : b.max;
    s.count = a.count + b.count;
    s.mean = s.count ? a.mean + d * ((double)b.count / n) : 0;
    s.m2 = s.count ? a.m2 + b.m2 + d * d * ((double)a.count * ((double)b.count / n)) : 0;
    s.nan = a.nan + b.nan;
    s.infinite = a.infinite + b.infinite;
    return s;
}

#ifdef __cplusplus
}
#endif
#endif
