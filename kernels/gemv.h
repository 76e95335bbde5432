/* gemv: y = alpha op(A) x + beta y, in float32. A is (m, n), row-major, element (i, j) at a[i * lda + j].
 *
 *    plain      x has n floats, y has m        trans   op(A) = A^T: x has m floats, y has n
 *
 * As in gemm.h: with beta == 0, y is not read; with alpha == 0, or no products, A and x are not read, and the result is
 * beta y. y must not overlap A or x. Each float of y is within gemv_tolerance() of the exact one, times (|alpha| sum |a
 * x| + |beta y|). */
#ifndef ISO_GEMV_H
#define ISO_GEMV_H

#include "gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gemv_desc {
    size_t m, n;
    float alpha, beta;
    const float *a, *x; /* backend memory */
    float *y;
    size_t lda; /* floats from one row to the next: at least n, and at least 1 */
    bool trans;
};

struct gemv_rung {
    struct rung rung;
    int (*run)(const struct gemv_desc *desc, void *scratch, struct exec *x);
    size_t (*scratch)(const struct gemv_desc *desc, const struct exec *x); /* bytes, 256-byte aligned; NULL: none */
    bool any_block; /* CUDA: accepts x->block threads per block where A is not transposed */
};

extern const struct gemv_rung gemv_cpu[], gemv_cuda[];

ISO_FN size_t gemv_rows(const struct gemv_desc *d) { return d->trans ? d->n : d->m; } /* of op(A): floats of y */

ISO_FN size_t gemv_depth(const struct gemv_desc *d) /* products in each */
{
    return d->alpha == 0 ? 0 : d->trans ? d->m : d->n;
}

ISO_FN double gemv_tolerance(size_t depth) { return 1.01 * (double)(depth + 4) * GEMM_FLOAT_ERROR; }

#ifdef __cplusplus
}
#endif
#endif
