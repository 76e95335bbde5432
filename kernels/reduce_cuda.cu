/* reduce on CUDA: one summary of all voxels. Contract and the merging of summaries in reduce.h.
 * Run: isoscope ladder reduce --bench --backend cuda
 *
 * Two launches in every rung but cas: blocks write a summary each, and one block merges them. The number of blocks depends
 * on the volume alone, not on the device, so a rung rounds the same way on every GPU. */
#include "reduce.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

enum { REDUCE_BLOCKS = 2048 }; /* at most; limits the scratch to 112 KiB */

static __device__ __forceinline__ struct summary summary_of(float value)
{
    struct summary s = summary_empty();
    if (isnan(value)) {
        s.nan = 1;
    } else if (isinf(value)) {
        s.infinite = 1;
    } else {
        s.min = s.max = s.mean = value;
        s.count = 1;
    }
    return s;
}

/* Merge part[0..THREADS) into part[0], by halves. All threads of the block must call. */
static __device__ __forceinline__ void merge_tree(struct summary *part)
{
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] = summary_merge(part[threadIdx.x], part[threadIdx.x + half]);
        __syncthreads();
    }
}

/* Merge the blocks' summaries, in one block. */
static __global__ void __launch_bounds__(THREADS)
    merge_blocks(const struct summary *block, unsigned blocks, struct summary *out)
{
    __shared__ struct summary part[THREADS];
    struct summary mine = summary_empty();
    for (unsigned i = threadIdx.x; i < blocks; i += THREADS) mine = summary_merge(mine, block[i]);
    part[threadIdx.x] = mine;
    merge_tree(part);
    if (threadIdx.x == 0) *out = part[0];
}

static unsigned reduce_blocks(size_t voxels, unsigned per_block)
{
    const unsigned blocks = launch_blocks(voxels, per_block);
    return blocks < REDUCE_BLOCKS ? blocks : (unsigned)REDUCE_BLOCKS;
}

static size_t scratch_blocks(size_t voxels, const struct exec *x)
{
    (void)x;
    return scratch_round(reduce_blocks(voxels, THREADS) * sizeof(struct summary));
}

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * A block takes 256 voxels, a summary each, and merges them by halves in shared memory; then the next 256.
 * Cost: eight barriers and 255 merges, two divisions in each, for 256 voxels; threads go idle half by half. */

template <enum voxel_type T>
static __global__ void __launch_bounds__(THREADS) reduce_textbook(struct grid g, struct summary *block)
{
    __shared__ struct summary part[THREADS];
    g.type = T;
    const size_t n = grid_voxels(&g);
    struct summary sum = summary_empty(); /* in thread 0: the tiles so far */
    for (size_t tile = blockIdx.x; tile * THREADS < n; tile += gridDim.x) {
        const size_t i = tile * THREADS + threadIdx.x;
        part[threadIdx.x] = i < n ? summary_of(grid_value(&g, i)) : summary_empty();
        merge_tree(part);
        if (threadIdx.x == 0) sum = summary_merge(sum, part[0]);
        __syncthreads();
    }
    if (threadIdx.x == 0) block[blockIdx.x] = sum;
}

static int run_textbook(const struct grid *grid, struct summary *out, void *scratch, struct exec *x)
{
    const unsigned blocks = reduce_blocks(grid_voxels(grid), THREADS);
    struct summary *block = (struct summary *)scratch;
    LAUNCH_TYPED(grid->type, reduce_textbook<TYPE><<<blocks, THREADS, 0, x->stream>>>(*grid, block));
    merge_blocks<<<1, THREADS, 0, x->stream>>>(block, blocks, out);
    return cudaGetLastError();
}

/* ---- batch ---------------------------------------------------------------------------------------------------------
 * Merges and barriers, not memory, bound the textbook: 0.32 ms for 2^24 uint8 voxels on an H200, 52 GB/s.
 * Idea: a thread holds 16 voxels in registers and computes their mean, then the squares about it, in two plain loops:
 * the divisions of a merge come once per 16 voxels. Shuffles merge the lanes once, at the end.
 * 0.056 ms, 0.3 TB/s. Cost: registers; the 16 loads are a block apart, each coalesced but one byte per lane. */

enum { BATCH = 16 };

static __device__ __forceinline__ struct summary summary_of_batch(const float *value, unsigned have)
{
    struct summary s = summary_empty();
    double sum = 0;
#pragma unroll
    for (unsigned k = 0; k < BATCH; k++) {
        if (k >= have) continue;
        const bool finite = isfinite(value[k]);
        s.nan += isnan(value[k]);
        s.infinite += !finite && !isnan(value[k]);
        s.count += finite;
        sum += finite ? (double)value[k] : 0.0;
        s.min = finite && value[k] < s.min ? value[k] : s.min;
        s.max = finite && value[k] > s.max ? value[k] : s.max;
    }
    if (s.count) s.mean = sum / (double)s.count;
#pragma unroll
    for (unsigned k = 0; k < BATCH; k++) {
        const double d = (double)value[k] - s.mean;
        if (k < have && isfinite(value[k])) s.m2 += d * d;
    }
    return s;
}

static __device__ __forceinline__ double shuffle_down(double value, unsigned step)
{
    return __shfl_down_sync(ALL_LANES, value, step);
}

static __device__ __forceinline__ uint64_t shuffle_down(uint64_t value, unsigned step)
{
    return __shfl_down_sync(ALL_LANES, value, step);
}

static __device__ __forceinline__ struct summary warp_merge(struct summary s)
{
    for (unsigned step = WARP / 2; step > 0; step /= 2) {
        struct summary other;
        other.min = shuffle_down(s.min, step);
        other.max = shuffle_down(s.max, step);
        other.mean = shuffle_down(s.mean, step);
        other.m2 = shuffle_down(s.m2, step);
        other.count = shuffle_down(s.count, step);
        other.nan = shuffle_down(s.nan, step);
        other.infinite = shuffle_down(s.infinite, step);
        s = summary_merge(s, other);
    }
    return s; /* complete in lane 0 */
}

/* Return the summary of the block's share in thread 0. All threads of the block must call. */
static __device__ __forceinline__ struct summary summary_of_block(const struct grid &g)
{
    __shared__ struct summary part[THREADS / WARP];
    const size_t n = grid_voxels(&g), tile = (size_t)THREADS * BATCH;
    struct summary sum = summary_empty();
    for (size_t first = blockIdx.x * tile + threadIdx.x; first < n; first += gridDim.x * tile) {
        float value[BATCH];
        unsigned have = 0;
#pragma unroll
        for (unsigned k = 0; k < BATCH; k++) {
            const size_t i = first + k * THREADS;
            value[k] = i < n ? grid_value(&g, i) : 0.0f;
            have += i < n;
        }
        sum = summary_merge(sum, summary_of_batch(value, have));
    }

    sum = warp_merge(sum);
    if (lane_index() == 0) part[threadIdx.x / WARP] = sum;
    __syncthreads();
    for (unsigned i = 1; i < THREADS / WARP && threadIdx.x == 0; i++) sum = summary_merge(sum, part[i]);
    return sum;
}

template <enum voxel_type T>
static __global__ void __launch_bounds__(THREADS) reduce_batch(struct grid g, struct summary *block)
{
    g.type = T;
    const struct summary sum = summary_of_block(g);
    if (threadIdx.x == 0) block[blockIdx.x] = sum;
}

static int run_batch(const struct grid *grid, struct summary *out, void *scratch, struct exec *x)
{
    const unsigned blocks = reduce_blocks(grid_voxels(grid), THREADS * BATCH);
    struct summary *block = (struct summary *)scratch;
    LAUNCH_TYPED(grid->type, reduce_batch<TYPE><<<blocks, THREADS, 0, x->stream>>>(*grid, block));
    merge_blocks<<<1, THREADS, 0, x->stream>>>(block, blocks, out);
    return cudaGetLastError();
}

/* ---- cas -----------------------------------------------------------------------------------------------------------
 * batch needs a second launch, because no atomic operation merges 56 bytes. Idea: compare-and-swap, of which every other
 * one can be made: here a lock. A block that finds 0 there and puts 1 in the same moment has it, merges its summary into
 * the result, and puts 0 back; the fences keep what it reads and writes between the two. Only one thread per block tries,
 * for lanes of a warp that wait for each other's lock might wait forever. Predicted: 0.8 ms against 0.32; measured: 0.76:
 * 512 blocks finish at about the same time, and each holds the lock for a microsecond. Cost: what was parallel queues, and
 * in an order that changes: the result may differ in the last digit from run to run. */

enum { CAS_BLOCKS = 512 };

static __global__ void begin_cas(unsigned *lock, struct summary *out) { *lock = 0, *out = summary_empty(); }

template <enum voxel_type T>
static __global__ void __launch_bounds__(THREADS) reduce_cas(struct grid g, unsigned *lock, struct summary *out)
{
    g.type = T;
    const struct summary sum = summary_of_block(g);
    if (threadIdx.x > 0) return;
    while (atomicCAS(lock, 0u, 1u) != 0) continue;
    __threadfence();
    *out = summary_merge(*out, sum);
    __threadfence();
    atomicExch(lock, 0u);
}

static int run_cas(const struct grid *grid, struct summary *out, void *scratch, struct exec *x)
{
    const unsigned blocks = min(launch_blocks(grid_voxels(grid), THREADS * BATCH), (unsigned)CAS_BLOCKS);
    unsigned *lock = (unsigned *)scratch;
    begin_cas<<<1, 1, 0, x->stream>>>(lock, out);
    LAUNCH_TYPED(grid->type, reduce_cas<TYPE><<<blocks, THREADS, 0, x->stream>>>(*grid, lock, out));
    return cudaGetLastError();
}

static size_t scratch_cas(size_t voxels, const struct exec *x)
{
    (void)voxels, (void)x;
    return scratch_round(sizeof(unsigned));
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

const struct reduce_rung reduce_cuda[] = {
    { { "textbook", "256 summaries at once, merged by halves in shared memory", false }, run_textbook, scratch_blocks },
    { { "batch", "16 voxels a thread before each merge, shuffles at the end", true }, run_batch, scratch_blocks },
    { { "cas", "no second launch: a lock, taken by compare-and-swap", false }, run_cas, scratch_cas },
    {},
};
