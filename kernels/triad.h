/* triad: y = a x + b for n floats in three arrays: the smallest op that computes. The name is from McCalpin's STREAM
 * benchmark (1995).
 *
 * Each number takes twelve bytes and two flops: 1/6 flop per byte, where a GPU could do ten or more. So memory is the
 * limit, as for copy, and rungs differ only in which thread handles which numbers. The arrays do not overlap and are
 * aligned to 16 bytes. Product and sum are rounded separately, so the results are bit for bit the same everywhere. */
#ifndef ISO_TRIAD_H
#define ISO_TRIAD_H

#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

struct triad_desc {
    const float *x, *b;
    float *y;
    float a;
    size_t n;
};

struct triad_rung {
    struct rung rung;
    int (*run)(const struct triad_desc *desc, struct exec *x);
    bool any_block; /* CUDA: accepts x->block threads per block */
};

extern const struct triad_rung triad_cpu[], triad_cuda[];

#ifdef __cplusplus
}
#endif
#endif
