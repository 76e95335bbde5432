/* corner_sums, gather_triangles and shift_indices on CUDA; contract in triangles.h.
 *
 * Sums: one thread per triangle. Gather: one thread per corner, so that writes are contiguous. The three reads of a
 * triangle are contiguous, too, and touch one or two sectors: 37 % of the copy rate in a random order. */
#include "triangles.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

static __global__ void __launch_bounds__(THREADS)
    sum_corners(const struct vertex *vertices, const uint32_t *indices, float *sums, size_t n)
{
    for (size_t i = thread_index(); i < n; i += thread_count()) {
        const struct vertex a = vertices[indices[3 * i]], b = vertices[indices[3 * i + 1]],
                            c = vertices[indices[3 * i + 2]];
        corner_sum(&a, &b, &c, sums + 3 * i);
    }
}

static __global__ void __launch_bounds__(THREADS)
    gather_corners(const uint32_t *indices, const uint32_t *order, uint32_t *out, size_t corners)
{
    for (size_t i = thread_index(); i < corners; i += thread_count()) out[i] = indices[3 * (size_t)order[i / 3] + i % 3];
}

static __global__ void __launch_bounds__(THREADS) shift(const uint32_t *indices, uint32_t by, uint32_t *out, size_t n)
{
    for (size_t i = thread_index(); i < n; i += thread_count()) out[i] = indices[i] + by;
}

int corner_sums_cuda(const struct vertex *vertices, const uint32_t *indices, float *sums, size_t n, struct exec *x)
{
    sum_corners<<<launch_blocks(n, THREADS), THREADS, 0, x->stream>>>(vertices, indices, sums, n);
    return cudaGetLastError();
}

int gather_triangles_cuda(const uint32_t *indices, const uint32_t *order, uint32_t *out, size_t n, struct exec *x)
{
    gather_corners<<<launch_blocks(3 * n, THREADS), THREADS, 0, x->stream>>>(indices, order, out, 3 * n);
    return cudaGetLastError();
}

int shift_indices_cuda(const uint32_t *indices, uint32_t by, uint32_t *out, size_t n, struct exec *x)
{
    shift<<<launch_blocks(n, THREADS), THREADS, 0, x->stream>>>(indices, by, out, n);
    return cudaGetLastError();
}
