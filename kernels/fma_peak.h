/* fma_peak: n numbers, each through FMA_PEAK_TURNS multiply-adds in registers, in float: v = v * a + 1, from v = i %
 * 16.
 *
 * Pure arithmetic: its rate is the flat part of the roofline, the roof of all compute-bound ops. a is 1, but the
 * compiler does not know that; so the results are exactly i % 16 + FMA_PEAK_TURNS. */
#ifndef ISO_FMA_PEAK_H
#define ISO_FMA_PEAK_H

#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FMA_PEAK_TURNS = 256 };

struct fma_peak_rung {
    struct rung rung;
    int (*run)(float *out, size_t n, float a, struct exec *x);
    bool other_numbers; /* computes with numbers other than floats, so its rate is no roof for ops on floats */
    bool any_block;     /* CUDA: accepts x->block threads per block */
};

extern const struct fma_peak_rung fma_peak_cpu[], fma_peak_cuda[];

#ifdef __cplusplus
}
#endif
#endif
