/* tally on CUDA: voxels inside and active cells, from the inside bits. Contract in tally.h.
 *
 * One rung: it runs for reports, never in a frame. */
#include "tally.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * A thread adds up strips a grid apart, the warp adds up its threads, and one atomic per warp reaches memory.
 * Blocks are capped so that there are few atomics: both sums are single addresses. */

enum { TALLY_BLOCKS = 1024 };

static __global__ void tally_textbook(struct strips s, struct tally *out)
{
    uint64_t inside = 0, active = 0;
    for (size_t i = thread_index(); i < s.count; i += thread_count()) {
        const struct strip_corners corners = strip_cells(&s, i, strip_locate(&s, i));
        inside += popcount32(s.inside[i]);
        active += popcount32(strip_active(&corners));
    }
    inside = warp_sum(inside);
    active = warp_sum(active);
    if (lane_index() == 0) {
        atomic_add_u64(&out->voxels_inside, inside);
        atomic_add_u64(&out->active_cells, active);
    }
}

static int run_textbook(const struct strips *strips, struct tally *out, struct exec *x)
{
    const cudaError_t error = cudaMemsetAsync(out, 0, sizeof *out, x->stream);
    if (error != cudaSuccess || !strips->count) return error;
    unsigned blocks = launch_blocks(strips->count, THREADS);
    if (blocks > TALLY_BLOCKS) blocks = TALLY_BLOCKS;
    tally_textbook<<<blocks, THREADS, 0, x->stream>>>(*strips, out);
    return cudaGetLastError();
}

/* Any kernel of the build will do to see whether the device has code here; this one is the plainest. */
int cuda_kernels_probe(void)
{
    struct cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes, (const void *)tally_textbook);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

const struct tally_rung tally_cuda[] = {
    { { "textbook", "sums per thread, then warp, then one atomic", true }, run_textbook },
    {},
};
