/* The triangles of open cells (mc_tables.h), and the vertices inside them. Part of fused_cuda.cu.
 *
 * Some blocks of the third launch do these, between the blocks that do the bricks. An open cell waits for its values,
 * tables and records one after the other; this way it does not hold up a brick. Most rows have one or two open cells.
 * So a block takes 64 rows, and each of its warps 32 of their cells, which keeps the lanes busy. */
#ifndef ISO_FUSED_CUDA_OPEN_CUH
#define ISO_FUSED_CUDA_OPEN_CUH

#include "fused_cuda_inner.cuh"
#include "mc_cells.cuh"

enum {
    OPEN_HALVES = 2, /* of 32 rows each, that a block takes at a time: some 90 cells */
    OPEN_ROWS = OPEN_HALVES * WARP,
    OPEN_BLOCKS = 2, /* at most one block in three does open cells */
    OPEN_NOTE = 5,   /* a triangle: lane of its cell | three edges, of OPEN_EDGE bits each, << OPEN_NOTE */
    OPEN_EDGE = 4,
    OPEN_INNER = 16, /* what a cell makes: triangles | vertices inside << OPEN_INNER */
    OPEN_COUNT = (1 << OPEN_INNER) - 1,
};

struct open_work {                                       /* of a warp */
    uint32_t vertex[WARP][MC_INNER + MC_INNER_PAIR + 1]; /* of each lane's cell: [edge], number of the vertex; odd pitch */
    union {                                              /* one after the other */
        struct inner_work inner;
        uint32_t note[MC_MAX_SUBCASE_TRIANGLES * WARP];
    };
};

struct open_rows { /* that a block has at hand */
    struct active_brick brick[OPEN_ROWS];
    struct open_row row[OPEN_ROWS];
    uint32_t upto[OPEN_ROWS];    /* open cells in the row and in those before it in its half */
    uint32_t cells[OPEN_HALVES]; /* of each half */
};

/* How many rows have open cells, and how many blocks do them: every 1 << spread of the first blocks, so that
 * multiprocessors have bricks to work on meanwhile. */
struct open_share {
    uint32_t rows, blocks, spread;
};

struct block_open {
    struct open_work warp[BLOCK_WARPS];
    struct open_rows rows;
    struct open_share share; /* kept here, because registers are few */
    uint32_t shares;         /* number of all warps that do open cells plus all blocks that do bricks */
};

/* turns: the number of turns that blocks need for the bricks. */
static __device__ __forceinline__ struct open_share open_share_of(const struct fused_memory *m, uint32_t turns)
{
    enum { SPREAD = 2 };
    const uint32_t rows = (uint32_t)m->state->open, most = (gridDim.x + OPEN_BLOCKS) / (OPEN_BLOCKS + 1);
    const uint32_t wanted = (rows + OPEN_ROWS - 1) / OPEN_ROWS, blocks = wanted < most ? wanted : most;
    const bool enough = blocks << SPREAD <= blocks + turns && blocks << SPREAD <= gridDim.x;
    return { rows, blocks, enough ? (uint32_t)SPREAD : 0 };
}

/* Where a lane's open cell is. */
struct open_at {
    struct active_brick brick;
    uint32_t slot;
    unsigned row, voxel; /* of the brick, of the row */
};

/* Load half of the block's rows, one per lane, as far as there are rows. */
static __device__ __forceinline__ void load_open_rows(struct open_rows *to, const struct fused_memory *m, uint32_t begin,
                                                      uint32_t end, unsigned half)
{
    const unsigned lane = lane_index(), i = half * WARP + lane;
    struct open_row row = {};
    struct active_brick brick = {};
    if (begin + i < end) {
        row = m->open[begin + i];
        brick = m->list[row.at / ROWS];
    }
    const uint32_t own = popcount32(row.cells);
    uint32_t all;
    to->upto[i] = warp_prefix(own, &all) + own;
    to->row[i] = row;
    to->brick[i] = brick;
    if (lane == 0) to->cells[half] = all;
}

/* Return where cell i of the block's rows is. */
static __device__ __forceinline__ struct open_at open_at(const struct open_rows *rows, uint32_t i)
{
    unsigned r = i < rows->cells[0] ? 0 : WARP;
    if (r) i -= rows->cells[0];
#pragma unroll
    for (unsigned step = WARP / 2; step; step /= 2)
        if (rows->upto[r + step - 1] <= i) r += step;
    uint32_t cells = rows->row[r].cells;
    for (const uint32_t left = rows->upto[r] - i; left < popcount32(cells);) cells &= cells - 1;
    const uint32_t at = rows->row[r].at;
    return { rows->brick[r], at / ROWS, at % ROWS, __ffs(cells) - 1u };
}

static __device__ __forceinline__ uint3 open_voxel(const struct open_at *c)
{
    return { c->brick.x * BRICK_X + c->voxel, c->brick.y * BRICK_Y + c->row % BRICK_Y,
             c->brick.z * BRICK_Z + c->row / BRICK_Y };
}

static __device__ __forceinline__ unsigned case_of_values(const struct mc_values *v, float iso)
{
    unsigned index = 0;
#pragma unroll
    for (unsigned corner = 0; corner < 8; corner++) index |= (unsigned)(v->at[corner] >= iso) << corner;
    return index;
}

/* Return row r of the record of the brick in a slot; an empty row if there is none, see load_rows(). */
static __device__ __forceinline__ uint4 record_row(const struct fused_memory *m, uint32_t slot, unsigned r)
{
    if (slot == NO_SLOT) return { 0, 0, 0, 0 };
    return m->record[slot].row[r];
}

/* Find the numbers of the vertices on the cell's edges. */
static __device__ __forceinline__ void number_edges(uint32_t *vertex, const struct fused_desc *d,
                                                    const struct fused_memory *m, const struct open_at *c)
{
    const uint32_t nx = (uint32_t)d->bricks.nx, layer = nx * (uint32_t)d->bricks.ny;
    const uint32_t below = (1u << c->voxel) - 1, upto = below << 1 | 1;
    const bool beyond = c->voxel == WARP - 1; /* the next voxel is in the next brick */
#pragma unroll
    for (unsigned q = 0; q < 4; q++) {
        const unsigned j = c->row % BRICK_Y + q % 2, k = c->row / BRICK_Y + q / 2;
        const unsigned r = k % BRICK_Z * BRICK_Y + j % BRICK_Y;
        const uint32_t brick = c->brick.number + j / BRICK_Y * nx + k / BRICK_Z * layer;
        const uint4 own = record_row(m, brick == c->brick.number ? c->slot : m->slot_of[brick], r);
        uint4 next = own; /* the row of the next voxel, and bits below it */
        uint32_t before = upto;
        if (beyond && q < 3) next = record_row(m, m->slot_of[brick + 1], r), before = 0;
        const uint32_t y = own.w + popcount32(own.x), next_y = next.w + popcount32(next.x);
        vertex[q] = own.w + popcount32(own.x & below);
        if (q % 2 == 0) {
            vertex[4 + q] = y + popcount32(own.y & below);
            vertex[5 + q] = next_y + popcount32(next.y & before);
        }
        if (q < 2) {
            vertex[8 + 2 * q] = y + popcount32(own.y) + popcount32(own.z & below);
            vertex[9 + 2 * q] = next_y + popcount32(next.y) + popcount32(next.z & before);
        }
    }
}

/* What a lane knows of its cell. */
struct open_cell {
    unsigned subcase;
    uint64_t packed; /* its triangles, as in tables->packed_subcase */
};

/* Find the subcase of a cell and the numbers of its vertices; return what it makes. */
template <enum voxel_type T>
static __device__ __forceinline__ uint32_t find_cell(struct open_cell *cell, const struct fused_desc *d,
                                                     const struct fused_memory *m, uint32_t *vertex,
                                                     const struct open_at *c)
{
    const struct mc_values values = open_values<T>(d, open_voxel(c)); /* loaded while the vertices are numbered */
    number_edges(vertex, d, m, c);
    cell->subcase = open_cell(d->tables, &values, T, d->iso, case_of_values(&values, d->iso));
    cell->packed = d->tables->packed_subcase[cell->subcase];
    const unsigned size = d->tables->size[cell->subcase];
    return size % MC_HAS_INNER | (size >= MC_HAS_INNER ? MC_INNER_PAIR << OPEN_INNER : 0);
}

/* Note the triangles of the lane's cell. */
static __device__ __forceinline__ void note_cell(uint32_t *note, const struct open_cell *cell,
                                                 const struct mc_tables *tables, unsigned triangles)
{
    const uint8_t *edge = tables->subcase[cell->subcase].edge;
    uint64_t packed = cell->packed;
    const bool whole = packed != 0;
#pragma unroll 1
    for (unsigned k = 0; k < triangles; k++, packed >>= 3 * OPEN_EDGE, edge += 3) {
        const unsigned edges = whole ? (unsigned)packed & ((1u << 3 * OPEN_EDGE) - 1)
                                     : edge[0] | edge[1] << OPEN_EDGE | edge[2] << 2 * OPEN_EDGE;
        note[k] = lane_index() | edges << OPEN_NOTE;
    }
}

/* Write `count` noted triangles. */
static __device__ __forceinline__ void write_open(uint32_t *out, const struct open_work *work, uint32_t count)
{
#pragma unroll 1
    for (uint32_t i = lane_index(); i < count; i += WARP) {
        const uint32_t note = work->note[i], *vertex = work->vertex[note % WARP];
#pragma unroll
        for (unsigned c = 0; c < 3; c++) out[3 * i + c] = vertex[note >> (OPEN_NOTE + OPEN_EDGE * c) & 15];
    }
}

/* Return how many open cells the block's rows have. */
static __device__ __forceinline__ uint32_t cells_of_rows(const struct open_rows *rows)
{
    return rows->cells[0] + rows->cells[1];
}

/* Return how many shares a warp ends with its cells from `first` on: none if it has more. The first warp always has cells.
 * It also ends the shares of the warps that have none, because additions to one number queue. begin: the first row. */
static __device__ __forceinline__ uint32_t shares_ended(const struct block_open *block, uint32_t begin, uint32_t first)
{
    const uint32_t all = cells_of_rows(&block->rows), busy = (all + WARP - 1) / WARP;
    if (begin + block->share.blocks * OPEN_ROWS < block->share.rows || first + BLOCK < all) return 0;
    return first || busy >= BLOCK_WARPS ? 1 : 1 + BLOCK_WARPS - busy;
}

/* Make what the warp's cells have, one cell per lane, from cell `first_cell` of the block's rows on. begin: the first
 * row. */
template <enum voxel_type T>
static __device__ __forceinline__ void make_open(const struct fused_desc *d, const struct fused_memory *m,
                                                 struct block_open *block, uint32_t begin, uint32_t first_cell)
{
    unsigned thread; /* keeps the compiler from computing what follows too early, into local memory */
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    const unsigned lane = thread % WARP, teller = WARP - 1; /* the last lane's sum is that of all: see reserve() */
    struct open_work *work = &block->warp[thread / WARP];
    const uint32_t i = first_cell + lane, cells = cells_of_rows(&block->rows);
    struct open_cell cell;
    uint32_t all, own = 0;
    if (i < cells) {
        const struct open_at c = open_at(&block->rows, i);
        own = find_cell<T>(&cell, d, m, work->vertex[lane], &c);
    }
    const uint32_t before = warp_prefix(own, &all), upto = before + own;
    const uint32_t count = all & OPEN_COUNT, inner = all >> OPEN_INNER;
    uint64_t first = 0, vertex = 0;
    if (inner) {
        if (lane == teller) vertex = reserve(&m->state->vertices, upto >> OPEN_INNER);
        const struct open_at c = open_at(&block->rows, i < cells ? i : cells - 1);
        make_inner<T>(&work->inner, d, own > OPEN_COUNT, cell.subcase, open_voxel(&c));
    }
    uint32_t ended = 0;
    if (lane == teller) {
        ended = shares_ended(block, begin, first_cell);
        first = reserve_after(&m->state->triangles, (upto & OPEN_COUNT) + ended * SHARE_DONE, inner > 0);
    }
    if (inner) {
        vertex = __shfl_sync(ALL_LANES, vertex, teller);
        if (vertex + inner <= d->vertex_capacity) write_inner(d->mesh.vertices + vertex, &work->inner, inner);
        for (unsigned k = 0; k < own >> OPEN_INNER; k++)
            work->vertex[lane][MC_INNER + k] = (uint32_t)vertex + (before >> OPEN_INNER) + k;
        __syncwarp(); /* before the notes, which take the place of the vertices */
    }
    if (own) note_cell(work->note + (before & OPEN_COUNT), &cell, d->tables, own & OPEN_COUNT);
    if (ended && first / SHARE_DONE == block->shares - ended) finish(d, m->state, first % SHARE_DONE + count, true);
    first = __shfl_sync(ALL_LANES, first, teller) % SHARE_DONE;
    __syncwarp();
    if (first + count <= d->triangle_capacity) write_open(d->mesh.indices + 3 * first, work, count);
    __syncwarp(); /* before the next cells */
}

/* Do the share of a block. */
template <enum voxel_type T>
static __device__ __forceinline__ void open_triangles(const struct fused_desc *d, const struct fused_memory *m,
                                                      struct block_open *block, const struct open_share *open,
                                                      uint32_t shares)
{
    const unsigned warp = threadIdx.x / WARP;
    if (threadIdx.x == 0) block->share = *open, block->shares = shares;
    for (uint32_t begin = (blockIdx.x >> open->spread) * OPEN_ROWS; begin < open->rows; begin += open->blocks * OPEN_ROWS) {
        if (warp < OPEN_HALVES) load_open_rows(&block->rows, m, begin, open->rows, warp);
        __syncthreads();
        for (uint32_t first = warp * WARP; first < cells_of_rows(&block->rows); first += BLOCK)
            make_open<T>(d, m, block, begin, first);
        __syncthreads(); /* before the next rows */
    }
}

#endif
