/* sum on CUDA: the ladder of parallel reduction. Contract in sum.h. Rungs 2 to 7 follow Mark Harris, "Optimizing
 * Parallel Reduction in CUDA" (2007), with the synchronisation that warps need since Volta.
 * Run: isoscope ladder sum --bench --backend cuda
 *
 * Up to `unrolled`, a launch writes one number per block, and further launches reduce these until one is left. From
 * `stride` on, the number of blocks is bounded and depends on n alone, so a rung rounds the same way on every GPU;
 * `grid` and the library are the exceptions.
 * Times: H200, 2^27 floats, 512 MiB, which 4.8 TB/s read in 0.112 ms. Each rung up to `vector` is as in 2007, but its
 * effect is not: memory has become so much faster that the next three rungs are slower than the textbook, which has no
 * barriers and no waiting blocks. */
#include "sum.h"
#include "cuda_util.cuh"

#include <cooperative_groups.h>
#include <cub/device/device_reduce.cuh>
#include <cuda_runtime.h>

static int no_numbers(float *out, struct exec *x) { return clear_error(cudaMemsetAsync(out, 0, sizeof *out, x->stream)); }

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * Folds the array in half until one number is left: a launch per halving, 27 for 2^27 numbers.
 * Cost: half of the numbers are written back and read again, then a quarter, and so on. That is three times the
 * necessary traffic, 1.6 GB, and the late launches do nothing but start. 0.532 ms, 3.0 TB/s. */

static __global__ void fold(const float *in, float *out, size_t n, size_t half)
{
    for (size_t i = thread_index(); i < half; i += thread_count()) out[i] = in[i] + (i + half < n ? in[i + half] : 0.0f);
}

static int run_textbook(const float *in, float *out, size_t n, void *scratch, struct exec *x)
{
    const unsigned threads = block_threads(x);
    float *work = (float *)scratch;
    if (!n) return no_numbers(out, x);
    do {
        const size_t half = n / 2 + n % 2;
        fold<<<launch_blocks(half, threads), threads, 0, x->stream>>>(in, half > 1 ? work : out, n, half);
        in = work;
        n = half;
    } while (n > 1);
    return cudaGetLastError();
}

static size_t scratch_textbook(size_t n, const struct exec *x)
{
    (void)x;
    return scratch_round((n / 2 + 1) * sizeof(float));
}

static double tree_roundings(size_t n, const struct exec *x)
{
    (void)x;
    double levels = 1;
    for (; n > 1; n = n / 2 + n % 2) levels++;
    return levels + 9; /* trees per block may together be deeper than one over all, by a block's levels */
}

/* ---- levels: shared by the next six -------------------------------------------------------------------------------- */

typedef void (*sum_kernel)(const float *in, float *part, size_t n);

static int run_levels(sum_kernel kernel, unsigned per_block, const float *in, float *out, size_t n, void *scratch,
                      struct exec *x)
{
    if (!n) return no_numbers(out, x);
    float *part = (float *)scratch;
    for (;;) {
        const unsigned blocks = launch_blocks(n, per_block);
        kernel<<<blocks, THREADS, 0, x->stream>>>(in, blocks > 1 ? part : out, n);
        if (blocks == 1) return cudaGetLastError();
        in = part, n = blocks;
        part += scratch_round(blocks * sizeof *part) / sizeof *part;
    }
}

static size_t scratch_levels(size_t n, const struct exec *x)
{
    (void)x;
    size_t bytes = 0;
    while (n > THREADS) {
        n = launch_blocks(n, THREADS);
        bytes += scratch_round(n * sizeof(float));
    }
    return bytes;
}

#define RUN_LEVELS(name, per_block)                                                             \
    static int run_##name(const float *in, float *out, size_t n, void *scratch, struct exec *x) \
    {                                                                                           \
        return run_levels(sum_##name, per_block, in, out, n, scratch, x);                       \
    }

/* Load number i of the block's share, or 0 past the end, into shared memory. All threads of the block must call. */
static __device__ __forceinline__ void load_tile(float *tile, const float *in, size_t n)
{
    const size_t i = thread_index();
    tile[threadIdx.x] = i < n ? in[i] : 0.0f;
    __syncthreads();
}

/* ---- neighbours ----------------------------------------------------------------------------------------------------
 * The textbook moves 1.6 GB where 0.5 must be read. Idea: a block reads its 256 numbers once and adds them up in shared
 * memory, first neighbours, then pairs of pairs, and so on.
 * Cost: in step s, only every 2^s-th thread works, so all warps stay busy with ever fewer active lanes. They diverge,
 * for nine barriers per 256 numbers. 1.29 ms, 2.4 times the textbook: the traffic saved is worth 0.3 ms, but the steps
 * cost more. On top of that, 2^19 blocks take 0.3 ms to start at 0.61 ns each, as in copy. */

static __global__ void __launch_bounds__(THREADS) sum_neighbours(const float *in, float *part, size_t n)
{
    __shared__ float tile[THREADS];
    load_tile(tile, in, n);
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        if (threadIdx.x % (2 * step) == 0) tile[threadIdx.x] += tile[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) part[blockIdx.x] = tile[0];
}
RUN_LEVELS(neighbours, THREADS)

/* ---- interleaved ---------------------------------------------------------------------------------------------------
 * neighbours keeps all 8 warps at work in every step: 1.29 ms. Idea: add the same pairs, but give them to the first
 * threads, so that a warp either works with all lanes or is done. 0.802 ms.
 * Cost: the lanes now access shared memory 2, 4, ... words apart. It has 32 banks, so two or more lanes collide in one. */

static __global__ void __launch_bounds__(THREADS) sum_interleaved(const float *in, float *part, size_t n)
{
    __shared__ float tile[THREADS];
    load_tile(tile, in, n);
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        const unsigned i = 2 * step * threadIdx.x;
        if (i < blockDim.x) tile[i] += tile[i + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) part[blockIdx.x] = tile[0];
}
RUN_LEVELS(interleaved, THREADS)

/* ---- sequential ----------------------------------------------------------------------------------------------------
 * In interleaved, the lanes of a warp collide in pairs at the first step, and more of them at each later one: 0.802 ms.
 * Idea: add the upper half of the numbers to the lower half, so that lanes touch consecutive words, each in a bank of
 * its own. 0.621 ms, still more than the textbook.
 * Cost: from the first step on, half of the threads do nothing but load. */

static __global__ void __launch_bounds__(THREADS) sum_sequential(const float *in, float *part, size_t n)
{
    __shared__ float tile[THREADS];
    load_tile(tile, in, n);
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) part[blockIdx.x] = tile[0];
}
RUN_LEVELS(sequential, THREADS)

/* ---- first ---------------------------------------------------------------------------------------------------------
 * sequential has a tree of barriers, and a block to start, for every 256 numbers: 0.621 ms. Idea: a thread loads two
 * numbers and adds them at once. This halves both, and each thread has two loads in flight. 0.326 ms, half, and for the
 * first time less than the textbook.
 * Cost: none. */

static __device__ __forceinline__ void load_pairs(float *tile, const float *in, size_t n)
{
    const size_t i = (size_t)blockIdx.x * 2 * THREADS + threadIdx.x;
    const float a = i < n ? in[i] : 0.0f, b = i + THREADS < n ? in[i + THREADS] : 0.0f;
    tile[threadIdx.x] = a + b;
    __syncthreads();
}

static __global__ void __launch_bounds__(THREADS) sum_first(const float *in, float *part, size_t n)
{
    __shared__ float tile[THREADS];
    load_pairs(tile, in, n);
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) part[blockIdx.x] = tile[0];
}
RUN_LEVELS(first, 2 * THREADS)

/* ---- lastwarp ------------------------------------------------------------------------------------------------------
 * In first, a barrier of the whole block follows every step, even when only one warp still works: 0.326 ms. Idea: write
 * the last six steps without a loop and with the barrier of a single warp. Since Volta, lanes do not run in lockstep,
 * so one barrier is needed after reading and one after writing. The old trick, a volatile pointer and no barrier, is a
 * race. 0.235 ms.
 * Cost: the code depends on warps of 32. */

static __device__ __forceinline__ void last_warp(float *tile)
{
    float sum = tile[threadIdx.x] + tile[threadIdx.x + WARP];
#pragma unroll
    for (unsigned half = WARP / 2; half > 0; half /= 2) {
        __syncwarp();
        tile[threadIdx.x] = sum;
        __syncwarp();
        sum += tile[(threadIdx.x + half) % WARP]; /* only the lower half matters */
    }
    __syncwarp();
    if (threadIdx.x == 0) tile[0] = sum;
}

static __global__ void __launch_bounds__(THREADS) sum_lastwarp(const float *in, float *part, size_t n)
{
    __shared__ float tile[THREADS];
    load_pairs(tile, in, n);
    for (unsigned half = blockDim.x / 2; half > WARP; half /= 2) {
        if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x >= WARP) return;
    last_warp(tile);
    if (threadIdx.x == 0) part[blockIdx.x] = tile[0];
}
RUN_LEVELS(lastwarp, 2 * THREADS)

/* ---- unrolled ------------------------------------------------------------------------------------------------------
 * lastwarp still counts its steps in a loop: 0.235 ms. Idea: with a constant block size, no loop is left at all. 0.227
 * ms; there was little to gain.
 * Cost: the code is for one block size. */

static __global__ void __launch_bounds__(THREADS) sum_unrolled(const float *in, float *part, size_t n)
{
    __shared__ float tile[THREADS];
    load_pairs(tile, in, n);
#pragma unroll
    for (unsigned half = THREADS / 2; half > WARP; half /= 2) {
        if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x >= WARP) return;
    last_warp(tile);
    if (threadIdx.x == 0) part[blockIdx.x] = tile[0];
}
RUN_LEVELS(unrolled, 2 * THREADS)

/* ---- stride --------------------------------------------------------------------------------------------------------
 * So far there is a tree, with its barriers and idle threads, for every 512 numbers, and there are 2^18 blocks to
 * start, which alone take 0.16 of the 0.227 ms. Idea: at most 2048 blocks. Their threads walk through the array and add
 * up in a register; one tree per block follows at the end, and a second launch of one block adds up the blocks. 0.222
 * ms: the trees are gone, and the next limit shows, which is loads of only 4 bytes.
 * Cost: chains of additions, which means more roundings than a tree, but far fewer than on the CPU. */

#define SUM_BLOCKS 2048u

static unsigned stride_blocks(size_t n, unsigned per_block)
{
    const unsigned blocks = launch_blocks(n, per_block);
    return blocks < SUM_BLOCKS ? blocks : SUM_BLOCKS;
}

/* Return the block's sum in thread 0, from a sum per thread. All threads of the block must call. */
static __device__ __forceinline__ float tree_sum(float sum)
{
    __shared__ float tile[THREADS];
    tile[threadIdx.x] = sum;
    __syncthreads();
#pragma unroll
    for (unsigned half = THREADS / 2; half > WARP; half /= 2) {
        if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x < WARP) last_warp(tile);
    return threadIdx.x == 0 ? tile[0] : 0.0f;
}

static __global__ void __launch_bounds__(THREADS) sum_stride(const float *in, float *part, size_t n)
{
    float sum = 0;
    for (size_t i = thread_index(); i < n; i += thread_count()) sum += in[i];
    sum = tree_sum(sum);
    if (threadIdx.x == 0) part[blockIdx.x] = sum;
}

/* Run the kernel twice: first each block writes a number, then one block adds them up. */
static int run_two(sum_kernel kernel, unsigned per_block, const float *in, float *out, size_t n, void *scratch,
                   struct exec *x)
{
    const unsigned blocks = stride_blocks(n, per_block);
    float *part = (float *)scratch;
    kernel<<<blocks, THREADS, 0, x->stream>>>(in, blocks > 1 ? part : out, n);
    if (blocks > 1) kernel<<<1, THREADS, 0, x->stream>>>(part, out, blocks);
    return cudaGetLastError();
}

static int run_stride(const float *in, float *out, size_t n, void *scratch, struct exec *x)
{
    return run_two(sum_stride, THREADS, in, out, n, scratch, x);
}

static size_t scratch_two(size_t n, const struct exec *x)
{
    (void)n, (void)x;
    return scratch_round(SUM_BLOCKS * sizeof(float)) + 256; /* and a counter, for `once` */
}

static double stride_roundings(size_t n, const struct exec *x)
{
    (void)x;
    return (double)n / (SUM_BLOCKS * THREADS) + 40;
}

/* ---- vector --------------------------------------------------------------------------------------------------------
 * stride loads 4 bytes per thread and iteration: 2422 GB/s. Idea: load 16 bytes at a time, and add them into four
 * independent sums. 0.127 ms, 4240 GB/s, the rate of the best copy.
 * Cost: alignment, and a tail of up to three numbers. */

static __device__ __forceinline__ float thread_sum4(const float *in, size_t n)
{
    const float4 *in4 = (const float4 *)in;
    float4 s = make_float4(0, 0, 0, 0);
    for (size_t i = thread_index(); i < n / 4; i += thread_count()) {
        const float4 v = in4[i];
        s.x += v.x, s.y += v.y, s.z += v.z, s.w += v.w;
    }
    const size_t rest = n / 4 * 4 + thread_index();
    return s.x + s.y + (s.z + s.w) + (rest < n ? in[rest] : 0.0f);
}

static __global__ void __launch_bounds__(THREADS) sum_vector(const float *in, float *part, size_t n)
{
    const float sum = tree_sum(thread_sum4(in, n));
    if (threadIdx.x == 0) part[blockIdx.x] = sum;
}

static int run_vector(const float *in, float *out, size_t n, void *scratch, struct exec *x)
{
    return run_two(sum_vector, 4 * THREADS, in, out, n, scratch, x);
}

/* ---- shuffle -------------------------------------------------------------------------------------------------------
 * The tree still goes through shared memory, with a barrier per step. Idea: lanes of a warp read each other's registers
 * directly (shuffles), so only one number per warp goes through shared memory. 0.127 ms: memory is the limit by now,
 * and nothing is left to gain. In 2007 there were no shuffles.
 * Cost: none. */

static __device__ __forceinline__ float shuffle_sum(float sum)
{
#pragma unroll
    for (unsigned half = WARP / 2; half > 0; half /= 2) sum += __shfl_down_sync(ALL_LANES, sum, half);
    return sum; /* complete in lane 0 */
}

/* Return the block's sum in thread 0. All threads of the block must call. */
static __device__ __forceinline__ float block_sum(float sum)
{
    __shared__ float warp[WARP];
    sum = shuffle_sum(sum);
    if (lane_index() == 0) warp[threadIdx.x / WARP] = sum;
    __syncthreads();
    if (threadIdx.x >= WARP) return 0;
    return shuffle_sum(threadIdx.x < THREADS / WARP ? warp[threadIdx.x] : 0.0f);
}

static __global__ void __launch_bounds__(THREADS) sum_shuffle(const float *in, float *part, size_t n)
{
    const float sum = block_sum(thread_sum4(in, n));
    if (threadIdx.x == 0) part[blockIdx.x] = sum;
}

static int run_shuffle(const float *in, float *out, size_t n, void *scratch, struct exec *x)
{
    return run_two(sum_shuffle, 4 * THREADS, in, out, n, scratch, x);
}

/* ---- grid ----------------------------------------------------------------------------------------------------------
 * The second launch adds up only 2048 numbers, but costs as much as any launch, some microseconds out of 127. Idea: a
 * single launch in which all blocks wait for each other, like the threads of a block at a barrier; then the first block
 * adds up all results. Without the wait, it would add numbers that are not there yet. __syncthreads() covers one block
 * only; the only barrier of all blocks in a plain launch is its end. A grid barrier must be reached by all threads or
 * by none: if some skip it in a branch, the others wait forever.
 * Cost: a waiting block stays on its multiprocessor, so all blocks must fit at once, or the first ones wait forever for
 * those that cannot start. The cooperative launch therefore refuses more blocks than the GPU holds. This number depends
 * on the GPU, and with it the roundings. Also, all blocks wait although only one has work left: 0.130 ms, against 0.129
 * with the second launch. */

static __global__ void __launch_bounds__(THREADS) sum_grid(const float *in, float *part, float *out, size_t n)
{
    float sum = block_sum(thread_sum4(in, n));
    if (threadIdx.x == 0) part[blockIdx.x] = sum;
    cooperative_groups::this_grid().sync(); /* writes of all threads before it are visible after it */
    if (blockIdx.x > 0) return;
    sum = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += THREADS) sum += part[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) *out = sum;
}

/* Return as many blocks as the GPU holds at once, but no more than there is work for; 0 if the GPU does not tell. */
static unsigned resident_blocks(size_t n, const struct exec *x)
{
    int each = 0, multiprocessors = 0;
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, sum_grid, THREADS, 0) != cudaSuccess ||
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, x->device) != cudaSuccess) {
        (void)cudaGetLastError(); /* or the next launch would report it */
        return 0;
    }
    const unsigned capacity = (unsigned)each * (unsigned)multiprocessors, blocks = stride_blocks(n, 4 * THREADS);
    return blocks < capacity ? blocks : capacity;
}

static int run_grid(const float *in, float *out, size_t n, void *scratch, struct exec *x)
{
    float *part = (float *)scratch;
    void *args[] = { &in, &part, &out, &n };
    const unsigned blocks = resident_blocks(n, x);
    if (!blocks) return cudaErrorLaunchOutOfResources;
    const cudaError_t error = cudaLaunchCooperativeKernel((const void *)sum_grid, blocks, THREADS, args, 0, x->stream);
    const cudaError_t last = cudaGetLastError();
    return error != cudaSuccess ? error : last;
}

static double grid_roundings(size_t n, const struct exec *x)
{
    const unsigned blocks = resident_blocks(n, x);
    return (double)n / (blocks * (double)THREADS) + 40;
}

static const char *grid_unavailable(const struct exec *x)
{
    int cooperative = 0;
    (void)clear_error(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, x->device));
    return cooperative ? NULL : "blocks of this GPU cannot wait for each other";
}

/* ---- once ----------------------------------------------------------------------------------------------------------
 * In grid, all blocks wait so that one can go on. Idea: nobody waits. Each block writes its number, adds one to a
 * counter, and exits. The block that counts last knows that all numbers are there, and adds them up. Blocks may begin
 * at any time, so any number of them works, in a plain launch. The fence makes a block's number visible before its
 * count. The numbers are added in the order of the blocks, so the result is the same every time. 0.126 ms.
 * Cost: a counter that must be zeroed first. That is a launch, too, and takes nearly all the time that was saved. */

static __global__ void __launch_bounds__(THREADS)
    sum_once(const float *in, float *part, unsigned *done, float *out, size_t n)
{
    __shared__ bool last;
    float sum = block_sum(thread_sum4(in, n));
    if (threadIdx.x == 0) {
        part[blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence(); /* the others' numbers are read after their counts */
    sum = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += THREADS) sum += ((const volatile float *)part)[i];
    sum = block_sum(sum); /* its shared memory was last read before the barrier above */
    if (threadIdx.x == 0) *out = sum;
}

static int run_once(const float *in, float *out, size_t n, void *scratch, struct exec *x)
{
    float *part = (float *)scratch;
    unsigned *done = (unsigned *)(part + SUM_BLOCKS);
    const cudaError_t error = cudaMemsetAsync(done, 0, sizeof *done, x->stream);
    if (error != cudaSuccess) return clear_error(error);
    sum_once<<<stride_blocks(n, 4 * THREADS), THREADS, 0, x->stream>>>(in, part, done, out, n);
    return cudaGetLastError();
}

#include "sum_cuda_exact.cuh"

/* ---- cub -----------------------------------------------------------------------------------------------------------
 * The library, as the ceiling: as many blocks as the GPU holds, and 16 or more numbers in flight per thread. 0.126 ms. */

static size_t scratch_cub(size_t n, const struct exec *x)
{
    size_t bytes = 0;
    if (n > CUB_SUM_MOST) return scratch_two(n, x);
    if (clear_error(cub::DeviceReduce::Sum(NULL, bytes, (const float *)NULL, (float *)NULL, n, x->stream))) return 0;
    return scratch_round(bytes);
}

/* The library uses as many threads as the GPU holds, which is at least 2^16 on any GPU in use. */
static double cub_roundings(size_t n, const struct exec *x)
{
    (void)x;
    return (double)n / 65536 + 40;
}

static int run_cub(const float *in, float *out, size_t n, void *scratch, struct exec *x)
{
    size_t bytes = 0;
    if (n > CUB_SUM_MOST) return run_once(in, out, n, scratch, x);
    cudaError_t error = cub::DeviceReduce::Sum(NULL, bytes, in, out, n, x->stream);
    if (error == cudaSuccess) error = cub::DeviceReduce::Sum(scratch, bytes, in, out, n, x->stream);
    const cudaError_t last = cudaGetLastError();
    return error != cudaSuccess ? error : last;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* clang-format off */
const struct sum_rung sum_cuda[] = {
    { { "textbook", "the upper half is added to the lower, launch after launch", false }, run_textbook, tree_roundings,
      scratch_textbook, true },
    { { "neighbours", "a tree per block in shared memory, neighbours first: warps diverge", false }, run_neighbours,
      tree_roundings, scratch_levels },
    { { "interleaved", "the first threads take the pairs: no divergence, but bank conflicts", false }, run_interleaved,
      tree_roundings, scratch_levels },
    { { "sequential", "upper half to lower half within the block: a bank per lane", false }, run_sequential,
      tree_roundings, scratch_levels },
    { { "first", "the first addition while loading: half the blocks", false }, run_first, tree_roundings, scratch_levels },
    { { "lastwarp", "the last six steps without the block's barrier", false }, run_lastwarp, tree_roundings,
      scratch_levels },
    { { "unrolled", "no loop left: the block's size is a constant", false }, run_unrolled, tree_roundings, scratch_levels },
    { { "stride", "a grid-stride loop in at most 2048 blocks, one tree per block", false }, run_stride, stride_roundings,
      scratch_two },
    { { "vector", "16 bytes per load, four sums per thread", false }, run_vector, stride_roundings, scratch_two },
    { { "shuffle", "as vector; lanes read each other's registers", false }, run_shuffle, stride_roundings, scratch_two },
    { { "double", "shuffle in double precision: only the result is rounded", false },
      run_double, double_roundings, scratch_pairs },
    { { "kahan", "compensated: what one addition rounds away is passed on to the next", false },
      run_kahan, kahan_roundings, scratch_pairs },
    { { "block", "one block per result, of which there is one; XOR shuffles leave the sum in every lane", false },
      run_block, block_roundings },
    { { "host", "the host adds up the blocks' sums", false }, run_host, stride_roundings },
    { { "grid", "one launch with a grid barrier, at which all blocks wait for each other", false, grid_unavailable },
      run_grid, grid_roundings, scratch_two },
    { { "once", "the block that finishes last adds up all blocks' sums: one launch", true }, run_once, stride_roundings,
      scratch_two },
    { { "cub", "the library: DeviceReduce", false, NULL, true }, run_cub, cub_roundings, scratch_cub },
    {},
};
/* clang-format on */
