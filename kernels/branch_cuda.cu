/* branch on CUDA: what it costs when the lanes of a warp take different paths (divergence), and the ways out. Contract
 * in branch.h.
 * Run: isoscope ladder branch --bench --backend cuda
 *
 * For timing, kinds repeat: item i is of kind i % 32. There are 512 steps, so memory plays no part. Choosing which lane
 * does which item is then choosing how many kinds meet in a warp. The result is right for any kinds.
 * A step is a LOP3 and an IMAD, which have separate pipes, each with 64 lanes per cycle and multiprocessor. So each
 * multiprocessor of an H200 (132 of them, 1.98 GHz) can do 64 steps per cycle: half the rate of fma_peak in operations,
 * and 0.51 ms for 2^24 items if every lane is always busy. */
#include "branch.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

/* Unrolled by the same number of steps for every kind, but not more, or 32 paths would not fit the instruction caches. */
template <uint32_t KIND> static __device__ __forceinline__ uint32_t path(uint32_t v, unsigned turns)
{
#pragma unroll 8
    for (unsigned t = 0; t < turns; t++) v = (v ^ branch_mask(KIND)) * branch_factor(KIND);
    return v;
}

static __device__ __forceinline__ uint32_t path_of(uint32_t kind, uint32_t v, unsigned turns)
{
    switch (kind) {
#define CASE(k) \
    case k: return path<k>(v, turns);
        BRANCH_EACH(CASE)
#undef CASE
    }
    return v;
}

/* ---- textbook, four, two, aligned ----------------------------------------------------------------------------------
 * textbook: thread i does item i, so there are 32 kinds in each warp. The warp goes through all 32 paths, with one lane
 * at work and 31 waiting. Predicted: 32 times 0.51 ms, 16.5 ms. Measured: 20.2, because every eight steps are 16
 * instructions, plus four of the loop. (Lanes also idle after their thread has returned, and in the last warp of a
 * block whose size is not a multiple of 32. Neither can be avoided later, so blocks should be whole warps.)
 * four, two: what counts is how many paths a warp takes, not how many lanes take each. Idea: a tile of 32 warps hands
 * out its items so that only WAYS kinds meet in a warp. Predicted: 2.06 and 1.03 ms. Measured: 2.60 and 1.33. Cost:
 * lanes read items that are far apart, 32 / WAYS lines per load, but 512 steps hide that.
 *
 * aligned: two kinds in a warp still take turns. Idea: let whole warps differ, not lanes. There are 32 paths in a
 * block, and each warp is on one of them. Warps have program counters of their own, so nobody waits. Predicted: 0.51
 * ms, the most that the pipes can do, or 0.69 with the loop's instructions. Cost: the layout of the data must allow it. */

enum { TILE = WARP * BRANCH_KINDS }; /* items, as 32 rows of 32; in the timed case column k is of kind k */

template <unsigned WAYS> static __global__ void branch_ways(struct branch_desc d)
{
    const size_t stop = (d.n + TILE - 1) / TILE * TILE;
    for (size_t t = thread_index(); t < stop; t += thread_count()) {
        const unsigned warp = t / WARP % BRANCH_KINDS, lane = t % WARP;
        const unsigned column = warp * WAYS % WARP + lane % WAYS;
        const unsigned row = warp * WAYS / WARP * (WARP / WAYS) + lane / WAYS;
        const size_t i = t / TILE * TILE + row * WARP + column;
        if (i < d.n) d.out[i] = path_of(d.kind[i], d.in[i], d.turns);
    }
}

/* Return the number of blocks for whole tiles. */
static unsigned tile_blocks(const struct branch_desc *d, const struct exec *x)
{
    return launch_blocks((uint64_t)launch_blocks(d->n, TILE) * TILE, block_threads(x));
}

template <unsigned WAYS> static int run_ways(const struct branch_desc *d, struct exec *x)
{
    branch_ways<WAYS><<<tile_blocks(d, x), block_threads(x), 0, x->stream>>>(*d);
    return cudaGetLastError();
}

/* ---- same ----------------------------------------------------------------------------------------------------------
 * If one kind per warp is good, is one kind per block better? Idea: a block takes THREADS items of one kind. Predicted:
 * no faster than aligned, since nothing diverged there. Measured: 0.69 ms for both. It could even have been slower,
 * because a block now uses 4 of the 128 bytes of each line that it reads, and other blocks fetch the line again. */

static __global__ void branch_same(struct branch_desc d)
{
    const size_t big = (size_t)THREADS * BRANCH_KINDS;
    for (size_t b = blockIdx.x; b / BRANCH_KINDS * big < d.n; b += gridDim.x) {
        const size_t i = b / BRANCH_KINDS * big + (size_t)threadIdx.x * BRANCH_KINDS + b % BRANCH_KINDS;
        if (i < d.n) d.out[i] = path_of(d.kind[i], d.in[i], d.turns);
    }
}

static int run_same(const struct branch_desc *d, struct exec *x)
{
    branch_same<<<launch_blocks(d->n, THREADS * BRANCH_KINDS) * BRANCH_KINDS, THREADS, 0, x->stream>>>(*d);
    return cudaGetLastError();
}

/* ---- predicated, vote ----------------------------------------------------------------------------------------------
 * predicated: no branch at all. Every lane goes through every path and keeps only the result of its own. Compilers do
 * this with short ifs (instructions under a predicate, SEL). The vectors of a CPU must always do it, since their lanes
 * cannot take different paths. Items are handed out as in four. Predicted: as the textbook, whatever the kinds are.
 * Measured: 20.3 ms. No jump is paid for, but 31 of 32 results are thrown away. It pays for a few instructions, not for
 * 512 steps.
 *
 * vote: predicated goes through 28 paths that none of its lanes wants. Idea: before each path, the warp votes whether
 * any lane wants it (__any_sync), and otherwise skips it as a whole. Predicted: as four, plus 32 votes of two
 * instructions. Measured: 2.69 ms, 3 % more. The branch goes the same way for all lanes, so none waits for another, and
 * __all_sync and __ballot_sync are safe inside.
 * Cost: a vote for every kind that exists, whether present or not. */

template <bool VOTE> static __global__ void branch_all(struct branch_desc d)
{
    const unsigned ways = 4;
    const size_t stop = (d.n + TILE - 1) / TILE * TILE; /* whole warps: all lanes vote */
    for (size_t t = thread_index(); t < stop; t += thread_count()) {
        const unsigned warp = t / WARP % BRANCH_KINDS, lane = t % WARP;
        const unsigned column = warp * ways % WARP + lane % ways;
        const unsigned row = warp * ways / WARP * (WARP / ways) + lane / ways;
        const size_t i = t / TILE * TILE + row * WARP + column;
        const uint32_t kind = i < d.n ? d.kind[i] : BRANCH_KINDS, v = i < d.n ? d.in[i] : 0;
        uint32_t kept = v;
#define CASE(k)                                        \
    if (!VOTE || __any_sync(ALL_LANES, kind == (k))) { \
        const uint32_t result = path<k>(v, d.turns);   \
        kept = kind == (k) ? result : kept;            \
    }
        BRANCH_EACH(CASE)
#undef CASE
        if (i < d.n) d.out[i] = kept;
    }
}

template <bool VOTE> static int run_all(const struct branch_desc *d, struct exec *x)
{
    branch_all<VOTE><<<tile_blocks(d, x), block_threads(x), 0, x->stream>>>(*d);
    return cudaGetLastError();
}

/* ---- sorted --------------------------------------------------------------------------------------------------------
 * aligned needs data that come in the right order. Idea: make the order. A block counts the kinds in its tile in shared
 * memory, adds up where each begins, and hands out the items by kind. Then a warp has one kind, or two where they meet.
 * Predicted: a fifth more than aligned, for four barriers and two shared-memory atomics per item. Measured: 2 % more,
 * 0.70 ms, for items in any order; other blocks compute in the meantime.
 * Cost: 4 KiB of shared memory; items are read and written out of order, within 4 KiB. It pays only if the paths are
 * long. */

static __global__ void branch_sorted(struct branch_desc d)
{
    __shared__ uint32_t next[BRANCH_KINDS];
    __shared__ uint16_t from[TILE];
    for (size_t first = (size_t)blockIdx.x * TILE; first < d.n; first += (size_t)gridDim.x * TILE) {
        const unsigned n = d.n - first < TILE ? (unsigned)(d.n - first) : (unsigned)TILE;
        if (threadIdx.x < BRANCH_KINDS) next[threadIdx.x] = 0;
        __syncthreads();
        for (unsigned i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&next[d.kind[first + i]], 1u);
        __syncthreads();
        if (threadIdx.x < WARP) { /* the first warp: as many kinds as lanes */
            const uint32_t count = next[threadIdx.x];
            uint32_t sum = count;
#pragma unroll
            for (unsigned step = 1; step < WARP; step *= 2) {
                const uint32_t below = __shfl_up_sync(ALL_LANES, sum, step);
                if (threadIdx.x >= step) sum += below;
            }
            next[threadIdx.x] = sum - count;
        }
        __syncthreads();
        for (unsigned i = threadIdx.x; i < n; i += blockDim.x) from[atomicAdd(&next[d.kind[first + i]], 1u)] = (uint16_t)i;
        __syncthreads();
        for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
            const size_t item = first + from[i];
            d.out[item] = path_of(d.kind[item], d.in[item], d.turns);
        }
        __syncthreads(); /* the next tile writes `next` and `from` */
    }
}

static int run_sorted(const struct branch_desc *d, struct exec *x)
{
    branch_sorted<<<launch_blocks(d->n, TILE), block_threads(x), 0, x->stream>>>(*d);
    return cudaGetLastError();
}

/* ---- data ----------------------------------------------------------------------------------------------------------
 * sorted keeps 32 paths that differ only in two numbers. Idea: make the numbers data. All lanes take the same path, and
 * compute (or load) the numbers of their kinds. Predicted: as aligned, but for items in any order. Measured: 0.67 ms,
 * without a branch, a barrier, or a special layout.
 * Cost: it works only where paths differ in numbers, not in what they do. Look for this first. */

static __global__ void branch_data(struct branch_desc d)
{
    for (size_t i = thread_index(); i < d.n; i += thread_count()) {
        const uint32_t mask = branch_mask(d.kind[i]), factor = branch_factor(d.kind[i]);
        uint32_t v = d.in[i];
#pragma unroll 8
        for (unsigned t = 0; t < d.turns; t++) v = (v ^ mask) * factor;
        d.out[i] = v;
    }
}

static int run_data(const struct branch_desc *d, struct exec *x)
{
    branch_data<<<launch_blocks(d->n, block_threads(x)), block_threads(x), 0, x->stream>>>(*d);
    return cudaGetLastError();
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* clang-format off */
const struct branch_rung branch_cuda[] = {
    { { "textbook", "32 kinds in each warp, which takes 32 paths", false }, run_ways<32>, true },
    { { "four", "four kinds in each warp", false }, run_ways<4>, true },
    { { "two", "two kinds in each warp", false }, run_ways<2>, true },
    { { "aligned", "one kind per warp: warps diverge, lanes do not", false }, run_ways<1>, true },
    { { "same", "one kind per block", false }, run_same },
    { { "predicated", "no branch: each lane computes every path and keeps its own result", false }, run_all<false>, true },
    { { "vote", "four kinds; before each path, the warp votes whether any lane needs it", false }, run_all<true>, true },
    { { "sorted", "items in any order, regrouped by kind in shared memory", false }, run_sorted, true },
    { { "data", "one path, whose numbers depend on the kind", true }, run_data, true },
    {},
};
/* clang-format on */
