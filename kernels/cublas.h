/* cuBLAS, opened at run time: the ceiling of gemm and gemv where it is installed, and nothing that the program needs.
 *
 * The library is some 600 MB and is often absent where a driver is present, so it is neither linked nor its header
 * included. The first call makes its handle, which takes memory of its own and time; x keeps it until the backend
 * closes. */
#ifndef ISO_CUBLAS_H
#define ISO_CUBLAS_H

#include "gemm.h"
#include "gemv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why cuBLAS cannot be used here, NULL if it can. */
const char *cublas_unavailable(const struct exec *x);

/* tf32: inputs may be rounded to TF32 for the tensor cores. */
int cublas_gemm(const struct gemm_desc *desc, bool tf32, struct exec *x);

/* The matrix must not be empty. */
int cublas_gemv(const struct gemv_desc *desc, struct exec *x);

void cublas_close(struct exec *x);

#ifdef __cplusplus
}
#endif
#endif
