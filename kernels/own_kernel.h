/* A user's own rung as a single kernel. NVRTC compiles it, a library that is opened at run time. (Rungs that also have
 * host code need nvcc: own_rung.h.) The file defines one of these as an extern "C" __global__ function without a
 * result:
 *
 *    bricks_mine(struct grid g, struct bricks b)                            a thread per brick
 *    classify_mine(struct grid g, float iso, const struct mc_tables *tables,
 *                  struct strips out)                                       a thread per voxel, strips of width 1
 *    copy_mine(const uint32_t *from, uint32_t *to, size_t n)                a thread per number
 *    gemm_mine(struct gemm_desc d)                                          a thread per element of C; k is 0 if alpha is
 *    gemv_mine(struct gemv_desc d)                                          a thread per float of y
 *    histogram_mine(struct grid g, struct histogram_desc d)                 a thread per voxel; counts are 0 before
 *    lower_bound_mine(struct lower_bound_desc d)                            a thread per query
 *    sum_mine(const float *in, float *out, size_t n)                        a thread per number; *out is 0 before
 *
 * Blocks have 256 threads along x, or as many as --block says. The last block may have more threads than there are
 * items left, so a kernel checks its index; a launch has at most 2^31 - 1 blocks. A kernel includes only the header of
 * its op; <stdint.h> and the like are available. An example:
 *
 *    #include "copy.h"
 *    extern "C" __global__ void copy_mine(const uint32_t *from, uint32_t *to, size_t n)
 *    {
 *        const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
 *        if (i < n) to[i] = from[i];
 *    } */
#ifndef ISO_OWN_KERNEL_H
#define ISO_OWN_KERNEL_H

#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

struct own_source {
    const char *text, *name;
    const char *const *header, *const *header_name; /* [headers], the texts, and what #include says */
    int headers;
};

/* Compiles for the current device and writes the image to the new file `image`; `log` gets NVRTC's messages. Returns
 * NULL on success, else a clause that says why not, or "" if `log` says it. */
const char *own_kernel_compile(const struct own_source *source, const char *image, char *log, size_t size);

/* Loads the image into the current device. Returns the row, of the op's type, that launches its kernel, and sets *op.
 * On failure returns NULL and sets *why to a clause. A later image replaces an earlier one of the same op; none is
 * unloaded. */
const struct rung *own_kernel_load(const char *image, const char **op, const char **why);

#ifdef __cplusplus
}
#endif
#endif
