/* order on CUDA: sums of corners, once per mesh, and indices in a new order, once per view. Contract in order.h.
 *
 * One rung: both are gathers, a few bytes for each triangle beside the passes that sort makes. */
#include "order.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * Sums: a thread per triangle. Permute: a thread per corner, so that writes lie side by side; the three reads of a triangle
 * do too, and fall into a sector or two: 37 % of the copy rate in a random order. */

static __global__ void __launch_bounds__(THREADS)
    order_sums(const struct vertex *vertices, const uint32_t *indices, float *sums, size_t n)
{
    for (size_t i = thread_index(); i < n; i += thread_count()) {
        const struct vertex a = vertices[indices[3 * i]], b = vertices[indices[3 * i + 1]],
                            c = vertices[indices[3 * i + 2]];
        order_sum(&a, &b, &c, sums + 3 * i);
    }
}

static __global__ void __launch_bounds__(THREADS)
    order_permute(const uint32_t *indices, const uint32_t *order, uint32_t *out, size_t corners)
{
    for (size_t i = thread_index(); i < corners; i += thread_count()) out[i] = indices[3 * (size_t)order[i / 3] + i % 3];
}

static int run_sums(const struct vertex *vertices, const uint32_t *indices, float *sums, size_t n, struct exec *x)
{
    order_sums<<<launch_blocks(n, THREADS), THREADS, 0, x->stream>>>(vertices, indices, sums, n);
    return cudaGetLastError();
}

static int run_permute(const uint32_t *indices, const uint32_t *order, uint32_t *out, size_t n, struct exec *x)
{
    order_permute<<<launch_blocks(3 * n, THREADS), THREADS, 0, x->stream>>>(indices, order, out, 3 * n);
    return cudaGetLastError();
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

const struct order_rung order_cuda[] = {
    { { "textbook", "a thread per triangle, or per corner", true }, run_sums, run_permute },
    {},
};
