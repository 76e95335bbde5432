/* The third launch of the ordered rung of fused: it numbers the rows' vertices and triangles as the stages do, x fastest
 * through the whole volume. Part of fused_cuda.cu. */
#ifndef ISO_FUSED_CUDA_NUMBER_CUH
#define ISO_FUSED_CUDA_NUMBER_CUH

#include "fused_cuda_ordered.cuh"

/* Vertices and triangles, or the numbers of the first ones. */
struct made {
    uint64_t vertices, triangles;
};

static __device__ __forceinline__ uint64_t warp_prefix_64(uint64_t value, uint64_t *total)
{
    uint64_t sum = value;
#pragma unroll
    for (unsigned step = 1; step < WARP; step *= 2) {
        const uint64_t below = __shfl_up_sync(ALL_LANES, sum, step);
        if (lane_index() >= step) sum += below;
    }
    *total = __shfl_sync(ALL_LANES, sum, WARP - 1);
    return sum - value;
}

/* Return the sum over lower threads of the block, and that over all in *total. */
static __device__ __forceinline__ uint64_t block_prefix(uint64_t *of_warp, uint64_t value, uint64_t *total)
{
    uint64_t all, before = warp_prefix_64(value, &all);
    __syncthreads(); /* all have read the previous sums */
    if (lane_index() == 0) of_warp[threadIdx.x / WARP] = all;
    __syncthreads();
    *total = 0;
#pragma unroll
    for (unsigned w = 0; w < THREADS / WARP; w++) {
        if (w < threadIdx.x / WARP) before += of_warp[w];
        *total += of_warp[w];
    }
    return before;
}

static __device__ __forceinline__ uint64_t block_sum(uint64_t *of_warp, uint64_t value)
{
    uint64_t all;
    block_prefix(of_warp, value, &all);
    return all;
}

/* Return what slices [0, end) have. */
static __device__ __forceinline__ struct made made_before(uint64_t *of_warp, const struct slice_counts *slice, size_t end)
{
    struct made own = { 0, 0 };
    for (size_t i = threadIdx.x; i < end; i += THREADS)
        own.vertices += slice[i].vertices, own.triangles += slice[i].triangles;
    own.vertices = block_sum(of_warp, own.vertices);
    own.triangles = block_sum(of_warp, own.triangles);
    return own;
}

/* A line of voxels: row `row` of each brick in a line of bricks. */
struct line {
    const uint32_t *slot;
    size_t bricks;
    unsigned row;
};

/* Return what a line has: vertices | triangles << 32. */
static __device__ __forceinline__ uint64_t line_made(const struct ordered_memory *m, const struct line *line)
{
    uint64_t made = 0;
#pragma unroll 4
    for (size_t x = 0; x < line->bricks; x++) {
        const uint32_t slot = line->slot[x], count = slot != NO_SLOT ? m->record[slot].count[line->row] : 0;
        made += (uint64_t)(count >> COUNT_TRIANGLES) << 32 | (count & COUNT_VERTICES);
    }
    return made;
}

/* Number the line's rows; the first ones are given. */
static __device__ __forceinline__ void number_line(const struct ordered_memory *m, const struct line *line, uint32_t vertex,
                                                   uint32_t triangle)
{
    for (size_t x = 0; x < line->bricks; x++) {
        const uint32_t slot = line->slot[x];
        if (slot == NO_SLOT) continue;
        struct ordered_record *record = &m->record[slot];
        const uint32_t count = record->count[line->row];
        record->first_vertex[line->row] = vertex, record->first_triangle[line->row] = triangle;
        vertex += count & COUNT_VERTICES, triangle += count >> COUNT_TRIANGLES;
    }
}

/* Number a slice, a line per thread; return the numbers past it. */
static __device__ __forceinline__ struct made number_slice(const struct fused_desc *d, const struct ordered_memory *m,
                                                           uint64_t *of_warp, size_t z, struct made first)
{
    const size_t lines = d->bricks.ny * BRICK_Y, layer = z / BRICK_Z * d->bricks.ny;
    for (size_t begin = 0; begin < lines; begin += THREADS) {
        const size_t y = begin + threadIdx.x;
        const struct line line = { m->common.slot_of + (layer + y / BRICK_Y) * d->bricks.nx, y < lines ? d->bricks.nx : 0,
                                   (unsigned)(y % BRICK_Y + z % BRICK_Z * BRICK_Y) };
        uint64_t all;
        const uint64_t own = line_made(m, &line), before = block_prefix(of_warp, own, &all);
        if (own)
            number_line(m, &line, (uint32_t)(first.vertices + (uint32_t)before),
                        (uint32_t)(first.triangles + (before >> 32)));
        first.vertices += (uint32_t)all, first.triangles += all >> 32;
    }
    return first;
}

/* Write the counts, and reset the state for the next run. By one block, which is the only one that needs the state. */
static __device__ __forceinline__ void finish_ordered(const struct fused_desc *d, const struct ordered_memory *m,
                                                      uint64_t *of_warp, struct made made)
{
    struct state *state = m->common.state;
    uint64_t active = 0, inside = 0;
    for (size_t i = threadIdx.x; i < ordered_slices(&d->bricks); i += THREADS)
        active += m->slice[i].active, inside += m->slice[i].inside;
    active = block_sum(of_warp, active);
    inside = block_sum(of_warp, inside);
    if (threadIdx.x) return;
    const uint64_t bricks = (state->bricks >> 32) + (uint32_t)state->bricks;
    const bool all = bricks <= d->brick_capacity;
    *d->counts = { made.vertices, made.triangles, bricks, { inside + state->inside, active, state->inner } };
    if (d->draw) *d->draw = fused_draw(d, made.vertices, all ? made.triangles : UINT64_MAX / 3);
    m->total->bricks = state->bricks;
    m->total->fits = all && made.vertices <= d->vertex_capacity && made.triangles <= d->triangle_capacity;
    *state = {};
}

/* Each block sums up the slices before its own, which the second launch has counted: no block waits for another. */
static __global__ void __launch_bounds__(THREADS) number(struct fused_desc d)
{
    __shared__ uint64_t of_warp[THREADS / WARP];
    const struct ordered_memory m = ordered_memory_of(&d);
    const size_t slices = ordered_slices(&d.bricks), per_block = (slices + gridDim.x - 1) / gridDim.x;
    const size_t begin = min_size(blockIdx.x * per_block, slices), end = min_size(begin + per_block, slices);
    wait_for_launch_before();
    let_next_launch_begin();
    struct made first = made_before(of_warp, m.slice, begin);
    for (size_t z = begin; z < end; z++) first = number_slice(&d, &m, of_warp, z, first);
    if (blockIdx.x == gridDim.x - 1) finish_ordered(&d, &m, of_warp, first);
}

#endif
