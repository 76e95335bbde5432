/* The third launch of the ordered rung of fused: it numbers the vertices and triangles of the rows as the stages do, x
 * fastest through the whole volume. Part of fused_cuda.cu. */
#ifndef ISO_FUSED_CUDA_NUMBER_CUH
#define ISO_FUSED_CUDA_NUMBER_CUH

#include "fused_cuda_ordered.cuh"

enum {
    NUMBER_LINES = THREADS / ROWS, /* lines of bricks that a block numbers at a time: a lane for each of their rows */
    NUMBER_BRICKS = 2 * ROWS,      /* of a line, listed at a time */
    SLICE_WARPS = THREADS / WARP / BRICK_Z,
    SLICE_THREADS = SLICE_WARPS * WARP,
    BATCH = 4, /* bricks whose counts are loaded at the same time */
};

/* Return how many groups of lines there are; blocks number them layer after layer. */
ISO_FN size_t number_groups(const struct bricks *b) { return b->nz * ((b->ny + NUMBER_LINES - 1) / NUMBER_LINES); }

/* Vertices and triangles, either counts or the numbers of the first ones. Numbers have 32 bits, so 32 bits are enough
 * for sums of them here. */
struct made {
    uint32_t vertices, triangles;
};

static __device__ __forceinline__ struct made made_of(uint64_t both)
{
    return { (uint32_t)both, (uint32_t)(both >> LINE_TRIANGLES) };
}

static __device__ __forceinline__ void add(struct made *sum, struct made to)
{
    sum->vertices += to.vertices, sum->triangles += to.triangles;
}

/* Return the sum over the warp. */
static __device__ __forceinline__ uint32_t warp_sum(uint32_t value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(ALL_LANES, value);
#else
    uint32_t total;
    warp_prefix(value, &total);
    return total;
#endif
}

static __device__ __forceinline__ struct made warp_sum(struct made value)
{
    return { warp_sum(value.vertices), warp_sum(value.triangles) };
}

/* Return, in each group of `lanes`, a power of two, the sum over lower lanes. */
static __device__ __forceinline__ struct made group_prefix(struct made value, unsigned lanes)
{
    struct made sum = value;
    for (unsigned step = 1; step < lanes; step *= 2) {
        const struct made below = { __shfl_up_sync(ALL_LANES, sum.vertices, step, lanes),
                                    __shfl_up_sync(ALL_LANES, sum.triangles, step, lanes) };
        if (lane_index() % lanes >= step) add(&sum, below);
    }
    return { sum.vertices - value.vertices, sum.triangles - value.triangles };
}

struct number_block {
    uint32_t slot[NUMBER_LINES][NUMBER_BRICKS]; /* the active bricks of each line, in their order */
    struct {
        struct made slice, before, below; /* of a slice of voxels; of its lines before the block's; of the layers below */
    } sum[THREADS / WARP];
    struct made slice[BRICK_Z + 1];          /* next numbers: in each slice of this layer, then in the next layer */
    struct made line[BRICK_Z][NUMBER_LINES]; /* and in each line of bricks */
};

/* Find the number at which the block begins in each slice of a layer of bricks, at line `y`. first: nothing is known
 * yet; otherwise the block has just numbered the layer below to its end. */
static __device__ __forceinline__ void find_slices(struct number_block *block, const struct fused_desc *d,
                                                   const struct fused_memory *m, uint32_t z, uint32_t y, bool first)
{
    const uint32_t ny = (uint32_t)d->bricks.ny;
    const unsigned warp = threadIdx.x / WARP, lane = lane_index();
    const uint64_t *line = m->line + ((size_t)z * BRICK_Z + warp / SLICE_WARPS) * ny;
    struct made slice = { 0, 0 }, before = { 0, 0 }, below = { 0, 0 };
    if (first)
        for (uint32_t i = threadIdx.x; i < z; i += THREADS)
            add(&below, { (uint32_t)m->layer[i].vertices, (uint32_t)m->layer[i].triangles });
    for (uint32_t i = threadIdx.x % SLICE_THREADS; i < ny; i += SLICE_THREADS) {
        const struct made own = made_of(line[i]);
        add(&slice, own);
        if (i < y) add(&before, own);
    }
    slice = warp_sum(slice), before = warp_sum(before), below = warp_sum(below);
    if (lane == 0) block->sum[warp] = { slice, before, below };
    __syncthreads();
    if (threadIdx.x > BRICK_Z) return;
    struct made begin = { 0, 0 };
    if (!first) begin = block->slice[BRICK_Z];
#pragma unroll
    for (unsigned w = 0; w < THREADS / WARP; w++) {
        if (first) add(&begin, block->sum[w].below);
        if (w / SLICE_WARPS < lane) add(&begin, block->sum[w].slice);
        if (w / SLICE_WARPS == lane) add(&begin, block->sum[w].before);
    }
    __syncwarp((2u << BRICK_Z) - 1); /* all have read where the layer begins */
    block->slice[lane] = begin;
}

/* Find the number at which each of the block's lines begins in each slice. own: what line i of the block has in slice
 * k, in thread i + NUMBER_LINES k. */
static __device__ __forceinline__ void find_lines(struct number_block *block, struct made own)
{
    static_assert(BRICK_Z * NUMBER_LINES % WARP == 0, "whole warps");
    const unsigned i = threadIdx.x % NUMBER_LINES, k = threadIdx.x / NUMBER_LINES;
    if (k >= BRICK_Z) return;
    struct made first = block->slice[k];
    add(&first, group_prefix(own, NUMBER_LINES));
    block->line[k][i] = first;
    add(&first, own);
    __syncwarp(); /* all have read where the slice begins */
    if (i == NUMBER_LINES - 1) block->slice[k] = first;
}

/* The slots of NUMBER_BRICKS bricks of a line, two for each of the line's lanes. */
struct line_slots {
    uint32_t at[2];
};

/* Load the slots from brick x on. slot: of the line's first brick; NULL if there is no line. */
static __device__ __forceinline__ struct line_slots load_slots(const uint32_t *slot, uint32_t x, uint32_t nx)
{
    struct line_slots s;
#pragma unroll
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t at = x + i * ROWS + lane_index() % ROWS;
        s.at[i] = slot && at < nx ? slot[at] : NO_SLOT;
    }
    return s;
}

/* List the active bricks; return their number. */
static __device__ __forceinline__ uint32_t list_slots(uint32_t *list, struct line_slots s)
{
    const unsigned lane = lane_index(), row = lane % ROWS;
    uint32_t listed = 0;
    __syncwarp(); /* the previous list is no longer needed */
#pragma unroll
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t active = __ballot_sync(ALL_LANES, s.at[i] != NO_SLOT) >> (lane - row) & ((1u << ROWS) - 1);
        if (s.at[i] != NO_SLOT) list[listed + popcount32(active & ((1u << row) - 1))] = s.at[i];
        listed += popcount32(active);
    }
    __syncwarp();
    return listed;
}

/* Load the counts of the lane's row in bricks [begin, end) of a list, at most BATCH of them. */
struct batch {
    uint32_t slot[BATCH], count[BATCH];
};

static __device__ __forceinline__ struct batch load_batch(const struct fused_memory *m, const uint32_t *list,
                                                          uint32_t begin, uint32_t end)
{
    struct batch b;
#pragma unroll
    for (unsigned i = 0; i < BATCH; i++) b.slot[i] = begin + i < end ? list[begin + i] : NO_SLOT;
#pragma unroll
    for (unsigned i = 0; i < BATCH; i++)
        b.count[i] = b.slot[i] != NO_SLOT ? m->ordered[b.slot[i]].count[lane_index() % ROWS] : 0;
    return b;
}

static __device__ __forceinline__ struct made count_made(uint32_t count)
{
    return { count & COUNT_VERTICES, count >> COUNT_TRIANGLES };
}

/* Add what the lane's row has in the listed bricks. */
static __device__ __forceinline__ void count_rows(struct made *made, const struct fused_memory *m, const uint32_t *list,
                                                  uint32_t bricks)
{
    for (uint32_t i = 0; i < bricks; i += BATCH) {
        const struct batch b = load_batch(m, list, i, bricks);
#pragma unroll
        for (unsigned c = 0; c < BATCH; c++) add(made, count_made(b.count[c]));
    }
}

/* Number the lane's row in these bricks. */
static __device__ __forceinline__ void number_rows(struct made *next, const struct fused_memory *m, const uint32_t *list,
                                                   uint32_t bricks)
{
    const unsigned row = lane_index() % ROWS;
    for (uint32_t i = 0; i < bricks; i += BATCH) {
        const struct batch b = load_batch(m, list, i, bricks); /* in L1 by now */
#pragma unroll
        for (unsigned c = 0; c < BATCH; c++) {
            if (b.slot[c] == NO_SLOT) break;
            m->ordered[b.slot[c]].first_vertex[row] = next->vertices;
            m->ordered[b.slot[c]].first_triangle[row] = next->triangles;
            add(next, count_made(b.count[c]));
        }
    }
}

/* Number the rows of NUMBER_LINES lines of bricks, from line y of layer z on, with half a warp for each line. Only
 * lines of more than NUMBER_BRICKS are listed twice. first: as for find_slices(); calls for one layer follow each
 * other. */
static __device__ __forceinline__ void number_lines(const struct fused_desc *d, const struct fused_memory *m,
                                                    struct number_block *block, uint32_t z, uint32_t y, bool first)
{
    const uint32_t nx = (uint32_t)d->bricks.nx, ny = (uint32_t)d->bricks.ny;
    const unsigned half = threadIdx.x / ROWS, row = threadIdx.x % ROWS, i = threadIdx.x % NUMBER_LINES,
                   k = threadIdx.x / NUMBER_LINES;
    const uint32_t *slot = y + half < ny ? m->slot_of + ((size_t)z * ny + y + half) * nx : NULL;
    uint32_t *list = block->slot[half];
    const struct line_slots slots = load_slots(slot, 0, nx); /* loaded while the following is done */
    const uint64_t own = k < BRICK_Z && y + i < ny ? m->line[((size_t)z * BRICK_Z + k) * ny + y + i] : 0;
    if (first || y == 0) find_slices(block, d, m, z, y, first);
    uint32_t bricks = list_slots(list, slots);
    struct made made = { 0, 0 };
    count_rows(&made, m, list, bricks);
    for (uint32_t x = NUMBER_BRICKS; x < nx; x += NUMBER_BRICKS)
        count_rows(&made, m, list, list_slots(list, load_slots(slot, x, nx)));
    __syncthreads();
    find_lines(block, made_of(own));
    struct made next = group_prefix(made, BRICK_Y); /* lines of voxels follow each other in a slice */
    __syncthreads();
    add(&next, block->line[row / BRICK_Y][half]);
    if (nx > NUMBER_BRICKS) bricks = list_slots(list, slots);
    number_rows(&next, m, list, bricks);
    for (uint32_t x = NUMBER_BRICKS; x < nx; x += NUMBER_BRICKS)
        number_rows(&next, m, list, list_slots(list, load_slots(slot, x, nx)));
    __syncthreads(); /* before the next lines */
}

/* Replace each thread's value by the sum over lower threads of the block. sum: of the warps. */
static __device__ __forceinline__ void block_prefix(uint64_t *value, uint64_t sum[THREADS / WARP])
{
    const unsigned lane = lane_index(), warp = threadIdx.x / WARP;
    uint64_t upto = *value;
#pragma unroll
    for (unsigned step = 1; step < WARP; step *= 2) {
        const uint64_t below = __shfl_up_sync(ALL_LANES, upto, step);
        if (lane >= step) upto += below;
    }
    if (lane == WARP - 1) sum[warp] = upto;
    __syncthreads();
    *value = upto - *value;
#pragma unroll
    for (unsigned w = 0; w < THREADS / WARP; w++)
        if (w < warp) *value += sum[w];
}

enum { COUNT_FIELDS = sizeof(struct fused_counts) / sizeof(uint64_t) };

union layer_fields {
    struct fused_counts counts;
    uint64_t field[COUNT_FIELDS];
};

static __device__ __forceinline__ void add(union layer_fields *sum, const struct fused_counts *to)
{
    sum->counts.vertices += to->vertices, sum->counts.triangles += to->triangles, sum->counts.bricks += to->bricks;
    sum->counts.cells.inside += to->cells.inside, sum->counts.cells.active += to->cells.active;
    sum->counts.cells.inner += to->cells.inner;
}

/* Write the running totals and the counts, and reset the state for the next run. One block does it, the only one that
 * needs the state. */
static __device__ __forceinline__ void finish_ordered(const struct fused_desc *d, const struct fused_memory *m)
{
    __shared__ uint64_t sum[COUNT_FIELDS][THREADS / WARP];
    struct state *state = m->state;
    const uint32_t nz = (uint32_t)d->bricks.nz, each = (nz + THREADS - 1) / THREADS,
                   begin = at_most(threadIdx.x * each, nz), end = at_most(begin + each, nz);
    union layer_fields before = { { 0, 0, 0, { 0, 0, 0 } } };
    for (uint32_t i = begin; i < end; i++) add(&before, m->layer + i);
#pragma unroll
    for (unsigned i = 0; i < COUNT_FIELDS; i++) block_prefix(&before.field[i], sum[i]);
    for (uint32_t i = begin; i < end; i++) {
        m->before[i] = before.counts;
        add(&before, m->layer + i);
    }
    if (threadIdx.x < THREADS - 1) return;
    struct fused_counts all = before.counts;
    all.bricks = (state->bricks >> 32) + (uint32_t)state->bricks, all.cells.inside += state->inside;
    const bool listed = all.bricks <= d->brick_capacity;
    m->before[nz] = *d->counts = all;
    if (d->draw) *d->draw = fused_draw(d, all.vertices, listed ? all.triangles : UINT64_MAX / 3);
    m->total->bricks = state->bricks;
    m->total->fits = listed && all.vertices <= d->vertex_capacity && all.triangles <= d->triangle_capacity;
    *state = {};
}

/* Each block sums up what comes before its own lines. The second launch has counted that, so no block waits for
 * another. The last block finishes. */
static __global__ void __launch_bounds__(THREADS) number(GRID_CONST struct fused_args args)
{
    __shared__ struct number_block block;
    const struct fused_desc &d = args.desc;
    const struct fused_memory &m = args.memory;
    const uint32_t blocks = gridDim.x - 1, groups = (uint32_t)number_groups(&d.bricks),
                   per_layer = groups / (uint32_t)d.bricks.nz, per_block = (groups + blocks - 1) / blocks;
    const uint32_t begin = at_most(blockIdx.x * per_block, groups), end = at_most(begin + per_block, groups);
    wait_for_launch_before();
    let_next_launch_begin();
    if (blockIdx.x == blocks) finish_ordered(&d, &m);
    else
        for (uint32_t g = begin; g < end; g++)
            number_lines(&d, &m, &block, g / per_layer, g % per_layer * NUMBER_LINES, g == begin);
}

#endif
