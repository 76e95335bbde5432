/* gemv on CUDA: y = alpha op(A) x + beta y. Contract in gemv.h.
 * Run: isoscope ladder gemv --bench --backend cuda
 *
 * Two operations for each 4 bytes of A, each read once: every rung is bound by memory, and the ladder is about reading
 * A along memory with enough lanes. Transposed is another task: a float of y is the sum down a column, so neighbouring
 * lanes hold different sums. Each rung says how it does both. Deliberately absent: splitting a sum over blocks, without
 * which few rows (plain) or few columns (transposed) leave most of a GPU idle; the library does that. Rates: H200, 8192
 * x 8192, plain. */
#include "gemv.h"
#include "cublas.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

static __device__ __forceinline__ void store_y(const struct gemv_desc &d, size_t i, float sum)
{
    d.y[i] = d.beta == 0 ? d.alpha * sum : d.alpha * sum + d.beta * d.y[i];
}

/* ---- thread --------------------------------------------------------------------------------------------------------
 * One thread per float of y. Plain: along its row. Transposed: down its column.
 * Cost: plain, lanes are a row apart: 32 sectors of 32 bytes for 128 bytes; L1 serves the next 7 steps if it still has
 * them. 8192 rows are 32 blocks, on a quarter of the multiprocessors. 234 GB/s. Transposed, lanes are neighbours, and
 * only a small n hurts. */

static __global__ void __launch_bounds__(THREADS) gemv_thread(struct gemv_desc d, size_t depth)
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
    gemv_thread<<<launch_blocks(gemv_rows(d), THREADS), THREADS, 0, x->stream>>>(*d, gemv_depth(d));
    return cudaGetLastError();
}

/* ---- warp ----------------------------------------------------------------------------------------------------------
 * thread requests 32 sectors where 4 would do, with only 8192 threads: 234 GB/s. Idea: plain, a warp per row, lanes
 * along it, and five shuffles to add them up. Transposed: a block has 32 columns, its 8 warps take rows in turn, and
 * their sums meet in shared memory: 8 times the threads. 3932 GB/s. Cost: rows shorter than 32 leave lanes idle;
 * shuffles for each row. */

enum { GEMV_WARPS = THREADS / WARP };

static __device__ __forceinline__ float warp_add(float value)
{
    for (unsigned step = WARP / 2; step > 0; step /= 2) value += __shfl_down_sync(ALL_LANES, value, step);
    return value; /* complete in lane 0 */
}

static __global__ void __launch_bounds__(THREADS) gemv_warp(struct gemv_desc d, size_t depth)
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
    else gemv_warp<<<launch_blocks(d->m, GEMV_WARPS), THREADS, 0, x->stream>>>(*d, gemv_depth(d));
    return cudaGetLastError();
}

/* ---- vector --------------------------------------------------------------------------------------------------------
 * warp has 128 bytes in flight per warp and load, enough with 2048 threads per multiprocessor: 3932 GB/s. Idea: 16
 * bytes per lane: plain, 4 neighbours of A and of x; transposed, 4 columns, with a sum for each. Four times the bytes
 * in flight for the same instructions. 3608 GB/s, less than before, probably because 40 registers per thread allow 6
 * blocks on a multiprocessor, 792 at once of the 1024 that 8192 rows make; warp's 32 registers allow all of them.
 * Cost: A and its rows (and x, plain) must be aligned to 16 bytes; others use warp. */

static __global__ void __launch_bounds__(THREADS) gemv_vector(struct gemv_desc d, size_t depth)
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
    if (d->trans) gemv_vector_transposed<<<launch_blocks(d->n, WARP * 4), THREADS, 0, x->stream>>>(*d, gemv_depth(d));
    else gemv_vector<<<launch_blocks(d->m, GEMV_WARPS), THREADS, 0, x->stream>>>(*d, gemv_depth(d));
    return cudaGetLastError();
}

/* ---- cublas --------------------------------------------------------------------------------------------------------
 * The library, for comparison: 2834 GB/s, no ceiling here. BLAS does nothing for an empty matrix; our own rung handles
 * y then. */

static int run_cublas(const struct gemv_desc *d, void *scratch, struct exec *x)
{
    return gemv_depth(d) && gemv_rows(d) ? cublas_gemv(d, x) : run_thread(d, scratch, x);
}

/* ---- the table ----------------------------------------------------------------------------------------------------- */

const struct gemv_rung gemv_cuda[] = {
    { { "thread", "a thread per float of y", false }, run_thread },
    { { "warp", "a warp per row; transposed, 8 warps per 32 columns", true }, run_warp },
    { { "vector", "16 bytes per lane", false }, run_vector },
    { { "cublas", "the library", false, cublas_unavailable, true }, run_cublas },
    {},
};
