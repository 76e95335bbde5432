/* gemm: C = alpha op(A) op(B) + beta C, in float32, row-major. op(X) is X, or its transpose if trans_x is set.
 *
 *    op(A) is m x k:   A is (m, k), or (k, m) if trans_a            element (i, j) of a matrix X is x[i * ldx + j]
 *    op(B) is k x n:   B is (k, n), or (n, k) if trans_b            ldx: floats from one row to the next
 *    C     is m x n
 *
 * As in BLAS (Dongarra and others 1990): with beta == 0, C is not read and may hold anything, even NaN; with alpha == 0
 * or k == 0, A and B are not read and the result is beta C; with m == 0 or n == 0, nothing happens. Padding between
 * rows never enters a result and is never written. C must not overlap A or B. Pointers need the alignment of a float.
 *
 * Each element of the result is within gemm_tolerance() of the exact one, times (|alpha| sum |a b| + |beta c|). Rungs
 * add in different orders, and some round their inputs: they agree within that, not bit for bit. */
#ifndef ISO_GEMM_H
#define ISO_GEMM_H

#include "grid.h"
#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gemm_desc {
    size_t m, n, k;
    float alpha, beta;
    const float *a, *b; /* backend memory */
    float *c;
    size_t lda, ldb, ldc; /* at least the length of a row, and at least 1 */
    bool trans_a, trans_b;
};

struct gemm_rung {
    struct rung rung;
    int (*run)(const struct gemm_desc *desc, void *scratch, struct exec *x);
    size_t (*scratch)(const struct gemm_desc *desc, const struct exec *x); /* bytes, 256-byte aligned; NULL: none */
    double input_error, sum_error; /* relative: of an input as the rung sees it, and of one addition */
    bool any_block;                /* CUDA: accepts x->block threads per block */
};

extern const struct gemm_rung gemm_cpu[], gemm_cuda[];

/* Half the distance from 1 to the next number, in float, and with the 10 stored bits of TF32 and FP16. */
#define GEMM_FLOAT_ERROR (1.0 / (1 << 24))
#define GEMM_HALF_ERROR (1.0 / (1 << 11))
#define GEMM_BF16_ERROR (1.0 / (1 << 8)) /* 7 bits */

/* The roundings that an element can suffer: two inputs and the product itself for each product, one per addition, and
 * those of alpha and beta. */
ISO_FN double gemm_tolerance(const struct gemm_rung *rung, size_t k)
{
    return 2.01 * rung->input_error + 1.01 * (double)(k + 4) * rung->sum_error;
}

/* Return the number of products that each element sums. */
ISO_FN size_t gemm_depth(const struct gemm_desc *d) { return d->alpha == 0 ? 0 : d->k; }

/* A matrix as rungs walk it, transposed or not: op(X)[i][j] is at[i * row + j * column]. */
struct gemm_view {
    const float *at;
    size_t row, column; /* floats from one row or column of op(X) to the next; one of them is 1 */
};

ISO_FN struct gemm_view gemm_view_a(const struct gemm_desc *d)
{
    const struct gemm_view view = { d->a, d->trans_a ? 1 : d->lda, d->trans_a ? d->lda : 1 };
    return view;
}

ISO_FN struct gemm_view gemm_view_b(const struct gemm_desc *d)
{
    const struct gemm_view view = { d->b, d->trans_b ? 1 : d->ldb, d->trans_b ? d->ldb : 1 };
    return view;
}

#ifdef __cplusplus
}
#endif
#endif
