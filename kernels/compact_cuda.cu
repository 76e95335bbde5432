/* compact on CUDA: numbers of the strips that own a vertex or a triangle. Contract in compact.h. */
#include "compact.h"
#include "cuda_util.cuh"
#include "scan.h"

#include <cub/device/device_select.cuh>
#include <cuda_runtime.h>
#include <thrust/iterator/counting_iterator.h>

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * Three steps: a flag per strip, a scan of the flags, which says for each flag how many come before it, and a scatter.
 *
 *    flags 0 1 0 1 1    scan 0 0 1 1 2    list[scan[i]] = i where flagged:  1 3 4
 *
 * Cost: flags and their sums go through memory, several times, to keep the few strips that are active: 0.32 ms for 2^24
 * strips on an H200, of which 3 % are. */

static __global__ void flag_active(struct strips s, uint32_t *flag)
{
    for (size_t i = thread_index(); i < s.count; i += thread_count()) flag[i] = (s.vertices[i] | s.triangles[i]) != 0;
}

static __global__ void scatter_active(const uint32_t *flag, const uint32_t *place, uint32_t *list, size_t n)
{
    for (size_t i = thread_index(); i < n; i += thread_count())
        if (flag[i]) list[place[i]] = (uint32_t)i;
}

static size_t scratch_textbook(size_t n, const struct exec *x)
{
    const struct scan_rung *scan = &scan_cuda[0];
    return 2 * scratch_round(n * sizeof(uint32_t)) + (scan->scratch ? scan->scratch(n, x) : 0);
}

static int run_textbook(const struct strips *strips, uint32_t *list, uint64_t *count, void *scratch, struct exec *x)
{
    const size_t n = strips->count, part = scratch_round(n * sizeof(uint32_t));
    uint32_t *flag = (uint32_t *)scratch, *place = (uint32_t *)((char *)scratch + part);
    const unsigned blocks = launch_blocks(n, THREADS);
    if (n) flag_active<<<blocks, THREADS, 0, x->stream>>>(*strips, flag);
    const int code = scan_cuda[0].run(flag, place, count, n, (char *)scratch + 2 * part, x);
    if (code || !n) return code;
    scatter_active<<<blocks, THREADS, 0, x->stream>>>(flag, place, list, n);
    return cudaGetLastError();
}

/* ---- warp ----------------------------------------------------------------------------------------------------------
 * The textbook moves flags and sums through memory only to forget them, most of its time in their scan.
 * Idea: nobody needs the order, so a place in the list is what an atomic counter says. A warp counts its active strips by
 * ballot and takes places for all of them with one addition, where each strip on its own would queue for the counter.
 *
 *    active  0 1 0 0 1 1 ..    counter 40 -> 43    list[40], [41], [42] = 1, 4, 5
 *
 * One pass: only the counts are read and only the list is written, and no scratch is needed.
 * Cost: the list comes in another order each time, so that strips that are neighbours may be far apart in it; and where
 * most warps hold an active strip, all of them still queue for one counter. */

static __global__ void append_active(struct strips s, uint32_t *list, uint64_t *count)
{
    const unsigned lane = lane_index();
    for (size_t first = thread_index() - lane; first < s.count; first += thread_count()) {
        const size_t i = first + lane;
        const bool active = i < s.count && (s.vertices[i] | s.triangles[i]) != 0;
        const uint32_t all = __ballot_sync(WARP_ALL, active);
        unsigned long long place = 0;
        if (lane == 0 && all) place = atomicAdd((unsigned long long *)count, (unsigned long long)popcount32(all));
        place = __shfl_sync(WARP_ALL, place, 0) + popcount32(all & ((1u << lane) - 1));
        if (active) list[place] = (uint32_t)i;
    }
}

static int run_warp(const struct strips *strips, uint32_t *list, uint64_t *count, void *scratch, struct exec *x)
{
    (void)scratch;
    const cudaError_t error = cudaMemsetAsync(count, 0, sizeof *count, x->stream);
    if (error != cudaSuccess || !strips->count) return error;
    append_active<<<launch_blocks(strips->count, THREADS), THREADS, 0, x->stream>>>(*strips, list, count);
    return cudaGetLastError();
}

/* ---- cub -----------------------------------------------------------------------------------------------------------
 * The list of the warp rung is in no order.
 * Idea: the library's select, which scans and scatters in one pass; the flag is a predicate on the two counts, the
 * items are the numbers themselves, so that only the counts are read and only the list is written: 0.07 ms.
 * Cost: the library counts in 32 bits within parts of 2^31 - 1 items, and in CCCL 3.0 it writes out of bounds where a
 * whole part is kept, or nearly. More strips than one part holds go to the textbook. */

static const size_t CUB_MAX_ITEMS = 0x7fffffff - 65536; /* below the edge by more than the largest tile */

struct owns_something {
    const uint32_t *vertices, *triangles;

    __device__ bool operator()(uint32_t strip) const { return (vertices[strip] | triangles[strip]) != 0; }
};

/* With scratch NULL only sets *bytes. */
static cudaError_t cub_select(const struct strips *s, uint32_t *list, uint64_t *count, void *scratch, size_t *bytes,
                              cudaStream_t stream)
{
    const struct owns_something owns = { s->vertices, s->triangles };
    return cub::DeviceSelect::If(scratch, *bytes, thrust::make_counting_iterator(uint32_t{ 0 }), list, count,
                                 (int64_t)s->count, owns, stream);
}

static size_t scratch_cub(size_t n, const struct exec *x)
{
    if (n > CUB_MAX_ITEMS) return scratch_textbook(n, x);
    struct strips s = {};
    s.count = n;
    size_t bytes = 0;
    if (!n || cub_select(&s, NULL, NULL, NULL, &bytes, x->stream) != cudaSuccess) return 0;
    return scratch_round(bytes);
}

static int run_cub(const struct strips *strips, uint32_t *list, uint64_t *count, void *scratch, struct exec *x)
{
    if (strips->count > CUB_MAX_ITEMS) return run_textbook(strips, list, count, scratch, x);
    if (!strips->count) return cudaMemsetAsync(count, 0, sizeof *count, x->stream);
    size_t bytes = 0;
    cudaError_t error = cub_select(strips, list, count, NULL, &bytes, x->stream);
    if (error == cudaSuccess) error = cub_select(strips, list, count, scratch, &bytes, x->stream);
    const cudaError_t last = cudaGetLastError();
    return error != cudaSuccess ? error : last;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

const struct compact_rung compact_cuda[] = {
    { { "textbook", "flags, their scan, then a scatter", false }, run_textbook, scratch_textbook, false },
    { { "warp", "one atomic addition per warp gives places, in any order", false }, run_warp, NULL, true },
    { { "cub", "the library: select with a predicate, one pass", true }, run_cub, scratch_cub, false },
    {},
};
