/* transpose on CUDA. Contract in transpose.h; after Ruetsch and Micikevicius, "Optimizing Matrix Transpose in CUDA" (2009).
 *
 * Every kernel takes tiles of 32 x 32 in turn, a block of 256 threads each, so that the index is divided once per tile;
 * they differ in how a tile gets from one side to the other. Partition camping, which that paper fights, went away with
 * hashed addresses. */
#include "transpose.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

enum { SIDE = 32, BLOCK_Y = THREADS / SIDE }; /* of a tile; rows of it that the block's threads take at once */

struct matrix { const uint32_t *from; uint32_t *to; size_t rows, columns, tiles_x, tiles; };

struct tile_at { size_t r, c; }; /* row and column, in `from`, of its first element */

static __device__ __forceinline__ struct tile_at locate(const struct matrix *m, size_t tile)
{
    struct tile_at at = { tile / m->tiles_x * SIDE, tile % m->tiles_x * SIDE };
    return at;
}

/* ---- reads ---------------------------------------------------------------------------------------------------------
 * The lanes of a warp read along a row, 128 bytes at a time, and write down a column: each to a sector of its own, of which
 * it fills an eighth. The writes are merged in L2, if the other rows come before the sector has to go. */

static __global__ void __launch_bounds__(THREADS) transpose_reads(struct matrix m)
{
    for (size_t tile = blockIdx.x; tile < m.tiles; tile += gridDim.x) {
        const struct tile_at at = locate(&m, tile);
        const size_t c = at.c + threadIdx.x;
        for (size_t r = at.r + threadIdx.y; r < at.r + SIDE && r < m.rows; r += BLOCK_Y)
            if (c < m.columns) m.to[c * m.rows + r] = m.from[r * m.columns + c];
    }
}

/* ---- writes --------------------------------------------------------------------------------------------------------
 * Idea: the other way about. Lanes write along a row of the result and read down a column: reads that fill an eighth of a
 * sector are kept by L1 for the next rows, writes go out whole. Cost: L1 has to hold 32 lines per warp at work. */

static __global__ void __launch_bounds__(THREADS) transpose_writes(struct matrix m)
{
    for (size_t tile = blockIdx.x; tile < m.tiles; tile += gridDim.x) {
        const struct tile_at at = locate(&m, tile);
        const size_t r = at.r + threadIdx.x;
        for (size_t c = at.c + threadIdx.y; c < at.c + SIDE && c < m.columns; c += BLOCK_Y)
            if (r < m.rows) m.to[c * m.rows + r] = m.from[r * m.columns + c];
    }
}

/* ---- tile, padded --------------------------------------------------------------------------------------------------
 * One side always pays a sector per element. Idea: turn the tile in shared memory; both sides move whole rows.
 *
 *    from: row of 32  ->  shared[y][x]  ->  shared[x][y]: a column  ->  to: row of 32
 *
 * Cost: a barrier on either side; and in `tile`, whose rows are 32 words, a column lies in a single one of the 32 banks, so
 * that a warp's read takes 32 turns. `padded` makes rows 33 words: a column then meets every bank once, for 128 bytes. */

template <unsigned PITCH>
static __global__ void __launch_bounds__(THREADS) transpose_tile(struct matrix m)
{
    __shared__ uint32_t shared[SIDE][PITCH];
    for (size_t tile = blockIdx.x; tile < m.tiles; tile += gridDim.x) {
        const struct tile_at at = locate(&m, tile);
        for (unsigned y = threadIdx.y; y < SIDE; y += BLOCK_Y)
            if (at.r + y < m.rows && at.c + threadIdx.x < m.columns)
                shared[y][threadIdx.x] = m.from[(at.r + y) * m.columns + at.c + threadIdx.x];
        __syncthreads();
        for (unsigned y = threadIdx.y; y < SIDE; y += BLOCK_Y)
            if (at.c + y < m.columns && at.r + threadIdx.x < m.rows)
                m.to[(at.c + y) * m.rows + at.r + threadIdx.x] = shared[threadIdx.x][y];
        __syncthreads(); /* before the next tile overwrites it */
    }
}

/* ---- vector --------------------------------------------------------------------------------------------------------
 * A load and a store of 4 bytes per element are many instructions for few bytes. Idea: eight threads cover a row of the
 * tile with 16 bytes each; the tile is read by four elements of a column, which make 16 bytes of the result. The pitch of
 * 33 serves again: lane (x, y) meets bank 4 x + y + k, each once.
 * Cost: 16-byte loads need columns, and stores rows, that are multiples of four; where they are not, single elements. */

static __device__ __forceinline__ void load4(const struct matrix *m, size_t r, size_t c, uint32_t to[4])
{
    if (r >= m->rows || c >= m->columns) return;
    const uint32_t *from = m->from + r * m->columns + c;
    if (m->columns % 4 == 0) {
        const uint4 v = *(const uint4 *)from;
        to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
    } else {
        for (unsigned k = 0; k < 4 && c + k < m->columns; k++) to[k] = from[k];
    }
}

static __device__ __forceinline__ void store4(const struct matrix *m, size_t c, size_t r, const uint32_t from[4])
{
    if (r >= m->rows || c >= m->columns) return;
    uint32_t *to = m->to + c * m->rows + r;
    if (m->rows % 4 == 0) *(uint4 *)to = make_uint4(from[0], from[1], from[2], from[3]);
    else for (unsigned k = 0; k < 4 && r + k < m->rows; k++) to[k] = from[k];
}

static __global__ void __launch_bounds__(THREADS) transpose_vector(struct matrix m)
{
    __shared__ uint32_t shared[SIDE][SIDE + 1];
    const unsigned x = threadIdx.x, y = threadIdx.y; /* 8 x 32 */
    for (size_t tile = blockIdx.x; tile < m.tiles; tile += gridDim.x) {
        const struct tile_at at = locate(&m, tile);
        uint32_t v[4] = { 0, 0, 0, 0 };
        load4(&m, at.r + y, at.c + 4 * x, v);
#pragma unroll
        for (unsigned k = 0; k < 4; k++) shared[y][4 * x + k] = v[k];
        __syncthreads();
#pragma unroll
        for (unsigned k = 0; k < 4; k++) v[k] = shared[4 * x + k][y];
        store4(&m, at.c + y, at.r + 4 * x, v);
        __syncthreads();
    }
}

/* ---- launches ------------------------------------------------------------------------------------------------------ */

static int launch(void (*kernel)(struct matrix), dim3 block, const uint32_t *from, uint32_t *to, size_t rows,
                  size_t columns, struct exec *x)
{
    const size_t tiles_x = (columns + SIDE - 1) / SIDE, tiles = (rows + SIDE - 1) / SIDE * tiles_x;
    const struct matrix m = { from, to, rows, columns, tiles_x, tiles };
    if (tiles) kernel<<<launch_blocks(tiles, 1), block, 0, x->stream>>>(m);
    return cudaGetLastError();
}

#define RUN(name, kernel, block_x, block_y)                                                                           \
    static int run_##name(const uint32_t *from, uint32_t *to, size_t rows, size_t columns, struct exec *x)            \
    {                                                                                                                 \
        return launch(kernel, dim3(block_x, block_y), from, to, rows, columns, x);                                    \
    }
RUN(reads, transpose_reads, SIDE, BLOCK_Y)
RUN(writes, transpose_writes, SIDE, BLOCK_Y)
RUN(tile, transpose_tile<SIDE>, SIDE, BLOCK_Y)
RUN(padded, transpose_tile<SIDE + 1>, SIDE, BLOCK_Y)
RUN(vector, transpose_vector, SIDE / 4, SIDE)

/* ---- the table --------------------------------------------------------------------------------------------------- */

const struct transpose_rung transpose_cuda[] = {
    { { "reads", "reads along rows, writes down columns", false }, run_reads },
    { { "writes", "writes along rows, reads down columns", false }, run_writes },
    { { "tile", "turned in shared memory, both sides along rows; 32 turns per bank", false }, run_tile },
    { { "padded", "rows of 33 words: a column meets every bank once", false }, run_padded },
    { { "vector", "16 bytes per load and store", true }, run_vector },
    {},
};
