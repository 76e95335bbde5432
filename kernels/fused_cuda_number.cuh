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

/* The active bricks of some lines of bricks, a line per lane of the warp: most bricks are not active. */
struct brick_lists {
    uint32_t slot[WARP][WARP + 1]; /* [line][number]: in their order; lanes begin in different banks */
};

enum { LIST_LINES = 8 }; /* on their way at once */

/* List those among the `n` bricks of each line that begin at `slot`, at most WARP; the warp reads a line at once. lines: that
 * there are, `apart` from each other. Return how many are in the lane's line. */
static __device__ __forceinline__ uint32_t list_bricks(struct brick_lists *lists, const uint32_t *slot, uint32_t apart,
                                                       uint32_t lines, uint32_t n)
{
    const unsigned lane = lane_index();
    uint32_t mine = 0; /* the active ones of the lane's line */
    __syncwarp();      /* the previous lists are done with */
#pragma unroll 1
    for (uint32_t begin = 0; begin < lines; begin += LIST_LINES, slot += LIST_LINES * apart) {
        uint32_t here[LIST_LINES];
#pragma unroll
        for (unsigned i = 0; i < LIST_LINES; i++)
            here[i] = begin + i < lines && lane < n ? slot[i * apart + lane] : NO_SLOT;
#pragma unroll
        for (unsigned i = 0; i < LIST_LINES; i++) {
            const uint32_t active = __ballot_sync(ALL_LANES, here[i] != NO_SLOT);
            if (here[i] != NO_SLOT) lists->slot[begin + i][popcount32(active & ((1u << lane) - 1))] = here[i];
            if (lane == begin + i) mine = active;
        }
    }
    __syncwarp();
    return popcount32(mine);
}

struct number_block {
    struct brick_lists lists[THREADS / WARP];
    uint64_t of_warp[THREADS / WARP];
};

static_assert(BRICK_Y == 4, "the rows of a brick in a slice fill a uint4");

enum { BATCH = 4 }; /* bricks whose counts are on their way at once */

struct batch {
    uint32_t slot[BATCH];
    uint4 count[BATCH]; /* what the four rows of each have */
};

/* Load what bricks [begin, end) of a list have in a layer of their voxels, at most BATCH of them. */
static __device__ __forceinline__ struct batch load_batch(const struct ordered_memory *m, const uint32_t *list,
                                                          uint32_t begin, uint32_t end, unsigned layer)
{
    struct batch b;
#pragma unroll
    for (unsigned i = 0; i < BATCH; i++) b.slot[i] = begin + i < end ? list[begin + i] : NO_SLOT;
#pragma unroll
    for (unsigned i = 0; i < BATCH; i++) {
        b.count[i] = { 0, 0, 0, 0 };
        if (b.slot[i] != NO_SLOT) b.count[i] = ((const uint4 *)m->record[b.slot[i]].count)[layer];
    }
    return b;
}

static __device__ __forceinline__ void add(uint4 *sum, uint4 to)
{
    sum->x += to.x, sum->y += to.y, sum->z += to.z, sum->w += to.w;
}

static __device__ __forceinline__ uint4 vertices_of(uint4 count)
{
    return { count.x & COUNT_VERTICES, count.y & COUNT_VERTICES, count.z & COUNT_VERTICES, count.w & COUNT_VERTICES };
}

static __device__ __forceinline__ uint4 triangles_of(uint4 count)
{
    return { count.x >> COUNT_TRIANGLES, count.y >> COUNT_TRIANGLES, count.z >> COUNT_TRIANGLES,
             count.w >> COUNT_TRIANGLES };
}

/* Vertices and triangles of each of the four lines of voxels that a line of bricks has in a slice, one after the other; or
 * the next numbers in them. */
struct lines_made {
    uint4 vertices, triangles;
};

/* Add what the bricks of a list have. */
static __device__ __forceinline__ void count_rows(struct lines_made *made, const struct ordered_memory *m,
                                                  const uint32_t *list, uint32_t bricks, unsigned layer)
{
    for (uint32_t i = 0; i < bricks; i += BATCH) {
        const struct batch b = load_batch(m, list, i, bricks, layer);
        uint4 both = { 0, 0, 0, 0 }; /* the sums of a batch fit the halves of a count */
#pragma unroll
        for (unsigned c = 0; c < BATCH; c++) add(&both, b.count[c]);
        add(&made->vertices, vertices_of(both));
        add(&made->triangles, triangles_of(both));
    }
}

/* Number their rows. */
static __device__ __forceinline__ void number_rows(struct lines_made *next, const struct ordered_memory *m,
                                                   const uint32_t *list, uint32_t bricks, unsigned layer)
{
    for (uint32_t i = 0; i < bricks; i += BATCH) {
        const struct batch b = load_batch(m, list, i, bricks, layer);
#pragma unroll
        for (unsigned c = 0; c < BATCH; c++) {
            if (b.slot[c] == NO_SLOT) break;
            struct ordered_record *record = &m->record[b.slot[c]];
            ((uint4 *)record->first_vertex)[layer] = next->vertices;
            ((uint4 *)record->first_triangle)[layer] = next->triangles;
            add(&next->vertices, vertices_of(b.count[c]));
            add(&next->triangles, triangles_of(b.count[c]));
        }
    }
}

/* Return where each of four begins, the first at `first`. */
static __device__ __forceinline__ uint4 begins_of(uint4 of, uint32_t first)
{
    return { first, first + of.x, first + of.x + of.y, first + of.x + of.y + of.z };
}

/* Number a slice, a line of bricks per thread; return the numbers past it. Bricks are listed WARP of a line at a time, twice if
 * a line has more. */
static __device__ __forceinline__ struct made number_slice(const struct fused_desc *d, const struct ordered_memory *m,
                                                           struct number_block *block, size_t z, struct made first)
{
    const uint32_t ny = (uint32_t)d->bricks.ny, nx = (uint32_t)d->bricks.nx, warp = threadIdx.x / WARP;
    const unsigned layer = z % BRICK_Z;
    struct brick_lists *lists = &block->lists[warp];
    const uint32_t *list = lists->slot[lane_index()];
    for (uint32_t begin = 0; begin < ny; begin += THREADS) {
        const uint32_t y = begin + warp * WARP, lines = y < ny ? at_most(ny - y, WARP) : 0;
        const uint32_t *slot = m->common.slot_of + ((uint32_t)(z / BRICK_Z) * ny + y) * nx;
        struct lines_made made = { { 0, 0, 0, 0 }, { 0, 0, 0, 0 } };
        uint32_t bricks = 0;
        for (uint32_t x = 0; x < nx; x += WARP) {
            bricks = list_bricks(lists, slot + x, nx, lines, at_most(nx - x, WARP));
            count_rows(&made, m, list, bricks, layer);
        }
        const uint4 v = made.vertices, t = made.triangles;
        uint64_t all;
        const uint64_t own = (uint64_t)(t.x + t.y + t.z + t.w) << 32 | (v.x + v.y + v.z + v.w);
        const uint64_t before = block_prefix(block->of_warp, own, &all);
        struct lines_made next = { begins_of(v, (uint32_t)first.vertices + (uint32_t)before),
                                   begins_of(t, (uint32_t)first.triangles + (uint32_t)(before >> 32)) };
        for (uint32_t x = 0; x < nx; x += WARP) {
            if (nx > WARP) bricks = list_bricks(lists, slot + x, nx, lines, at_most(nx - x, WARP));
            number_rows(&next, m, list, bricks, layer);
        }
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

/* Each block sums up the slices before its own, which the second launch has counted: no block waits for another. Three blocks on a
 * multiprocessor leave its threads the registers they want; with five, ordered took 62.1 us in place of 58.4 (the CT at 256^3). */
static __global__ void __launch_bounds__(THREADS, 3) number(struct fused_desc d)
{
    __shared__ struct number_block block;
    const struct ordered_memory m = ordered_memory_of(&d);
    const size_t slices = ordered_slices(&d.bricks), per_block = (slices + gridDim.x - 1) / gridDim.x;
    const size_t begin = min_size(blockIdx.x * per_block, slices), end = min_size(begin + per_block, slices);
    wait_for_launch_before();
    let_next_launch_begin();
    struct made first = made_before(block.of_warp, m.slice, begin);
    for (size_t z = begin; z < end; z++) first = number_slice(&d, &m, &block, z, first);
    if (blockIdx.x == gridDim.x - 1) finish_ordered(&d, &m, block.of_warp, first);
}

#endif
