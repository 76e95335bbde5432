/* bricks on CUDA: the range of 33 x 5 x 5 voxels for every brick of 32 x 4 x 4 cells. Contract in bricks.h.
 * Run: isoscope ladder bricks --bench --backend cuda
 *
 * Kreskowski, Rendle and Froehlich (EGPGV 2026) skip space by min/max bricks; bricks as wide as a warp are ours: each
 * row is one strip. Deliberately absent: a pyramid of coarser ranges.
 * Times: H200, uint8, device events. */
#include "bricks.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

enum { SPAN_X = BRICK_X + 1, SPAN_Y = BRICK_Y + 1, SPAN_Z = BRICK_Z + 1 }; /* voxels in a brick's range */

struct brick_box {
    size_t x, y, z, x_end, y_end, z_end;
}; /* those voxels, clipped to the grid; ends excluded */

static __device__ __forceinline__ struct brick_box brick_locate(const struct grid *g, const struct bricks *b, size_t i)
{
    struct brick_box box;
    box.x = i % b->nx * BRICK_X;
    box.y = i / b->nx % b->ny * BRICK_Y;
    box.z = i / b->nx / b->ny * BRICK_Z;
    box.x_end = min_size(box.x + SPAN_X, g->nx);
    box.y_end = min_size(box.y + SPAN_Y, g->ny);
    box.z_end = min_size(box.z + SPAN_Z, g->nz);
    return box;
}

static __device__ __forceinline__ void range_add(struct brick_range *r, float value)
{
    if (isnan(value)) value = -INFINITY;
    r->min = fminf(r->min, value);
    r->max = fmaxf(r->max, value);
}

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * Without ranges every isovalue reads every voxel. Idea: read them once per volume, one thread per brick.
 * Cost: neighbouring threads read voxels 32 apart: a warp's load touches 32 sectors for 32 values. */

template <enum voxel_type T> static __global__ void bricks_textbook(struct grid g, struct bricks b)
{
    g.type = T;
    const size_t count = b.nx * b.ny * b.nz;
    for (size_t i = thread_index(); i < count; i += thread_count()) {
        const struct brick_box box = brick_locate(&g, &b, i);
        struct brick_range r = { INFINITY, -INFINITY };
        for (size_t z = box.z; z < box.z_end; z++)
            for (size_t y = box.y; y < box.y_end; y++)
                for (size_t x = box.x; x < box.x_end; x++) range_add(&r, grid_value(&g, (z * g.ny + y) * g.nx + x));
        b.range[i] = r;
    }
}

static int run_textbook(const struct grid *grid, const struct bricks *bricks, struct exec *x)
{
    const uint64_t count = (uint64_t)bricks->nx * bricks->ny * bricks->nz;
    if (!count) return 0;
    const unsigned blocks = launch_blocks(count, THREADS);
    LAUNCH_TYPED(grid->type, bricks_textbook<TYPE><<<blocks, THREADS, 0, x->stream>>>(*grid, *bricks));
    return cudaGetLastError();
}

/* ---- warp ----------------------------------------------------------------------------------------------------------
 * The textbook's loads are scattered: 37 us for 256^3, 1.7 ms for 1024^3, seven times what one read of the volume
 * takes.
 * Idea: one warp per brick, lanes along x: each row is one coalesced load, and shuffles merge the lanes' ranges.
 *
 *    lanes 0..31 take x = 0..31 of row 0, 1, .. 24 in turn | column x = 32: lane r takes row r, one load for all 25
 *
 * Cost: neighbours both read their shared layers, 825 voxels for 512 cells, and each load brings one byte per lane. 37
 * us and 2.6 ms: no gain once there are enough bricks to fill the GPU with threads. */

template <enum voxel_type T> static __global__ void bricks_warp(struct grid g, struct bricks b)
{
    g.type = T;
    const unsigned lane = lane_index();
    const size_t count = b.nx * b.ny * b.nz;
    for (size_t i = thread_index() / WARP; i < count; i += thread_count() / WARP) {
        const struct brick_box box = brick_locate(&g, &b, i);
        struct brick_range r = { INFINITY, -INFINITY };

        /* Past the border, read the last voxel, row or layer again: the range stays the same, and without a branch all
         * loads of the brick are in flight at once. */
        const size_t x = min_size(box.x + lane, box.x_end - 1);
#pragma unroll
        for (unsigned dz = 0; dz < SPAN_Z; dz++)
#pragma unroll
            for (unsigned dy = 0; dy < SPAN_Y; dy++) {
                const size_t y = min_size(box.y + dy, box.y_end - 1), z = min_size(box.z + dz, box.z_end - 1);
                range_add(&r, grid_value(&g, (z * g.ny + y) * g.nx + x));
            }
        if (lane < SPAN_Y * SPAN_Z) {
            const size_t y = min_size(box.y + lane % SPAN_Y, box.y_end - 1);
            const size_t z = min_size(box.z + lane / SPAN_Y, box.z_end - 1);
            range_add(&r, grid_value(&g, (z * g.ny + y) * g.nx + box.x_end - 1));
        }

        for (unsigned step = WARP / 2; step > 0; step /= 2) {
            r.min = fminf(r.min, __shfl_down_sync(ALL_LANES, r.min, step));
            r.max = fmaxf(r.max, __shfl_down_sync(ALL_LANES, r.max, step));
        }
        if (lane == 0) b.range[i] = r;
    }
}

static int run_warp(const struct grid *grid, const struct bricks *bricks, struct exec *x)
{
    const uint64_t count = (uint64_t)bricks->nx * bricks->ny * bricks->nz;
    if (!count) return 0;
    const unsigned blocks = launch_blocks(count, THREADS / WARP);
    LAUNCH_TYPED(grid->type, bricks_warp<TYPE><<<blocks, THREADS, 0, x->stream>>>(*grid, *bricks));
    return cudaGetLastError();
}

/* ---- vector --------------------------------------------------------------------------------------------------------
 * The warp rung spends a load and an address on every voxel and lane: 19.4 million warp instructions for 256^3.
 * Idea: one thread per brick again, but 16 bytes per load. The threads of a warp take bricks along x, and together load
 * whole rows.
 *
 *    row of uint8   | thread 0: 16 16 | thread 1: 16 16 | ..      + 1 voxel each, the first of the next thread's
 *
 * 6.5 million instructions, 19 us, 0.73 ms; the rest is mainly conversion to float.
 * Cost: rows must be aligned to 16 bytes; other volumes use the warp rung. Few bricks mean few threads. */

enum { LOAD_BYTES = 16, VECTOR_THREADS = 64 }; /* small blocks: even few bricks reach every SM */

union load {
    uint4 all;
    uint8_t bytes[LOAD_BYTES];
};

template <enum voxel_type T> static __global__ void bricks_vector(struct grid g, struct bricks b)
{
    g.type = T;
    const size_t count = b.nx * b.ny * b.nz;
    const unsigned per_load = (unsigned)(LOAD_BYTES / voxel_bytes(T));
    for (size_t i = thread_index(); i < count; i += thread_count()) {
        const struct brick_box box = brick_locate(&g, &b, i);
        const bool more = box.x + BRICK_X < g.nx;
        const unsigned loads = (unsigned)(more ? BRICK_X : g.nx - box.x) / per_load; /* exact: rows are aligned */
        struct brick_range r = { INFINITY, -INFINITY };
        for (size_t z = box.z; z < box.z_end; z++)
#pragma unroll
            for (unsigned dy = 0; dy < SPAN_Y; dy++) { /* past the border the last row again, as in warp */
                const size_t start = (z * g.ny + min_size(box.y + dy, box.y_end - 1)) * g.nx + box.x;
                const uint4 *row = (const uint4 *)((const char *)g.voxels + start * voxel_bytes(T));
#pragma unroll
                for (unsigned k = 0; k < BRICK_X / per_load; k++) {
                    union load piece;
                    piece.all = row[k < loads ? k : 0];
                    const struct grid values = { piece.bytes, T, per_load, 1, 1 };
#pragma unroll
                    for (unsigned v = 0; v < per_load; v++) range_add(&r, grid_value(&values, v));
                }
                range_add(&r, grid_value(&g, more ? start + BRICK_X : start));
            }
        b.range[i] = r;
    }
}

static int run_vector(const struct grid *grid, const struct bricks *bricks, struct exec *x)
{
    const uint64_t count = (uint64_t)bricks->nx * bricks->ny * bricks->nz;
    if (!count) return 0;
    if (grid->nx * voxel_bytes(grid->type) % LOAD_BYTES || (uintptr_t)grid->voxels % LOAD_BYTES)
        return run_warp(grid, bricks, x);
    const unsigned blocks = launch_blocks(count, VECTOR_THREADS);
    LAUNCH_TYPED(grid->type, bricks_vector<TYPE><<<blocks, VECTOR_THREADS, 0, x->stream>>>(*grid, *bricks));
    return cudaGetLastError();
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

const struct bricks_rung bricks_cuda[] = {
    { { "none", "no empty-space skipping: every brick is read", false }, NULL },
    { { "textbook", "one thread per brick, one voxel after the other", false }, run_textbook },
    { { "warp", "one warp per brick, lanes along x, shuffles at the end", false }, run_warp },
    { { "vector", "one thread per brick, 16 bytes per load, neighbours side by side", true }, run_vector },
    {},
};
