/* gemm with many elements of C per thread: column, block, vector, double, pingpong. Part of gemm_cuda.cu, which has the
 * contract.
 *
 * A and B are treated alike here. Both are panels, depth x width; the width runs along m for A and along n for B, so a
 * product takes row p of either. A transpose only changes which way a panel lies in memory. */

struct panel {
    const float *at;
    size_t ld, depth, width;
    bool depth_fast; /* element (p, w) is at[w * ld + p], not at[p * ld + w] */
};

static struct panel panel_a(const struct gemm_desc *d)
{
    const struct panel a = { d->a, d->lda, d->k, d->m, !d->trans_a };
    return a;
}

static struct panel panel_b(const struct gemm_desc *d)
{
    const struct panel b = { d->b, d->ldb, d->k, d->n, d->trans_b };
    return b;
}

enum { PAD = 4 }; /* floats at the end of a row in shared memory; see column */

/* Load to[q][v] = panel (p + q, w + v), zero outside; lanes go along memory. */
template <unsigned DEPTH, unsigned WIDTH, unsigned BLOCK>
static __device__ __forceinline__ void load_panel(float (*to)[WIDTH + PAD], const struct panel &x, size_t p, size_t w)
{
#pragma unroll
    for (unsigned turn = 0; turn < DEPTH * WIDTH / BLOCK; turn++) {
        const unsigned e = turn * BLOCK + threadIdx.x;
        const unsigned q = x.depth_fast ? e % DEPTH : e / WIDTH, v = x.depth_fast ? e / DEPTH : e % WIDTH;
        const bool is_there = p + q < x.depth && w + v < x.width;
        to[q][v] = is_there ? x.at[x.depth_fast ? (w + v) * x.ld + p + q : (p + q) * x.ld + w + v] : 0.0f;
    }
}

/* ---- column --------------------------------------------------------------------------------------------------------
 * The tiled rungs read shared memory twice per product: 6.1 TFLOPS at best. Idea: a thread sums 8 elements of one
 * column of C, so that one number of B serves 8 products: 9 reads for 8 products instead of 16. Tiles of 64 x 64, of
 * depth 8, 512 threads. 14.0.
 * Cost: 8 registers of sums. And a shallow tile has two barriers for every 8 products of a sum. Tiles have 4 floats of
 * padding: if the operand is read along its depth, rows are stored in pieces of depth 8, and 8 x 4 lanes then fall into
 * 32 different banks. */

enum { COLUMN_TILE = 64, COLUMN_DEPTH = 8, COLUMN_ROWS = 8, COLUMN_BLOCK = COLUMN_TILE * COLUMN_TILE / COLUMN_ROWS };

static __global__ void __launch_bounds__(COLUMN_BLOCK) gemm_column(struct gemm_desc d, struct panel a, struct panel b)
{
    __shared__ float tile_a[COLUMN_DEPTH][COLUMN_TILE + PAD], tile_b[COLUMN_DEPTH][COLUMN_TILE + PAD];
    const size_t row = tile_row(d, COLUMN_TILE, COLUMN_TILE), column = tile_column(d, COLUMN_TILE);
    const unsigned x = threadIdx.x % COLUMN_TILE, y = threadIdx.x / COLUMN_TILE * COLUMN_ROWS;
    float sum[COLUMN_ROWS] = {};
    for (size_t p = 0; p < d.k; p += COLUMN_DEPTH) {
        load_panel<COLUMN_DEPTH, COLUMN_TILE, COLUMN_BLOCK>(tile_a, a, p, row);
        load_panel<COLUMN_DEPTH, COLUMN_TILE, COLUMN_BLOCK>(tile_b, b, p, column);
        __syncthreads();
#pragma unroll
        for (unsigned q = 0; q < COLUMN_DEPTH; q++) {
            const float value = tile_b[q][x];
#pragma unroll
            for (unsigned r = 0; r < COLUMN_ROWS; r++) sum[r] = fmaf(tile_a[q][y + r], value, sum[r]);
        }
        __syncthreads();
    }
#pragma unroll
    for (unsigned r = 0; r < COLUMN_ROWS; r++)
        if (row + y + r < d.m && column + x < d.n) store_c(d, row + y + r, column + x, sum[r]);
}

static int run_column(const struct gemm_desc *desc, void *scratch, struct exec *x)
{
    (void)scratch;
    const struct gemm_desc d = normalized(desc);
    const unsigned blocks = cover_c(&d, COLUMN_TILE, COLUMN_TILE);
    if (blocks) gemm_column<<<blocks, COLUMN_BLOCK, 0, x->stream>>>(d, panel_a(&d), panel_b(&d));
    return cudaGetLastError();
}

/* ---- block ---------------------------------------------------------------------------------------------------------
 * column still reads 9 floats for 8 products: 14.0 TFLOPS. Idea: 8 x 8 elements of C per thread. That is 8 + 8 reads
 * for 64 products, a quarter of a read per product. With tiles of 128 x 128, a float from global memory serves 128
 * products, 1/16 byte per product. 23.1.
 * Cost: 64 registers of sums, so there are few warps to hide latency. A C smaller than 128 x 128 is one block, on one
 * multiprocessor. The 8 columns of a thread are contiguous, so the 16 lanes of a row, 8 words apart, meet in 4 banks. */

enum { TILE_C = 128, BLOCK_DEPTH = 8, SIDE = 8, BLOCK_ROW = TILE_C / SIDE };

/* sum[r][c] += a[r] * b[c] */
static __device__ __forceinline__ void outer_product(float (*sum)[SIDE], const float *a, const float *b)
{
#pragma unroll
    for (unsigned r = 0; r < SIDE; r++)
#pragma unroll
        for (unsigned c = 0; c < SIDE; c++) sum[r][c] = fmaf(a[r], b[c], sum[r][c]);
}

static __global__ void __launch_bounds__(THREADS) gemm_block(struct gemm_desc d, struct panel a, struct panel b)
{
    __shared__ float tile_a[BLOCK_DEPTH][TILE_C + PAD], tile_b[BLOCK_DEPTH][TILE_C + PAD];
    const size_t row = tile_row(d, TILE_C, TILE_C), column = tile_column(d, TILE_C);
    const unsigned x = threadIdx.x % BLOCK_ROW * SIDE, y = threadIdx.x / BLOCK_ROW * SIDE;
    float sum[SIDE][SIDE] = {};
    for (size_t p = 0; p < d.k; p += BLOCK_DEPTH) {
        load_panel<BLOCK_DEPTH, TILE_C, THREADS>(tile_a, a, p, row);
        load_panel<BLOCK_DEPTH, TILE_C, THREADS>(tile_b, b, p, column);
        __syncthreads();
#pragma unroll
        for (unsigned q = 0; q < BLOCK_DEPTH; q++) {
            float part_a[SIDE], part_b[SIDE];
#pragma unroll
            for (unsigned s = 0; s < SIDE; s++) part_a[s] = tile_a[q][y + s], part_b[s] = tile_b[q][x + s];
            outer_product(sum, part_a, part_b);
        }
        __syncthreads();
    }
#pragma unroll
    for (unsigned r = 0; r < SIDE; r++)
#pragma unroll
        for (unsigned c = 0; c < SIDE; c++)
            if (row + y + r < d.m && column + x + c < d.n) store_c(d, row + y + r, column + x + c, sum[r][c]);
}

static int run_block(const struct gemm_desc *desc, void *scratch, struct exec *x)
{
    (void)scratch;
    const struct gemm_desc d = normalized(desc);
    const unsigned blocks = cover_c(&d, TILE_C, TILE_C);
    if (blocks) gemm_block<<<blocks, THREADS, 0, x->stream>>>(d, panel_a(&d), panel_b(&d));
    return cudaGetLastError();
}

/* ---- vector --------------------------------------------------------------------------------------------------------
 * block issues one instruction per 4 bytes, and its lanes meet in 4 banks: 23.1 TFLOPS. Idea: 16 bytes at a time, from
 * global memory if pointer and row length allow it, and from shared memory. For that, a thread's 8 rows and 8 columns
 * become two groups of 4, which are 64 apart. 8 lanes then read 128 contiguous bytes, and the 16 reads of a row become
 * 4.
 *
 *    columns of the tile   0123 4567 .. 63 | 64 ..            thread 0: 0-3 and 64-67, thread 1: 4-7 and 68-71, ..
 *
 * 30.7. Cost: unaligned operands fall back to single floats, and every tile has to check the alignment. */

static __device__ __forceinline__ bool is_vector(const void *at, size_t ld)
{
    return (uintptr_t)at % sizeof(float4) == 0 && ld % 4 == 0;
}

/* As load_panel(), 4 floats at a time along memory. */
template <unsigned DEPTH, unsigned WIDTH, unsigned BLOCK>
static __device__ __forceinline__ void load_vectors(float (*to)[WIDTH + PAD], const struct panel &x, size_t p, size_t w)
{
    const bool whole = x.depth - p >= DEPTH && x.width >= w + WIDTH && is_vector(x.at, x.ld); /* p < depth */
    if (!whole) {
        load_panel<DEPTH, WIDTH, BLOCK>(to, x, p, w);
        return;
    }
#pragma unroll
    for (unsigned turn = 0; turn < DEPTH * WIDTH / 4 / BLOCK; turn++) {
        const unsigned e = turn * BLOCK + threadIdx.x;
        const unsigned q = x.depth_fast ? e % (DEPTH / 4) * 4 : e / (WIDTH / 4);
        const unsigned v = x.depth_fast ? e / (DEPTH / 4) : e % (WIDTH / 4) * 4;
        const float *from = x.at + (x.depth_fast ? (w + v) * x.ld + p + q : (p + q) * x.ld + w + v);
        const float4 four = *(const float4 *)from;
        if (x.depth_fast) to[q][v] = four.x, to[q + 1][v] = four.y, to[q + 2][v] = four.z, to[q + 3][v] = four.w;
        else *(float4 *)&to[q][v] = four;
    }
}

/* Load the 8 floats of a thread: 4 from `first`, and 4 that lie `apart` further. */
static __device__ __forceinline__ void load_side(float *side, const float *first, unsigned apart)
{
    *(float4 *)side = *(const float4 *)first;
    *(float4 *)(side + 4) = *(const float4 *)(first + apart);
}

static __device__ __forceinline__ void store_four(const struct gemm_desc &d, size_t i, size_t j, const float *sum)
{
    if (i >= d.m) return;
    if (j + 4 <= d.n && is_vector(d.c, d.ldc)) {
        float4 *c = (float4 *)(d.c + i * d.ldc + j), four;
        four.x = d.alpha * sum[0], four.y = d.alpha * sum[1], four.z = d.alpha * sum[2], four.w = d.alpha * sum[3];
        if (d.beta != 0) {
            const float4 old = *c;
            four.x += d.beta * old.x, four.y += d.beta * old.y, four.z += d.beta * old.z, four.w += d.beta * old.w;
        }
        *c = four;
        return;
    }
#pragma unroll
    for (unsigned s = 0; s < 4; s++)
        if (j + s < d.n) store_c(d, i, j + s, sum[s]);
}

/* Store sum[r][c] to row i + r % 4 + r / 4 * apart_i, and columns in the same way. */
static __device__ __forceinline__ void store_block(const struct gemm_desc &d, size_t i, size_t j, const float (*sum)[SIDE],
                                                   unsigned apart_i, unsigned apart_j)
{
#pragma unroll
    for (unsigned r = 0; r < SIDE; r++) {
        store_four(d, i + r % 4 + r / 4 * apart_i, j, sum[r]);
        store_four(d, i + r % 4 + r / 4 * apart_i, j + apart_j, sum[r] + 4);
    }
}

static __global__ void __launch_bounds__(THREADS) gemm_vector(struct gemm_desc d, struct panel a, struct panel b)
{
    __shared__ __align__(16) float tile_a[BLOCK_DEPTH][TILE_C + PAD], tile_b[BLOCK_DEPTH][TILE_C + PAD];
    const size_t row = tile_row(d, TILE_C, TILE_C), column = tile_column(d, TILE_C);
    const unsigned x = threadIdx.x % BLOCK_ROW * 4, y = threadIdx.x / BLOCK_ROW * 4;
    float sum[SIDE][SIDE] = {};
    for (size_t p = 0; p < d.k; p += BLOCK_DEPTH) {
        load_vectors<BLOCK_DEPTH, TILE_C, THREADS>(tile_a, a, p, row);
        load_vectors<BLOCK_DEPTH, TILE_C, THREADS>(tile_b, b, p, column);
        __syncthreads();
#pragma unroll
        for (unsigned q = 0; q < BLOCK_DEPTH; q++) {
            float part_a[SIDE], part_b[SIDE];
            load_side(part_a, &tile_a[q][y], TILE_C / 2);
            load_side(part_b, &tile_b[q][x], TILE_C / 2);
            outer_product(sum, part_a, part_b);
        }
        __syncthreads();
    }
    store_block(d, row + y, column + x, sum, TILE_C / 2, TILE_C / 2);
}

static int run_vector(const struct gemm_desc *desc, void *scratch, struct exec *x)
{
    (void)scratch;
    const struct gemm_desc d = normalized(desc);
    const unsigned blocks = cover_c(&d, TILE_C, TILE_C);
    if (blocks) gemm_vector<<<blocks, THREADS, 0, x->stream>>>(d, panel_a(&d), panel_b(&d));
    return cudaGetLastError();
}

/* ---- packing -------------------------------------------------------------------------------------------------------
 * Copies a panel into scratch, width fast, with zeros up to whole tiles, in the type that the cores want. After that
 * there is no transpose, edge or alignment left to check. Tiles of 32 x 32 are turned in shared memory, so that reads
 * and writes both follow the order of memory.
 * Cost: a read and a write of each operand: 1.2 % of the time of `double` for each, at 4096^3 and 4 TB/s. */

struct packed {
    size_t depth, width;
}; /* rounded up; the row length is `width` */

static struct packed packed_size(const struct panel *x, unsigned depth, unsigned width)
{
    const struct packed size = { tiles_of(x->depth, depth) * depth, tiles_of(x->width, width) * width };
    return size;
}

static __device__ __forceinline__ void pack_value(float *to, float value) { *to = value; }

/* Pack in blocks of 32 x 8 threads, one per 32 x 32 tile of the panel; depth and width are rounded up to multiples of 8
 * and 32. */
template <class T> static __global__ void pack_panel(struct panel x, T *to, struct packed size)
{
    __shared__ float tile[32][33];
    const size_t across = size.width / 32;
    const size_t p = blockIdx.x / across * 32, w = blockIdx.x % across * 32;
    for (unsigned y = threadIdx.y; y < 32; y += LINES) {
        const unsigned q = x.depth_fast ? threadIdx.x : y, v = x.depth_fast ? y : threadIdx.x;
        const bool is_there = p + q < x.depth && w + v < x.width;
        tile[q][v] = is_there ? x.at[x.depth_fast ? (w + v) * x.ld + p + q : (p + q) * x.ld + w + v] : 0.0f;
    }
    __syncthreads();
    for (unsigned y = threadIdx.y; y < 32; y += LINES)
        if (p + y < size.depth) pack_value(&to[(p + y) * size.width + w + threadIdx.x], tile[y][threadIdx.x]);
}

template <class T> static void pack(const struct panel *x, T *to, struct packed size, struct exec *exec)
{
    const size_t blocks = tiles_of(size.depth, 32) * (size.width / 32);
    if (blocks) pack_panel<T><<<launch_all(blocks), dim3(LINE, LINES), 0, exec->stream>>>(*x, to, size);
}

/* ---- double --------------------------------------------------------------------------------------------------------
 * vector waits for global memory at every tile of depth 8, with no work meanwhile: 30.7 TFLOPS. Idea: two tiles of
 * depth 16 in turn. While one is used, cp.async brings the next one into the other, without using registers, and there
 * is one barrier per tile instead of two. cp.async copies 16 aligned bytes unchanged. So operands are packed first,
 * unless they are already whole tiles, width fast and aligned.
 *
 *    | load 0 | wait | load 1, use 0 | wait | load 2, use 1 | ..
 *
 * The 8 warps cover the tile as 4 x 2, and the lanes cover a warp's 32 x 64 as 4 x 8. So 8 lanes in turn read 128
 * contiguous bytes of B, and all of them the same float4 of A. Two blocks per multiprocessor, at most 128 registers per
 * thread. 49.2, 97 % of cuBLAS.
 * Cost: scratch as large as A and B, the packing, and 32 KiB of shared memory per block. */

#include <cuda_pipeline_primitives.h>

enum { DOUBLE_DEPTH = 16 };

struct packed_operand {
    const float *at;
    size_t ld;
}; /* depth x width, whole tiles, rows aligned to 16 bytes */

/* Fetch a tile of 16 x 128: a warp copies rows of 512 bytes. `from` is the thread's own position in the first rows of
 * the tile. There is one pointer per thread and operand, because registers are short. */
static __device__ __forceinline__ void fetch_tile(float (*to)[TILE_C], const float *from, size_t ld)
{
    const unsigned warp = threadIdx.x / WARP, warps = THREADS / WARP;
#pragma unroll
    for (unsigned q = 0; q < DOUBLE_DEPTH; q += warps)
        __pipeline_memcpy_async(&to[q + warp][lane_index() * 4], from + q * ld, sizeof(float4));
}

/* Multiply a tile in shared memory: rows of A from y on, columns of B from x on. */
struct multiply_rows {
    static __device__ __forceinline__ void tile(float (*sum)[SIDE], const float (*a)[TILE_C], const float (*b)[TILE_C],
                                                unsigned y, unsigned x)
    {
#pragma unroll
        for (unsigned q = 0; q < DOUBLE_DEPTH; q++) {
            float part_a[SIDE], part_b[SIDE];
            load_side(part_a, &a[q][y], 16);
            load_side(part_b, &b[q][x], 32);
            outer_product(sum, part_a, part_b);
        }
    }
};

template <class MULTIPLY>
static __global__ void __launch_bounds__(THREADS, 2)
    gemm_double(struct gemm_desc d, struct packed_operand a, struct packed_operand b)
{
    __shared__ __align__(16) float tile_a[2][DOUBLE_DEPTH][TILE_C], tile_b[2][DOUBLE_DEPTH][TILE_C];
    const size_t row = tile_row(d, TILE_C, TILE_C), column = tile_column(d, TILE_C);
    const unsigned warp = threadIdx.x / WARP, lane = lane_index();
    const unsigned y = warp / 2 * 32 + lane / 8 * 4, x = warp % 2 * 64 + lane % 8 * 4;
    const float *from_a = a.at + warp * a.ld + row + lane * 4, *from_b = b.at + warp * b.ld + column + lane * 4;
    float sum[SIDE][SIDE] = {};
    unsigned now = 0;
    if (d.k) fetch_tile(tile_a[0], from_a, a.ld), fetch_tile(tile_b[0], from_b, b.ld);
    __pipeline_commit();
    for (size_t p = 0; p < d.k; p += DOUBLE_DEPTH) {
        __pipeline_wait_prior(0);
        __syncthreads(); /* all have their part of this tile, and have finished the previous one */
        from_a += DOUBLE_DEPTH * a.ld, from_b += DOUBLE_DEPTH * b.ld;
        if (d.k - p > DOUBLE_DEPTH) fetch_tile(tile_a[now ^ 1], from_a, a.ld), fetch_tile(tile_b[now ^ 1], from_b, b.ld);
        __pipeline_commit();
        MULTIPLY::tile(sum, tile_a[now], tile_b[now], y, x);
        now ^= 1;
    }
    store_block(d, row + y, column + x, sum, 16, 32);
}

/* Return true if the panel can be used in place. */
static bool is_packed(const struct panel *x)
{
    return !x->depth_fast && x->width % TILE_C == 0 && x->depth % DOUBLE_DEPTH == 0 && x->ld % 4 == 0 &&
           (uintptr_t)x->at % sizeof(float4) == 0;
}

static size_t double_bytes(const struct panel *x)
{
    const struct packed size = packed_size(x, DOUBLE_DEPTH, TILE_C);
    return is_packed(x) ? 0 : scratch_round(size.depth * size.width * sizeof(float));
}

static size_t scratch_double(const struct gemm_desc *desc, const struct exec *x)
{
    (void)x;
    const struct gemm_desc d = normalized(desc);
    const struct panel a = panel_a(&d), b = panel_b(&d);
    return double_bytes(&a) + double_bytes(&b);
}

static struct packed_operand pack_floats(const struct panel *x, char *to, struct exec *exec)
{
    const struct packed size = packed_size(x, DOUBLE_DEPTH, TILE_C);
    const struct packed_operand as_it_is = { x->at, x->ld }, copied = { (float *)to, size.width };
    if (is_packed(x)) return as_it_is;
    pack(x, (float *)to, size, exec);
    return copied;
}

template <class MULTIPLY> static int run_packed(const struct gemm_desc *desc, void *scratch, struct exec *x)
{
    const struct gemm_desc d = normalized(desc);
    const unsigned blocks = cover_c(&d, TILE_C, TILE_C);
    if (!blocks) return cudaSuccess;
    const struct panel a = panel_a(&d), b = panel_b(&d);
    const struct packed_operand at_a = pack_floats(&a, (char *)scratch, x);
    const struct packed_operand at_b = pack_floats(&b, (char *)scratch + double_bytes(&a), x);
    gemm_double<MULTIPLY><<<blocks, THREADS, 0, x->stream>>>(d, at_a, at_b);
    return cudaGetLastError();
}

static int run_double(const struct gemm_desc *desc, void *scratch, struct exec *x)
{
    return run_packed<struct multiply_rows>(desc, scratch, x);
}

/* ---- pingpong ------------------------------------------------------------------------------------------------------
 * double reads a row of both tiles from shared memory and only then multiplies it, so a warp waits 30 cycles for each
 * of the 16 rows. Idea: two sets of registers in turn, like the two tiles: while one row is multiplied, the next is on
 * its way into the other set. Predicted: 49, no gain (measured: 48.1). The loop is unrolled, so the compiler already
 * moves the loads ahead by itself, and with 16 warps there is always another to run. It pays where one warp per
 * scheduler has to be enough.
 * Cost: 16 registers of the 128. */

struct multiply_pingpong {
    static __device__ __forceinline__ void tile(float (*sum)[SIDE], const float (*a)[TILE_C], const float (*b)[TILE_C],
                                                unsigned y, unsigned x)
    {
        float part_a[2][SIDE], part_b[2][SIDE];
        load_side(part_a[0], &a[0][y], 16);
        load_side(part_b[0], &b[0][x], 32);
#pragma unroll
        for (unsigned q = 0; q < DOUBLE_DEPTH; q++) {
            if (q + 1 < DOUBLE_DEPTH) {
                load_side(part_a[(q + 1) % 2], &a[q + 1][y], 16);
                load_side(part_b[(q + 1) % 2], &b[q + 1][x], 32);
            }
            outer_product(sum, part_a[q % 2], part_b[q % 2]);
        }
    }
};

static int run_pingpong(const struct gemm_desc *desc, void *scratch, struct exec *x)
{
    return run_packed<struct multiply_pingpong>(desc, scratch, x);
}
