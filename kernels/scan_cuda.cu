/* scan on CUDA: exclusive prefix sums of counts, summed in 64 bits. Contract in scan.h.
 *
 * Hillis and Steele 1986 for the textbook; the library is CUB, whose scan is Merrill and Garland's decoupled look-back
 * (2016). Deliberately absent so far: Blelloch, look-back of our own. */
#include "scan.h"
#include "cuda_util.cuh"

#include <cub/device/device_scan.cuh>
#include <cuda_runtime.h>
#include <thrust/iterator/tabulate_output_iterator.h>

static int no_items(uint64_t *total, struct exec *x)
{
    return cudaMemsetAsync(total, 0, sizeof *total, x->stream);
}

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * Each block scans a tile of 1024 in shared memory, in ten steps of doubling reach, and leaves the tile's sum; the sums
 * are scanned in the same way, level by level, until one tile holds them; then each level adds its offsets to the one
 * below.
 *
 *    in      | 3 0 2 5 | 1 1 0 4 | 2 ..      level 0: scan within tiles      | 0 3 3 5 | 0 1 2 2 | 0 ..
 *    sums      10        6         ..        level 1: scan of the sums         0        10       16 ..
 *                                            back down: add                  | 0 3 3 5 | 10 11 12 12 | 16 ..
 *
 * Cost: ten additions per number where one would do, and `out` is written, read and written again: 0.20 ms for 2^24
 * numbers on an H200, 11.9 ms for 2^30. */

enum { TILE = 1024 };

/* Inclusive sums over the block. Two buffers in turn, so that one barrier per step is enough. */
static __device__ __forceinline__ uint64_t tile_scan(uint64_t value, uint64_t (*buffer)[TILE])
{
    unsigned now = 0;
    __syncthreads(); /* the last tile's readers are done */
    buffer[now][threadIdx.x] = value;
    __syncthreads();
    for (unsigned reach = 1; reach < TILE; reach *= 2) {
        if (threadIdx.x >= reach) value += buffer[now][threadIdx.x - reach];
        now = 1 - now;
        buffer[now][threadIdx.x] = value;
        __syncthreads();
    }
    return value;
}

static __global__ void __launch_bounds__(TILE) scan_tiles(const uint32_t *in, uint32_t *out, uint64_t *sums, size_t n)
{
    __shared__ uint64_t buffer[2][TILE];
    for (size_t tile = blockIdx.x; tile * TILE < n; tile += gridDim.x) {
        const size_t i = tile * TILE + threadIdx.x;
        const uint64_t value = i < n ? in[i] : 0, sum = tile_scan(value, buffer);
        if (i < n) out[i] = (uint32_t)(sum - value);
        if (threadIdx.x == TILE - 1) sums[tile] = sum;
    }
}

/* The same on the sums of a level, in place. */
static __global__ void __launch_bounds__(TILE) scan_sums(uint64_t *level, uint64_t *sums, size_t n)
{
    __shared__ uint64_t buffer[2][TILE];
    for (size_t tile = blockIdx.x; tile * TILE < n; tile += gridDim.x) {
        const size_t i = tile * TILE + threadIdx.x;
        const uint64_t value = i < n ? level[i] : 0, sum = tile_scan(value, buffer);
        if (i < n) level[i] = sum - value;
        if (threadIdx.x == TILE - 1) sums[tile] = sum;
    }
}

static __global__ void add_to_out(uint32_t *out, const uint64_t *sums, size_t n)
{
    for (size_t i = thread_index(); i < n; i += thread_count()) out[i] += (uint32_t)sums[i / TILE];
}

static __global__ void add_to_level(uint64_t *level, const uint64_t *sums, size_t n)
{
    for (size_t i = thread_index(); i < n; i += thread_count()) level[i] += sums[i / TILE];
}

static size_t tiles_of(size_t n)
{
    return n / TILE + (n % TILE != 0);
}

static size_t scratch_textbook(size_t n, const struct exec *x)
{
    (void)x;
    size_t bytes = 0;
    for (n = tiles_of(n); n > 1; n = tiles_of(n)) bytes += scratch_round(n * sizeof(uint64_t));
    return bytes;
}

/* Exclusive sums of level[0..n) in place, total into *total; n is at least 1. Recursion as deep as there are levels. */
static void scan_level(uint64_t *level, uint64_t *total, size_t n, char *scratch, struct exec *x)
{
    const size_t tiles = tiles_of(n);
    uint64_t *sums = tiles > 1 ? (uint64_t *)scratch : total;
    scan_sums<<<launch_blocks(n, TILE), TILE, 0, x->stream>>>(level, sums, n);
    if (tiles == 1) return;
    scan_level(sums, total, tiles, scratch + scratch_round(tiles * sizeof *sums), x);
    add_to_level<<<launch_blocks(n, THREADS), THREADS, 0, x->stream>>>(level, sums, n);
}

static int run_textbook(const uint32_t *in, uint32_t *out, uint64_t *total, size_t n, void *scratch, struct exec *x)
{
    if (!n) return no_items(total, x);
    const size_t tiles = tiles_of(n);
    uint64_t *sums = tiles > 1 ? (uint64_t *)scratch : total;
    scan_tiles<<<launch_blocks(n, TILE), TILE, 0, x->stream>>>(in, out, sums, n);
    if (tiles > 1) {
        scan_level(sums, total, tiles, (char *)scratch + scratch_round(tiles * sizeof *sums), x);
        add_to_out<<<launch_blocks(n, THREADS), THREADS, 0, x->stream>>>(out, sums, n);
    }
    return cudaGetLastError();
}

/* ---- cub -----------------------------------------------------------------------------------------------------------
 * The textbook passes over the data twice, and moves its bytes at a third of the copy rate.
 * Idea: the library's single pass, as the ceiling. The start value is 64 bits wide, and with it all sums; what CUB
 * hands to the output goes through a function, which stores the low half and, at the last number, knows the total.
 * 0.07 ms for 2^24 numbers, 4.1 ms for 2^30.
 * Cost: a few hundred lines of templates per type, which is why no other rung uses them. */

struct store_sum { /* called with each index and its exclusive sum */
    const uint32_t *in;
    uint32_t *out;
    uint64_t *total;
    size_t last;

    __device__ void operator()(size_t i, uint64_t sum) const
    {
        out[i] = (uint32_t)sum;
        if (i == last) *total = sum + in[i];
    }
};

/* With scratch NULL only sets *bytes. */
static cudaError_t cub_scan(const struct store_sum *store, size_t n, void *scratch, size_t *bytes, cudaStream_t stream)
{
    return cub::DeviceScan::ExclusiveScan(scratch, *bytes, store->in, thrust::make_tabulate_output_iterator(*store),
                                          cuda::std::plus<>{}, uint64_t{ 0 }, n, stream);
}

static size_t scratch_cub(size_t n, const struct exec *x)
{
    const struct store_sum store = { NULL, NULL, NULL, 0 };
    size_t bytes = 0;
    if (!n || cub_scan(&store, n, NULL, &bytes, x->stream) != cudaSuccess) return 0;
    return scratch_round(bytes);
}

static int run_cub(const uint32_t *in, uint32_t *out, uint64_t *total, size_t n, void *scratch, struct exec *x)
{
    if (!n) return no_items(total, x);
    const struct store_sum store = { in, out, total, n - 1 };
    size_t bytes = 0;
    cudaError_t error = cub_scan(&store, n, NULL, &bytes, x->stream);
    if (error == cudaSuccess) error = cub_scan(&store, n, scratch, &bytes, x->stream);
    const cudaError_t last = cudaGetLastError();
    return error != cudaSuccess ? error : last;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

const struct scan_rung scan_cuda[] = {
    { { "textbook", "Hillis-Steele in tiles of 1024, their sums, then add", false }, run_textbook, scratch_textbook },
    { { "cub", "the library: one pass with decoupled look-back", true }, run_cub, scratch_cub },
    {},
};
