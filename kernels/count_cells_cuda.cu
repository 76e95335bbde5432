/* count_cells on CUDA; contract in count_cells.h. Each thread sums strips that are a grid's width apart, the warp sums
 * over its threads, and one atomic per warp reaches memory. The number of blocks is limited to keep the atomics few,
 * because each sum is a single address. */
#include "count_cells.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

enum { MOST_BLOCKS = 1024 };

static __global__ void count_cells(struct strips s, struct cell_counts *out)
{
    uint64_t inside = 0, active = 0, inner = 0;
    for (size_t i = thread_index(); i < s.count; i += thread_count()) {
        const struct strip_corners corners = strip_cells(&s, i, strip_locate(&s, i));
        inside += popcount32(s.inside[i]);
        inner += MC_INNER_PAIR * popcount32(s.inner[i]);
        active += popcount32(strip_active(&corners));
    }
    inside = warp_sum(inside);
    active = warp_sum(active);
    inner = warp_sum(inner);
    if (lane_index() == 0) {
        atomic_add_u64(&out->inside, inside);
        atomic_add_u64(&out->active, active);
        atomic_add_u64(&out->inner, inner);
    }
}

int count_cells_cuda(const struct strips *strips, struct cell_counts *out, struct exec *x)
{
    const cudaError_t error = cudaMemsetAsync(out, 0, sizeof *out, x->stream);
    if (error != cudaSuccess || !strips->count) return clear_error(error);
    unsigned blocks = launch_blocks(strips->count, THREADS);
    if (blocks > MOST_BLOCKS) blocks = MOST_BLOCKS;
    count_cells<<<blocks, THREADS, 0, x->stream>>>(*strips, out);
    return cudaGetLastError();
}

/* Any kernel of the build can show which code the device runs; this one is the plainest. */
int cuda_kernels_probe(int *capability)
{
    struct cudaFuncAttributes attributes = {};
    const cudaError_t error = cudaFuncGetAttributes(&attributes, (const void *)count_cells);
    *capability = attributes.ptxVersion;
    return clear_error(error);
}
