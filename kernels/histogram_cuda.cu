/* histogram on CUDA: voxels per bin. Contract and the bin of a value in histogram.h.
 * Run: isoscope ladder histogram --bench --backend cuda
 * Times: H200, vessels of 512^3, uint8, 256 bins; most voxels are air. */
#include "histogram.h"
#include "cuda_util.cuh"

#include <cooperative_groups.h>
#include <cub/device/device_histogram.cuh>
#include <cuda_runtime.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * One thread per voxel, and one atomic addition in global memory for each.
 * Cost: equal voxels queue at one address, and most volumes are mostly air. 94.7 ms, 0.7 ns per voxel. */

template <enum voxel_type T> static __global__ void histogram_textbook(struct grid g, struct histogram_desc d)
{
    g.type = T;
    const size_t n = grid_voxels(&g);
    for (size_t i = thread_index(); i < n; i += thread_count()) {
        const unsigned bin = histogram_bin(grid_value(&g, i), d.lo, d.hi, d.bins);
        if (bin < d.bins) atomic_add_u64(&d.counts[bin], 1);
    }
}

static int run_textbook(const struct grid *grid, const struct histogram_desc *desc, void *scratch, struct exec *x)
{
    (void)scratch;
    const cudaError_t error = cudaMemsetAsync(desc->counts, 0, desc->bins * sizeof *desc->counts, x->stream);
    if (error != cudaSuccess) return clear_error(error);
    const unsigned threads = block_threads(x), blocks = launch_blocks(grid_voxels(grid), threads);
    LAUNCH_TYPED(grid->type, histogram_textbook<TYPE><<<blocks, threads, 0, x->stream>>>(*grid, *desc));
    return cudaGetLastError();
}

/* ---- racy ----------------------------------------------------------------------------------------------------------
 * The textbook without its atomics: counts[bin]++ is a load, an addition and a store. If several threads load the same
 * count before one of them stores, all store the same number, and the count grows by one instead of one for each. Of
 * 128 million voxels in one bin, some thousand are left (1053 in one run), about as many as the threads take turns. No
 * barrier helps, and nothing reports the error; only the sum of all counts gives it away. The rung is here to be seen:
 * it is checked like all others, is always wrong, and is never timed, because a wrong answer has no speed. */

template <enum voxel_type T> static __global__ void histogram_racy(struct grid g, struct histogram_desc d)
{
    g.type = T;
    const size_t n = grid_voxels(&g);
    for (size_t i = thread_index(); i < n; i += thread_count()) {
        const unsigned bin = histogram_bin(grid_value(&g, i), d.lo, d.hi, d.bins);
        if (bin < d.bins) d.counts[bin]++;
    }
}

static int run_racy(const struct grid *grid, const struct histogram_desc *desc, void *scratch, struct exec *x)
{
    (void)scratch;
    const cudaError_t error = cudaMemsetAsync(desc->counts, 0, desc->bins * sizeof *desc->counts, x->stream);
    if (error != cudaSuccess) return clear_error(error);
    const unsigned blocks = launch_blocks(grid_voxels(grid), THREADS);
    LAUNCH_TYPED(grid->type, histogram_racy<TYPE><<<blocks, THREADS, 0, x->stream>>>(*grid, *desc));
    return cudaGetLastError();
}

static const char *racy_unavailable(const struct exec *x)
{
    (void)x;
    return "it is wrong by design: `isoscope ladder histogram` shows how";
}

/* ---- shared --------------------------------------------------------------------------------------------------------
 * In the textbook, global atomics on few addresses are the limit: 94.7 ms.
 * Idea: each block counts in shared memory, whose atomics are close by, and adds its counts to the result once, at the
 * end. 0.276 ms. 32-bit counts suffice: with this many blocks, none of them sees 2^32 voxels unless the volume has
 * 2^42.
 * Cost: 4 bytes of shared memory per bin; if the bins do not fit, the textbook's kernel is used. Equal voxels still
 * queue within a block. And each block adds a whole table. If there were a block for every 256 voxels, that would be
 * 2^19 tables of 256 bins, as many atomics as there are voxels; therefore the number of blocks is bounded. */

enum {
    HISTOGRAM_BLOCKS = 1024,
    SHARED_BINS = 48 * 1024 / 4, /* what every device gives a block by default */
};

template <enum voxel_type T>
static __device__ __forceinline__ void count_in_block(struct grid g, const struct histogram_desc &d)
{
    extern __shared__ uint32_t count[];
    g.type = T;
    for (unsigned i = threadIdx.x; i < d.bins; i += blockDim.x) count[i] = 0;
    __syncthreads();

    const size_t n = grid_voxels(&g);
    for (size_t i = thread_index(); i < n; i += thread_count()) {
        const unsigned bin = histogram_bin(grid_value(&g, i), d.lo, d.hi, d.bins);
        if (bin < d.bins) atomicAdd(&count[bin], 1u);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < d.bins; i += blockDim.x)
        if (count[i]) atomic_add_u64(&d.counts[i], count[i]);
}

template <enum voxel_type T> static __global__ void histogram_shared(struct grid g, struct histogram_desc d)
{
    count_in_block<T>(g, d);
}

static int run_shared(const struct grid *grid, const struct histogram_desc *desc, void *scratch, struct exec *x)
{
    if (desc->bins > SHARED_BINS) return run_textbook(grid, desc, scratch, x);
    const cudaError_t error = cudaMemsetAsync(desc->counts, 0, desc->bins * sizeof *desc->counts, x->stream);
    if (error != cudaSuccess) return clear_error(error);
    const unsigned threads = block_threads(x),
                   blocks = min(launch_blocks(grid_voxels(grid), threads), (unsigned)HISTOGRAM_BLOCKS);
    const size_t bytes = desc->bins * sizeof(uint32_t);
    LAUNCH_TYPED(grid->type, histogram_shared<TYPE><<<blocks, threads, bytes, x->stream>>>(*grid, *desc));
    return cudaGetLastError();
}

/* ---- private -------------------------------------------------------------------------------------------------------
 * Equal voxels still queue at one address in the table of their block: 0.276 ms, an eighth of the copy rate. Idea: a
 * copy of the table for each warp, so that only lanes of the same warp collide; the copies are added up at the end.
 * 0.275 ms: no gain, because there is no queue to shorten. The hardware combines lanes that add 1 at the same address:
 * in both rungs, the 4.2 M additions by warps take only 4.6 M turns. The time goes into 180 M instructions, most of
 * them to find the bins. It did pay before compute capability 5.0, when an atomic in shared memory was a lock for which
 * warps competed.
 *
 * The copies lie 256 words apart, so the same bin is in the same bank in all of them. An odd distance would spread them
 * over the banks but change nothing, because only lanes of one warp collide in a bank, and they share a copy. Cost:
 * eight times the shared memory. With 256 bins it is 8 KiB, which does not reduce the number of resident blocks. With
 * 1536 it is 48 KiB, which does. With still more bins there are fewer copies. */

template <enum voxel_type T>
static __global__ void histogram_private(struct grid g, struct histogram_desc d, unsigned copies)
{
    extern __shared__ uint32_t count[];
    g.type = T;
    for (unsigned i = threadIdx.x; i < d.bins * copies; i += blockDim.x) count[i] = 0;
    __syncthreads();

    uint32_t *mine = count + threadIdx.x / WARP % copies * d.bins;
    const size_t n = grid_voxels(&g);
    for (size_t i = thread_index(); i < n; i += thread_count()) {
        const unsigned bin = histogram_bin(grid_value(&g, i), d.lo, d.hi, d.bins);
        if (bin < d.bins) atomicAdd(&mine[bin], 1u);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < d.bins; i += blockDim.x) {
        uint64_t sum = 0;
        for (unsigned c = 0; c < copies; c++) sum += count[c * d.bins + i];
        if (sum) atomic_add_u64(&d.counts[i], sum);
    }
}

static int run_private(const struct grid *grid, const struct histogram_desc *desc, void *scratch, struct exec *x)
{
    const unsigned threads = block_threads(x),
                   blocks = min(launch_blocks(grid_voxels(grid), threads), (unsigned)HISTOGRAM_BLOCKS);
    unsigned copies = threads / WARP;
    if (desc->bins > SHARED_BINS) return run_textbook(grid, desc, scratch, x);
    const cudaError_t error = cudaMemsetAsync(desc->counts, 0, desc->bins * sizeof *desc->counts, x->stream);
    if (error != cudaSuccess) return clear_error(error);
    while (copies * desc->bins > SHARED_BINS) copies /= 2;
    const size_t bytes = copies * desc->bins * sizeof(uint32_t);
    LAUNCH_TYPED(grid->type, histogram_private<TYPE><<<blocks, threads, bytes, x->stream>>>(*grid, *desc, copies));
    return cudaGetLastError();
}

/* ---- lanes and runs ------------------------------------------------------------------------------------------------
 * private showed that instructions take the time, not queues: 43 for each warp of voxels, most of them to find bins.
 * Idea: count values instead of bins. An 8-bit voxel has one of 256 values, and the bin of each value is found only
 * once, at the end. One load brings 16 voxels. If neighbours differ, lanes would collide in the banks of shared memory,
 * so each lane has a table of its own, in its own bank.
 *
 *    value 0: | lane 0 | 1 | 2 | .. | 31 |   value 1: | lane 0 | 1 | ..     32 KiB, for all warps of a block
 *
 * Predicted: 3.3 instructions per voxel, 15 us for 512^3. One addition for each 32 voxels takes 18 us at one per cycle,
 * or 36 at half of that. Reading memory takes 33, and memset, launch, zeroing and adding the tables 10. Together 45 us,
 * whatever the voxels are. Measured: 66 us. Additions never collide (counted), but they proceed at one per 1.7 cycles
 * in noise, and at one per 3.7 in a CT, where runs makes half as many. So something else slows them down; it was not
 * found.
 * Cost: 8-bit voxels only; others use the rung shared.
 *
 * runs: most volumes are mostly air. A lane whose 16 voxels are all alike adds 16 once. Predicted: 42 us. Where there
 * are no runs, the test is 6 more instructions for every 60, which should not show if memory is the limit. Measured: 63
 * us in a volume of vessels, and as much in noise. */

enum { BYTES = 256, LANES_THREADS = 512, LANES_BLOCKS = 4 * 132, LANES_LOADS = 4 }; /* an H200 holds them at once */

/* The voxels before the first address that is aligned for a load, and those after the last load. */
struct bytes_rest {
    size_t head, loads, tail;
};

/* Add to the count of a value; `mine` is the address of the lane's count of value 0. Addresses in shared memory have 32
 * bits; a pointer would take an instruction more. */
static __device__ __forceinline__ void count_add(uint32_t mine, uint32_t value, uint32_t more)
{
    const uint32_t at = mine + value * (uint32_t)(WARP * sizeof(uint32_t));
    asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(at), "r"(more) : "memory");
}

template <bool RUNS> static __device__ __forceinline__ void count_load(uint32_t mine, uint4 load)
{
    const uint32_t word[4] = { load.x, load.y, load.z, load.w }, first = __byte_perm(load.x, 0, 0);
    if (RUNS && first == load.x && load.x == load.y && load.x == load.z && load.x == load.w) {
        count_add(mine, first & 0xff, 16);
        return;
    }
#pragma unroll
    for (unsigned k = 0; k < 4; k++)
#pragma unroll
        for (unsigned byte = 0; byte < 4; byte++) count_add(mine, __byte_perm(word[k], 0, 0x4440 + byte), 1);
}

template <enum voxel_type T, bool RUNS>
static __global__ void __launch_bounds__(LANES_THREADS)
    histogram_bytes(struct grid g, struct histogram_desc d, struct bytes_rest rest)
{
    __shared__ uint32_t count[BYTES * WARP];
    const uint8_t *voxels = (const uint8_t *)g.voxels;
    const uint4 *load = (const uint4 *)(voxels + rest.head);
    const size_t stride = thread_count();
    const unsigned lane = lane_index();
    const uint32_t mine = (uint32_t)__cvta_generic_to_shared(count + lane);
    for (unsigned i = threadIdx.x; i < BYTES * WARP; i += LANES_THREADS) count[i] = 0;
    __syncthreads();

    size_t i = thread_index();
    if (i < rest.head) count_add(mine, voxels[i], 1);
    else if (i < rest.head + rest.tail) count_add(mine, voxels[grid_voxels(&g) - 1 - (i - rest.head)], 1);
    for (; i + (LANES_LOADS - 1) * stride < rest.loads; i += LANES_LOADS * stride) {
        uint4 v[LANES_LOADS];
#pragma unroll
        for (unsigned k = 0; k < LANES_LOADS; k++) v[k] = __ldg(load + i + k * stride);
#pragma unroll
        for (unsigned k = 0; k < LANES_LOADS; k++) count_load<RUNS>(mine, v[k]);
    }
    for (; i < rest.loads; i += stride) count_load<RUNS>(mine, __ldg(load + i));

    __syncthreads();
    for (unsigned value = threadIdx.x / WARP; value < BYTES; value += LANES_THREADS / WARP) {
        const uint64_t sum = warp_sum(count[value * WARP + lane]);
        const unsigned bin = histogram_bin(T == VOXEL_INT8 ? (float)(int8_t)value : (float)value, d.lo, d.hi, d.bins);
        if (lane == 0 && sum && bin < d.bins) atomic_add_u64(&d.counts[bin], sum);
    }
}

template <enum voxel_type T, bool RUNS>
static int launch_bytes(const struct grid *grid, const struct histogram_desc *desc, struct exec *x)
{
    const size_t n = grid_voxels(grid), at = (uintptr_t)grid->voxels % sizeof(uint4);
    const size_t head = min_size(n, (sizeof(uint4) - at) % sizeof(uint4)), loads = (n - head) / sizeof(uint4);
    const struct bytes_rest rest = { head, loads, n - head - loads * sizeof(uint4) };
    const unsigned blocks = min(launch_blocks(loads, LANES_THREADS), (unsigned)LANES_BLOCKS);
    const cudaError_t error = cudaMemsetAsync(desc->counts, 0, desc->bins * sizeof *desc->counts, x->stream);
    if (error != cudaSuccess) return clear_error(error);
    histogram_bytes<T, RUNS><<<blocks, LANES_THREADS, 0, x->stream>>>(*grid, *desc, rest);
    return cudaGetLastError();
}

template <bool RUNS>
static int count_bytes(const struct grid *grid, const struct histogram_desc *desc, void *scratch, struct exec *x)
{
    return grid->type == VOXEL_UINT8  ? launch_bytes<VOXEL_UINT8, RUNS>(grid, desc, x)
           : grid->type == VOXEL_INT8 ? launch_bytes<VOXEL_INT8, RUNS>(grid, desc, x)
                                      : run_shared(grid, desc, scratch, x);
}

static int run_lanes(const struct grid *grid, const struct histogram_desc *desc, void *scratch, struct exec *x)
{
    return count_bytes<false>(grid, desc, scratch, x);
}

static int run_runs(const struct grid *grid, const struct histogram_desc *desc, void *scratch, struct exec *x)
{
    return count_bytes<true>(grid, desc, scratch, x);
}

/* ---- large ---------------------------------------------------------------------------------------------------------
 * private and shared end at 48 KiB, 12288 bins, although a multiprocessor has up to 228 KiB: a kernel gets more only if
 * it asks. Idea: ask (cudaFuncSetAttribute) for as much as a block may have, which on an H200 is enough for 58112 bins,
 * nearly all 16-bit values. L1 is the rest of the same memory, so the kernel also says how it wants that memory
 * divided; voxels are read only once and need no L1. Predicted: with 256 bins as shared, 0.28 ms (measured: 0.288).
 * With 58112 bins, where shared falls back to the textbook's 94 ms, 0.4 (measured: 0.56).
 * Cost: with a large table only one block fits a multiprocessor, so the block must be large to hide latency. And each
 * of up to 1024 blocks has to zero and to add its table. */

enum { LARGE_THREADS = 1024 };

static unsigned large_bins(const struct exec *x)
{
    int bytes = 0;
    (void)clear_error(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, x->device));
    return (unsigned)bytes / sizeof(uint32_t);
}

template <enum voxel_type T> static __global__ void histogram_large(struct grid g, struct histogram_desc d)
{
    count_in_block<T>(g, d);
}

template <enum voxel_type T>
static cudaError_t launch_large(const struct grid *grid, const struct histogram_desc *desc, struct exec *x)
{
    const unsigned blocks = min(launch_blocks(grid_voxels(grid), LARGE_THREADS), (unsigned)HISTOGRAM_BLOCKS);
    const int most = (int)(large_bins(x) * sizeof(uint32_t));
    cudaError_t error = cudaFuncSetAttribute(histogram_large<T>, cudaFuncAttributePreferredSharedMemoryCarveout,
                                             cudaSharedmemCarveoutMaxShared);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute(histogram_large<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
    if (error == cudaSuccess)
        histogram_large<T><<<blocks, LARGE_THREADS, desc->bins * sizeof(uint32_t), x->stream>>>(*grid, *desc);
    return error;
}

static int run_large(const struct grid *grid, const struct histogram_desc *desc, void *scratch, struct exec *x)
{
    if (desc->bins > large_bins(x)) return run_textbook(grid, desc, scratch, x);
    cudaError_t error = cudaMemsetAsync(desc->counts, 0, desc->bins * sizeof *desc->counts, x->stream);
    if (error == cudaSuccess) LAUNCH_TYPED(grid->type, error = launch_large<TYPE>(grid, desc, x));
    const cudaError_t last = cudaGetLastError();
    return error != cudaSuccess ? error : last;
}

/* ---- cluster -------------------------------------------------------------------------------------------------------
 * A table in shared memory ends at 12288 bins, or at 58112, but a 16-bit volume has 65536 values and so uses the
 * textbook's kernel again. Idea (compute capability 9.0): eight blocks that run together (a cluster) pool their shared
 * memory. Each holds every eighth bin, and they count in each other's memory by atomics over the network between
 * multiprocessors: 98304 bins.
 * Cost: seven of eight atomics leave the multiprocessor, and eight blocks must fit at the same time. With 256 bins,
 * which need none of this, it takes 8.09 ms against 0.276. Most voxels share a bin, so eight blocks queue at one
 * address in one of them, over the network, where nothing combines the additions of a warp: of 390 cycles per
 * instruction, 323 are spent waiting for the answer. With 65536 bins it takes 8.7 ms, a tenth of the textbook's 94. */

enum { CLUSTER = 8 }; /* the largest that every such GPU runs */

template <enum voxel_type T>
static __global__ void __launch_bounds__(THREADS) histogram_cluster(struct grid g, struct histogram_desc d)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    extern __shared__ uint32_t count[];
    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    const unsigned rank = cluster.block_rank(), mine = (d.bins + CLUSTER - 1) / CLUSTER;
    g.type = T;
    for (unsigned i = threadIdx.x; i < mine; i += blockDim.x) count[i] = 0;
    cluster.sync();

    const size_t n = grid_voxels(&g);
    for (size_t i = thread_index(); i < n; i += thread_count()) {
        const unsigned bin = histogram_bin(grid_value(&g, i), d.lo, d.hi, d.bins);
        if (bin < d.bins) atomicAdd(cluster.map_shared_rank(count, bin % CLUSTER) + bin / CLUSTER, 1u);
    }
    cluster.sync(); /* from here on each block reads only its own memory, and may end at any time */
    for (unsigned i = threadIdx.x; i < mine; i += blockDim.x)
        if (i * CLUSTER + rank < d.bins && count[i]) atomic_add_u64(&d.counts[i * CLUSTER + rank], count[i]);
#else
    (void)g, (void)d; /* never launched: see cluster_unavailable */
#endif
}

static int run_cluster(const struct grid *grid, const struct histogram_desc *desc, void *scratch, struct exec *x)
{
    if (desc->bins > CLUSTER * SHARED_BINS) return run_textbook(grid, desc, scratch, x);
    cudaError_t error = cudaMemsetAsync(desc->counts, 0, desc->bins * sizeof *desc->counts, x->stream);
    unsigned blocks = launch_blocks(grid_voxels(grid), THREADS);
    if (blocks > HISTOGRAM_BLOCKS) blocks = HISTOGRAM_BLOCKS;

    cudaLaunchAttribute clusters = {};
    clusters.id = cudaLaunchAttributeClusterDimension;
    clusters.val.clusterDim.x = CLUSTER;
    clusters.val.clusterDim.y = clusters.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = (blocks + CLUSTER - 1) / CLUSTER * CLUSTER;
    config.blockDim = THREADS;
    config.dynamicSmemBytes = (desc->bins + CLUSTER - 1) / CLUSTER * sizeof(uint32_t);
    config.stream = x->stream;
    config.attrs = &clusters;
    config.numAttrs = 1;
    if (error == cudaSuccess)
        LAUNCH_TYPED(grid->type, error = cudaLaunchKernelEx(&config, histogram_cluster<TYPE>, *grid, *desc));
    const cudaError_t last = cudaGetLastError();
    return error != cudaSuccess ? error : last;
}

static const char *cluster_unavailable(const struct exec *x)
{
    return x->capability < 90 ? "clusters of blocks need compute capability 9.0" : NULL;
}

/* ---- cub -----------------------------------------------------------------------------------------------------------
 * The library, as the ceiling. An iterator hands it the bins of the voxels, because its own arithmetic would put some
 * values into the next bin. Uncounted values get bin `bins`, which is outside its range. 0.891 ms; on the raw bytes it
 * may be faster. */

struct bin_of_voxel {
    struct grid g;
    struct histogram_desc d;

    __device__ int operator()(size_t i) const { return (int)histogram_bin(grid_value(&g, i), d.lo, d.hi, d.bins); }
};

static cudaError_t cub_histogram(const struct bin_of_voxel *of, size_t n, void *scratch, size_t *bytes, cudaStream_t stream)
{
    const auto samples = thrust::make_transform_iterator(thrust::make_counting_iterator((size_t)0), *of);
    return cub::DeviceHistogram::HistogramEven(scratch, *bytes, samples, (unsigned long long *)of->d.counts,
                                               (int)of->d.bins + 1, 0, (int)of->d.bins, (long long)n, stream);
}

/* The size is for any number of voxels: what the library keeps per block does not grow with them once the GPU is full. */
static size_t scratch_cub(unsigned bins, const struct exec *x)
{
    struct bin_of_voxel of = {};
    size_t bytes = 0;
    of.d.bins = bins;
    if (clear_error(cub_histogram(&of, (size_t)1 << 40, NULL, &bytes, x->stream))) return 0;
    return scratch_round(bytes);
}

static int run_cub(const struct grid *grid, const struct histogram_desc *desc, void *scratch, struct exec *x)
{
    const struct bin_of_voxel of = { *grid, *desc };
    size_t bytes = scratch_cub(desc->bins, x);
    const cudaError_t error = cub_histogram(&of, grid_voxels(grid), scratch, &bytes, x->stream), last = cudaGetLastError();
    return error != cudaSuccess ? error : last;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* clang-format off */
const struct histogram_rung histogram_cuda[] = {
    { { "textbook", "one global atomic per voxel", false }, run_textbook, NULL, true },
    { { "racy", "textbook without atomics: counts are lost", false, racy_unavailable, false, true }, run_racy, NULL },
    { { "shared", "each block counts in shared memory, then adds to the result", false }, run_shared, NULL, true },
    { { "private", "a copy of the table per warp, so that only lanes of one warp queue", false }, run_private, NULL, true },
    { { "lanes", "8-bit voxels counted by value; each lane has its own table in its own bank", false }, run_lanes, NULL },
    { { "runs", "as lanes; 16 equal voxels are added at once", true }, run_runs, NULL },
    { { "large", "as much shared memory as a block may have: room for nearly all 16-bit values", false }, run_large, NULL },
    { { "cluster", "eight blocks share one table, an eighth in each: room for all 16-bit values", false,
        cluster_unavailable }, run_cluster, NULL },
    { { "cub", "the library: DeviceHistogram on the voxels' bins", false, NULL, true }, run_cub, scratch_cub },
    {},
};
/* clang-format on */
