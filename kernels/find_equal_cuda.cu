/* find_equal on CUDA: the first and all positions of a value. Contract in find_equal.h.
 * Run: isoscope ladder find_equal --bench --backend cuda
 * Times: H200, all positions of one value among a hundred in 2^26 floats. */
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
 * One thread per value; each match lowers `first` and reserves the next position of the list.
 * Cost: two atomics per match, which queue, each at one address; and an unordered list. 0.553 ms; reading the values
 * alone takes 0.065. */

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
    find_equal_atomic<<<launch_blocks(d->n, block_threads(x)), block_threads(x), 0, x->stream>>>(*d);
    return cudaGetLastError();
}

/* ---- warp ----------------------------------------------------------------------------------------------------------
 * In atomic, every match queues, for 0.8 ns each, and reading goes on even when the first match is known: 0.553 ms.
 * Idea for the list: matching lanes count themselves with a ballot, and lane 0 reserves positions for all of them, so
 * one atomic serves up to 32 matches (warp aggregation, Adinetz 2014). Idea for the first match alone: 1024 blocks walk
 * through the array in order, and a warp stops as soon as `first` lies before the rest of its share. 0.499 ms for the
 * list: with one match in a hundred values, few warps have two, and 0.58 million atomics replace 0.67. Frequent or
 * clustered matches save up to a factor of 32.
 * Cost: `first` is read once per step, from L2. The list is still unordered. */

enum { WALKERS = 1024 };

/* Find matches with all lanes of a warp, at consecutive i. Set *which to the mask of matching lanes; return true in
 * those. */
static __device__ __forceinline__ bool warp_finds(const struct find_equal_desc &d, size_t i, uint32_t *which)
{
    const bool here = i < d.n && d.values[i] == d.value;
    *which = __ballot_sync(ALL_LANES, here);
    if (*which && lane_index() == 0) lower_first(d, i + __ffs((int)*which) - 1);
    return here;
}

static __global__ void find_equal_first(struct find_equal_desc d)
{
    const volatile uint64_t *first = d.first;
    uint32_t which;
    for (size_t i = thread_index(); i - lane_index() < d.n; i += thread_count()) {
        const bool beyond = *first < i - lane_index();
        if (__any_sync(ALL_LANES, beyond)) return;
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
        position = __shfl_sync(ALL_LANES, (unsigned long long)position, 0);
        if (here) d.list[position + popcount32(which & ((1u << lane_index()) - 1))] = i;
    }
}

static int run_warp(const struct find_equal_desc *d, void *scratch, struct exec *x)
{
    (void)scratch;
    const unsigned threads = block_threads(x), blocks = launch_blocks(d->n, threads);
    const unsigned walkers = blocks < WALKERS ? blocks : (unsigned)WALKERS;
    find_equal_begin<<<1, 1, 0, x->stream>>>(*d);
    if (d->list) find_equal_warp<<<blocks, threads, 0, x->stream>>>(*d);
    else find_equal_first<<<walkers, threads, 0, x->stream>>>(*d);
    return cudaGetLastError();
}

/* ---- ordered -------------------------------------------------------------------------------------------------------
 * The list is still unordered, and 0.58 million warps queue: 0.499 ms. Idea: no atomics. Each block counts the matches
 * in its tile of 4096 values, one block sums the counts, and each block writes from its own start on, turn by turn,
 * warp by warp, lane by lane. Tiles without a match, usually the great majority, are not read again. 0.371 ms, although
 * here every tile has matches.
 * Cost: tiles with matches are read twice, and a single block does the sums, 1024 counts at a time. */

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
        const uint64_t other = __shfl_up_sync(ALL_LANES, (unsigned long long)value, step);
        if (lane_index() >= step) value += other;
    }
    return value;
}

/* Turn counts into starts in place, in one block; write their sum to d.count. */
static __global__ void __launch_bounds__(SUM_THREADS)
    find_equal_starts(struct find_equal_desc d, uint64_t *count, size_t tiles)
{
    __shared__ uint64_t of_warp[SUM_THREADS / WARP];
    uint64_t before = 0; /* sum of all tiles so far, the same in every thread */
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
        __syncthreads(); /* before the next sums overwrite the warps' */
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
            const uint32_t which = __ballot_sync(ALL_LANES, here);
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
    { { "atomic", "two atomics per match", false }, run_atomic, NULL, false, true },
    { { "warp", "one atomic per warp; a search for the first match alone stops early", false },
      run_warp,
      NULL,
      false,
      true },
    { { "ordered", "counts per tile, sums of the counts, then each tile writes from its own start", true },
      run_ordered,
      scratch_ordered,
      true },
    {},
};
