/* cuBLAS, opened at run time; contract in cublas.h. */
#include "cublas.h"

#include "cuda_util.cuh"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdlib.h>

/* The part of cublas_v2.h in use, with the values that it has in cuBLAS 11 to 13. Matrices are column-major. */
enum { STATUS_SUCCESS = 0, STATUS_ALLOC_FAILED = 3 };
enum { OP_N = 0, OP_T = 1 };
enum { MATH_DEFAULT = 0, MATH_TF32 = 3 };

struct cublas {
    void *handle;
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*set_stream)(void *handle, struct CUstream_st *stream);
    int (*set_math)(void *handle, int mode);
    int (*sgemm)(void *handle, int op_a, int op_b, int64_t m, int64_t n, int64_t k, const float *alpha, const float *a,
                 int64_t lda, const float *b, int64_t ldb, const float *beta, float *c, int64_t ldc);
    int (*sgemv)(void *handle, int op_a, int64_t m, int64_t n, const float *alpha, const float *a, int64_t lda,
                 const float *x, int64_t step_x, const float *beta, float *y, int64_t step_y);
    /* cuBLAS 11 has only these; then those above are NULL. */
    int (*sgemm_32)(void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha, const float *a, int lda,
                    const float *b, int ldb, const float *beta, float *c, int ldc);
    int (*sgemv_32)(void *handle, int op_a, int m, int n, const float *alpha, const float *a, int lda, const float *x,
                    int step_x, const float *beta, float *y, int step_y);
};

/* Tried by name first, for the loader's search path, then in the toolkit's default location. A library runs on drivers
 * of its own major version of CUDA or newer. */
static const struct library {
    int major;
    const char *file;
} libraries[] = {
    { 13, "libcublas.so.13" },
    { 12, "libcublas.so.12" },
    { 11, "libcublas.so.11" },
    { 13, "/usr/local/cuda/lib64/libcublas.so.13" },
    { 12, "/usr/local/cuda/lib64/libcublas.so.12" },
    { 11, "/usr/local/cuda/lib64/libcublas.so.11" },
};

static void *symbol(void *library, const char *name, bool *all)
{
    void *found = dlsym(library, name);
    *all = *all && found;
    return found;
}

/* Open the library and look up its functions; return why that failed, or NULL. It is never closed: a library with
 * device state does not unload cleanly, and opening it twice is cheap. */
static const char *load(struct cublas *blas)
{
    void *library = NULL;
    int driver = 0;
    (void)clear_error(cudaDriverGetVersion(&driver));
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0] && !library; i++)
        if (libraries[i].major <= driver / 1000) library = dlopen(libraries[i].file, RTLD_NOW | RTLD_LOCAL);
    if (!library) return "no libcublas.so.11, .12 or .13 that this driver runs can be opened";
    bool all = true;
    *(void **)&blas->create = symbol(library, "cublasCreate_v2", &all); /* POSIX's form of the cast */
    *(void **)&blas->destroy = symbol(library, "cublasDestroy_v2", &all);
    *(void **)&blas->set_stream = symbol(library, "cublasSetStream_v2", &all);
    *(void **)&blas->set_math = symbol(library, "cublasSetMathMode", &all);
    bool wide = true;
    *(void **)&blas->sgemm = symbol(library, "cublasSgemm_v2_64", &wide);
    *(void **)&blas->sgemv = symbol(library, "cublasSgemv_v2_64", &wide);
    *(void **)&blas->sgemm_32 = wide ? NULL : symbol(library, "cublasSgemm_v2", &all);
    *(void **)&blas->sgemv_32 = wide ? NULL : symbol(library, "cublasSgemv_v2", &all);
    return all ? NULL : "libcublas lacks a function that version 11 has";
}

const char *cublas_unavailable(const struct exec *x)
{
    struct cublas blas;
    return x->cublas ? NULL : load(&blas);
}

static int cuda_code(int status)
{
    return status == STATUS_SUCCESS        ? cudaSuccess
           : status == STATUS_ALLOC_FAILED ? cudaErrorMemoryAllocation
                                           : cudaErrorUnknown;
}

static int open_once(struct exec *x)
{
    if (x->cublas) return cudaSuccess;
    struct cublas *blas = malloc(sizeof *blas);
    if (!blas) return cudaErrorMemoryAllocation;
    int code = load(blas) ? cudaErrorSharedObjectSymbolNotFound : cuda_code(blas->create(&blas->handle));
    if (!code && (code = cuda_code(blas->set_stream(blas->handle, x->stream)))) blas->destroy(blas->handle);
    if (code) free(blas);
    else x->cublas = blas;
    return code;
}

void cublas_close(struct exec *x)
{
    if (!x->cublas) return;
    x->cublas->destroy(x->cublas->handle);
    free(x->cublas);
    x->cublas = NULL;
}

/* Whether the 32-bit sizes of cuBLAS 11 are enough. */
static bool fits_int(const size_t *size, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (size[i] > INT32_MAX) return false;
    return true;
}

static int gemm_32(const struct cublas *blas, const struct gemm_desc *d)
{
    const size_t sizes[] = { d->m, d->n, gemm_depth(d), d->lda, d->ldb, d->ldc };
    if (!fits_int(sizes, sizeof sizes / sizeof sizes[0])) return cudaErrorInvalidValue;
    return cuda_code(blas->sgemm_32(blas->handle, d->trans_b ? OP_T : OP_N, d->trans_a ? OP_T : OP_N, (int)d->n, (int)d->m,
                                    (int)gemm_depth(d), &d->alpha, d->b, (int)d->ldb, d->a, (int)d->lda, &d->beta, d->c,
                                    (int)d->ldc));
}

static int gemv_32(const struct cublas *blas, const struct gemv_desc *d)
{
    const size_t sizes[] = { d->m, d->n, d->lda };
    if (!fits_int(sizes, sizeof sizes / sizeof sizes[0])) return cudaErrorInvalidValue;
    return cuda_code(blas->sgemv_32(blas->handle, d->trans ? OP_N : OP_T, (int)d->n, (int)d->m, &d->alpha, d->a,
                                    (int)d->lda, d->x, 1, &d->beta, d->y, 1));
}

/* A row-major matrix is its own transpose in column-major order, and C^T = op(B)^T op(A)^T: so swap the operands. */
int cublas_gemm(const struct gemm_desc *d, bool tf32, struct exec *x)
{
    int code = open_once(x);
    if (code) return code;
    const struct cublas *blas = x->cublas;
    if ((code = cuda_code(blas->set_math(blas->handle, tf32 ? MATH_TF32 : MATH_DEFAULT)))) return code;
    if (blas->sgemm_32) return gemm_32(blas, d);
    return cuda_code(blas->sgemm(blas->handle, d->trans_b ? OP_T : OP_N, d->trans_a ? OP_T : OP_N, (int64_t)d->n,
                                 (int64_t)d->m, (int64_t)gemm_depth(d), &d->alpha, d->b, (int64_t)d->ldb, d->a,
                                 (int64_t)d->lda, &d->beta, d->c, (int64_t)d->ldc));
}

int cublas_gemv(const struct gemv_desc *d, struct exec *x)
{
    int code = open_once(x);
    if (code) return code;
    const struct cublas *blas = x->cublas;
    if ((code = cuda_code(blas->set_math(blas->handle, MATH_DEFAULT)))) return code;
    if (blas->sgemv_32) return gemv_32(blas, d);
    return cuda_code(blas->sgemv(blas->handle, d->trans ? OP_N : OP_T, (int64_t)d->n, (int64_t)d->m, &d->alpha, d->a,
                                 (int64_t)d->lda, d->x, 1, &d->beta, d->y, 1));
}
