/* bricks on CUDA: the range of 33 x 5 x 5 voxels for every brick of 32 x 4 x 4 cells. Contract in bricks.h.
 *
 * Min/max bricks are how Kreskowski, Rendle and Froehlich (EGPGV 2026) skip space; the brick as wide as a warp is ours,
 * so that one of its rows is one strip. Deliberately absent: a pyramid of coarser ranges.
 * Times below: H200, uint8, device events. */
#include "bricks.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

enum { SPAN_X = BRICK_X + 1, SPAN_Y = BRICK_Y + 1, SPAN_Z = BRICK_Z + 1 }; /* voxels that a brick looks at */

struct brick_box {
    size_t x, y, z, x_end, y_end, z_end;
}; /* those voxels, cut at the grid's border; ends excluded */

static __device__ __forceinline__ size_t lesser(size_t a, size_t b) { return a < b ? a : b; }

static __device__ __forceinline__ struct brick_box brick_locate(const struct grid *g, const struct bricks *b, size_t i)
{
    struct brick_box box;
    box.x = i % b->nx * BRICK_X;
    box.y = i / b->nx % b->ny * BRICK_Y;
    box.z = i / b->nx / b->ny * BRICK_Z;
    box.x_end = lesser(box.x + SPAN_X, g->nx);
    box.y_end = lesser(box.y + SPAN_Y, g->ny);
    box.z_end = lesser(box.z + SPAN_Z, g->nz);
    return box;
}

static __device__ __forceinline__ void range_take(struct brick_range *r, float value)
{
    if (isnan(value)) value = -INFINITY;
    r->min = fminf(r->min, value);
    r->max = fmaxf(r->max, value);
}

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * Without ranges every isovalue reads every voxel. Idea: read them once per volume. One thread per brick.
 * Cost: neighbouring threads read voxels 32 apart, so that a warp's load touches 32 sectors for 32 values. */

template <enum voxel_type T> static __global__ void bricks_textbook(struct grid g, struct bricks b)
{
    g.type = T;
    const size_t count = b.nx * b.ny * b.nz;
    for (size_t i = thread_index(); i < count; i += thread_count()) {
        const struct brick_box box = brick_locate(&g, &b, i);
        struct brick_range r = { INFINITY, -INFINITY };
        for (size_t z = box.z; z < box.z_end; z++)
            for (size_t y = box.y; y < box.y_end; y++)
                for (size_t x = box.x; x < box.x_end; x++) range_take(&r, grid_value(&g, (z * g.ny + y) * g.nx + x));
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
 * The textbook's loads are scattered: 37 us for 256^3, 1.7 ms for 1024^3, seven times what reading once would take.
 * Idea: one warp per brick, lanes along x, so that a row is one coalesced load; the lanes' ranges meet in shuffles.
 *
 *    lanes 0..31 take x = 0..31 of row 0, 1, .. 24 in turn | column x = 32: lane r takes row r, one load for all 25
 *
 * Cost: layers shared by neighbouring bricks are still read by both, 825 voxels for 512 cells; and each load brings
 * one byte per lane. 37 us, and 2.6 ms: nothing won, once there are bricks enough to fill the GPU with threads. */

template <enum voxel_type T> static __global__ void bricks_warp(struct grid g, struct bricks b)
{
    g.type = T;
    const unsigned lane = lane_index();
    const size_t count = b.nx * b.ny * b.nz;
    for (size_t i = thread_index() / WARP; i < count; i += thread_count() / WARP) {
        const struct brick_box box = brick_locate(&g, &b, i);
        struct brick_range r = { INFINITY, -INFINITY };

        /* Past the border the last voxel, row or layer is read again, which changes no range and needs no branch: all
         * loads of the brick can be under way at once. */
        const size_t x = lesser(box.x + lane, box.x_end - 1);
#pragma unroll
        for (unsigned dz = 0; dz < SPAN_Z; dz++)
#pragma unroll
            for (unsigned dy = 0; dy < SPAN_Y; dy++) {
                const size_t y = lesser(box.y + dy, box.y_end - 1), z = lesser(box.z + dz, box.z_end - 1);
                range_take(&r, grid_value(&g, (z * g.ny + y) * g.nx + x));
            }
        if (lane < SPAN_Y * SPAN_Z) {
            const size_t y = lesser(box.y + lane % SPAN_Y, box.y_end - 1);
            const size_t z = lesser(box.z + lane / SPAN_Y, box.z_end - 1);
            range_take(&r, grid_value(&g, (z * g.ny + y) * g.nx + box.x_end - 1));
        }

        for (unsigned step = WARP / 2; step > 0; step /= 2) {
            r.min = fminf(r.min, __shfl_down_sync(WARP_ALL, r.min, step));
            r.max = fmaxf(r.max, __shfl_down_sync(WARP_ALL, r.max, step));
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
 * Idea: back to one thread per brick, but 16 bytes at a time: threads of a warp take bricks side by side in x, and what
 * they load together are whole rows.
 *
 *    row of uint8   | thread 0: 16 16 | thread 1: 16 16 | ..      + 1 voxel each, the first of the next thread's
 *
 * 6.5 million instructions, 19 us, 0.73 ms; what is left is mostly making floats of voxels.
 * Cost: rows must start on 16 bytes; other volumes go to the warp rung. Few bricks, few threads. */

enum { LOAD_BYTES = 16, VECTOR_THREADS = 64 }; /* small blocks, so that few bricks still reach every SM */

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
            for (unsigned dy = 0; dy < SPAN_Y; dy++) { /* past the border the last row again, as in the warp rung */
                const size_t start = (z * g.ny + lesser(box.y + dy, box.y_end - 1)) * g.nx + box.x;
                const uint4 *row = (const uint4 *)((const char *)g.voxels + start * voxel_bytes(T));
#pragma unroll
                for (unsigned k = 0; k < BRICK_X / per_load; k++) {
                    union load piece;
                    piece.all = row[k < loads ? k : 0];
                    const struct grid values = { piece.bytes, T, per_load, 1, 1 };
#pragma unroll
                    for (unsigned v = 0; v < per_load; v++) range_take(&r, grid_value(&values, v));
                }
                range_take(&r, grid_value(&g, more ? start + BRICK_X : start));
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
