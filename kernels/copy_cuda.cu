/* copy on CUDA: what access patterns cost. Contract in copy.h.
 * Run: isoscope ladder copy --bench --backend cuda
 *
 * Memory is read in 32-byte sectors and cached in 128-byte lines. All kernels move each number once; they differ only
 * in which lane moves which number, how wide the accesses are, and how many loads are in flight.
 * The table starts with the plain copy. Then come ways to spoil it, ways to help it, and the library.
 * Rates: H200 (4.8 TB/s of memory, 132 multiprocessors), 2^26 numbers, 256 MiB read and as many written, 256 threads
 * per block unless stated otherwise. */
#include "copy.h"
#include "cuda_util.cuh"

#include <cuda_pipeline_primitives.h>
#include <cuda_runtime.h>

/* One item per thread: the GPU's own schedule. */
#define LAUNCH_EACH(kernel, items)                                                            \
    static int run_##kernel(const uint32_t *from, uint32_t *to, size_t n, struct exec *x)     \
    {                                                                                         \
        const unsigned threads = block_threads(x);                                            \
        copy_##kernel<<<launch_blocks(items, threads), threads, 0, x->stream>>>(from, to, n); \
        return cudaGetLastError();                                                            \
    }

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * Thread i moves number i: a warp reads 128 consecutive bytes, four whole sectors, and writes as many. 2560 GB/s. Cost:
 * an address, a bounds check, and a 4-byte load and store per number; and only one load in flight per thread.
 * The size of the block matters: 845 GB/s with 64 threads, 1670 with 128. Such blocks do so little work that starting
 * them is the limit; in both cases one block starts every 0.61 ns. With 1024 threads it is 2090 GB/s, because a block
 * frees its slot only when its slowest warp is done. */

static __global__ void copy_textbook(const uint32_t *from, uint32_t *to, size_t n)
{
    for (size_t i = thread_index(); i < n; i += thread_count()) to[i] = from[i];
}
LAUNCH_EACH(textbook, n)

/* ---- stride2, stride8, stride32 ------------------------------------------------------------------------------------
 * The lanes of a warp read STRIDE numbers apart. So a warp touches STRIDE times as many sectors (from a stride of 8 on,
 * one per lane) and uses only a part of each. Later warps move the rest, from the caches if it is still there. A tile
 * holds the numbers of STRIDE warps; in it, thread t moves number t % WARP * STRIDE + t / WARP.
 *
 * Measured: 2447, 2261 and 536 GB/s. Up to a stride of 8 the caches nearly make up for it: the other warps of the block
 * use the rest of the same sectors. At 32, each lane has a line of its own on both sides. The 2^26 stores then go to as
 * many different lines, and a multiprocessor can send only one of those per 2 ns. The profiler (ncu) confirms that the
 * limit is not memory: it moves no more bytes than for the textbook, and L2 runs at a quarter of its peak. The path to
 * L2, with 67 M requests instead of 2 M, is at half of its peak, more than anything else. */

template <unsigned STRIDE> static __global__ void copy_stride(const uint32_t *from, uint32_t *to, size_t n)
{
    const size_t tile = (size_t)STRIDE * WARP, whole = n / tile * tile;
    for (size_t t = thread_index(); t < n; t += thread_count()) {
        const size_t within = t % tile, i = t < whole ? t - within + within % WARP * STRIDE + within / WARP : t;
        to[i] = from[i];
    }
}

template <unsigned STRIDE> static int run_stride(const uint32_t *from, uint32_t *to, size_t n, struct exec *x)
{
    const unsigned threads = block_threads(x);
    copy_stride<STRIDE><<<launch_blocks(n, threads), threads, 0, x->stream>>>(from, to, n);
    return cudaGetLastError();
}

/* ---- offset1 -------------------------------------------------------------------------------------------------------
 * Every warp starts one number before a multiple of 128 bytes. It touches five sectors in two lines instead of four in
 * one. The caches serve the sectors that two warps share, so the extra reads cost little, and L2 combines the writes.
 * 2418 GB/s, 6 % below the textbook. Before loads were cached (compute capability 1), this could cost a factor of ten. */

static __global__ void copy_offset1(const uint32_t *from, uint32_t *to, size_t n)
{
    for (size_t t = thread_index(); t < n + 1; t += thread_count())
        if (t > 0) to[t - 1] = from[t - 1];
}
LAUNCH_EACH(offset1, n + 1)

/* ---- random --------------------------------------------------------------------------------------------------------
 * Every lane goes to a different place: a 32-byte sector is moved for each 4-byte number, in both directions, and the
 * caches help nowhere. The order is a permutation of the next power of two. It needs no table, because xor-shifts and
 * multiplications by odd factors are invertible.
 * 100 GB/s, 1/26 of the textbook. Moving whole sectors would explain 1/8 of the textbook's rate, and the 64-byte bursts
 * of the memory 1/16; the rest is unexplained. */

static __device__ __forceinline__ uint64_t scatter(uint64_t i, unsigned bits)
{
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    for (unsigned round = 0; round < 2; round++) {
        i ^= i >> (bits / 2 + 1);
        i = i * 0x9e3779b97f4a7c15u & mask;
    }
    return i ^ i >> (bits / 2 + 1);
}

static __global__ void copy_random(const uint32_t *from, uint32_t *to, size_t n, unsigned bits)
{
    for (size_t t = thread_index(); t < (size_t)1 << bits; t += thread_count()) {
        const size_t i = scatter(t, bits);
        if (i < n) to[i] = from[i];
    }
}

static int run_random(const uint32_t *from, uint32_t *to, size_t n, struct exec *x)
{
    const unsigned threads = block_threads(x);
    unsigned bits = 1;
    while ((size_t)1 << bits < n) bits++;
    copy_random<<<launch_blocks((size_t)1 << bits, threads), threads, 0, x->stream>>>(from, to, n, bits);
    return cudaGetLastError();
}

/* ---- aos -----------------------------------------------------------------------------------------------------------
 * An array of structures: records of four numbers, moved member by member. Lanes are 16 bytes apart, so each sector is
 * requested four times, the first time from memory, then from L1. The load unit does four times the work.
 * 4064 GB/s, more than the textbook: each thread has four loads in flight, and L1 is not the limit. The usual advice
 * against records dates from GPUs whose loads had no L1, where all four requests went to memory. */

static __global__ void copy_aos(const uint32_t *from, uint32_t *to, size_t n)
{
    const size_t records = n / 4;
    for (size_t r = thread_index(); r < records; r += thread_count()) {
        const uint32_t x = from[4 * r], y = from[4 * r + 1], z = from[4 * r + 2], w = from[4 * r + 3];
        to[4 * r] = x, to[4 * r + 1] = y, to[4 * r + 2] = z, to[4 * r + 3] = w;
    }
    const size_t rest = 4 * records + thread_index();
    if (rest < n) to[rest] = from[rest];
}
LAUNCH_EACH(aos, n / 4 + 4)

/* ---- soa -----------------------------------------------------------------------------------------------------------
 * A structure of arrays: each thread moves the same four numbers, but they lie in four arrays, one per member. Each
 * load of a warp is 128 consecutive bytes again, and four are in flight. 3987 GB/s: no gain over records here, for the
 * reason given there.
 * Cost: the members of one record are far apart, which hurts code that accesses a single record. */

static __global__ void copy_soa(const uint32_t *from, uint32_t *to, size_t n)
{
    const size_t q = n / 4;
    for (size_t r = thread_index(); r < q; r += thread_count()) {
        const uint32_t x = from[r], y = from[q + r], z = from[2 * q + r], w = from[3 * q + r];
        to[r] = x, to[q + r] = y, to[2 * q + r] = z, to[3 * q + r] = w;
    }
    const size_t rest = 4 * q + thread_index();
    if (rest < n) to[rest] = from[rest];
}
LAUNCH_EACH(soa, n / 4 + 4)

/* ---- aos-one, soa-one ----------------------------------------------------------------------------------------------
 * aos looks free only because it needs all four members of a record at once. Idea: do what programs do more often and
 * access one member of all records. Here four launches move one member each. In records (aos-one), lanes are 16 bytes
 * apart: every launch reads all sectors and uses a quarter of each, and by the next launch the caches have long lost
 * them. In arrays (soa-one), a launch reads only its own quarter of the memory.
 * Predicted: soa-one 2450 GB/s, that of the textbook less three more launches; aos-one at most 1010, a quarter of the
 * copy rate, because it moves four times the bytes. Measured: 2454 and 725. The likely reason is that a sector of which
 * only a part is written has to be read first.
 * Cost of arrays: the members of one record are far apart, which hurts code that needs all of them. */

static __global__ void copy_member(const uint32_t *from, uint32_t *to, size_t first, size_t apart, size_t records)
{
    for (size_t r = thread_index(); r < records; r += thread_count()) to[first + r * apart] = from[first + r * apart];
}

static int run_members(const uint32_t *from, uint32_t *to, size_t n, bool in_arrays, struct exec *x)
{
    const unsigned threads = block_threads(x);
    for (size_t m = 0; m < 4; m++) {
        const size_t records = in_arrays ? (m < 3 ? n / 4 : n - 3 * (n / 4)) : (n + 3 - m) / 4;
        copy_member<<<launch_blocks(records, threads), threads, 0, x->stream>>>(from, to, in_arrays ? m * (n / 4) : m,
                                                                                in_arrays ? 1 : 4, records);
    }
    return cudaGetLastError();
}

static int run_aos_one(const uint32_t *from, uint32_t *to, size_t n, struct exec *x)
{
    return run_members(from, to, n, false, x);
}

static int run_soa_one(const uint32_t *from, uint32_t *to, size_t n, struct exec *x)
{
    return run_members(from, to, n, true, x);
}

/* ---- rows, pitched -------------------------------------------------------------------------------------------------
 * So far the numbers were one long line. A picture has rows, and usually a thread for each place (x, y). rows: blocks
 * of 32 x 8 threads over rows of 1000 numbers. A row begins where the last one ended, at any multiple of 32 bytes, so
 * most warps touch two lines where one would do, as in offset1. The last warp of a row has only 8 active lanes.
 * Idea (pitched): give each row of 1000 the room of 1024, so that each begins at a line; cudaMallocPitch allocates like
 * this. Here the 24 numbers between rows are copied as well. Predicted: rows 2400 GB/s, as offset1; pitched 2500, as
 * the textbook. Measured: 2390 and 2495.
 * Cost: 2 % of the memory, and all code that moves whole arrays has to know the pitch. */

enum { ROWS_ACROSS = WARP, ROWS_DOWN = 8 };

template <unsigned PITCH> static __global__ void copy_rows(const uint32_t *from, uint32_t *to, size_t n)
{
    const unsigned across = (PITCH + ROWS_ACROSS - 1) / ROWS_ACROSS;
    const unsigned column = blockIdx.x % across * ROWS_ACROSS + threadIdx.x;
    const size_t row = (size_t)(blockIdx.x / across) * ROWS_DOWN + threadIdx.y, i = row * PITCH + column;
    if (column < PITCH && i < n) to[i] = from[i];
}

template <unsigned PITCH> static int run_rows(const uint32_t *from, uint32_t *to, size_t n, struct exec *x)
{
    const size_t across = (PITCH + ROWS_ACROSS - 1) / ROWS_ACROSS, bands = (n / PITCH + ROWS_DOWN) / ROWS_DOWN;
    copy_rows<PITCH><<<launch_all(across * bands), dim3(ROWS_ACROSS, ROWS_DOWN), 0, x->stream>>>(from, to, n);
    return cudaGetLastError();
}

/* ---- shared --------------------------------------------------------------------------------------------------------
 * Through shared memory, which is often called fast. It adds a store, a barrier and a load, and gains nothing, because
 * no number is used twice. 2305 GB/s, 10 % below the textbook. Shared memory pays where threads exchange numbers, as in
 * transpose. */

static __global__ void copy_shared(const uint32_t *from, uint32_t *to, size_t n)
{
    extern __shared__ uint32_t tile[];
    for (size_t first = (size_t)blockIdx.x * blockDim.x; first < n; first += thread_count()) {
        const size_t i = first + threadIdx.x;
        if (i < n) tile[threadIdx.x] = from[i];
        __syncthreads();
        if (i < n) to[i] = tile[threadIdx.x];
        __syncthreads();
    }
}

static int run_shared(const uint32_t *from, uint32_t *to, size_t n, struct exec *x)
{
    const unsigned threads = block_threads(x);
    copy_shared<<<launch_blocks(n, threads), threads, threads * sizeof *to, x->stream>>>(from, to, n);
    return cudaGetLastError();
}

/* ---- batch ---------------------------------------------------------------------------------------------------------
 * In the textbook, each thread has one load in flight, 8 KiB per multiprocessor, and waits for it before it stores.
 * That reaches 2560 GB/s. Idea: each thread first issues BATCH loads, and only then stores the first number. Its
 * numbers are a block's width apart, so that accesses stay coalesced. 4053 GB/s, and 4130 with 64 threads per block:
 * small blocks no longer hurt, because there are an eighth as many.
 * Cost: BATCH registers, and a tail. */

enum { BATCH = 8 };

static __global__ void copy_batch(const uint32_t *from, uint32_t *to, size_t n)
{
    const size_t tile = (size_t)blockDim.x * BATCH;
    for (size_t first = blockIdx.x * tile + threadIdx.x; first < n; first += gridDim.x * tile) {
        uint32_t value[BATCH];
#pragma unroll
        for (unsigned k = 0; k < BATCH; k++) {
            const size_t i = first + (size_t)k * blockDim.x;
            if (i < n) value[k] = from[i];
        }
#pragma unroll
        for (unsigned k = 0; k < BATCH; k++) {
            const size_t i = first + (size_t)k * blockDim.x;
            if (i < n) to[i] = value[k];
        }
    }
}
LAUNCH_EACH(batch, (n + BATCH - 1) / BATCH)

/* ---- batch-shared --------------------------------------------------------------------------------------------------
 * batch needs a register for each number in flight, and most kernels have none to spare. Idea: put the numbers into
 * shared memory, four slots per thread. A thread reads back only its own numbers, so no barrier is needed, and each
 * lane has a bank of its own. Predicted: 3500 GB/s. Measured: 4072, as batch: shared memory is no limit here.
 * Cost: a store and a load of shared memory per number. And the loads still pass through registers on their way, so no
 * more can be in flight than the compiler keeps registers for, which is four. async solves that. */

enum { SLOTS = 4 };

static __global__ void copy_batch_shared(const uint32_t *from, uint32_t *to, size_t n)
{
    extern __shared__ uint32_t tile[];
    const size_t part = (size_t)blockDim.x * SLOTS;
    for (size_t first = blockIdx.x * part + threadIdx.x; first < n; first += gridDim.x * part) {
#pragma unroll
        for (unsigned k = 0; k < SLOTS; k++) {
            const size_t i = first + (size_t)k * blockDim.x;
            if (i < n) tile[k * blockDim.x + threadIdx.x] = from[i];
        }
#pragma unroll
        for (unsigned k = 0; k < SLOTS; k++) {
            const size_t i = first + (size_t)k * blockDim.x;
            if (i < n) to[i] = tile[k * blockDim.x + threadIdx.x];
        }
    }
}

static int run_batch_shared(const uint32_t *from, uint32_t *to, size_t n, struct exec *x)
{
    const unsigned threads = block_threads(x), blocks = launch_blocks((n + SLOTS - 1) / SLOTS, threads);
    copy_batch_shared<<<blocks, threads, threads * SLOTS * sizeof *to, x->stream>>>(from, to, n);
    return cudaGetLastError();
}

/* ---- rolling -------------------------------------------------------------------------------------------------------
 * batch loads everything, waits, then stores everything: memory sees bursts of loads and bursts of stores. Idea:
 * interleave them. A thread walks through its numbers and loads the next one before it stores the current one. The
 * blocks are few and long. 2902 GB/s for every block size.
 * Cost: the next load can hide only behind one store, and a GPU that switches warps hides that much anyway. Four more
 * bytes in flight are far fewer than the eight times four of batch. */

#define ROLLING_BLOCKS 4096u

static __global__ void copy_rolling(const uint32_t *from, uint32_t *to, size_t n)
{
    size_t i = thread_index();
    uint32_t next = i < n ? from[i] : 0;
    for (; i < n; i += thread_count()) {
        const uint32_t value = next;
        const size_t ahead = i + thread_count();
        if (ahead < n) next = from[ahead];
        to[i] = value;
    }
}

static unsigned rolling_blocks(size_t items, unsigned threads)
{
    return min(launch_blocks(items, threads), ROLLING_BLOCKS);
}

static int run_rolling(const uint32_t *from, uint32_t *to, size_t n, struct exec *x)
{
    const unsigned threads = block_threads(x);
    copy_rolling<<<rolling_blocks(n, threads), threads, 0, x->stream>>>(from, to, n);
    return cudaGetLastError();
}

/* ---- rolling4 ------------------------------------------------------------------------------------------------------
 * rolling is one load ahead and reaches 2902 GB/s. Idea: be four ahead. A register has no address, so the compiler must
 * know which of the four comes next; therefore the body of the loop is written out four times. Predicted: 3900 GB/s, as
 * batch, because about as many loads are in flight. Measured: 3708.
 * Cost: four registers and a longer body. */

enum { AHEAD = 4 };

static __global__ void copy_rolling4(const uint32_t *from, uint32_t *to, size_t n)
{
    const size_t step = thread_count();
    uint32_t next[AHEAD];
#pragma unroll
    for (unsigned k = 0; k < AHEAD; k++) next[k] = thread_index() + k * step < n ? from[thread_index() + k * step] : 0;
    for (size_t first = thread_index(); first < n; first += AHEAD * step) {
#pragma unroll
        for (unsigned k = 0; k < AHEAD; k++) {
            const size_t i = first + k * step, ahead = i + AHEAD * step;
            const uint32_t value = next[k];
            if (ahead < n) next[k] = from[ahead];
            if (i < n) to[i] = value;
        }
    }
}

static int run_rolling4(const uint32_t *from, uint32_t *to, size_t n, struct exec *x)
{
    const unsigned threads = block_threads(x);
    copy_rolling4<<<rolling_blocks(n, threads), threads, 0, x->stream>>>(from, to, n);
    return cudaGetLastError();
}

/* ---- vector --------------------------------------------------------------------------------------------------------
 * batch needs eight loads and eight stores per thread to reach 4053 GB/s. Idea: move 16 bytes per instruction, 512 per
 * warp. A single load per thread then keeps four times the textbook's bytes in flight, with a quarter of its blocks.
 * 4162 GB/s.
 * Cost: 16-byte alignment, and a tail of up to three numbers. */

static __global__ void copy_vector(const uint32_t *from, uint32_t *to, size_t n)
{
    const uint4 *in = (const uint4 *)from;
    uint4 *out = (uint4 *)to;
    for (size_t i = thread_index(); i < n / 4; i += thread_count()) out[i] = in[i];
    const size_t rest = n / 4 * 4 + thread_index();
    if (rest < n) to[rest] = from[rest];
}
LAUNCH_EACH(vector, n / 4 + 4)

/* ---- async ---------------------------------------------------------------------------------------------------------
 * rolling4 keeps what is in flight in registers, and batch-shared passes it through registers. Idea (compute capability
 * 8.0): cp.async loads from memory straight into shared memory and occupies no register. A thread issues three loads of
 * 16 bytes ahead, and waits for its own oldest one. Its slots are its own, so no barrier is needed. Predicted: 4100
 * GB/s, as vector, but no more. Measured: 3871: nothing is used twice here, and vector takes no detour through shared
 * memory. The instruction pays where there is work between load and use, as in `double` of gemm.
 * Cost: 48 bytes of shared memory per thread. */

enum { ASYNC_SLOTS = 3 };

static __global__ void copy_async(const uint4 *from, uint4 *to, size_t n)
{
    extern __shared__ uint4 slot[]; /* number k of a thread is at [k][thread] */
    const size_t step = thread_count();
    size_t ahead = thread_index();
    unsigned k = 0;
    for (unsigned s = 0; s < ASYNC_SLOTS; s++, ahead += step) {
        if (ahead < n) __pipeline_memcpy_async(&slot[s * blockDim.x + threadIdx.x], &from[ahead], sizeof *from);
        __pipeline_commit();
    }
    for (size_t i = thread_index(); i < n; i += step, ahead += step) {
        uint4 *const mine = &slot[k * blockDim.x + threadIdx.x];
        __pipeline_wait_prior(ASYNC_SLOTS - 1);
        to[i] = *mine;
        if (ahead < n) __pipeline_memcpy_async(mine, &from[ahead], sizeof *from);
        __pipeline_commit();
        k = k + 1 < ASYNC_SLOTS ? k + 1 : 0;
    }
}

/* Copy what follows the last whole 16 bytes. */
static __global__ void copy_rest(const uint32_t *from, uint32_t *to, size_t n)
{
    const size_t i = n / 4 * 4 + threadIdx.x;
    if (i < n) to[i] = from[i];
}

static int run_async(const uint32_t *from, uint32_t *to, size_t n, struct exec *x)
{
    const unsigned threads = block_threads(x), blocks = rolling_blocks(n / 4, threads);
    copy_async<<<blocks, threads, threads * ASYNC_SLOTS * sizeof(uint4), x->stream>>>((const uint4 *)from, (uint4 *)to,
                                                                                      n / 4);
    if (n % 4) copy_rest<<<1, WARP, 0, x->stream>>>(from, to, n);
    return cudaGetLastError();
}

static const char *async_unavailable(const struct exec *x)
{
    return x->capability < 80 ? "asynchronous loads into shared memory need compute capability 8.0" : NULL;
}

/* ---- tma -----------------------------------------------------------------------------------------------------------
 * async still costs every thread an address, a load and a store for each 16 bytes. Idea (compute capability 9.0): leave
 * the copying to the multiprocessor's copy engine (the tensor memory accelerator). One thread asks for 8 KiB at once. A
 * barrier in shared memory counts the bytes that have arrived; then the same thread asks the engine to write them out.
 * The other 31 threads of the warp do nothing. Each block has four tiles in flight.
 *
 *    tile 0  in | out           arrival of k-th tile: wait, send out, wait until tile k - 1 has left shared memory, and
 *    tile 1  in   | out         ask for tile k + 3 in its place
 *
 * Predicted: 4100 GB/s, the memory's limit. Measured: 3803.
 * Cost: it moves only whole, aligned multiples of 16 bytes. Each block takes 32 KiB of shared memory and consists of
 * one warp, so work on the data would need other warps. */

enum { TMA_TILE = 8192, TMA_TILES = 4, TMA_BLOCKS = 2048 };

#if CUDA_HAS_BULK_COPY && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define ISO_HAS_BULK_COPY
#include "bulk_copy.cuh"

/* Ask for `bytes` to be loaded; the current phase of the barrier ends when they have arrived. */
static __device__ __forceinline__ void load_tile(void *to, const void *from, unsigned bytes, uint64_t *barrier)
{
    barrier_expect(barrier, bytes);
    bulk_load(shared_address(to), from, bytes, barrier);
}

static __device__ __forceinline__ void bulk_store(void *to, const void *from, unsigned bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
                 "r"(shared_address(from)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* Wait until all but the PENDING newest stores have read their shared memory. */
template <int PENDING> static __device__ __forceinline__ void bulk_wait_read(void)
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
}
#endif

static __global__ void __launch_bounds__(WARP) copy_tma(const char *from, char *to, size_t bytes)
{
#ifdef ISO_HAS_BULK_COPY
    __shared__ __align__(128) char tile[TMA_TILES][TMA_TILE];
    __shared__ uint64_t full[TMA_TILES];
    const size_t step = (size_t)gridDim.x * TMA_TILE, start = (size_t)blockIdx.x * TMA_TILE;
    if (threadIdx.x > 0) return;
    for (unsigned s = 0; s < TMA_TILES; s++) barrier_init(&full[s], 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); /* the engine sees the barriers */
    for (size_t s = 0; s < TMA_TILES - 1 && start + s * step < bytes; s++)
        load_tile(tile[s], from + start + s * step, (unsigned)min(bytes - start - s * step, (size_t)TMA_TILE), &full[s]);
    size_t k = 0;
    for (size_t at = start; at < bytes; at += step, k++) {
        const size_t ahead = at + (TMA_TILES - 1) * step;
        barrier_wait(&full[k % TMA_TILES], k / TMA_TILES % 2);
        bulk_store(to + at, tile[k % TMA_TILES], (unsigned)min(bytes - at, (size_t)TMA_TILE));
        if (ahead >= bytes) continue;
        bulk_wait_read<1>(); /* tile k - 1 has left */
        load_tile(tile[(k + TMA_TILES - 1) % TMA_TILES], from + ahead, (unsigned)min(bytes - ahead, (size_t)TMA_TILE),
                  &full[(k + TMA_TILES - 1) % TMA_TILES]);
    }
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); /* the shared memory must outlive the stores */
#else
    (void)from, (void)to, (void)bytes; /* never launched: see tma_unavailable */
#endif
}

static int run_tma(const uint32_t *from, uint32_t *to, size_t n, struct exec *x)
{
    const size_t bytes = n / 4 * sizeof(uint4);
    const unsigned tiles = launch_blocks(bytes, TMA_TILE), blocks = min(tiles, (unsigned)TMA_BLOCKS);
    copy_tma<<<blocks, WARP, 0, x->stream>>>((const char *)from, (char *)to, bytes);
    if (n % 4) copy_rest<<<1, WARP, 0, x->stream>>>(from, to, n);
    return cudaGetLastError();
}

static const char *tma_unavailable(const struct exec *x)
{
    if (!CUDA_HAS_BULK_COPY) return "the copy engine of multiprocessors needs CUDA 12";
    return x->capability < 90 ? "the copy engine of multiprocessors needs compute capability 9.0" : NULL;
}

/* ---- memcpy --------------------------------------------------------------------------------------------------------
 * The driver's own kernel, as the ceiling. It chooses the width and the blocks by size and alignment. 4050 GB/s. */

static int run_memcpy(const uint32_t *from, uint32_t *to, size_t n, struct exec *x)
{
    return n ? clear_error(cudaMemcpyAsync(to, from, n * sizeof *to, cudaMemcpyDeviceToDevice, x->stream)) : 0;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

const struct copy_rung copy_cuda[] = {
    { { "textbook", "thread i moves number i", false }, run_textbook, true },
    { { "stride2", "bad pattern: lanes two numbers apart, half of each sector used", false }, run_stride<2>, true },
    { { "stride8", "bad pattern: lanes eight numbers apart, a sector for each", false }, run_stride<8>, true },
    { { "stride32", "bad pattern: lanes 32 numbers apart, a cache line for each", false }, run_stride<32>, true },
    { { "offset1", "bad pattern: warps start one number off, five sectors instead of four", false }, run_offset1, true },
    { { "random", "bad pattern: each lane at a random place, where caches do not help", false }, run_random, true },
    { { "aos", "array of structures, four members one by one: lanes 16 bytes apart", false }, run_aos, true },
    { { "soa", "structure of arrays, one array per member: every load coalesced", false }, run_soa, true },
    { { "aos-one", "array of structures, one member per launch: a quarter of each sector used", false },
      run_aos_one,
      true },
    { { "soa-one", "structure of arrays, one member per launch: moves only what is needed", false }, run_soa_one, true },
    { { "rows", "2-D blocks over rows of 1000 numbers, not aligned to cache lines", false }, run_rows<1000>, false },
    { { "pitched", "as rows, with a pitch of 1024: each row begins at a cache line", false }, run_rows<1024>, false },
    { { "shared", "through shared memory: a detour, because no number is used twice", false }, run_shared, true },
    { { "batch", "eight loads in flight per thread before the first store", false }, run_batch, true },
    { { "batch-shared", "four loads in flight per thread, kept in shared memory", false }, run_batch_shared, true },
    { { "rolling", "each thread issues its next load before it stores the current number", false }, run_rolling, true },
    { { "rolling4", "as rolling, four loads ahead", false }, run_rolling4, true },
    { { "vector", "16 bytes per thread, a quarter of the instructions", false }, run_vector, true },
    { { "async", "asynchronous loads straight into shared memory, three of 16 bytes ahead", false, async_unavailable },
      run_async,
      true },
    { { "tma", "the tensor memory accelerator: one thread requests 8 KiB at a time", false, tma_unavailable },
      run_tma,
      false },
    { { "memcpy", "the library: cudaMemcpyAsync", true, NULL, true }, run_memcpy, false },
    {},
};
