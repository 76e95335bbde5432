/* sum: n floats -> their sum, a float; 0 if n is 0.
 *
 * The classic ladder of parallel reduction, on the plainest data. Floats round at every addition, so each rung states
 * how many roundings one number can suffer: the error is at most that many times 2^-24 of the sum of magnitudes
 * (Higham, Accuracy and Stability of Numerical Algorithms, section 4.2). With a NaN the sum is NaN; with an infinity, or
 * where it leaves the range of floats on the way, it is infinite or NaN. */
#ifndef ISO_SUM_H
#define ISO_SUM_H

#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sum_rung {
    struct rung rung;
    int (*run)(const float *in, float *out, size_t n, void *scratch, struct exec *x); /* in: aligned to 16 bytes */
    double (*roundings)(size_t n, const struct exec *x);
    size_t (*scratch)(size_t n, const struct exec *x); /* bytes, 256-byte aligned; NULL: none */
    bool any_block;                                    /* CUDA: accepts x->block threads per block */
};

extern const struct sum_rung sum_cpu[], sum_cuda[];

#ifdef __cplusplus
}
#endif
#endif
