/* find on CUDA: first place and all places of a value. Contract in find_equal.h.
 * Times: H200, all places of one value among a hundred in 2^26 floats. */
#include "find_equal.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

static __global__ void find_equal_begin(struct find_equal_desc d)
{
    *d.first = d.n;
    if (d.list) *d.count = 0;
}

static __device__ __forceinline__ void lower_first(const struct find_equal_desc &d, size_t i)
{
    static_assert(sizeof(unsigned long long) == sizeof(uint64_t), "the cast below keeps the size");
    atomicMin((unsigned long long *)d.first, (unsigned long long)i);
}

static __device__ __forceinline__ uint64_t reserve(const struct find_equal_desc &d, uint64_t many)
{
    return atomicAdd((unsigned long long *)d.count, (unsigned long long)many);
}

/* ---- atomic --------------------------------------------------------------------------------------------------------
 * One thread per value; whoever has it lowers `first`, and takes the next place of the list.
 * Cost: two atomics on one address each per occurrence, which queue; and the list is in any order. 0.553 ms, where the
 * values are read in 0.065. */

static __global__ void find_equal_atomic(struct find_equal_desc d)
{
    for (size_t i = thread_index(); i < d.n; i += thread_count())
        if (d.values[i] == d.value) {
            lower_first(d, i);
            if (d.list) d.list[reserve(d, 1)] = i;
        }
}

static int run_atomic(const struct find_equal_desc *d, void *scratch, struct exec *x)
{
    (void)scratch;
    find_equal_begin<<<1, 1, 0, x->stream>>>(*d);
    find_equal_atomic<<<launch_blocks(d->n, THREADS), THREADS, 0, x->stream>>>(*d);
    return cudaGetLastError();
}

/* ---- warp ----------------------------------------------------------------------------------------------------------
 * atomic queues for each occurrence, 0.8 ns each, and reads on when the first is known: 0.553 ms. Ideas, one for each
 * task: the lanes that have it count themselves by a ballot, and the lowest takes places for all: one atomic for up to 32
 * (warp aggregation, Adinetz 2014). For the first alone, blocks walk the array in order, 1024 of them, and a warp stops
 * once `first` lies before what is left to it. 0.499 ms for the list: with one value in a hundred few warps have two, so
 * that there are 0.58 million atomics instead of 0.67; where occurrences are many or stand together, there are up to 32
 * times fewer.
 * Cost: `first` is read once per step, from the second-level cache. The list is still in any order. */

enum { WALKERS = 1024 };

/* All lanes must call; lane l stands at i, lane 0's place plus l. */
static __device__ __forceinline__ bool warp_finds(const struct find_equal_desc &d, size_t i, uint32_t *which)
{
    const bool here = i < d.n && d.values[i] == d.value;
    *which = __ballot_sync(WARP_ALL, here);
    if (*which && lane_index() == 0) lower_first(d, i + __ffs((int)*which) - 1);
    return here;
}

static __global__ void find_equal_first(struct find_equal_desc d)
{
    const volatile uint64_t *first = d.first;
    uint32_t which;
    for (size_t i = thread_index(); i - lane_index() < d.n; i += thread_count()) {
        const bool beyond = *first < i - lane_index();
        if (__any_sync(WARP_ALL, beyond)) return;
        (void)warp_finds(d, i, &which);
    }
}

static __global__ void find_equal_warp(struct find_equal_desc d)
{
    for (size_t i = thread_index(); i - lane_index() < d.n; i += thread_count()) {
        uint32_t which;
        uint64_t position = 0;
        const bool here = warp_finds(d, i, &which);
        if (!which) continue;
        if (lane_index() == 0) position = reserve(d, popcount32(which));
        position = __shfl_sync(WARP_ALL, (unsigned long long)position, 0);
        if (here) d.list[position + popcount32(which & ((1u << lane_index()) - 1))] = i;
    }
}

static int run_warp(const struct find_equal_desc *d, void *scratch, struct exec *x)
{
    (void)scratch;
    const unsigned blocks = launch_blocks(d->n, THREADS), walkers = blocks < WALKERS ? blocks : (unsigned)WALKERS;
    find_equal_begin<<<1, 1, 0, x->stream>>>(*d);
    if (d->list) find_equal_warp<<<blocks, THREADS, 0, x->stream>>>(*d);
    else find_equal_first<<<walkers, THREADS, 0, x->stream>>>(*d);
    return cudaGetLastError();
}

/* ---- ordered -------------------------------------------------------------------------------------------------------
 * The list comes in any order, and 0.58 million warps queue: 0.499 ms. Idea: no atomics for it: each block counts in its
 * tile of 4096 values, one block sums up the counts, and each block writes from its own start, turn by turn, warp by
 * warp, lane by lane. Tiles without any, which are most of them as a rule, are not read again. 0.371 ms, though here
 * every tile has some. Cost: tiles that have some are read twice; the sums are one block's work, 1024 counts at a
 * time. */

enum { TURNS = 16, TILE = THREADS * TURNS, SUM_THREADS = 1024, TILE_WARPS = THREADS / WARP };

static size_t tiles_of(size_t n) { return n / TILE + (n % TILE != 0); }

static __global__ void __launch_bounds__(THREADS) find_equal_count(struct find_equal_desc d, uint64_t *count)
{
    for (size_t tile = blockIdx.x; tile * TILE < d.n; tile += gridDim.x) {
        unsigned sum = 0;
        for (unsigned t = 0; t < TURNS; t++) {
            const size_t i = tile * TILE + t * THREADS + threadIdx.x;
            sum += (unsigned)__syncthreads_count(i < d.n && d.values[i] == d.value);
        }
        if (threadIdx.x == 0) count[tile] = sum;
    }
}

static __device__ __forceinline__ uint64_t warp_inclusive(uint64_t value)
{
    for (unsigned step = 1; step < WARP; step *= 2) {
        const uint64_t other = __shfl_up_sync(WARP_ALL, (unsigned long long)value, step);
        if (lane_index() >= step) value += other;
    }
    return value;
}

/* One block: counts become starts, in place; their sum to d.count. */
static __global__ void __launch_bounds__(SUM_THREADS)
    find_equal_starts(struct find_equal_desc d, uint64_t *count, size_t tiles)
{
    __shared__ uint64_t of_warp[SUM_THREADS / WARP];
    uint64_t before = 0; /* of all tiles so far; the same in every thread */
    for (size_t first = 0; first < tiles; first += SUM_THREADS) {
        const size_t i = first + threadIdx.x;
        const uint64_t mine = i < tiles ? count[i] : 0, sum = warp_inclusive(mine);
        if (lane_index() == WARP - 1) of_warp[threadIdx.x / WARP] = sum;
        __syncthreads();
        uint64_t start = before;
        for (unsigned w = 0; w < SUM_THREADS / WARP; w++) {
            if (w < threadIdx.x / WARP) start += of_warp[w];
            before += of_warp[w];
        }
        if (i < tiles) count[i] = start + sum - mine;
        __syncthreads(); /* before the next sums overwrite these */
    }
    if (threadIdx.x == 0) *d.count = before;
}

static __global__ void __launch_bounds__(THREADS)
    find_equal_write(struct find_equal_desc d, const uint64_t *start, size_t tiles)
{
    __shared__ unsigned of_warp[TILE_WARPS];
    const unsigned warp = threadIdx.x / WARP;
    for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const uint64_t end = tile + 1 < tiles ? start[tile + 1] : *d.count;
        uint64_t position = start[tile];
        if (position == end) continue;
        for (unsigned t = 0; t < TURNS; t++) {
            const size_t i = tile * TILE + t * THREADS + threadIdx.x;
            const bool here = i < d.n && d.values[i] == d.value;
            const uint32_t which = __ballot_sync(WARP_ALL, here);
            if (lane_index() == 0) of_warp[warp] = popcount32(which);
            __syncthreads();
            uint64_t mine = position + popcount32(which & ((1u << lane_index()) - 1));
            for (unsigned w = 0; w < TILE_WARPS; w++) {
                if (w < warp) mine += of_warp[w];
                position += of_warp[w];
            }
            if (here) d.list[mine] = i;
            __syncthreads(); /* before the next turn overwrites the counts */
        }
    }
}

static __global__ void find_equal_first_of_list(struct find_equal_desc d) { *d.first = *d.count ? d.list[0] : d.n; }

static size_t scratch_ordered(const struct find_equal_desc *d, const struct exec *x)
{
    (void)x;
    return scratch_round(tiles_of(d->n) * sizeof(uint64_t));
}

static int run_ordered(const struct find_equal_desc *d, void *scratch, struct exec *x)
{
    if (!d->list) return run_warp(d, scratch, x);
    uint64_t *start = (uint64_t *)scratch;
    const size_t tiles = tiles_of(d->n);
    const unsigned blocks = launch_blocks(tiles, 1);
    find_equal_count<<<blocks, THREADS, 0, x->stream>>>(*d, start);
    find_equal_starts<<<1, SUM_THREADS, 0, x->stream>>>(*d, start, tiles);
    find_equal_write<<<blocks, THREADS, 0, x->stream>>>(*d, start, tiles);
    find_equal_first_of_list<<<1, 1, 0, x->stream>>>(*d); /* after all blocks have written */
    return cudaGetLastError();
}

/* ---- the table ----------------------------------------------------------------------------------------------------- */

const struct find_equal_rung find_equal_cuda[] = {
    { { "atomic", "atomics for each occurrence", false }, run_atomic, NULL, false },
    { { "warp", "one atomic per warp; the first stops the rest", false }, run_warp, NULL, false },
    { { "ordered", "counts per tile, their sums, then each writes its own", true }, run_ordered, scratch_ordered, true },
    {},
};
