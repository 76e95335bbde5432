/* histogram: voxels -> how many fall into each of `bins` equal intervals of [lo, hi], both ends included.
 *
 * Does not count NaN and values outside. lo < hi, both finite; bins: 1 to 2^24, up to where a float can still represent
 * every whole number. Zeroes and fills `counts`. */
#ifndef ISO_HISTOGRAM_H
#define ISO_HISTOGRAM_H

#include "grid.h"
#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

struct histogram_desc {
    float lo, hi;
    unsigned bins;
    uint64_t *counts; /* [bins], backend memory */
};

struct histogram_rung {
    struct rung rung;
    int (*run)(const struct grid *grid, const struct histogram_desc *desc, void *scratch, struct exec *x);
    size_t (*scratch)(unsigned bins, const struct exec *x); /* bytes, 256-byte aligned; NULL: none */
    bool any_block;                                         /* CUDA: accepts x->block threads per block */
};

extern const struct histogram_rung histogram_cpu[], histogram_cuda[];

/* Return what values are multiplied by before they are subtracted: 1/2 where the width of the interval would not be a
 * finite float. Else 1, because halves of the smallest floats lose a bit. */
ISO_FN float histogram_scale(float lo, float hi) { return isfinite(hi - lo) ? 1.0f : 0.5f; }

/* Return the bin of a value, or `bins` if it is not counted. */
ISO_FN unsigned histogram_bin(float value, float lo, float hi, unsigned bins)
{
    const float scale = histogram_scale(lo, hi);
    if (!(value >= lo && value <= hi)) return bins;
    const float part = (value * scale - lo * scale) / (hi * scale - lo * scale);
    const unsigned bin = (unsigned)(part * (float)bins);
    return bin < bins ? bin : bins - 1;
}

#ifdef __cplusplus
}
#endif
#endif
