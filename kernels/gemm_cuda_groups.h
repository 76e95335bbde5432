/* What the two files of gemm's rung tf32-wgmma share. Its kernel needs instructions that exist on one compute
 * capability only, so it is compiled separately from the other rungs. */
#ifndef ISO_GEMM_CUDA_GROUPS_H
#define ISO_GEMM_CUDA_GROUPS_H

#include "gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    GROUPS_M = 128,     /* rows of a tile of C */
    GROUPS_N = 256,     /* columns */
    GROUPS_CLUSTER = 2, /* blocks, one below the other, that share what they read of B: 1 or 2 */
    UNIT_WIDTH = 128,
    UNIT_DEPTH = 32,
    UNIT_FLOATS = UNIT_WIDTH * UNIT_DEPTH,
};

/* A and B, rounded to TF32 and cut into units of 128 along m or n x 32 along k. Each unit is an exact image of what
 * shared memory is to hold. Unit (w, p) has the number w * deep + p. Inside a unit, row w % 128 has the 32 floats of
 * one row of A or column of B, along k. These are eight pieces of 4 floats; piece c lies at c ^ w % 8, to avoid bank
 * conflicts. */
struct units {
    const float *a, *b;
    size_t deep, wide_a, wide_b; /* in units; whole tiles of C, and of a cluster's part of it */
};

/* Queue the product of operands that are already packed; d is the description as kernels get it. */
int gemm_groups_launch(const struct gemm_desc *d, const struct units *units, struct exec *x);

/* Return one clause on why that cannot run here, or NULL if it can. */
const char *gemm_groups_unavailable(const struct exec *x);

#ifdef __cplusplus
}
#endif
#endif
