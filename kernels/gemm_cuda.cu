/* gemm on CUDA: C = alpha op(A) op(B) + beta C. Contract in gemm.h.
 * Run: isoscope ladder gemm --bench --backend cuda
 *
 *                     n
 *                 +-------+
 *               k | op(B) |      Every element of C needs a row of op(A) and a column of op(B). 2 m n k operations on
 *          k      +-------+      4 (m k + k n + m n) bytes: at 4096^3, 683 operations per byte, while an H200 can do 14
 *       +-----+   +-------+      per byte of its memory (67 TFLOPS over 4.8 TB/s). All but the first rungs are therefore
 *     m |op(A)| m |   C   |      limited by how often a number is fetched again, and from where.
 *       +-----+   +-------+
 *
 * Files: this one has the rungs with one element of C per thread, and the table. gemm_cuda_block.cuh: many elements per
 * thread. gemm_cuda_tensor.cuh, gemm_cuda_warps.cuh and gemm_cuda_groups.cu: tensor cores.
 * Sources: Volkov and Demmel 2008 for keeping C in registers, Goto and van de Geijn 2008 for packing.
 * Products are explicit fmaf(), because this project compiles without contraction, and a multiplication and an addition
 * would take twice the time. Blocks are numbered along C in one dimension, because the second dimension of a grid ends
 * at 65535. 2^31-1 blocks of 256 elements cover more than any GPU's memory, so no kernel loops over blocks. Left out on
 * purpose: splitting k over blocks for small C, and Strassen's method.
 * Rates: H200, 4096 x 4096, alpha 1, beta 0, nothing transposed, in TFLOPS; cuBLAS reaches 50.7 in float32. */
#include "gemm.h"
#include "cublas.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

/* Combine a sum of products with C. This is the only place that has to know not to read C if beta == 0. */
static __device__ __forceinline__ void store_c(const struct gemm_desc &d, size_t i, size_t j, float sum)
{
    float *c = d.c + i * d.ldc + j;
    *c = d.beta == 0 ? d.alpha * sum : d.alpha * sum + d.beta * *c;
}

static size_t tiles_of(size_t length, unsigned tile) { return length / tile + (length % tile != 0); }

/* Return the number of blocks that cover C with tiles of rows x columns; 0 if C is empty. Block b has tile (b / across,
 * b % across). */
static unsigned cover_c(const struct gemm_desc *d, unsigned rows, unsigned columns)
{
    return launch_all(tiles_of(d->m, rows) * tiles_of(d->n, columns));
}

/* Return the first row or column of the block's tile. */
static __device__ __forceinline__ size_t tile_row(const struct gemm_desc &d, unsigned rows, unsigned columns)
{
    return blockIdx.x / ((d.n + columns - 1) / columns) * rows;
}

static __device__ __forceinline__ size_t tile_column(const struct gemm_desc &d, unsigned columns)
{
    return blockIdx.x % ((d.n + columns - 1) / columns) * columns;
}

/* Return the description that kernels get: alpha == 0 is turned into k == 0. */
static struct gemm_desc normalized(const struct gemm_desc *desc)
{
    struct gemm_desc d = *desc;
    d.k = gemm_depth(desc);
    return d;
}

/* ---- naive ---------------------------------------------------------------------------------------------------------
 * One thread per element of C, with lanes down the rows, just as the definition is written.
 * Cost: two 4-byte loads per product, which is a quarter of an operation per byte. The 32 lanes of a warp read 32 rows
 * of A, so 128 useful bytes come from 32 sectors of 32 bytes; C is written in the same way. 0.50 TFLOPS. */

enum { LINE = 32, LINES = 8 }; /* threads of a block: along the lanes, and across */

/* LINES as a constant of the kernel, or as many as --block asks for (DOWN 0). */
template <unsigned DOWN> static __device__ __forceinline__ unsigned lines_of_block(void)
{
    return DOWN ? DOWN : blockDim.y;
}

static unsigned lines(const struct exec *x) { return block_threads(x) / LINE; }

template <unsigned DOWN> static __global__ void gemm_naive(struct gemm_desc d, struct gemm_view a, struct gemm_view b)
{
    const unsigned down = lines_of_block<DOWN>();
    const size_t i = tile_row(d, LINE, down) + threadIdx.x, j = tile_column(d, down) + threadIdx.y;
    if (i >= d.m || j >= d.n) return;
    float sum = 0;
    for (size_t p = 0; p < d.k; p++) sum = fmaf(a.at[i * a.row + p * a.column], b.at[p * b.row + j * b.column], sum);
    store_c(d, i, j, sum);
}

static int run_naive(const struct gemm_desc *desc, void *scratch, struct exec *x)
{
    (void)scratch;
    const struct gemm_desc d = normalized(desc);
    const auto kernel = x->block ? gemm_naive<0> : gemm_naive<LINES>;
    const unsigned blocks = cover_c(&d, LINE, lines(x));
    if (blocks) kernel<<<blocks, dim3(LINE, lines(x)), 0, x->stream>>>(d, gemm_view_a(&d), gemm_view_b(&d));
    return cudaGetLastError();
}

/* ---- restrict ------------------------------------------------------------------------------------------------------
 * naive has 0.50 TFLOPS. The compiler must assume that C may overlap A and B. Idea: rule that out, so that loads may
 * use the read-only path and move ahead of stores.
 * Cost: none. But no gain either, 0.50: the only store is at the end, so there is nothing to move, and since compute
 * capability 7.0 L1 handles both kinds of loads. */

template <unsigned DOWN>
static __global__ void gemm_restrict(struct gemm_desc d, const float *__restrict__ a, const float *__restrict__ b,
                                     float *__restrict__ c, struct gemm_view view_a, struct gemm_view view_b)
{
    const unsigned down = lines_of_block<DOWN>();
    const size_t i = tile_row(d, LINE, down) + threadIdx.x, j = tile_column(d, down) + threadIdx.y;
    if (i >= d.m || j >= d.n) return;
    float sum = 0;
    for (size_t p = 0; p < d.k; p++)
        sum = fmaf(a[i * view_a.row + p * view_a.column], b[p * view_b.row + j * view_b.column], sum);
    d.c = c;
    store_c(d, i, j, sum);
}

static int run_restrict(const struct gemm_desc *desc, void *scratch, struct exec *x)
{
    (void)scratch;
    const struct gemm_desc d = normalized(desc);
    const auto kernel = x->block ? gemm_restrict<0> : gemm_restrict<LINES>;
    const unsigned blocks = cover_c(&d, LINE, lines(x));
    if (blocks) kernel<<<blocks, dim3(LINE, lines(x)), 0, x->stream>>>(d, d.a, d.b, d.c, gemm_view_a(&d), gemm_view_b(&d));
    return cudaGetLastError();
}

/* ---- coalesced -----------------------------------------------------------------------------------------------------
 * With lanes down the rows, a warp touches 32 sectors where 4 would hold as many bytes: 0.50 TFLOPS. Idea: lanes along
 * a row of C. All of them read the same element of A and 32 neighbours of B, and they write C in whole sectors: 5
 * sectors per 32 products instead of 33. 4.91.
 * Cost: none, unless B is transposed; then its lanes are a row apart, as those of A were. There are still two loads per
 * product. */

template <unsigned DOWN>
static __global__ void gemm_coalesced(struct gemm_desc d, const float *__restrict__ a, const float *__restrict__ b,
                                      struct gemm_view view_a, struct gemm_view view_b)
{
    const unsigned down = lines_of_block<DOWN>();
    const size_t i = tile_row(d, down, LINE) + threadIdx.y, j = tile_column(d, LINE) + threadIdx.x;
    if (i >= d.m || j >= d.n) return;
    float sum = 0;
    for (size_t p = 0; p < d.k; p++)
        sum = fmaf(a[i * view_a.row + p * view_a.column], b[p * view_b.row + j * view_b.column], sum);
    store_c(d, i, j, sum);
}

static int run_coalesced(const struct gemm_desc *desc, void *scratch, struct exec *x)
{
    (void)scratch;
    const struct gemm_desc d = normalized(desc);
    const auto kernel = x->block ? gemm_coalesced<0> : gemm_coalesced<LINES>;
    const unsigned blocks = cover_c(&d, lines(x), LINE);
    if (blocks) kernel<<<blocks, dim3(LINE, lines(x)), 0, x->stream>>>(d, d.a, d.b, gemm_view_a(&d), gemm_view_b(&d));
    return cudaGetLastError();
}

/* ---- memory --------------------------------------------------------------------------------------------------------
 * The same as coalesced, but the sum lives in C, as one would first write the loop: C[i][j] += A[i][p] * B[p][j]. A
 * compiler may keep the sum in a register only if it knows that C is neither A nor B; here volatile prevents it.
 * Predicted: 2 TFLOPS of 4.91. Measured: 0.60. There are four accesses per product where two would do, and each
 * addition waits until the one before has come back from L2, where stores go.
 * Cost: everything. The rung is here to show that the register in all other rungs is an optimisation, too. It can be
 * seen in the machine code (cuobjdump -sass): three LDG, an FFMA and an STG per product, where coalesced has two LDG
 * and an FFMA. */

template <unsigned DOWN> static __global__ void gemm_memory(struct gemm_desc d, struct gemm_view a, struct gemm_view b)
{
    const unsigned down = lines_of_block<DOWN>();
    const size_t i = tile_row(d, down, LINE) + threadIdx.y, j = tile_column(d, LINE) + threadIdx.x;
    if (i >= d.m || j >= d.n) return;
    volatile float *const sum = d.c + i * d.ldc + j;
    *sum = d.beta == 0 ? 0 : d.beta * *sum;
    for (size_t p = 0; p < d.k; p++)
        *sum = fmaf(d.alpha * a.at[i * a.row + p * a.column], b.at[p * b.row + j * b.column], *sum);
}

static int run_memory(const struct gemm_desc *desc, void *scratch, struct exec *x)
{
    (void)scratch;
    const struct gemm_desc d = normalized(desc);
    const auto kernel = x->block ? gemm_memory<0> : gemm_memory<LINES>;
    const unsigned blocks = cover_c(&d, lines(x), LINE);
    if (blocks) kernel<<<blocks, dim3(LINE, lines(x)), 0, x->stream>>>(d, gemm_view_a(&d), gemm_view_b(&d));
    return cudaGetLastError();
}

/* ---- tiled8, tiled16, tiled32, padded, unrolled --------------------------------------------------------------------
 * coalesced loads 8 bytes per product, and relies on L1 for what neighbours share: 4.91. Idea of the tiles: the 256
 * threads of a block fetch a 16 x 16 tile of A and one of B into shared memory, and use each number 16 times. That is
 * half a byte from global memory per product. 4.60, less than before: L1 did the same without barriers, and so small a
 * tile has two barriers for 16 products.
 *
 * tiled8 has two barriers for 8 products, moves a byte per product, and has blocks of two warps. Predicted: 3.
 * Measured: 3.3.
 * Tiles past the edge of a matrix are padded with zeros, so any size works. Cost: two barriers per tile. A transposed
 * matrix is read along its rows and stored down a column of the tile; there the 16 lanes of a row meet in two banks.
 *
 *        tile of A     tile of B           tiled32: 1024 threads, 32 x 32: a quarter of a byte per product. Cost: one
 *        +------+      +------+            barrier stops half of what a multiprocessor holds; and all 32 lanes of a
 *      i |=p===>|    p |  |   |            transposed tile's store meet in one bank, 32 turns instead of 1.
 *        |      |      |  v j |            padded: one more column spreads a column of the tile over 32 banks.
 *        +------+      +------+            unrolled: the inner loop without counter, compare and branch.
 *
 * tiled32 has 5.45. padded has 5.47, hardly more, because nothing is transposed here, so no lanes met in a bank before.
 * unrolled has 6.08.
 *
 * What remains: two reads of shared memory per product and warp. A multiprocessor serves one read per cycle, and in a
 * cycle it could do the products of four warps. So these rungs can reach at most an eighth of the peak, 8.4 of 67
 * TFLOPS on an H200. */

struct operand { /* op(X), rows x columns, source of tiles; zero outside */
    const float *at;
    size_t ld, rows, columns;
    bool transposed;
};

static struct operand operand_a(const struct gemm_desc *d)
{
    const struct operand a = { d->a, d->lda, d->m, d->k, d->trans_a };
    return a;
}

static struct operand operand_b(const struct gemm_desc *d)
{
    const struct operand b = { d->b, d->ldb, d->k, d->n, d->trans_b };
    return b;
}

/* Load tile[r][c] = op(X)[row + r][column + c]; lanes go along the rows of X in memory, whatever their direction in the
 * tile. */
template <unsigned TILE, unsigned PAD>
static __device__ __forceinline__ void load_tile(float (*tile)[TILE + PAD], const struct operand &x, size_t row,
                                                 size_t column)
{
    const unsigned r = x.transposed ? threadIdx.x : threadIdx.y, c = x.transposed ? threadIdx.y : threadIdx.x;
    const size_t i = row + r, j = column + c;
    tile[r][c] = i < x.rows && j < x.columns ? x.at[x.transposed ? j * x.ld + i : i * x.ld + j] : 0.0f;
}

template <unsigned TILE, unsigned PAD, unsigned UNROLL>
static __global__ void __launch_bounds__(TILE *TILE) gemm_tiled(struct gemm_desc d, struct operand a, struct operand b)
{
    __shared__ float tile_a[TILE][TILE + PAD], tile_b[TILE][TILE + PAD];
    const size_t row = tile_row(d, TILE, TILE), column = tile_column(d, TILE);
    float sum = 0;
    for (size_t p = 0; p < d.k; p += TILE) {
        load_tile<TILE, PAD>(tile_a, a, row, p);
        load_tile<TILE, PAD>(tile_b, b, p, column);
        __syncthreads();
#pragma unroll UNROLL
        for (unsigned q = 0; q < TILE; q++) sum = fmaf(tile_a[threadIdx.y][q], tile_b[q][threadIdx.x], sum);
        __syncthreads();
    }
    const size_t i = row + threadIdx.y, j = column + threadIdx.x;
    if (i < d.m && j < d.n) store_c(d, i, j, sum);
}

template <unsigned TILE, unsigned PAD, unsigned UNROLL>
static int run_tiled(const struct gemm_desc *desc, void *scratch, struct exec *x)
{
    (void)scratch;
    const struct gemm_desc d = normalized(desc);
    const unsigned blocks = cover_c(&d, TILE, TILE);
    if (blocks) gemm_tiled<TILE, PAD, UNROLL><<<blocks, dim3(TILE, TILE), 0, x->stream>>>(d, operand_a(&d), operand_b(&d));
    return cudaGetLastError();
}

#include "gemm_cuda_block.cuh"
#include "gemm_cuda_tensor.cuh"
#include "gemm_cuda_warps.cuh"

/* ---- cublas --------------------------------------------------------------------------------------------------------
 * The library, as the ceiling: in float32, and with inputs rounded to TF32 for the tensor cores.
 * Cost: some 600 MB that may not be installed. */

static int run_cublas(const struct gemm_desc *desc, void *scratch, struct exec *x)
{
    (void)scratch;
    return cublas_gemm(desc, false, x);
}

static int run_cublas_tf32(const struct gemm_desc *desc, void *scratch, struct exec *x)
{
    (void)scratch;
    return cublas_gemm(desc, true, x);
}

static const char *cublas_tf32_unavailable(const struct exec *x)
{
    const char *why = tf32_unavailable(x);
    return why ? why : cublas_unavailable(x);
}

/* ---- the table ----------------------------------------------------------------------------------------------------- */

#define FLOAT 0, GEMM_FLOAT_ERROR
#define TENSOR GEMM_HALF_ERROR, 2 * GEMM_FLOAT_ERROR /* tensor cores truncate sums instead of rounding them */

/* clang-format off */
const struct gemm_rung gemm_cuda[] = {
    { { "naive", "one thread per element of C, lanes down a column", false }, run_naive, NULL, FLOAT, true },
    { { "restrict", "__restrict__ promises that C does not overlap A or B", false }, run_restrict, NULL, FLOAT, true },
    { { "coalesced", "lanes along a row of C", false }, run_coalesced, NULL, FLOAT, true },
    { { "memory", "the sum in C itself, not in a register", false }, run_memory, NULL, FLOAT, true },
    { { "tiled8", "tiles of 8 x 8 in shared memory", false }, run_tiled<8, 0, 1>, NULL, FLOAT },
    { { "tiled16", "tiles of 16 x 16 in shared memory", false }, run_tiled<16, 0, 1>, NULL, FLOAT },
    { { "tiled32", "tiles of 32 x 32 in shared memory", false }, run_tiled<32, 0, 1>, NULL, FLOAT },
    { { "padded", "one extra column per tile, against bank conflicts", false }, run_tiled<32, 1, 1>, NULL, FLOAT },
    { { "unrolled", "inner loop unrolled", false }, run_tiled<32, 1, 32>, NULL, FLOAT },
    { { "column", "8 rows of a column per thread, in registers", false }, run_column, NULL, FLOAT },
    { { "block", "8 x 8 elements per thread, tiles of 128 x 128", false }, run_block, NULL, FLOAT },
    { { "vector", "16-byte loads from global and shared memory", false }, run_vector, NULL, FLOAT },
    { { "double", "operands packed; the next tile is fetched while this one is multiplied", true },
      run_double, scratch_double, FLOAT },
    { { "pingpong", "as double; the next row of the tile is read ahead into other registers", false },
      run_pingpong, scratch_double, FLOAT },
    { { "tf32", "tensor cores, TF32, operands straight from memory", false, tf32_unavailable },
      run_direct<struct tf32>, scratch_tensor<struct tf32>, TENSOR },
    { { "tf32-shared", "TF32, tiles of 128 x 128 in shared memory, double-buffered", false, tf32_unavailable },
      run_shared<struct tf32>, scratch_tensor<struct tf32>, TENSOR },
    { { "tf32-warps", "TF32, 64 x 64 per warp by mma.sync and ldmatrix, three stages", false, warps_unavailable },
      run_warps, scratch_units, TENSOR },
    { { "tf32-wgmma", "TF32, warp groups (wgmma) multiply from shared memory, which the TMA fills", false,
        gemm_groups_unavailable },
      run_groups, scratch_units, TENSOR },
    { { "fp16", "tensor cores, FP16 (inputs beyond 65504 overflow)", false, fp16_unavailable }, run_direct<struct fp16>,
      scratch_tensor<struct fp16>, TENSOR },
    { { "fp16-shared", "FP16, tiles of 128 x 128 in shared memory, double-buffered", false, fp16_unavailable },
      run_shared<struct fp16>, scratch_tensor<struct fp16>, TENSOR },
    { { "bf16", "BF16: the range of float32, 3 bits less precision than FP16", false, bf16_unavailable },
      run_shared<struct bf16>, scratch_tensor<struct bf16>, GEMM_BF16_ERROR, 2 * GEMM_FLOAT_ERROR },
    { { "cublas", "the library: cuBLAS in float32", false, cublas_unavailable, true }, run_cublas, NULL, FLOAT },
    { { "cublas-tf32", "the library: cuBLAS in TF32", false, cublas_tf32_unavailable, true },
      run_cublas_tf32, NULL, TENSOR },
    {},
};
/* clang-format on */
