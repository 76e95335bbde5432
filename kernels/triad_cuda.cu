/* triad on CUDA: which thread does which numbers. Contract in triad.h.
 * Run: isoscope ladder triad --bench --backend cuda
 *
 * Every kernel loads x and b once and stores y once, 12 bytes per number; the multiplication and the addition cost
 * nothing beside that. Predictions are for an H200 (132 multiprocessors, copy rate 4160 GB/s) and 2^26 numbers, which
 * are 805 MB: 0.19 ms at that rate. */
#include "triad.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

#define LAUNCH_EACH(kernel, items)                                                    \
    static int run_##kernel(const struct triad_desc *d, struct exec *x)               \
    {                                                                                 \
        const unsigned threads = block_threads(x);                                    \
        triad_##kernel<<<launch_blocks(items, threads), threads, 0, x->stream>>>(*d); \
        return cudaGetLastError();                                                    \
    }

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * Thread i does number i: the vectorAdd of every first lesson. For each warp, the two reads and the write are 128
 * consecutive bytes each. Cost: an index, a bounds check and three 4-byte instructions per number.
 *
 * The two loads do not wait for each other, so twice as many bytes are in flight as in copy's textbook, which bytes in
 * flight held at 2560 GB/s. Predicted: 4000 GB/s, the copy rate. Measured: 3340. Starting 2^18 blocks at one per 0.61
 * ns takes 0.16 of its 0.24 ms, and seems not to be hidden completely: stride, which does not start so many, is 8 %
 * faster. */

static __global__ void triad_textbook(struct triad_desc d)
{
    for (size_t i = thread_index(); i < d.n; i += thread_count()) d.y[i] = d.a * d.x[i] + d.b[i];
}
LAUNCH_EACH(textbook, d->n)

/* ---- chunk ---------------------------------------------------------------------------------------------------------
 * What threads of a CPU would do: thread t takes CHUNK neighbouring numbers, one after the other. Then the lanes are
 * 128 bytes apart, and each instruction of a warp touches 32 lines and uses 4 bytes of each. The next 31 turns want the
 * same lines. But between turns, the 2048 threads of a multiprocessor need 768 KiB of them, three times its L1, so they
 * come from L2 each time.
 *
 * Predicted: limited by the stores, each to a line of its own, of which a multiprocessor sends one per 2 ns (stride32
 * of copy): 1.0 ms, 790 GB/s. Measured: 4.1 ms, 196 GB/s, four times as slow, as if nearly every number fetched its
 * sector again. */

enum { CHUNK = 32 };

static __global__ void triad_chunk(struct triad_desc d)
{
    for (size_t first = thread_index() * CHUNK; first < d.n; first += thread_count() * CHUNK) {
        const size_t end = d.n - first < CHUNK ? d.n : first + CHUNK;
#pragma unroll 1
        for (size_t i = first; i < end; i++) d.y[i] = d.a * d.x[i] + d.b[i];
    }
}
LAUNCH_EACH(chunk, (d->n + CHUNK - 1) / CHUNK)

/* ---- columns, rows -------------------------------------------------------------------------------------------------
 * The same numbers seen as a picture: rows of COLUMNS numbers, done by tiles of 32 by 8 threads. A warp is 32 threads
 * in a row of threadIdx.x. Which axis of the picture this row runs along decides everything.
 *
 * columns: down. Lanes are 16 KiB apart, and each instruction touches 32 lines, as in chunk. But the eight warps of the
 * block use a whole sector of each line at about the same time, while L1 still has it. Predicted: 790 GB/s, limited by
 * the stores, each to a line of its own. Measured: 762.
 *
 * rows: along. Each warp has 128 consecutive bytes, as in the textbook. Predicted: the textbook's rate, because two
 * dimensions cost just one more index. Measured: 3140 GB/s, 6 % less. A third dimension is one more index again:
 * threads are numbered along x, then y, then z, and cut into warps in this order, just as the voxels of a volume are
 * cut into strips. */

/* ---- rows64x16, rows32x32, rows16x64, rows8x32 ---------------------------------------------------------------------
 * rows with blocks of other shapes. In a block 16 wide, a warp covers two rows of 64 bytes; in one 8 wide, four rows of
 * 32 bytes. Sectors are still whole, so memory moves no more, but L1 looks up two or four lines per instruction instead
 * of one. With 1024 threads per block, only two blocks fit a multiprocessor, and a slot becomes free only when the
 * slowest of 32 warps is done.
 *
 * Predicted: the three shapes of 1024 threads a fifth slower than rows, because that is what copy's textbook loses with
 * such blocks; 8x32 as fast as rows. Measured: 2710, 2600, 2470 and 2740 GB/s, so lookups cost as much as large blocks.
 * The advice that 64x16 is the best shape comes from other GPUs and other kernels: measure. */

enum { COLUMNS = 4096 };

template <bool DOWN, unsigned X, unsigned Y> static __global__ void __launch_bounds__(X *Y) triad_table(struct triad_desc d)
{
    const unsigned along = DOWN ? Y : X, down = DOWN ? X : Y; /* of a tile, in numbers */
    const size_t column = (size_t)blockIdx.x * along + (DOWN ? threadIdx.y : threadIdx.x);
    const size_t rows = (d.n + COLUMNS - 1) / COLUMNS;
    for (size_t row = (size_t)blockIdx.y * down + (DOWN ? threadIdx.x : threadIdx.y); row < rows;
         row += (size_t)gridDim.y * down) {
        const size_t i = row * COLUMNS + column;
        if (i < d.n) d.y[i] = d.a * d.x[i] + d.b[i];
    }
}

template <bool DOWN, unsigned X, unsigned Y> static int run_table(const struct triad_desc *d, struct exec *x)
{
    const unsigned along = DOWN ? Y : X, down = DOWN ? X : Y;
    const unsigned high = launch_blocks(d->n, COLUMNS * down);
    const dim3 blocks(COLUMNS / along, high < 65535u ? high : 65535u), threads(X, Y);
    triad_table<DOWN, X, Y><<<blocks, threads, 0, x->stream>>>(*d);
    return cudaGetLastError();
}

/* ---- stride --------------------------------------------------------------------------------------------------------
 * The textbook starts 2^18 blocks, each for 256 numbers. Idea: start only as many blocks as fit at once; each goes
 * through the array in steps of the whole grid (a grid-stride loop). The start is paid only once, and any n works with
 * any grid. Predicted: 3500 to 4000 GB/s. There is no start left to hide, but a thread's next loads wait for its last
 * ones, as in rolling of copy. Measured: 3590.
 * Cost: the caller has to ask how many blocks fit. (cudaOccupancyMaxPotentialBlockSize also proposes a block size, one
 * that lets the most threads in. Whether that is the fastest one, --block 64,128,256,512,1024 shows.) */

static int run_stride(const struct triad_desc *d, struct exec *x)
{
    const unsigned threads = block_threads(x), wanted = launch_blocks(d->n, threads);
    int each = 0, processors = 0;
    cudaError_t error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, x->device);
    if (error == cudaSuccess) error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, triad_textbook, (int)threads, 0);
    if (error != cudaSuccess) return clear_error(error);
    const unsigned fit = (unsigned)(each * processors), blocks = wanted < fit ? wanted : fit;
    triad_textbook<<<blocks, threads, 0, x->stream>>>(*d);
    return cudaGetLastError();
}

/* ---- vector --------------------------------------------------------------------------------------------------------
 * The textbook moves 4 bytes per instruction, and needs an index and a check for every 12. Idea: 16 bytes per load and
 * store, so four numbers per thread: a quarter of the blocks and four times the bytes in flight. `cuobjdump -sass`
 * shows LDG.E.128 twice and STG.E.128 once in triad_vector, where the textbook has LDG.E and STG.E. Predicted: 4160
 * GB/s, as copy's vector, since only memory is left as a limit. Measured: 4280; two reads for each write seem to suit
 * memory better than one.
 * Cost: alignment to 16 bytes, and a tail of up to three numbers. */

static __global__ void triad_vector(struct triad_desc d)
{
    const float4 *x = (const float4 *)d.x, *b = (const float4 *)d.b;
    for (size_t i = thread_index(); i < d.n / 4; i += thread_count()) {
        const float4 u = x[i], v = b[i];
        ((float4 *)d.y)[i] = make_float4(d.a * u.x + v.x, d.a * u.y + v.y, d.a * u.z + v.z, d.a * u.w + v.w);
    }
    const size_t rest = d.n / 4 * 4 + thread_index();
    if (rest < d.n) d.y[rest] = d.a * d.x[rest] + d.b[rest];
}
LAUNCH_EACH(vector, d->n / 4 + 4)

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* clang-format off */
const struct triad_rung triad_cuda[] = {
    { { "textbook", "one thread per number", false }, run_textbook, true },
    { { "chunk", "consecutive numbers per thread, as on a CPU: lanes are far apart", false }, run_chunk, true },
    { { "columns", "two dimensions, a warp down a column", false }, run_table<true, 32, 8>, false },
    { { "rows", "two dimensions, a warp along a row", false }, run_table<false, 32, 8>, false },
    { { "rows64x16", "rows with blocks of 64 by 16 threads", false }, run_table<false, 64, 16>, false },
    { { "rows32x32", "rows with blocks of 32 by 32 threads", false }, run_table<false, 32, 32>, false },
    { { "rows16x64", "rows with blocks of 16 by 64: a warp covers two rows of 16", false },
      run_table<false, 16, 64>, false },
    { { "rows8x32", "rows with blocks of 8 by 32: a warp covers four rows of 8", false }, run_table<false, 8, 32>, false },
    { { "stride", "a grid-stride loop: only as many blocks as fit at once", false }, run_stride, true },
    { { "vector", "16 bytes per load and store", true }, run_vector, true },
    {},
};
/* clang-format on */
