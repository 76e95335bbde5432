/* transpose on CUDA. Contract in transpose.h; after Ruetsch and Micikevicius, "Optimizing Matrix Transpose in CUDA"
 * (2009).
 * Run: isoscope ladder transpose --bench --backend cuda
 *
 * Every kernel takes tiles in turn, with a block of 256 threads each, and divides the index once per tile. Tiles are 32
 * x 32 up to `padded`. The kernels differ in how a tile gets from one side to the other. The paper also fights
 * partition camping; GPUs now hash addresses, which has ended it.
 * Times: H200, 8192 x 8192 elements; 0.129 ms at the rate of the best copy. */
#include "transpose.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

enum { SIDE = 32, BLOCK_Y = THREADS / SIDE }; /* of a tile; rows of it that the block handles at once */

struct matrix {
    const uint32_t *from;
    uint32_t *to;
    size_t rows, columns, from_pitch, to_pitch, tiles_x, tiles;
};

struct tile_at {
    size_t r, c;
}; /* row and column, in `from`, of the first element */

static __device__ __forceinline__ struct tile_at locate(const struct matrix *m, size_t tile, unsigned side)
{
    struct tile_at at = { tile / m->tiles_x * side, tile % m->tiles_x * side };
    return at;
}

/* A block's rows of 32 threads: DOWN, a constant, so that the compiler can unroll; or as many as --block asks for (DOWN
 * 0). */
static constexpr unsigned block_limit(unsigned down) { return down ? SIDE * down : 1024; }

template <unsigned DOWN> static __device__ __forceinline__ unsigned rows_down(void) { return DOWN ? DOWN : blockDim.y; }

/* ---- reads ---------------------------------------------------------------------------------------------------------
 * The lanes of a warp read along a row, 128 bytes at a time, and write down a column, each to a sector of its own, of
 * which it writes an eighth. L2 merges the writes if the other rows arrive before it evicts the sector.
 * Cost: 1.10 ms. Each store of a warp goes to 32 lines, and a multiprocessor sends one in some 2 ns, as in `stride32`
 * of copy. */

template <unsigned DOWN> static __global__ void __launch_bounds__(block_limit(DOWN)) transpose_reads(struct matrix m)
{
    for (size_t tile = blockIdx.x; tile < m.tiles; tile += gridDim.x) {
        const struct tile_at at = locate(&m, tile, SIDE);
        const size_t c = at.c + threadIdx.x;
        for (size_t r = at.r + threadIdx.y; r < at.r + SIDE && r < m.rows; r += rows_down<DOWN>())
            if (c < m.columns) m.to[c * m.to_pitch + r] = m.from[r * m.from_pitch + c];
    }
}

/* ---- writes --------------------------------------------------------------------------------------------------------
 * reads takes 1.10 ms because of its scattered stores. Idea: scatter the loads instead. Lanes write along a row of the
 * result and read down a column. L1 keeps the sectors, of which each load uses an eighth, for the next rows, and the
 * writes are whole. 0.288 ms.
 * Cost: L1 must hold 32 lines per active warp, and it delivers one line per cycle. That is 32 cycles for each of the
 * 2^21 loads of a warp; on 132 multiprocessors at 1.98 GHz, they take 0.26 ms. */

template <unsigned DOWN> static __global__ void __launch_bounds__(block_limit(DOWN)) transpose_writes(struct matrix m)
{
    for (size_t tile = blockIdx.x; tile < m.tiles; tile += gridDim.x) {
        const struct tile_at at = locate(&m, tile, SIDE);
        const size_t r = at.r + threadIdx.x;
        for (size_t c = at.c + threadIdx.y; c < at.c + SIDE && c < m.columns; c += rows_down<DOWN>())
            if (r < m.rows) m.to[c * m.to_pitch + r] = m.from[r * m.from_pitch + c];
    }
}

/* ---- tile, padded --------------------------------------------------------------------------------------------------
 * So far one of the sides always pays a sector per element. Idea: turn the tile in shared memory, so that both sides
 * move whole rows.
 *
 *    from: row of 32  ->  shared[y][x]  ->  shared[x][y]: a column  ->  to: row of 32
 *
 * Cost: a barrier before and after. In `tile`, rows are 32 words long, so a column lies in a single one of the 32 banks
 * and a warp needs 32 turns to read it. That is the same 0.26 ms that `writes` waits for its lines, so `tile`, with
 * 0.314 ms, gains nothing here. It did on GPUs whose loads had no L1, where `writes` was as slow as `reads`.
 * `padded` makes rows 33 words long. A column then has one word in each bank, at the cost of 128 bytes. 0.171 ms. */

template <unsigned PITCH, unsigned DOWN>
static __global__ void __launch_bounds__(block_limit(DOWN)) transpose_tile(struct matrix m)
{
    __shared__ uint32_t shared[SIDE][PITCH];
    for (size_t tile = blockIdx.x; tile < m.tiles; tile += gridDim.x) {
        const struct tile_at at = locate(&m, tile, SIDE);
        for (unsigned y = threadIdx.y; y < SIDE; y += rows_down<DOWN>())
            if (at.r + y < m.rows && at.c + threadIdx.x < m.columns)
                shared[y][threadIdx.x] = m.from[(at.r + y) * m.from_pitch + at.c + threadIdx.x];
        __syncthreads();
        for (unsigned y = threadIdx.y; y < SIDE; y += rows_down<DOWN>())
            if (at.c + y < m.columns && at.r + threadIdx.x < m.rows)
                m.to[(at.c + y) * m.to_pitch + at.r + threadIdx.x] = shared[threadIdx.x][y];
        __syncthreads(); /* before the next tile overwrites it */
    }
}

/* ---- vector --------------------------------------------------------------------------------------------------------
 * padded moves 4 bytes per load and store, in rows of 128 bytes. And for every 4 elements, a thread makes 8 accesses of
 * 4 bytes to shared memory. Idea: tiles of 64 x 64, and 16 bytes everywhere. A thread loads four rows by four columns
 * in four loads, turns these 16 elements in its registers at no cost, and stores four words of 16 bytes. Rows are 256
 * bytes on both sides, and each thread has 64 bytes in flight.
 *
 * Padding would have to be four times as wide for 16-byte words, so shared memory has none. Instead, row c keeps its
 * words at word ^ (c / 4). Accesses of 16 bytes are served a quarter of a warp at a time; each quarter then meets 8
 * different groups of 4 banks, when writing and when reading:
 *
 *    written: word y of row 4 x + k, 8 values of x  ->  y ^ x        read: 8 words x of row c  ->  x ^ c / 4
 *
 * 0.138 ms, 95 % of copy. An earlier form took 0.193 ms, more than padded: the compiler had split its 16-byte stores
 * into four stores of 4 bytes, 16 bytes apart from lane to lane.
 * Cost: 16 KiB per block, and fewer, larger tiles, so that below some 4096 x 4096 the GPU is not full. Rows and columns
 * beyond a multiple of four go element by element. */

enum { WIDE = 64, WORDS = WIDE / 4, WIDE_Y = THREADS / WORDS }; /* side, words of 16 bytes per row; rows taken at once */

static __device__ __forceinline__ uint4 load4(const struct matrix *m, size_t r, size_t c)
{
    uint4 v = make_uint4(0, 0, 0, 0);
    if (r >= m->rows || c >= m->columns) return v;
    const uint32_t *from = m->from + r * m->from_pitch + c;
    if (m->columns % 4 == 0 && m->from_pitch % 4 == 0) return *(const uint4 *)from;
    v.x = from[0];
    if (c + 1 < m->columns) v.y = from[1];
    if (c + 2 < m->columns) v.z = from[2];
    if (c + 3 < m->columns) v.w = from[3];
    return v;
}

static __device__ __forceinline__ void store4(const struct matrix *m, size_t c, size_t r, uint4 v)
{
    if (r >= m->rows || c >= m->columns) return;
    uint32_t *to = m->to + c * m->to_pitch + r;
    if (m->rows % 4 == 0 && m->to_pitch % 4 == 0) {
        store_16(to, v);
        return;
    }
    to[0] = v.x;
    if (r + 1 < m->rows) to[1] = v.y;
    if (r + 2 < m->rows) to[2] = v.z;
    if (r + 3 < m->rows) to[3] = v.w;
}

static __global__ void __launch_bounds__(THREADS) transpose_vector(struct matrix m)
{
    __shared__ uint4 shared[WIDE][WORDS]; /* row c: column c of the tile, four rows of `from` per word */
    const unsigned x = threadIdx.x, y = threadIdx.y;
    for (size_t tile = blockIdx.x; tile < m.tiles; tile += gridDim.x) {
        const struct tile_at at = locate(&m, tile, WIDE);
        uint4 v[4];
#pragma unroll
        for (unsigned k = 0; k < 4; k++) v[k] = load4(&m, at.r + 4 * y + k, at.c + 4 * x);
        shared[4 * x][y ^ x] = make_uint4(v[0].x, v[1].x, v[2].x, v[3].x);
        shared[4 * x + 1][y ^ x] = make_uint4(v[0].y, v[1].y, v[2].y, v[3].y);
        shared[4 * x + 2][y ^ x] = make_uint4(v[0].z, v[1].z, v[2].z, v[3].z);
        shared[4 * x + 3][y ^ x] = make_uint4(v[0].w, v[1].w, v[2].w, v[3].w);
        __syncthreads();
#pragma unroll
        for (unsigned k = 0; k < WIDE / WIDE_Y; k++) {
            const unsigned c = y + k * WIDE_Y;
            store4(&m, at.c + c, at.r + 4 * x, shared[c][x ^ c / 4]);
        }
        __syncthreads(); /* before the next tile overwrites it */
    }
}

/* ---- launches ------------------------------------------------------------------------------------------------------ */

static int launch(void (*kernel)(struct matrix), unsigned side, dim3 block, const struct transpose_desc *d, struct exec *x)
{
    const size_t tiles_x = (d->columns + side - 1) / side, tiles = (d->rows + side - 1) / side * tiles_x;
    const struct matrix m = {
        (const uint32_t *)d->from, (uint32_t *)d->to, d->rows, d->columns, d->from_pitch, d->to_pitch, tiles_x, tiles
    };
    if (d->bytes != sizeof *m.from) return cudaErrorInvalidValue;
    if (tiles) kernel<<<launch_blocks(tiles, 1), block, 0, x->stream>>>(m);
    return cudaGetLastError();
}

#define RUN(name, kernel, side, block_x, block_y)                            \
    static int run_##name(const struct transpose_desc *desc, struct exec *x) \
    {                                                                        \
        return launch(kernel, side, dim3(block_x, block_y), desc, x);        \
    }
RUN(reads, x->block ? transpose_reads<0> : transpose_reads<BLOCK_Y>, SIDE, SIDE, block_threads(x) / SIDE)
RUN(writes, x->block ? transpose_writes<0> : transpose_writes<BLOCK_Y>, SIDE, SIDE, block_threads(x) / SIDE)
RUN(tile, (x->block ? transpose_tile<SIDE, 0> : transpose_tile<SIDE, BLOCK_Y>), SIDE, SIDE, block_threads(x) / SIDE)
RUN(padded, (x->block ? transpose_tile<SIDE + 1, 0> : transpose_tile<SIDE + 1, BLOCK_Y>), SIDE, SIDE,
    block_threads(x) / SIDE)
RUN(vector, transpose_vector, WIDE, WORDS, WIDE_Y)

/* ---- the table --------------------------------------------------------------------------------------------------- */

const struct transpose_rung transpose_cuda[] = {
    { { "reads", "reads along rows, writes down columns", false }, run_reads, true },
    { { "writes", "writes along rows, reads down columns", false }, run_writes, true },
    { { "tile", "transposed in shared memory, both sides along rows; 32-way bank conflicts", false }, run_tile, true },
    { { "padded", "as tile, with rows of 33 words: a column touches every bank once", false }, run_padded, true },
    { { "vector", "tiles of 64 x 64, transposed by 4 x 4 in registers; 16 bytes per load and store", true }, run_vector },
    {},
};
