/* copy on CUDA: what the pattern of the accesses costs. Contract in copy.h.
 *
 * The memory is read in sectors of 32 bytes and cached in lines of 128. All kernels here move each number once; they
 * differ only in which lane of a warp moves which number, how wide, and how many loads are under way at once.
 * Hence the order of the table: the plain copy, then ways to spoil it, then ways to help it, then the library.
 * Rates: H200 (4.8 TB/s of memory, 132 multiprocessors), 2^26 numbers, 256 MiB read and as many written, 256 threads per
 * block but where another number is named. */
#include "copy.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

/* One item per thread: what the GPU itself schedules best. */
#define LAUNCH_EACH(kernel, items)                                                            \
    static int run_##kernel(const uint32_t *from, uint32_t *to, size_t n, struct exec *x)     \
    {                                                                                         \
        const unsigned threads = block_threads(x);                                            \
        copy_##kernel<<<launch_blocks(items, threads), threads, 0, x->stream>>>(from, to, n); \
        return cudaGetLastError();                                                            \
    }

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * Thread i moves number i: a warp reads 128 bytes in a row, four whole sectors, and writes as many.
 * Cost: an address, a bounds check and a 4-byte load and store per number; one load under way per thread. 2560 GB/s. With
 * 64 threads per block 845, with 128 1670: each block is started for so little work that the GPU is busy starting them,
 * one per 0.61 ns in both cases. With 1024, 2090: a block's room is free again only when the slowest of its warps is
 * done. */

static __global__ void copy_textbook(const uint32_t *from, uint32_t *to, size_t n)
{
    for (size_t i = thread_index(); i < n; i += thread_count()) to[i] = from[i];
}
LAUNCH_EACH(textbook, n)

/* ---- stride2, stride8, stride32 ------------------------------------------------------------------------------------
 * The lanes of a warp read STRIDE numbers apart: each warp touches STRIDE times the sectors, up to one per lane from 8 on,
 * and uses only a part of each. What is left of a sector is moved by the warps after it, from the caches if they still
 * have it. A tile is STRIDE warps' worth of numbers, in which thread t moves number t % WARP * STRIDE + t / WARP.
 * 2447, 2261 and 536 GB/s. Up to a stride of 8 the caches make up for nearly all of it: the other warps of the block want
 * the rest of the same sectors. At 32 each lane has a line of its own, on both sides, and the 2^26 stores, each to another
 * line, leave a multiprocessor at one per 2 ns: the memory moves no more bytes than for the textbook, the second cache is
 * at a quarter of its peak, and the way to it, with 67 M requests for 2 M, at half, more than anything else (ncu). */

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
 * Every warp starts one number before a multiple of 128 bytes: it touches five sectors where four would do, and of two
 * lines. The sectors that neighbours share come from the caches, so reads cost little; the writes are combined in L2.
 * 2418 GB/s, 6 % less than the textbook. Before caches took loads (compute capability 1) it could cost a factor of ten. */

static __global__ void copy_offset1(const uint32_t *from, uint32_t *to, size_t n)
{
    for (size_t t = thread_index(); t < n + 1; t += thread_count())
        if (t > 0) to[t - 1] = from[t - 1];
}
LAUNCH_EACH(offset1, n + 1)

/* ---- random --------------------------------------------------------------------------------------------------------
 * Every lane somewhere else: a sector of 32 bytes for each 4-byte number, both ways, and nothing in the caches.
 * The order is a permutation of the next power of two that needs no table: xor-shifts and odd factors undo one by one.
 * 100 GB/s, a 26th of the textbook, where the sectors alone would make an eighth: what the rest is was not found out; the
 * memory's own bursts, of 64 bytes, would make it a sixteenth. */

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
 * An array of records of four numbers, moved member by member: the lanes of each load are 16 bytes apart, so that every
 * sector is asked for four times. The first time it comes from memory, then from L1; the load unit pays four times.
 * 4064 GB/s, more than the textbook all the same: four loads are under way per thread, and L1 is not what bounds it. The
 * advice against records is from GPUs whose loads had no L1, where each of the four went to memory. */

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
 * The same four numbers per thread as four arrays, one per member: each load of a warp is 128 bytes in a row again, and
 * four are under way. 3987 GB/s: nothing gained over records here, see above. Cost: the numbers of a record are far apart,
 * which hurts whoever wants a single one. */

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
 * Through shared memory, which is often called fast: a store, a barrier and a load more, and nothing gained, since no
 * number is used twice. 2305 GB/s, 10 % less than the textbook. Shared memory pays where threads exchange numbers, as in
 * transpose. */

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
 * The textbook has one load under way per thread, 8 KiB per multiprocessor, waits for it before it stores, and reaches
 * 2560 GB/s. Idea: a thread asks for BATCH numbers, a block apart so that each load stays coalesced, before it stores the
 * first. 4053 GB/s, and 4130 with 64 threads per block, since there are an eighth of the blocks. Cost: BATCH registers,
 * and a tail. */

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
 * A batch asks, waits for all, then stores all: memory sees bursts. Idea: a thread that walks through the numbers asks for
 * the next one before it stores the one it has, so that loads and stores flow side by side. Few blocks, each long.
 * 2902 GB/s, whatever the size of a block.
 * Cost: the load of the next number hides behind one store only, where a GPU has other warps to switch to anyway; four
 * bytes more under way are not eight times four. */

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
 * one load per thread keeps four times the textbook's bytes under way, in a quarter of its blocks. 4162 GB/s.
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
