/* marching_squares on CUDA: contour segments of a slice, one thread per cell. Contract, cases and ends in
 * marching_squares.h.
 * Run: isoscope ladder marching_squares --bench --backend cuda
 * Times: H200, a slice of 8192 x 8192 float32, 2.1 million segments. */
#include "marching_squares.h"
#include "cuda_util.cuh"
#include "scan.h"

#include <cuda_runtime.h>

/* Write the cell's segments, starting with number `index`. */
static __device__ __forceinline__ void write_segments(const struct marching_squares_desc &d, const struct cell &c,
                                                      uint64_t index)
{
    for (unsigned k = 0; k < marching_squares_count(c.inside); k++, index++) {
        if (index >= d.capacity) return;
        const struct segment s = marching_squares_segment(&d, &c, k);
        ((float4 *)d.segments)[index] = make_float4(s.u0, s.v0, s.u1, s.v1);
    }
}

static __device__ __forceinline__ uint64_t reserve(const struct marching_squares_desc &d, uint32_t many)
{
    static_assert(sizeof(unsigned long long) == sizeof(uint64_t), "the cast below keeps the size");
    return atomicAdd((unsigned long long *)d.count, (unsigned long long)many);
}

/* ---- atomic --------------------------------------------------------------------------------------------------------
 * Each crossed cell reserves numbers with an atomic, and writes.
 * Cost: all crossed cells queue at one address, 0.8 ns each, and the order changes from run to run. 1.70 ms. */

template <enum voxel_type T> static __global__ void marching_squares_atomic(struct marching_squares_desc d, struct slice s)
{
    d.grid.type = T;
    const size_t n = slice_cells(&s);
    for (size_t i = thread_index(); i < n; i += thread_count()) {
        const struct cell c = cell_of(&d.grid, &s, i, d.iso);
        const unsigned count = marching_squares_count(c.inside);
        if (count) write_segments(d, c, reserve(d, count));
    }
}

static int run_atomic(const struct marching_squares_desc *d, void *scratch, struct exec *x)
{
    (void)scratch;
    const struct slice s = slice_of(d);
    const cudaError_t error = cudaMemsetAsync(d->count, 0, sizeof *d->count, x->stream);
    if (error != cudaSuccess) return clear_error(error);
    const unsigned threads = block_threads(x), blocks = launch_blocks(slice_cells(&s), threads);
    LAUNCH_TYPED(d->grid.type, marching_squares_atomic<TYPE><<<blocks, threads, 0, x->stream>>>(*d, s));
    return cudaGetLastError();
}

/* ---- warp ----------------------------------------------------------------------------------------------------------
 * In atomic, each crossed cell queues once: 1.70 ms. Idea: lanes add up their counts with ballots, and lane 0 reserves
 * for all, so one atomic serves up to 64 segments (warp aggregation, Adinetz 2014). 0.815 ms.
 * Cost: the order still changes from run to run. */

template <enum voxel_type T> static __global__ void marching_squares_warp(struct marching_squares_desc d, struct slice s)
{
    d.grid.type = T;
    const size_t n = slice_cells(&s);
    for (size_t i = thread_index(); i - lane_index() < n; i += thread_count()) {
        struct cell c = {};
        uint32_t total;
        unsigned long long index = 0;
        if (i < n) c = cell_of(&d.grid, &s, i, d.iso);
        const uint32_t before = warp_prefix_short<3>(marching_squares_count(c.inside), &total);
        if (!total) continue;
        if (lane_index() == 0) index = reserve(d, total);
        index = __shfl_sync(ALL_LANES, index, 0);
        write_segments(d, c, index + before);
    }
}

static int run_warp(const struct marching_squares_desc *d, void *scratch, struct exec *x)
{
    (void)scratch;
    const struct slice s = slice_of(d);
    const cudaError_t error = cudaMemsetAsync(d->count, 0, sizeof *d->count, x->stream);
    if (error != cudaSuccess) return clear_error(error);
    const unsigned threads = block_threads(x), blocks = launch_blocks(slice_cells(&s), threads);
    LAUNCH_TYPED(d->grid.type, marching_squares_warp<TYPE><<<blocks, threads, 0, x->stream>>>(*d, s));
    return cudaGetLastError();
}

/* ---- scan ----------------------------------------------------------------------------------------------------------
 * With atomics the order is arbitrary, and they still queue: 0.815 ms. Idea: count, scan, emit. Each cell's count is
 * written, the scan ladder's default makes prefix sums, and each cell writes where its sum says. 1.09 ms, a third more
 * than warp; that is the price of the order.
 * Cost: 8 bytes of scratch per cell, which are written and read again; and the voxels are read twice. */

template <enum voxel_type T>
static __global__ void marching_squares_counts(struct marching_squares_desc d, struct slice s, uint32_t *counts)
{
    d.grid.type = T;
    const size_t n = slice_cells(&s);
    for (size_t i = thread_index(); i < n; i += thread_count())
        counts[i] = marching_squares_count(cell_of(&d.grid, &s, i, d.iso).inside);
}

template <enum voxel_type T>
static __global__ void marching_squares_emit(struct marching_squares_desc d, struct slice s, const uint32_t *counts,
                                             const uint32_t *starts)
{
    d.grid.type = T;
    const size_t n = slice_cells(&s);
    for (size_t i = thread_index(); i < n; i += thread_count())
        if (counts[i]) write_segments(d, cell_of(&d.grid, &s, i, d.iso), starts[i]);
}

static const struct scan_rung *scan_rung(void)
{
    return (const struct scan_rung *)ladder_find(ladder_of("scan"), BACKEND_CUDA, NULL);
}

static size_t scratch_scan(const struct marching_squares_desc *d, const struct exec *x)
{
    const struct slice s = slice_of(d);
    const size_t n = slice_cells(&s);
    const struct scan_rung *scan = scan_rung();
    return 2 * scratch_round(n * sizeof(uint32_t)) + (scan->scratch ? scan->scratch(n, x) : 0);
}

static int run_scan(const struct marching_squares_desc *d, void *scratch, struct exec *x)
{
    const struct slice s = slice_of(d);
    const size_t n = slice_cells(&s), part = scratch_round(n * sizeof(uint32_t));
    uint32_t *counts = (uint32_t *)scratch, *starts = (uint32_t *)((char *)scratch + part);
    const unsigned blocks = launch_blocks(n, THREADS);
    LAUNCH_TYPED(d->grid.type, marching_squares_counts<TYPE><<<blocks, THREADS, 0, x->stream>>>(*d, s, counts));
    const int code = scan_rung()->run(counts, starts, d->count, n, (char *)scratch + 2 * part, x);
    if (code) return code;
    LAUNCH_TYPED(d->grid.type, marching_squares_emit<TYPE><<<blocks, THREADS, 0, x->stream>>>(*d, s, counts, starts));
    return cudaGetLastError();
}

/* ---- the table ----------------------------------------------------------------------------------------------------- */

const struct marching_squares_rung marching_squares_cuda[] = {
    { { "atomic", "an atomic per crossed cell", false }, run_atomic, NULL, false, true },
    { { "warp", "an atomic per warp", false }, run_warp, NULL, false, true },
    { { "scan", "count, scan, emit: in order", true }, run_scan, scratch_scan, true },
    {},
};
