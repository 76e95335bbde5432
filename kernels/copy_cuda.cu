/* copy on CUDA: what access patterns cost. Contract in copy.h.
 * Run: isoscope ladder copy --bench --backend cuda
 *
 * Memory is read in 32-byte sectors and cached in 128-byte lines. All kernels move each number once; they differ only
 * in which lane moves which number, how wide, and how many loads are in flight.
 * The table starts with the plain copy; then ways to spoil it, ways to help it, and the library.
 * Rates: H200 (4.8 TB/s of memory, 132 multiprocessors), 2^26 numbers, 256 MiB read and as many written, 256 threads
 * per block unless stated. */
#include "copy.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

/* One item per thread: the GPU's own schedule. */
#define LAUNCH_EACH(kernel, items)                                                            \
    static int run_##kernel(const uint32_t *from, uint32_t *to, size_t n, struct exec *x)     \
    {                                                                                         \
        const unsigned threads = block_threads(x);                                            \
        copy_##kernel<<<launch_blocks(items, threads), threads, 0, x->stream>>>(from, to, n); \
        return cudaGetLastError();                                                            \
    }

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * Thread i moves number i: a warp reads 128 consecutive bytes, four whole sectors, and writes as many.
 * Cost: an address, a bounds check and a 4-byte load and store per number; one load in flight per thread. 2560 GB/s.
 * With 64 threads per block 845, with 128 1670: blocks do so little work that starting them is the limit, one per 0.61
 * ns in both cases. With 1024, 2090: a block frees its slot only when its slowest warp is done. */

static __global__ void copy_textbook(const uint32_t *from, uint32_t *to, size_t n)
{
    for (size_t i = thread_index(); i < n; i += thread_count()) to[i] = from[i];
}
LAUNCH_EACH(textbook, n)

/* ---- stride2, stride8, stride32 ------------------------------------------------------------------------------------
 * The lanes of a warp read STRIDE numbers apart: a warp touches STRIDE times the sectors, up to one per lane from 8 on,
 * and uses a part of each. Later warps move the rest, from the caches if it is still there. A tile holds STRIDE warps'
 * numbers; in it, thread t moves number t % WARP * STRIDE + t / WARP.
 * 2447, 2261 and 536 GB/s. Up to a stride of 8 the caches nearly make up for it: the block's other warps use the rest
 * of the same sectors. At 32 each lane has its own line on both sides, and the 2^26 stores, each to another line, leave
 * a multiprocessor at one per 2 ns. Memory moves no more bytes than for the textbook and L2 runs at a quarter of its
 * peak, but the path to L2, with 67 M requests instead of 2 M, at half, more than anything else (ncu). */

template <unsigned STRIDE> static __global__ void copy_stride(const uint32_t *from, uint32_t *to, size_t n)
{
    const size_t tile = (size_t)STRIDE * WARP, whole = n / tile * tile;
    for (size_t t = thread_index(); t < n; t += thread_count()) {
        const size_t within = t % tile, i = t < whole ? t - within + within % WARP * STRIDE + within / WARP : t;
        to[i] = from[i];
    }
}

template <unsigned STRIDE> static int run_stride(const uint32_t *from, uint32_t *to, size_t n, struct exec *x)
{
    const unsigned threads = block_threads(x);
    copy_stride<STRIDE><<<launch_blocks(n, threads), threads, 0, x->stream>>>(from, to, n);
    return cudaGetLastError();
}

/* ---- offset1 -------------------------------------------------------------------------------------------------------
 * Every warp starts one number before a multiple of 128 bytes: it touches five sectors in two lines instead of four in
 * one. Caches serve the shared sectors, so reads cost little; L2 combines the writes.
 * 2418 GB/s, 6 % below the textbook. Before loads were cached (compute capability 1) it could cost a factor of ten. */

static __global__ void copy_offset1(const uint32_t *from, uint32_t *to, size_t n)
{
    for (size_t t = thread_index(); t < n + 1; t += thread_count())
        if (t > 0) to[t - 1] = from[t - 1];
}
LAUNCH_EACH(offset1, n + 1)

/* ---- random --------------------------------------------------------------------------------------------------------
 * Every lane elsewhere: a 32-byte sector for each 4-byte number, both ways, and nothing in the caches. The order is a
 * permutation of the next power of two without a table: xor-shifts and odd factors are invertible.
 * 100 GB/s, 1/26 of the textbook. Sectors alone would explain an eighth, the memory's 64-byte bursts a sixteenth; the
 * rest is unexplained. */

static __device__ __forceinline__ uint64_t scatter(uint64_t i, unsigned bits)
{
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    for (unsigned round = 0; round < 2; round++) {
        i ^= i >> (bits / 2 + 1);
        i = i * 0x9e3779b97f4a7c15u & mask;
    }
    return i ^ i >> (bits / 2 + 1);
}

static __global__ void copy_random(const uint32_t *from, uint32_t *to, size_t n, unsigned bits)
{
    for (size_t t = thread_index(); t < (size_t)1 << bits; t += thread_count()) {
        const size_t i = scatter(t, bits);
        if (i < n) to[i] = from[i];
    }
}

static int run_random(const uint32_t *from, uint32_t *to, size_t n, struct exec *x)
{
    const unsigned threads = block_threads(x);
    unsigned bits = 1;
    while ((size_t)1 << bits < n) bits++;
    copy_random<<<launch_blocks((size_t)1 << bits, threads), threads, 0, x->stream>>>(from, to, n, bits);
    return cudaGetLastError();
}

/* ---- aos -----------------------------------------------------------------------------------------------------------
 * An array of records of four numbers, moved member by member: lanes are 16 bytes apart, so each sector is requested
 * four times, first from memory, then from L1. The load unit works four times.
 * 4064 GB/s, more than the textbook: four loads are in flight per thread, and L1 is not the limit. The advice against
 * records dates from GPUs whose loads had no L1, where all four went to memory. */

static __global__ void copy_aos(const uint32_t *from, uint32_t *to, size_t n)
{
    const size_t records = n / 4;
    for (size_t r = thread_index(); r < records; r += thread_count()) {
        const uint32_t x = from[4 * r], y = from[4 * r + 1], z = from[4 * r + 2], w = from[4 * r + 3];
        to[4 * r] = x, to[4 * r + 1] = y, to[4 * r + 2] = z, to[4 * r + 3] = w;
    }
    const size_t rest = 4 * records + thread_index();
    if (rest < n) to[rest] = from[rest];
}
LAUNCH_EACH(aos, n / 4 + 4)

/* ---- soa -----------------------------------------------------------------------------------------------------------
 * The same four numbers per thread as four arrays, one per member: each load of a warp is 128 consecutive bytes again,
 * four in flight. 3987 GB/s: no gain over records here, see above. Cost: the members of a record are far apart, which
 * hurts access to a single one. */

static __global__ void copy_soa(const uint32_t *from, uint32_t *to, size_t n)
{
    const size_t q = n / 4;
    for (size_t r = thread_index(); r < q; r += thread_count()) {
        const uint32_t x = from[r], y = from[q + r], z = from[2 * q + r], w = from[3 * q + r];
        to[r] = x, to[q + r] = y, to[2 * q + r] = z, to[3 * q + r] = w;
    }
    const size_t rest = 4 * q + thread_index();
    if (rest < n) to[rest] = from[rest];
}
LAUNCH_EACH(soa, n / 4 + 4)

/* ---- shared --------------------------------------------------------------------------------------------------------
 * Through shared memory, often called fast: one more store, barrier and load, and no gain, because no number is used
 * twice. 2305 GB/s, 10 % below the textbook. Shared memory pays where threads exchange numbers, as in transpose. */

static __global__ void copy_shared(const uint32_t *from, uint32_t *to, size_t n)
{
    extern __shared__ uint32_t tile[];
    for (size_t first = (size_t)blockIdx.x * blockDim.x; first < n; first += thread_count()) {
        const size_t i = first + threadIdx.x;
        if (i < n) tile[threadIdx.x] = from[i];
        __syncthreads();
        if (i < n) to[i] = tile[threadIdx.x];
        __syncthreads();
    }
}

static int run_shared(const uint32_t *from, uint32_t *to, size_t n, struct exec *x)
{
    const unsigned threads = block_threads(x);
    copy_shared<<<launch_blocks(n, threads), threads, threads * sizeof *to, x->stream>>>(from, to, n);
    return cudaGetLastError();
}

/* ---- batch ---------------------------------------------------------------------------------------------------------
 * The textbook has one load in flight per thread, 8 KiB per multiprocessor, waits for it before it stores, and reaches
 * 2560 GB/s. Idea: a thread loads BATCH numbers, a block apart to stay coalesced, before it stores the first. 4053
 * GB/s, and 4130 with 64 threads per block, because there are an eighth of the blocks. Cost: BATCH registers and a
 * tail. */

enum { BATCH = 8 };

static __global__ void copy_batch(const uint32_t *from, uint32_t *to, size_t n)
{
    const size_t tile = (size_t)blockDim.x * BATCH;
    for (size_t first = blockIdx.x * tile + threadIdx.x; first < n; first += gridDim.x * tile) {
        uint32_t value[BATCH];
#pragma unroll
        for (unsigned k = 0; k < BATCH; k++) {
            const size_t i = first + (size_t)k * blockDim.x;
            if (i < n) value[k] = from[i];
        }
#pragma unroll
        for (unsigned k = 0; k < BATCH; k++) {
            const size_t i = first + (size_t)k * blockDim.x;
            if (i < n) to[i] = value[k];
        }
    }
}
LAUNCH_EACH(batch, (n + BATCH - 1) / BATCH)

/* ---- rolling -------------------------------------------------------------------------------------------------------
 * A batch loads all, waits, then stores all: memory sees bursts. Idea: a thread walks through the numbers and loads the
 * next one before it stores the current one, to interleave loads and stores. Few, long blocks. 2902 GB/s for every
 * block size.
 * Cost: the next load hides behind one store only, where a GPU can switch warps anyway; four more bytes in flight are
 * not eight times four. */

#define ROLLING_BLOCKS 4096u

static __global__ void copy_rolling(const uint32_t *from, uint32_t *to, size_t n)
{
    size_t i = thread_index();
    uint32_t next = i < n ? from[i] : 0;
    for (; i < n; i += thread_count()) {
        const uint32_t value = next;
        const size_t ahead = i + thread_count();
        if (ahead < n) next = from[ahead];
        to[i] = value;
    }
}

static int run_rolling(const uint32_t *from, uint32_t *to, size_t n, struct exec *x)
{
    const unsigned threads = block_threads(x), blocks = launch_blocks(n, threads);
    const unsigned rolling_blocks = blocks < ROLLING_BLOCKS ? blocks : (unsigned)ROLLING_BLOCKS;
    copy_rolling<<<rolling_blocks, threads, 0, x->stream>>>(from, to, n);
    return cudaGetLastError();
}

/* ---- vector --------------------------------------------------------------------------------------------------------
 * batch needs eight loads and eight stores per thread to reach 4053 GB/s. Idea: 16 bytes per instruction, 512 per warp:
 * one load per thread keeps four times the textbook's bytes in flight, in a quarter of its blocks. 4162 GB/s.
 * Cost: 16-byte alignment, and a tail of up to three numbers. */

static __global__ void copy_vector(const uint32_t *from, uint32_t *to, size_t n)
{
    const uint4 *in = (const uint4 *)from;
    uint4 *out = (uint4 *)to;
    for (size_t i = thread_index(); i < n / 4; i += thread_count()) out[i] = in[i];
    const size_t rest = n / 4 * 4 + thread_index();
    if (rest < n) to[rest] = from[rest];
}
LAUNCH_EACH(vector, n / 4 + 4)

/* ---- memcpy --------------------------------------------------------------------------------------------------------
 * The driver's own kernel, as the ceiling: it chooses width and blocks by size and alignment. 4050 GB/s. */

static int run_memcpy(const uint32_t *from, uint32_t *to, size_t n, struct exec *x)
{
    return n ? cudaMemcpyAsync(to, from, n * sizeof *to, cudaMemcpyDeviceToDevice, x->stream) : cudaSuccess;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

const struct copy_rung copy_cuda[] = {
    { { "textbook", "thread i moves number i", false }, run_textbook, true },
    { { "stride2", "spoiled: lanes two numbers apart, half of each sector used", false }, run_stride<2>, true },
    { { "stride8", "spoiled: lanes eight apart, a sector for each number", false }, run_stride<8>, true },
    { { "stride32", "spoiled: lanes 32 apart, a line for each number", false }, run_stride<32>, true },
    { { "offset1", "spoiled: warps start one number off, five sectors for four", false }, run_offset1, true },
    { { "random", "spoiled: every lane somewhere else, no use of caches", false }, run_random, true },
    { { "aos", "records of four, member by member: lanes 16 bytes apart", false }, run_aos, true },
    { { "soa", "the same as four arrays: every load coalesced", false }, run_soa, true },
    { { "shared", "through shared memory: a detour, nothing is used twice", false }, run_shared, true },
    { { "batch", "eight loads under way per thread before the first store", false }, run_batch, true },
    { { "rolling", "the next load is asked for before the last is stored", false }, run_rolling, true },
    { { "vector", "16 bytes per thread, a quarter of the instructions", false }, run_vector, true },
    { { "memcpy", "the library: cudaMemcpyAsync", true, NULL, true }, run_memcpy, false },
    {},
};
