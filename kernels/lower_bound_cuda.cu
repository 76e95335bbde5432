/* lower_bound on CUDA: many queries in a sorted array. Contract in lower_bound.h.
 * Run: isoscope ladder lower_bound --bench --backend cuda
 *
 * One method is left out on purpose: sorting the queries and merging them with the array. It pays when there are about
 * as many queries as elements.
 * Times: H200, 2^22 queries among 2^16 numbers. */
#include "lower_bound.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

/* ---- linear --------------------------------------------------------------------------------------------------------
 * One thread per query reads one element after the other. All lanes read the same element at the same time, so one load
 * serves a warp.
 * Cost: up to n reads, and a warp takes as long as its farthest query. 101 ms. */

static __global__ void lower_bound_linear(struct lower_bound_desc d)
{
    for (size_t q = thread_index(); q < d.count; q += thread_count()) {
        const float query = d.queries[q];
        size_t i = 0;
        while (i < d.n && lower_bound_before(d.sorted[i], query)) i++;
        d.bounds[q] = i;
    }
}

static int run_linear(const struct lower_bound_desc *d, void *scratch, struct exec *x)
{
    (void)scratch;
    lower_bound_linear<<<launch_blocks(d->count, block_threads(x)), block_threads(x), 0, x->stream>>>(*d);
    return cudaGetLastError();
}

/* ---- binary --------------------------------------------------------------------------------------------------------
 * linear reads up to n elements: 101 ms. Idea: halve the range at each step: log2 n reads, 16 for 2^16. 0.157 ms.
 * Cost: lanes diverge. From the sixth read on, the 128 bytes that a warp needs lie in 32 different sectors of 32 bytes. */

static __global__ void lower_bound_binary(struct lower_bound_desc d)
{
    for (size_t q = thread_index(); q < d.count; q += thread_count())
        d.bounds[q] = lower_bound_within(d.sorted, 0, d.n, d.queries[q]);
}

static int run_binary(const struct lower_bound_desc *d, void *scratch, struct exec *x)
{
    (void)scratch;
    lower_bound_binary<<<launch_blocks(d->count, block_threads(x)), block_threads(x), 0, x->stream>>>(*d);
    return cudaGetLastError();
}

/* ---- pivots --------------------------------------------------------------------------------------------------------
 * All queries of binary begin by reading the same few elements: 0.157 ms for 16 reads each. Idea: a block copies 1024
 * of these elements, evenly spaced, to shared memory. The first 10 reads go there, and only the rest of log2 n goes to
 * memory. 0.123 ms. The gain is larger for an array that does not fit the caches; this one, 256 KiB, does.
 * Cost: 1024 loads per block that are far apart. So there should be few blocks with many queries each. */

enum { PIVOTS = 1024, PIVOT_BLOCKS = 1024 };

/* Return the index of pivot p; pivot PIVOTS would be the end. */
static __device__ __forceinline__ size_t pivot_at(size_t n, size_t p) { return n / PIVOTS * p + n % PIVOTS * p / PIVOTS; }

static __global__ void lower_bound_pivots(struct lower_bound_desc d)
{
    __shared__ float pivot[PIVOTS];
    for (unsigned p = threadIdx.x; p < PIVOTS; p += blockDim.x) pivot[p] = d.sorted[pivot_at(d.n, p)];
    __syncthreads();
    for (size_t q = thread_index(); q < d.count; q += thread_count()) {
        const float query = d.queries[q];
        const size_t p = lower_bound_within(pivot, 0, PIVOTS, query); /* pivot p - 1 is before the bound, pivot p is not */
        const size_t low = p ? pivot_at(d.n, p - 1) + 1 : 0, end = p ? pivot_at(d.n, p) : 0;
        d.bounds[q] = low < end ? lower_bound_within(d.sorted, low, end - low, query) : end;
    }
}

static int run_pivots(const struct lower_bound_desc *d, void *scratch, struct exec *x)
{
    if (!d->n) return run_binary(d, scratch, x);
    const unsigned threads = block_threads(x), blocks = min(launch_blocks(d->count, threads), (unsigned)PIVOT_BLOCKS);
    lower_bound_pivots<<<blocks, threads, 0, x->stream>>>(*d);
    return cudaGetLastError();
}

/* ---- warp ----------------------------------------------------------------------------------------------------------
 * A query of binary waits for memory log2 n times, and one of pivots still log2 n - 10 times. Idea: one warp per query
 * reads 32 elements at once and keeps one of 33 parts. For a million elements that is 4 waits instead of 20. It suits a
 * few queries, where latency is all that counts.
 * Cost: 32 reads where 5 would give the same information, so for many queries it makes six times the traffic, and it
 * needs 32 times the threads. 1.61 ms, ten times as long as binary: with this many queries, there are always others to
 * hide the latency. */

static __global__ void lower_bound_warp(struct lower_bound_desc d)
{
    const size_t lane = lane_index();
    for (size_t q = thread_index() / WARP; q < d.count; q += thread_count() / WARP) {
        const float query = d.queries[q];
        size_t low = 0, n = d.n;
        while (n > WARP) {
            const size_t at = low + (lane + 1) * n / (WARP + 1);
            const size_t before = popcount32(__ballot_sync(ALL_LANES, lower_bound_before(d.sorted[at], query)));
            const size_t end = before < WARP ? low + (before + 1) * n / (WARP + 1) : low + n;
            const size_t begin = before ? low + before * n / (WARP + 1) + 1 : low;
            low = begin, n = end - begin;
        }
        low += popcount32(__ballot_sync(ALL_LANES, lane < n && lower_bound_before(d.sorted[low + lane], query)));
        if (lane == 0) d.bounds[q] = low;
    }
}

static int run_warp(const struct lower_bound_desc *d, void *scratch, struct exec *x)
{
    (void)scratch;
    lower_bound_warp<<<launch_blocks(d->count, block_threads(x) / WARP), block_threads(x), 0, x->stream>>>(*d);
    return cudaGetLastError();
}

/* ---- the table ----------------------------------------------------------------------------------------------------- */

const struct lower_bound_rung lower_bound_cuda[] = {
    { { "linear", "a thread per query, one element after the other", false }, run_linear, NULL, true },
    { { "binary", "halves the range at each step", false }, run_binary, NULL, true },
    { { "pivots", "as binary, the first ten steps in shared memory", true }, run_pivots, NULL, true },
    { { "warp", "a warp per query, 32 reads at once", false }, run_warp, NULL, true },
    {},
};
