/* The triangles of open cells (mc_tables.h), and the vertices inside them. Part of fused_cuda.cu.
 *
 * The first blocks of the third launch do these while the others do the bricks: what an open cell waits for, its values,
 * tables and records one after the other, then holds up no brick. Most rows have one or two open cells, so a block lists
 * those of many rows, and its warps take 32 of them each in turns: lanes stay busy. */
#ifndef ISO_FUSED_CUDA_OPEN_CUH
#define ISO_FUSED_CUDA_OPEN_CUH

#include "fused_cuda_memory.cuh"
#include "mc_cells.cuh"

enum {
    OPEN_ROWS = 32,  /* that a block takes at a time, a lane of each warp for each */
    OPEN_BLOCKS = 2, /* at most one block in three does open cells */
    OPEN_NOTE = 5,   /* a cell: voxel | row of those at hand << OPEN_NOTE; a triangle or vertex: lane of its cell |
                        number in it << OPEN_NOTE */
    OPEN_INNER = 16, /* what a cell makes: triangles | vertices inside << OPEN_INNER */
    OPEN_COUNT = (1 << OPEN_INNER) - 1,
};

struct open_work { /* of a warp */
    uint16_t cell[OPEN_ROWS * WARP / BLOCK_WARPS];
    uint32_t vertex[WARP][MC_INNER + MC_INNER_PAIR + 1]; /* of each lane's cell: [edge], number of the vertex; odd pitch */
    uint64_t packed[WARP];                               /* triangles of each lane's cell, as in tables->packed_subcase */
    uint16_t subcase[WARP];
    uint8_t inner[MC_INNER_PAIR * WARP]; /* a vertex inside a cell: its lane | number << OPEN_NOTE */
    uint16_t note[MC_MAX_SUBCASE_TRIANGLES * WARP];
};

/* How many rows have open cells, and how many blocks do them. */
struct open_share {
    uint32_t rows, blocks;
};

static __device__ __forceinline__ struct open_share open_share_of(const struct fused_memory *m)
{
    const uint32_t rows = (uint32_t)m->state->open, most = (gridDim.x + OPEN_BLOCKS) / (OPEN_BLOCKS + 1);
    const uint32_t blocks = (rows + OPEN_ROWS - 1) / OPEN_ROWS;
    return { rows, blocks < most ? blocks : most };
}

/* Where a lane's open cell is. */
struct open_at {
    struct active_brick brick;
    uint32_t slot;
    unsigned row, voxel; /* of the brick, of the row */
};

static __device__ __forceinline__ struct open_at open_at(const struct fused_memory *m, uint32_t at, unsigned voxel)
{
    return { m->list[at / ROWS], at / ROWS, at % ROWS, voxel };
}

static __device__ __forceinline__ uint3 open_voxel(const struct open_at *c)
{
    return { c->brick.x * BRICK_X + c->voxel, c->brick.y * BRICK_Y + c->row % BRICK_Y,
             c->brick.z * BRICK_Z + c->row / BRICK_Y };
}

template <enum voxel_type T>
static __device__ __forceinline__ struct mc_values open_values(const struct grid *grid, const struct open_at *c)
{
    struct grid g = *grid;
    g.type = T;
    const uint3 at = open_voxel(c);
    return mc_values_at(&g, ((size_t)at.z * g.ny + at.y) * g.nx + at.x);
}

static __device__ __forceinline__ unsigned case_of_values(const struct mc_values *v, float iso)
{
    unsigned index = 0;
#pragma unroll
    for (unsigned corner = 0; corner < 8; corner++) index |= (unsigned)(v->at[corner] >= iso) << corner;
    return index;
}

/* Return row r of the record of the brick in a slot; nothing if there is none, see load_rows(). */
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

/* Write `count` noted triangles. */
static __device__ __forceinline__ void write_open(uint32_t *out, const struct open_work *work,
                                                  const struct mc_tables *tables, uint32_t count)
{
#pragma unroll 2
    for (uint32_t i = lane_index(); i < 3 * count; i += WARP) {
        const unsigned note = work->note[i / 3], cell = note % WARP, corner = 3 * (note >> OPEN_NOTE) + i % 3;
        const uint64_t packed = work->packed[cell];
        const unsigned edge = packed ? packed >> 4 * corner & 15 : tables->subcase[work->subcase[cell]].edge[corner];
        out[i] = work->vertex[cell][edge];
    }
}

/* Write the `count` vertices inside the warp's cells; at, voxel: the lane's own, see open_at(). */
static __device__ __forceinline__ void write_inner(struct vertex *out, const struct fused_desc *d,
                                                   const struct fused_memory *m, const struct open_work *work, uint32_t at,
                                                   unsigned voxel, uint32_t count)
{
    for (uint32_t i = lane_index(); i - lane_index() < count; i += WARP) {
        const unsigned note = i < count ? work->inner[i] : 0, from = note % WARP;
        const uint32_t from_at = __shfl_sync(ALL_LANES, at, from), from_voxel = __shfl_sync(ALL_LANES, voxel, from);
        if (i >= count) continue;
        const struct open_at c = open_at(m, from_at, from_voxel);
        const uint3 p = open_voxel(&c);
        store_vertex(out + i, inner_of(d->tables, d->grid, d->iso, p.x, p.y, p.z, work->subcase[from],
                                       MC_INNER + (note >> OPEN_NOTE)));
    }
}

/* Find the subcase of the lane's cell and the numbers of its vertices; return what it makes. */
template <enum voxel_type T>
static __device__ __forceinline__ uint32_t find_cell(const struct fused_desc *d, const struct fused_memory *m,
                                                     struct open_work *work, uint32_t at, unsigned voxel)
{
    const struct open_at c = open_at(m, at, voxel);
    const struct mc_values v = open_values<T>(&d->grid, &c); /* on their way while the vertices are numbered */
    number_edges(work->vertex[lane_index()], d, m, &c);
    const unsigned subcase = open_cell(d->tables, &v, T, d->iso, case_of_values(&v, d->iso));
    work->packed[lane_index()] = d->tables->packed_subcase[subcase];
    work->subcase[lane_index()] = (uint16_t)subcase;
    const struct mc_subcase *s = &d->tables->subcase[subcase];
    return s->triangles | (uint32_t)s->inner << OPEN_INNER;
}

/* Note what the lane's cell makes. before: what those of lower lanes make; vertex: the warp's first inside a cell. */
static __device__ __forceinline__ void note_cell(struct open_work *work, uint32_t own, uint32_t before, uint32_t vertex)
{
    const unsigned lane = lane_index(), inner_before = before >> OPEN_INNER;
    for (unsigned k = 0; k < (own & OPEN_COUNT); k++)
        work->note[(before & OPEN_COUNT) + k] = (uint16_t)(lane | k << OPEN_NOTE);
    for (unsigned k = 0; k < own >> OPEN_INNER; k++) {
        work->vertex[lane][MC_INNER + k] = vertex + inner_before + k;
        work->inner[inner_before + k] = (uint8_t)(lane | k << OPEN_NOTE);
    }
}

/* Make what the warp's cells have, one each; `any`: the lane has one. done: the shares that must be reserved, if this is
 * the last of its own, else 0. */
template <enum voxel_type T>
static __device__ __forceinline__ void make_open(const struct fused_desc *d, const struct fused_memory *m,
                                                 struct open_work *work, bool any, uint32_t at, unsigned voxel,
                                                 uint32_t done)
{
    const unsigned lane = lane_index();
    uint32_t all;
    const uint32_t own = any ? find_cell<T>(d, m, work, at, voxel) : 0, before = warp_prefix(own, &all);
    const uint32_t count = all & OPEN_COUNT, inner = all >> OPEN_INNER;
    uint64_t first = 0, vertex = 0;
    if (lane == 0 && inner) {
        vertex = reserve(&m->state->vertices, inner);
        order_reservations();
    }
    if (lane == 0) first = reserve(&m->state->triangles, count + (done ? SHARE_DONE : 0));
    vertex = __shfl_sync(ALL_LANES, vertex, 0);
    note_cell(work, own, before, (uint32_t)vertex);
    if (lane == 0 && done && first / SHARE_DONE == done - 1) finish(d, m->state, first % SHARE_DONE + count, true);
    first = __shfl_sync(ALL_LANES, first, 0) % SHARE_DONE;
    __syncwarp();
    if (vertex + inner <= d->vertex_capacity) write_inner(d->mesh.vertices + vertex, d, m, work, at, voxel, inner);
    if (first + count <= d->triangle_capacity) write_open(d->mesh.indices + 3 * first, work, d->tables, count);
    __syncwarp(); /* before the next cells */
}

/* List the open cells of a row per lane that are this warp's: every BLOCK_WARPS-th 32 of them. Return their number. */
static __device__ __forceinline__ uint32_t list_open(uint16_t *cell, uint32_t row, unsigned warp)
{
    uint32_t all;
    uint32_t i = warp_prefix(popcount32(row), &all);
    for (; row; row &= row - 1, i++)
        if (i / WARP % BLOCK_WARPS == warp)
            cell[i / (WARP * BLOCK_WARPS) * WARP + i % WARP] = (uint16_t)((__ffs(row) - 1) | lane_index() << OPEN_NOTE);
    const uint32_t turn = WARP * BLOCK_WARPS, first = warp * WARP, rest = all % turn;
    return all / turn * WARP + (rest < first ? 0 : rest - first < WARP ? rest - first : (uint32_t)WARP);
}

/* Do the share of a warp of the first blocks. shares: of all warps that do open cells and of all blocks that do bricks. */
template <enum voxel_type T>
static __device__ __forceinline__ void open_triangles(const struct fused_desc *d, const struct fused_memory *m,
                                                      struct open_work *work, const struct open_share *open, unsigned warp,
                                                      uint32_t shares)
{
    const unsigned lane = lane_index();
    const uint32_t step = open->blocks * OPEN_ROWS;
    for (uint32_t begin = blockIdx.x * OPEN_ROWS; begin < open->rows; begin += step) {
        struct open_row row = { 0, 0 };
        if (begin + lane < open->rows) row = m->open[begin + lane];
        const uint32_t cells = list_open(work->cell, row.cells, warp);
        const bool last = begin + step >= open->rows;
        __syncwarp();
        for (uint32_t i = lane; i - lane < cells || (last && i == lane);
             i += WARP) { /* the last share is told even if empty */
            const unsigned note = i < cells ? work->cell[i] : 0;
            const uint32_t at = __shfl_sync(ALL_LANES, row.at, note >> OPEN_NOTE);
            make_open<T>(d, m, work, i < cells, at, note % WARP, last && i - lane + WARP >= cells ? shares : 0);
        }
        __syncwarp(); /* before the next rows */
    }
}

#endif
