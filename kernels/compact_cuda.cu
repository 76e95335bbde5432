/* compact on CUDA: the numbers of the strips that own a vertex or a triangle. Contract in compact.h.
 * Run: isoscope ladder compact --bench --backend cuda
 *
 * Times: H200, bonsai CT of 256^3 at 40.5 and vessels of 512^3, in strips of 32: 2^19 and 2^22 of them. */
#include "compact.h"
#include "cuda_util.cuh"
#include "scan.h"

#include <cub/device/device_select.cuh>
#include <cuda_runtime.h>
#include <thrust/iterator/counting_iterator.h>

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * Three steps: set a flag for each active strip, scan the flags to count those before each strip, and scatter the
 * numbers.
 *
 *    flags 0 1 0 1 1    scan 0 0 1 1 2    list[scan[i]] = i where flagged:  1 3 4
 *
 * Cost: flags and sums pass through memory several times, only to find the few active strips. 21 us and 87 us. */

static __global__ void flag_active(struct strips s, uint32_t *flag)
{
    for (size_t i = thread_index(); i < s.count; i += thread_count()) flag[i] = (s.vertices[i] | s.triangles[i]) != 0;
}

static __global__ void scatter_active(const uint32_t *flag, const uint32_t *position, uint32_t *list, size_t n)
{
    for (size_t i = thread_index(); i < n; i += thread_count())
        if (flag[i]) list[position[i]] = (uint32_t)i;
}

static size_t scratch_textbook(size_t n, const struct exec *x)
{
    const struct scan_rung *scan = &scan_cuda[0];
    return 2 * scratch_round(n * sizeof(uint32_t)) + (scan->scratch ? scan->scratch(n, x) : 0);
}

static int run_textbook(const struct strips *strips, uint32_t *list, uint64_t *count, void *scratch, struct exec *x)
{
    const size_t n = strips->count, part = scratch_round(n * sizeof(uint32_t));
    uint32_t *flag = (uint32_t *)scratch, *position = (uint32_t *)((char *)scratch + part);
    const unsigned blocks = launch_blocks(n, THREADS);
    if (n) flag_active<<<blocks, THREADS, 0, x->stream>>>(*strips, flag);
    const int code = scan_cuda[0].run(flag, position, count, n, (char *)scratch + 2 * part, x);
    if (code || !n) return code;
    scatter_active<<<blocks, THREADS, 0, x->stream>>>(flag, position, list, n);
    return cudaGetLastError();
}

/* ---- warp ----------------------------------------------------------------------------------------------------------
 * The textbook moves flags and sums through memory only to discard them, and the scan takes most of its time.
 * Idea: give up the order, and get positions in the list from an atomic counter. A warp counts its active strips with a
 * ballot, and reserves positions for all of them with one addition, instead of one addition per strip.
 *
 *    active  0 1 0 0 1 1 ..    counter 40 -> 43    list[40], [41], [42] = 1, 4, 5
 *
 * One pass reads the counts and writes the list, without scratch. 12 us and 52 us.
 * Cost: the order is different each time, and neighbouring strips may be far apart in the list. Additions to one
 * address take 1.2 ns each for the whole GPU. If each of the 2^17 warps of 512^3 had an active strip, they would queue
 * for 0.16 ms, however fast the memory is. */

static __global__ void append_active(struct strips s, uint32_t *list, uint64_t *count)
{
    const unsigned lane = lane_index();
    for (size_t first = thread_index() - lane; first < s.count; first += thread_count()) {
        const size_t i = first + lane;
        const bool active = i < s.count && (s.vertices[i] | s.triangles[i]) != 0;
        const uint32_t all = __ballot_sync(ALL_LANES, active);
        unsigned long long position = 0;
        if (lane == 0 && all) position = atomicAdd((unsigned long long *)count, (unsigned long long)popcount32(all));
        position = __shfl_sync(ALL_LANES, position, 0) + popcount32(all & ((1u << lane) - 1));
        if (active) list[position] = (uint32_t)i;
    }
}

static int run_warp(const struct strips *strips, uint32_t *list, uint64_t *count, void *scratch, struct exec *x)
{
    (void)scratch;
    const cudaError_t error = cudaMemsetAsync(count, 0, sizeof *count, x->stream);
    if (error != cudaSuccess || !strips->count) return clear_error(error);
    append_active<<<launch_blocks(strips->count, THREADS), THREADS, 0, x->stream>>>(*strips, list, count);
    return cudaGetLastError();
}

/* ---- block ---------------------------------------------------------------------------------------------------------
 * warp makes up to one addition per 32 strips, at 1.2 ns each, and keeps only two 4-byte loads in flight per thread.
 * Idea: one addition per tile of 2048 strips. For 512^3 that is 2048 additions, 2.5 us if all of them queue. A thread
 * loads its 8 strips with four 16-byte loads, all in flight at once. Ballots give positions within a warp, and the sums
 * of the warps give positions within the block. While thread 0 waits for the counter, the block collects the numbers in
 * shared memory, from where they are written in whole sectors.
 *
 *    warp 0: a strip of 4 | a strip of 4 | ..  128 in a row, then the next 128;  warp 1: the next 256;  ..
 *
 * 6 us and 15 us, against 10 and 28 of the library; 74 against 126 for the CT of 1024^3.
 * Cost: 8 KiB of shared memory and three barriers per tile. Tiles come in any order, but each is ordered within, so
 * most neighbours stay neighbours. With fewer than 270000 strips, some multiprocessors have no tile. */

enum {
    PER_LANE = 4,
    ROUNDS = 2,
    ROW = PER_LANE * WARP,
    WARP_STRIPS = ROUNDS * ROW,
    TILE_WARPS = THREADS / WARP,
    TILE = TILE_WARPS * WARP_STRIPS,
};

struct four {
    uint4 vertices, triangles;
}; /* of four strips */

static __device__ __forceinline__ struct four load_four(const struct strips &s, size_t i)
{
    return { *(const uint4 *)(s.vertices + i), *(const uint4 *)(s.triangles + i) };
}

/* Return bit k set if strip k of the four owns something. */
static __device__ __forceinline__ uint32_t active_of(const struct four &f)
{
    return (uint32_t)((f.vertices.x | f.triangles.x) != 0) | (uint32_t)((f.vertices.y | f.triangles.y) != 0) << 1 |
           (uint32_t)((f.vertices.z | f.triangles.z) != 0) << 2 | (uint32_t)((f.vertices.w | f.triangles.w) != 0) << 3;
}

/* The same for the last strips, where fewer than four may be left. */
static __device__ __forceinline__ uint32_t active_before_end(const struct strips &s, size_t i)
{
    uint32_t active = 0;
    for (unsigned k = 0; k < PER_LANE && i + k < s.count; k++)
        active |= (uint32_t)((s.vertices[i + k] | s.triangles[i + k]) != 0) << k;
    return active;
}

/* Set active[r] for strips from first + r * ROW on. All loads of a thread are in flight before the first is used. */
static __device__ __forceinline__ void load_active(const struct strips &s, size_t tile, size_t first, uint32_t *active)
{
    if ((tile + 1) * TILE <= s.count) {
        struct four four[ROUNDS];
#pragma unroll
        for (unsigned r = 0; r < ROUNDS; r++) four[r] = load_four(s, first + r * ROW);
#pragma unroll
        for (unsigned r = 0; r < ROUNDS; r++) active[r] = active_of(four[r]);
    } else {
#pragma unroll
        for (unsigned r = 0; r < ROUNDS; r++) active[r] = active_before_end(s, first + r * ROW);
    }
}

static __global__ void __launch_bounds__(THREADS) append_tiles(struct strips s, uint32_t *list, uint64_t *count)
{
    __shared__ uint32_t kept[TILE], of_warp[TILE_WARPS];
    __shared__ unsigned long long position;
    const unsigned lane = lane_index(), warp = threadIdx.x / WARP;
    for (size_t tile = blockIdx.x; tile * TILE < s.count; tile += gridDim.x) {
        const size_t first = tile * TILE + warp * WARP_STRIPS + lane * PER_LANE;
        uint32_t active[ROUNDS], before[ROUNDS], sum = 0, all = 0;
        load_active(s, tile, first, active);
#pragma unroll
        for (unsigned r = 0; r < ROUNDS; r++) {
            uint32_t total;
            before[r] = sum + warp_prefix_short<3>(popcount32(active[r]), &total);
            sum += total;
        }
        if (lane == 0) of_warp[warp] = sum;
        __syncthreads();
        for (unsigned w = 0; w < TILE_WARPS; w++) {
            if (w == warp) sum = all; /* from here on: sum of the warps before */
            all += of_warp[w];
        }
        unsigned long long reserved = 0;
        if (threadIdx.x == 0 && all) reserved = atomicAdd((unsigned long long *)count, (unsigned long long)all);
#pragma unroll
        for (unsigned r = 0; r < ROUNDS; r++) {
            uint32_t at = sum + before[r];
            for (uint32_t left = active[r]; left; left &= left - 1)
                kept[at++] = (uint32_t)(first + r * ROW + __ffs((int)left) - 1);
        }
        if (threadIdx.x == 0) position = reserved;
        __syncthreads();
        for (unsigned i = threadIdx.x; i < all; i += THREADS) list[position + i] = kept[i];
        __syncthreads(); /* before the next tile overwrites it */
    }
}

static int run_block(const struct strips *strips, uint32_t *list, uint64_t *count, void *scratch, struct exec *x)
{
    (void)scratch;
    const cudaError_t error = cudaMemsetAsync(count, 0, sizeof *count, x->stream);
    if (error != cudaSuccess || !strips->count) return clear_error(error);
    append_tiles<<<launch_blocks(strips->count, TILE), THREADS, 0, x->stream>>>(*strips, list, count);
    return cudaGetLastError();
}

/* ---- cub -----------------------------------------------------------------------------------------------------------
 * The lists of warp and block are unordered.
 * Idea: the library's select scans and scatters in one pass. Its predicate tests the two counts, and its items are the
 * numbers themselves, so only counts are read and only the list is written. 9.7 us and 29 us.
 * Cost: the library counts in 32 bits within parts of 2^31 - 1 items. In CCCL 3.0 it writes out of bounds if it keeps
 * all or nearly all items of a part. More strips than one part holds use the textbook. */

static const size_t CUB_MAX_ITEMS = 0x7fffffff - 65536; /* below the limit by more than the largest tile */

struct owns_something {
    const uint32_t *vertices, *triangles;

    __device__ bool operator()(uint32_t strip) const { return (vertices[strip] | triangles[strip]) != 0; }
};

/* With scratch NULL, only set *bytes. */
static cudaError_t cub_select(const struct strips *s, uint32_t *list, uint64_t *count, void *scratch, size_t *bytes,
                              cudaStream_t stream)
{
    const struct owns_something owns = { s->vertices, s->triangles };
    return cub::DeviceSelect::If(scratch, *bytes, thrust::make_counting_iterator(uint32_t{ 0 }), list, count,
                                 (int64_t)s->count, owns, stream);
}

static size_t scratch_cub(size_t n, const struct exec *x)
{
    if (n > CUB_MAX_ITEMS) return scratch_textbook(n, x);
    struct strips s = {};
    s.count = n;
    size_t bytes = 0;
    if (!n || clear_error(cub_select(&s, NULL, NULL, NULL, &bytes, x->stream))) return 0;
    return scratch_round(bytes);
}

static int run_cub(const struct strips *strips, uint32_t *list, uint64_t *count, void *scratch, struct exec *x)
{
    if (strips->count > CUB_MAX_ITEMS) return run_textbook(strips, list, count, scratch, x);
    if (!strips->count) return clear_error(cudaMemsetAsync(count, 0, sizeof *count, x->stream));
    size_t bytes = 0;
    cudaError_t error = cub_select(strips, list, count, NULL, &bytes, x->stream);
    if (error == cudaSuccess) error = cub_select(strips, list, count, scratch, &bytes, x->stream);
    const cudaError_t last = cudaGetLastError();
    return error != cudaSuccess ? error : last;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* clang-format off */
const struct compact_rung compact_cuda[] = {
    { { "textbook", "flags, their scan, then a scatter", false }, run_textbook, scratch_textbook, false },
    { { "warp", "one atomic addition per warp reserves positions, in any order", false }, run_warp, NULL, true },
    { { "block", "one atomic addition per 2048 strips; 16-byte loads, writes through shared memory", true },
      run_block, NULL, true },
    { { "cub", "the library: select with a predicate, one pass", false, NULL, true }, run_cub, scratch_cub, false },
    {},
};
/* clang-format on */
