/* gemv on CUDA: y = alpha op(A) x + beta y. Contract in gemv.h.
 * Run: isoscope ladder gemv --bench --backend cuda
 *
 * There are two operations for each 4 bytes of A, and each is read once. So memory is the limit of every rung, and the
 * ladder is about reading A in the order of memory with enough lanes. If A is transposed, the task is a different one:
 * a float of y is the sum down a column, so neighbouring lanes hold different sums. Each rung says how it does both.
 * One thing is left out on purpose: splitting a sum over several blocks. Without that, few rows (plain) or few columns
 * (transposed) leave most of a GPU idle; the library does it.
 * Rates: H200, 8192 x 8192, plain. */
#include "gemv.h"
#include "cublas.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

/* The most threads that a block may have. Kernels compiled for THREADS may use more registers; with --block, kernels
 * compiled for MOST are launched. */
enum { MOST = 1024 };

static __device__ __forceinline__ void store_y(const struct gemv_desc &d, size_t i, float sum)
{
    d.y[i] = d.beta == 0 ? d.alpha * sum : d.alpha * sum + d.beta * d.y[i];
}

/* ---- thread --------------------------------------------------------------------------------------------------------
 * One thread per float of y. Plain: along its row. Transposed: down its column.
 * Cost: plain, lanes are a row apart, so 128 bytes come from 32 sectors of 32 bytes. L1 serves the next 7 steps if it
 * still has them. 8192 rows are only 32 blocks, on a quarter of the multiprocessors. 234 GB/s. Transposed, lanes are
 * neighbours, and only a small n hurts. */

template <unsigned SIZE> static __global__ void __launch_bounds__(SIZE) gemv_thread(struct gemv_desc d, size_t depth)
{
    const size_t row = d.trans ? 1 : d.lda, column = d.trans ? d.lda : 1, rows = gemv_rows(&d);
    for (size_t i = thread_index(); i < rows; i += thread_count()) {
        float sum = 0;
        for (size_t p = 0; p < depth; p++) sum = fmaf(d.a[i * row + p * column], d.x[p], sum);
        store_y(d, i, sum);
    }
}

static int run_thread(const struct gemv_desc *d, void *scratch, struct exec *x)
{
    (void)scratch;
    const auto kernel = x->block ? gemv_thread<MOST> : gemv_thread<THREADS>;
    kernel<<<launch_blocks(gemv_rows(d), block_threads(x)), block_threads(x), 0, x->stream>>>(*d, gemv_depth(d));
    return cudaGetLastError();
}

/* ---- warp ----------------------------------------------------------------------------------------------------------
 * thread requests 32 sectors where 4 would do, and has only 8192 threads: 234 GB/s. Idea: plain, a warp per row, with
 * lanes along it, and five shuffles to add up its sums. Transposed, a block has 32 columns; its 8 warps take rows in
 * turn, and their sums meet in shared memory, which makes 8 times as many threads. 3932 GB/s.
 * Cost: rows shorter than 32 leave lanes idle; and there are shuffles for each row. */

enum { GEMV_WARPS = THREADS / WARP };

static __device__ __forceinline__ float warp_add(float value)
{
    for (unsigned step = WARP / 2; step > 0; step /= 2) value += __shfl_down_sync(ALL_LANES, value, step);
    return value; /* complete in lane 0 */
}

static __global__ void gemv_warp(struct gemv_desc d, size_t depth)
{
    for (size_t i = thread_index() / WARP; i < d.m; i += thread_count() / WARP) {
        float sum = 0;
        for (size_t p = lane_index(); p < depth; p += WARP) sum = fmaf(d.a[i * d.lda + p], d.x[p], sum);
        sum = warp_add(sum);
        if (lane_index() == 0) store_y(d, i, sum);
    }
}

/* Add up the sums of the block's warps for EACH columns per lane, from column j. part: (warps, columns). All threads
 * must call. */
template <unsigned EACH>
static __device__ __forceinline__ void add_columns(const struct gemv_desc &d, size_t j, const float *sum,
                                                   float (*part)[WARP * EACH])
{
#pragma unroll
    for (unsigned e = 0; e < EACH; e++) part[threadIdx.x / WARP][lane_index() * EACH + e] = sum[e];
    __syncthreads();
    if (threadIdx.x < WARP * EACH && j + threadIdx.x < d.n) {
        float all = 0;
        for (unsigned w = 0; w < GEMV_WARPS; w++) all += part[w][threadIdx.x];
        store_y(d, j + threadIdx.x, all);
    }
    __syncthreads(); /* before the next columns overwrite `part` */
}

static __global__ void __launch_bounds__(THREADS) gemv_warp_transposed(struct gemv_desc d, size_t depth)
{
    __shared__ float part[GEMV_WARPS][WARP];
    for (size_t j = (size_t)blockIdx.x * WARP; j < d.n; j += (size_t)gridDim.x * WARP) {
        const size_t mine = j + lane_index();
        float sum = 0;
        for (size_t p = threadIdx.x / WARP; p < depth && mine < d.n; p += GEMV_WARPS)
            sum = fmaf(d.a[p * d.lda + mine], d.x[p], sum);
        add_columns<1>(d, j, &sum, part);
    }
}

static int run_warp(const struct gemv_desc *d, void *scratch, struct exec *x)
{
    (void)scratch;
    if (d->trans) gemv_warp_transposed<<<launch_blocks(d->n, WARP), THREADS, 0, x->stream>>>(*d, gemv_depth(d));
    else gemv_warp<<<launch_blocks(d->m, block_threads(x) / WARP), block_threads(x), 0, x->stream>>>(*d, gemv_depth(d));
    return cudaGetLastError();
}

/* ---- vector --------------------------------------------------------------------------------------------------------
 * warp has 128 bytes in flight per warp and load, which is enough with 2048 threads per multiprocessor: 3932 GB/s.
 * Idea: 16 bytes per lane. Plain, these are 4 neighbours of A and of x; transposed, 4 columns, with a sum for each.
 * That is four times the bytes in flight with the same number of instructions. 3608 GB/s, less than before. The
 * probable reason: its 40 registers per thread allow 6 blocks per multiprocessor, so 792 at once of the 1024 that 8192
 * rows make, while warp's 32 registers allow all of them.
 * Cost: A and its rows (and x, plain) must be aligned to 16 bytes; others use warp. */

template <unsigned SIZE> static __global__ void __launch_bounds__(SIZE) gemv_vector(struct gemv_desc d, size_t depth)
{
    const size_t fours = depth / 4;
    const float4 *x = (const float4 *)d.x;
    for (size_t i = thread_index() / WARP; i < d.m; i += thread_count() / WARP) {
        const float *row = d.a + i * d.lda;
        float sum = 0;
#pragma unroll 4
        for (size_t p = lane_index(); p < fours; p += WARP) {
            const float4 a = ((const float4 *)row)[p], b = x[p];
            sum = fmaf(a.w, b.w, fmaf(a.z, b.z, fmaf(a.y, b.y, fmaf(a.x, b.x, sum))));
        }
        for (size_t p = fours * 4 + lane_index(); p < depth; p += WARP) sum = fmaf(row[p], d.x[p], sum);
        sum = warp_add(sum);
        if (lane_index() == 0) store_y(d, i, sum);
    }
}

static __global__ void __launch_bounds__(THREADS) gemv_vector_transposed(struct gemv_desc d, size_t depth)
{
    __shared__ float part[GEMV_WARPS][WARP * 4];
    for (size_t j = (size_t)blockIdx.x * WARP * 4; j < d.n; j += (size_t)gridDim.x * WARP * 4) {
        const size_t mine = j + lane_index() * 4;
        const unsigned have = mine >= d.n ? 0 : d.n - mine < 4 ? (unsigned)(d.n - mine) : 4;
        float sum[4] = {};
        if (have == 4) {
#pragma unroll 4
            for (size_t p = threadIdx.x / WARP; p < depth; p += GEMV_WARPS) {
                const float4 a = *(const float4 *)(d.a + p * d.lda + mine);
                const float x = d.x[p];
                sum[0] = fmaf(a.x, x, sum[0]), sum[1] = fmaf(a.y, x, sum[1]);
                sum[2] = fmaf(a.z, x, sum[2]), sum[3] = fmaf(a.w, x, sum[3]);
            }
        } else {
            for (size_t p = threadIdx.x / WARP; p < depth; p += GEMV_WARPS)
#pragma unroll
                for (unsigned e = 0; e < 4; e++)
                    if (e < have) sum[e] = fmaf(d.a[p * d.lda + mine + e], d.x[p], sum[e]);
        }
        add_columns<4>(d, j, sum, part);
    }
}

static int run_vector(const struct gemv_desc *d, void *scratch, struct exec *x)
{
    const bool aligned = (uintptr_t)d->a % sizeof(float4) == 0 && d->lda % 4 == 0;
    if (!aligned || (!d->trans && (uintptr_t)d->x % sizeof(float4))) return run_warp(d, scratch, x);
    const auto kernel = x->block ? gemv_vector<MOST> : gemv_vector<THREADS>;
    if (d->trans) gemv_vector_transposed<<<launch_blocks(d->n, WARP * 4), THREADS, 0, x->stream>>>(*d, gemv_depth(d));
    else kernel<<<launch_blocks(d->m, block_threads(x) / WARP), block_threads(x), 0, x->stream>>>(*d, gemv_depth(d));
    return cudaGetLastError();
}

/* ---- block ---------------------------------------------------------------------------------------------------------
 * vector gives each row to one warp. If there are few rows, say 64 of a million floats, 64 warps read where 8448 could.
 * Idea: plain, a block per row; its 8 warps share the row, and their sums meet in shared memory. Transposed, warp does
 * that already. Predicted: at 8192 x 8192 3900 GB/s, as warp (measured: 3945); at 64 x 2^20 2000, eight times warp's.
 * Cost: a barrier per row, so rows should be long. */

static __global__ void __launch_bounds__(THREADS) gemv_block(struct gemv_desc d, size_t depth)
{
    __shared__ float part[GEMV_WARPS];
    for (size_t i = blockIdx.x; i < d.m; i += gridDim.x) {
        float sum = 0;
        for (size_t p = threadIdx.x; p < depth; p += THREADS) sum = fmaf(d.a[i * d.lda + p], d.x[p], sum);
        sum = warp_add(sum);
        if (lane_index() == 0) part[threadIdx.x / WARP] = sum;
        __syncthreads();
        sum = 0;
        for (unsigned w = 0; w < GEMV_WARPS && threadIdx.x == 0; w++) sum += part[w];
        if (threadIdx.x == 0) store_y(d, i, sum);
        __syncthreads(); /* before the next row overwrites `part` */
    }
}

static int run_block(const struct gemv_desc *d, void *scratch, struct exec *x)
{
    if (d->trans) return run_warp(d, scratch, x);
    gemv_block<<<launch_blocks(d->m, 1), THREADS, 0, x->stream>>>(*d, gemv_depth(d));
    return cudaGetLastError();
}

/* ---- group ---------------------------------------------------------------------------------------------------------
 * The viewer multiplies millions of rows of 3. There, warp has 29 of 32 lanes idle, and five shuffles for two
 * additions. Idea: a group of lanes per row, of the next power of two. Then a warp takes 8 rows of 3, and shuffles stay
 * within the group. Predicted: at 2^24 x 3 1500 GB/s, against 200 of warp and 2500 of thread. For rows this short,
 * thread is coalesced enough: the 96 floats of a warp are three lines. From 32 columns on, group is the same as warp.
 * Cost: with rows of 3, a quarter of the lanes still has nothing to do. */

static __global__ void gemv_group(struct gemv_desc d, size_t depth, unsigned lanes)
{
    const unsigned rows = WARP / lanes, column = lane_index() % lanes;
    for (size_t first = thread_index() / WARP * rows; first < d.m; first += thread_count() / WARP * rows) {
        const size_t i = first + lane_index() / lanes;
        float sum = 0;
        for (size_t p = column; p < depth && i < d.m; p += lanes) sum = fmaf(d.a[i * d.lda + p], d.x[p], sum);
        for (unsigned step = lanes / 2; step > 0; step /= 2) sum += __shfl_down_sync(ALL_LANES, sum, step, (int)lanes);
        if (column == 0 && i < d.m) store_y(d, i, sum);
    }
}

static int run_group(const struct gemv_desc *d, void *scratch, struct exec *x)
{
    unsigned lanes = 1;
    if (d->trans) return run_warp(d, scratch, x);
    while (lanes < WARP && lanes < gemv_depth(d)) lanes *= 2;
    gemv_group<<<launch_blocks(d->m, block_threads(x) / lanes), block_threads(x), 0, x->stream>>>(*d, gemv_depth(d), lanes);
    return cudaGetLastError();
}

/* ---- cublas --------------------------------------------------------------------------------------------------------
 * The library, for comparison: 2834 GB/s, so it is no ceiling here. BLAS does nothing for an empty matrix; in that case
 * our own rung handles y. */

static int run_cublas(const struct gemv_desc *d, void *scratch, struct exec *x)
{
    return gemv_depth(d) && gemv_rows(d) ? cublas_gemv(d, x) : run_thread(d, scratch, x);
}

/* ---- the table ----------------------------------------------------------------------------------------------------- */

const struct gemv_rung gemv_cuda[] = {
    { { "thread", "a thread per float of y", false }, run_thread, NULL, true },
    { { "warp", "a warp per row; if A is transposed, 8 warps per 32 columns", true }, run_warp, NULL, true },
    { { "vector", "as warp, 16 bytes per lane", false }, run_vector, NULL, true },
    { { "block", "a block per row, for few long rows", false }, run_block },
    { { "group", "several rows per warp, for short rows", false }, run_group, NULL, true },
    { { "cublas", "the library: cuBLAS", false, cublas_unavailable, true }, run_cublas },
    {},
};
