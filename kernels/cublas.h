/* cuBLAS, opened at run time: the ceiling of gemm and gemv if it is installed. The program never needs it.
 *
 * The library takes some 600 MB and is often missing where a driver is present, so it is not linked, and its header is
 * not included. The first call creates its handle, which takes time and device memory; `x` owns it until the backend
 * closes. */
#ifndef ISO_CUBLAS_H
#define ISO_CUBLAS_H

#include "gemm.h"
#include "gemv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Return one clause on why cuBLAS cannot be used here, or NULL if it can. */
const char *cublas_unavailable(const struct exec *x);

/* Run gemm. tf32: allow inputs rounded to TF32 for the tensor cores. */
int cublas_gemm(const struct gemm_desc *desc, bool tf32, struct exec *x);

/* Run gemv. The matrix must not be empty. */
int cublas_gemv(const struct gemv_desc *desc, struct exec *x);

void cublas_close(struct exec *x);

#ifdef __cplusplus
}
#endif
#endif
