/* scan on CUDA: exclusive prefix sums of counts, computed in 64 bits. Contract in scan.h.
 * Run: isoscope ladder scan --bench --backend cuda
 *
 * textbook follows Hillis and Steele 1986; blelloch follows Blelloch 1990 and Harris, Sengupta and Owens in GPU Gems 3,
 * chapter 39 (2007); lookback is the decoupled look-back of Merrill and Garland (2016), which CUB uses, too.
 * Times: H200, 2^26 numbers; copying them takes 0.13 ms. */
#include "scan.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>
#ifdef ISO_CUB_64
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/tabulate_output_iterator.h>
#endif

static int no_items(uint64_t *total, struct exec *x)
{
    return clear_error(cudaMemsetAsync(total, 0, sizeof *total, x->stream));
}

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * Each block scans a tile of 1024 numbers in shared memory, in ten steps whose reach doubles, and writes the tile's
 * sum. The sums are scanned in the same way, level by level, until one tile holds them all. Then each level adds its
 * offsets to the level below.
 *
 *    in      | 3 0 2 5 | 1 1 0 4 | 2 ..      level 0: scan within tiles      | 0 3 3 5 | 0 1 2 2 | 0 ..
 *    sums      10        6         ..        level 1: scan of the sums         0        10       16 ..
 *                                            back down: add                  | 0 3 3 5 | 10 11 12 12 | 16 ..
 *
 * Cost: ten additions per number where one would do, and `out` is written, read and written again. 0.76 ms. */

enum { TILE = 1024 };

typedef uint64_t (*tile_scan)(uint64_t value, uint64_t *shared); /* inclusive sum in the block; shared: 2 * TILE */

/* Scan with two buffers in turn, so that one barrier per step is enough. */
static __device__ __forceinline__ uint64_t tile_reach(uint64_t value, uint64_t *shared)
{
    uint64_t *now = shared, *next = shared + TILE;
    __syncthreads(); /* all have read the previous tile */
    now[threadIdx.x] = value;
    __syncthreads();
    for (unsigned reach = 1; reach < TILE; reach *= 2) {
        if (threadIdx.x >= reach) value += now[threadIdx.x - reach];
        next[threadIdx.x] = value;
        uint64_t *const read = now;
        now = next, next = read;
        __syncthreads();
    }
    return value;
}

/* Tiles per multiprocessor: two, if it holds 2048 threads, so that one can work while the other waits at a barrier.
 * This must be set together with the block size: with a mere limit of 32 registers, padded spilled addresses to memory
 * (1.63 ms). */
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ / 100 == 9 || __CUDA_ARCH__ / 100 == 10)
enum { AT_ONCE = 2 };
#else
enum { AT_ONCE = 1 };
#endif

template <tile_scan SCAN>
static __global__ void __launch_bounds__(TILE, AT_ONCE)
    scan_tiles(const uint32_t *in, uint32_t *out, uint64_t *sums, size_t n)
{
    __shared__ uint64_t shared[2 * TILE];
    for (size_t tile = blockIdx.x; tile * TILE < n; tile += gridDim.x) {
        const size_t i = tile * TILE + threadIdx.x;
        const uint64_t value = i < n ? in[i] : 0, sum = SCAN(value, shared);
        if (i < n) out[i] = (uint32_t)(sum - value);
        if (threadIdx.x == TILE - 1) sums[tile] = sum;
    }
}

/* As scan_tiles(), in place on the sums of a level. */
template <tile_scan SCAN>
static __global__ void __launch_bounds__(TILE, AT_ONCE) scan_sums(uint64_t *level, uint64_t *sums, size_t n)
{
    __shared__ uint64_t shared[2 * TILE];
    for (size_t tile = blockIdx.x; tile * TILE < n; tile += gridDim.x) {
        const size_t i = tile * TILE + threadIdx.x;
        const uint64_t value = i < n ? level[i] : 0, sum = SCAN(value, shared);
        if (i < n) level[i] = sum - value;
        if (threadIdx.x == TILE - 1) sums[tile] = sum;
    }
}

static __global__ void add_to_out(uint32_t *out, const uint64_t *sums, size_t n)
{
    for (size_t i = thread_index(); i < n; i += thread_count()) out[i] += (uint32_t)sums[i / TILE];
}

static __global__ void add_to_level(uint64_t *level, const uint64_t *sums, size_t n)
{
    for (size_t i = thread_index(); i < n; i += thread_count()) level[i] += sums[i / TILE];
}

static size_t tiles_of(size_t n) { return n / TILE + (n % TILE != 0); }

static size_t scratch_levels(size_t n, const struct exec *x)
{
    (void)x;
    size_t bytes = 0;
    for (n = tiles_of(n); n > 1; n = tiles_of(n)) bytes += scratch_round(n * sizeof(uint64_t));
    return bytes;
}

/* The kernels of a rung that goes level by level. */
struct levels {
    void (*tiles)(const uint32_t *in, uint32_t *out, uint64_t *sums, size_t n);
    void (*sums)(uint64_t *level, uint64_t *sums, size_t n);
};

/* Scan level[0..n) in place, exclusively; write the total to *total. n is at least 1. Recurses once per level. */
static void scan_level(const struct levels *by, uint64_t *level, uint64_t *total, size_t n, char *scratch, struct exec *x)
{
    const size_t tiles = tiles_of(n);
    uint64_t *sums = tiles > 1 ? (uint64_t *)scratch : total;
    by->sums<<<launch_blocks(n, TILE), TILE, 0, x->stream>>>(level, sums, n);
    if (tiles == 1) return;
    scan_level(by, sums, total, tiles, scratch + scratch_round(tiles * sizeof *sums), x);
    add_to_level<<<launch_blocks(n, THREADS), THREADS, 0, x->stream>>>(level, sums, n);
}

static int run_levels(const struct levels *by, const uint32_t *in, uint32_t *out, uint64_t *total, size_t n, void *scratch,
                      struct exec *x)
{
    if (!n) return no_items(total, x);
    const size_t tiles = tiles_of(n);
    uint64_t *sums = tiles > 1 ? (uint64_t *)scratch : total;
    by->tiles<<<launch_blocks(n, TILE), TILE, 0, x->stream>>>(in, out, sums, n);
    if (tiles > 1) {
        scan_level(by, sums, total, tiles, (char *)scratch + scratch_round(tiles * sizeof *sums), x);
        add_to_out<<<launch_blocks(n, THREADS), THREADS, 0, x->stream>>>(out, sums, n);
    }
    return cudaGetLastError();
}

#define RUN_LEVELS(name, scan)                                                                                         \
    static int run_##name(const uint32_t *in, uint32_t *out, uint64_t *total, size_t n, void *scratch, struct exec *x) \
    {                                                                                                                  \
        static const struct levels by = { scan_tiles<scan>, scan_sums<scan> };                                         \
        return run_levels(&by, in, out, total, n, scratch, x);                                                         \
    }
RUN_LEVELS(textbook, tile_reach)

/* ---- blelloch ------------------------------------------------------------------------------------------------------
 * The textbook adds ten times per number, 10240 times per tile: 0.76 ms. Idea: a tree. On the way up, each node becomes
 * the sum of everything below it. Then the root is set to 0. On the way down, each node holds the sum of what comes
 * before it: it passes that to its left child, and that plus the left child's sum to the right child. Two additions per
 * number, all in place.
 *
 *    up    3 0 2 5  ->  3 3 2 7  ->  3 3 2 10        down    3 3 2 0  ->  3 0 2 3  ->  0 3 3 5
 *
 * Cost: 23 barriers per tile instead of 12; and only half of the threads have a node, then a quarter, and so on. What
 * it saves is additions, which a GPU has plenty of. Worse, the nodes are 2, 4, 8, ... numbers apart. Numbers of 8 bytes
 * see 16 pairs of banks, of which the nodes use half, then a quarter, and so on, and lanes queue there. 1.43 ms, twice
 * the textbook (H200): 528 M instructions instead of 285, and 104 M turns lost to bank conflicts instead of 0.8. */

/* Return the padded index of number i of a tile, which avoids bank conflicts. EVERY: leave one place free after so
 * many; 0: none. */
template <unsigned EVERY> static __device__ __forceinline__ unsigned padded_index(unsigned i)
{
    return EVERY ? i + i / (EVERY ? EVERY : 1) : i;
}

template <unsigned EVERY> static __device__ __forceinline__ uint64_t tile_tree(uint64_t value, uint64_t *shared)
{
    static_assert(EVERY == 0 || EVERY >= 2, "the tile must fit into twice its numbers");
    const unsigned t = threadIdx.x;
    __syncthreads(); /* all have read the previous tile */
    shared[padded_index<EVERY>(t)] = value;
    for (unsigned half = 1; half < TILE; half *= 2) {
        __syncthreads();
        const unsigned right = 2 * half * (t + 1) - 1;
        if (right < TILE) shared[padded_index<EVERY>(right)] += shared[padded_index<EVERY>(right - half)];
    }
    __syncthreads();
    if (t == 0) shared[padded_index<EVERY>(TILE - 1)] = 0;
    for (unsigned half = TILE / 2; half > 0; half /= 2) {
        __syncthreads();
        const unsigned right = 2 * half * (t + 1) - 1;
        if (right < TILE) {
            const uint64_t before = shared[padded_index<EVERY>(right)];
            shared[padded_index<EVERY>(right)] = before + shared[padded_index<EVERY>(right - half)];
            shared[padded_index<EVERY>(right - half)] = before;
        }
    }
    __syncthreads();
    return shared[padded_index<EVERY>(t)] + value;
}
RUN_LEVELS(blelloch, tile_tree<0>)

/* ---- padded --------------------------------------------------------------------------------------------------------
 * In blelloch, the lanes meet in ever fewer banks; from a distance of 16 on, the 16 lanes of half a warp all meet in
 * one pair. Idea: leave a place free after every 16 numbers. Number i is at i + i / 16, and the nodes of a level fall
 * into different banks. (For 4-byte numbers, as in GPU Gems, it is one place in 32.) Up to a distance of 16, no two
 * lanes meet; beyond it, at most four do, and there few nodes are left. 1.07 ms: 8 M conflict turns remain. But the
 * barriers remain, too, and the textbook, with half as many, is faster. A tree suits a machine that has fewer adders
 * than numbers, not one that has as many.
 * Cost: a shift and an addition per address, and 1/16 more shared memory than the tree needs (here all rungs have room
 * for two buffers anyway). */
RUN_LEVELS(padded, tile_tree<16>)

/* ---- inclusive -----------------------------------------------------------------------------------------------------
 * The textbook's tile has 12 barriers and padded's 23, with only a few instructions between them. Idea: lanes of a warp
 * read each other's registers. Five shuffles give each lane the sum up to and including its own number, which is called
 * the inclusive scan. Then one warp does the same with the sums of the 32 warps. Three barriers are left. The op wants
 * exclusive sums; these are the inclusive ones minus the number itself, here as in all rungs, so nothing has to be
 * shifted.
 *
 *    in  3 0 2 5        inclusive  3 3 5 10        exclusive  0 3 3 5
 *
 * Predicted: 0.45 ms. That is 0.27 at the copy rate, for `out` being written, read and written again, plus a third of
 * the 0.5 ms that the textbook takes beyond that. Measured: 0.61, of the textbook's 0.77. Where the rest goes is a
 * question for ncu (docs/PROFILING.md). */

static __device__ __forceinline__ uint64_t warp_inclusive(uint64_t value)
{
#pragma unroll
    for (unsigned reach = 1; reach < WARP; reach *= 2) {
        const uint64_t before = __shfl_up_sync(ALL_LANES, value, reach);
        if (lane_index() >= reach) value += before;
    }
    return value;
}

static __device__ __forceinline__ uint64_t tile_shuffle(uint64_t value, uint64_t *shared)
{
    static_assert(TILE == WARP * WARP, "a warp must hold a sum of each warp");
    const unsigned warp = threadIdx.x / WARP;
    value = warp_inclusive(value);
    __syncthreads(); /* all have read the previous tile */
    if (lane_index() == WARP - 1) shared[warp] = value;
    __syncthreads();
    if (warp == 0) shared[lane_index()] = warp_inclusive(shared[lane_index()]);
    __syncthreads();
    return value + (warp ? shared[warp - 1] : 0);
}
RUN_LEVELS(inclusive, tile_shuffle)

/* ---- lookback ------------------------------------------------------------------------------------------------------
 * All rungs so far pass over the data twice. inclusive, with only three barriers per tile left, takes 0.61 ms, of which
 * 0.27 are the copy rate.
 * Idea: one pass. A tile publishes its own sum as soon as it has it. Then it looks back: it adds up the sums of the
 * tiles before it, until it meets one that has already published its prefix, the sum of everything up to its end. Now
 * it knows where it begins, and publishes its own prefix.
 *
 *    tile       ..   5           6          7          8
 *    published  ..   prefix 40   sum 7      sum 2      sum 3     tile 8 begins at 2 + 7 + 40 = 49, and publishes prefix 52
 *
 * An atomic counter numbers the tiles in the order in which their blocks begin, so a tile waits only for blocks that
 * are running: there can be no deadlock, whatever the scheduler does. A warp looks at 32 tiles at once. Within a tile,
 * numbers wrap at 32 bits, as `out` does; only the sums of tiles have 64. A warp reads and scans four rows of 32 times
 * four numbers, so every access is 16 bytes wide, and a shuffle serves four numbers.
 * 0.205 ms. Cost: tiles wait for each other, and correctness depends on how the two halves of a sum are published. */

enum {
    LOOK_ROWS = 4,
    PER_LANE = 4,
    ROW = PER_LANE * WARP,
    WARP_ITEMS = LOOK_ROWS * ROW,
    LOOK_WARPS = THREADS / WARP,
    LOOK_TILE = LOOK_WARPS * WARP_ITEMS,
};

enum { UNPUBLISHED, AGGREGATE, PREFIX }; /* what a tile has published */

/* A 64-bit sum and its kind. 96 bits cannot be written at once, so there are two words, and each has the kind above
 * half of the sum. A reader may see one old and one new word, but the kinds agree only if both were written together.
 * So no fence is needed. */
struct tile_status {
    unsigned long long low, high;
};

static __device__ __forceinline__ void publish(volatile struct tile_status *at, unsigned long long what, uint64_t sum)
{
    at->low = what << 32 | (sum & 0xffffffffu);
    at->high = what << 32 | sum >> 32;
}

/* Wait until the tile has published something; return the sum, and its kind in *what. */
static __device__ __forceinline__ uint64_t wait_for(const volatile struct tile_status *at, unsigned *what)
{
    unsigned long long low, high;
    do {
        low = at->low;
        high = at->high;
    } while (low >> 32 == UNPUBLISHED || low >> 32 != high >> 32);
    *what = (unsigned)(low >> 32);
    return high << 32 | (low & 0xffffffffu);
}

/* Return the sum of all tiles before `tile`. All lanes of one warp must call. */
static __device__ __forceinline__ uint64_t look_back(const volatile struct tile_status *tiles, uint64_t tile)
{
    const unsigned lane = lane_index();
    uint64_t sum = 0;
    for (;; tile -= WARP) { /* lane l looks at tile - 1 - l; before the first tile the prefix is 0 */
        unsigned what = PREFIX;
        uint64_t found = 0;
        if (tile > lane) found = wait_for(&tiles[tile - 1 - lane], &what);
        const uint32_t totals = __ballot_sync(ALL_LANES, what == PREFIX);
        const unsigned nearest = totals ? __ffs(totals) - 1 : WARP;
        sum += warp_sum(lane <= nearest ? found : 0); /* complete in lane 0 */
        if (totals) return __shfl_sync(ALL_LANES, sum, 0);
    }
}

static __device__ __forceinline__ uint4 load_four(const uint32_t *in, size_t i, size_t n)
{
    if (i + PER_LANE <= n) return *(const uint4 *)(in + i);
    return { i < n ? in[i] : 0, i + 1 < n ? in[i + 1] : 0, i + 2 < n ? in[i + 2] : 0, 0 };
}

static __device__ __forceinline__ void store_four(uint32_t *out, size_t i, size_t n, uint4 four)
{
    if (i + PER_LANE <= n) {
        store_16(out + i, four);
        return;
    }
    if (i < n) out[i] = four.x;
    if (i + 1 < n) out[i + 1] = four.y;
    if (i + 2 < n) out[i + 2] = four.z;
}

/* Return the exclusive sums within a row, wrapped at 32 bits; *sum: of the row, wrapped. */
static __device__ __forceinline__ uint4 scan_row(uint4 v, uint32_t *sum)
{
    const uint32_t mine = v.x + v.y + v.z + v.w;
    uint32_t up_to = mine;
#pragma unroll
    for (unsigned step = 1; step < WARP; step *= 2) {
        const uint32_t below = __shfl_up_sync(ALL_LANES, up_to, step);
        if (lane_index() >= step) up_to += below;
    }
    *sum = __shfl_sync(ALL_LANES, up_to, WARP - 1);
    const uint32_t begin = up_to - mine;
    return { begin, begin + v.x, begin + v.x + v.y, begin + v.x + v.y + v.z };
}

/* Read the lane's numbers and turn them into exclusive sums within the warp; return the lane's sum. */
static __device__ __forceinline__ uint64_t read_rows(const uint32_t *in, size_t first, size_t n, uint4 *four)
{
    uint64_t sum = 0;
    uint32_t before = 0; /* sum of the rows so far, wrapped */
#pragma unroll
    for (unsigned r = 0; r < LOOK_ROWS; r++) four[r] = load_four(in, first + r * ROW, n);
#pragma unroll
    for (unsigned r = 0; r < LOOK_ROWS; r++) {
        uint32_t row;
        sum += (uint64_t)four[r].x + four[r].y + four[r].z + four[r].w;
        four[r] = scan_row(four[r], &row);
        four[r].x += before, four[r].y += before, four[r].z += before, four[r].w += before;
        before += row;
    }
    return sum;
}

/* Publish the tile's own sum, then its prefix; return where it begins. All lanes of one warp must call. */
static __device__ __forceinline__ uint64_t publish_tile(volatile struct tile_status *status, uint64_t tile, uint64_t own)
{
    if (lane_index() == 0 && tile) publish(&status[tile], AGGREGATE, own);
    const uint64_t begin = look_back(status, tile);
    if (lane_index() == 0) publish(&status[tile], PREFIX, begin + own);
    return begin;
}

static __global__ void __launch_bounds__(THREADS)
    scan_lookback(const uint32_t *in, uint32_t *out, uint64_t *total, size_t n, unsigned long long *next_tile,
                  struct tile_status *status)
{
    __shared__ uint64_t tile_now, tile_begin, warp_sums[LOOK_WARPS];
    const uint64_t tiles = n / LOOK_TILE + (n % LOOK_TILE != 0);
    const unsigned lane = lane_index(), warp = threadIdx.x / WARP;
    for (;;) {
        if (threadIdx.x == 0) tile_now = atomicAdd(next_tile, 1ull);
        __syncthreads();
        const uint64_t tile = tile_now;
        if (tile >= tiles) return;

        uint4 four[LOOK_ROWS];
        const size_t first = tile * LOOK_TILE + warp * WARP_ITEMS + lane * PER_LANE;
        const uint64_t sum = warp_sum(read_rows(in, first, n, four));
        if (lane == 0) warp_sums[warp] = sum;
        __syncthreads();
        if (warp == 0) {
            uint64_t own = 0;
            for (unsigned w = 0; w < LOOK_WARPS; w++) own += warp_sums[w];
            const uint64_t begin = publish_tile(status, tile, own);
            if (lane == 0) tile_begin = begin;
            if (lane == 0 && tile == tiles - 1) *total = begin + own;
        }
        __syncthreads();

        uint32_t before = (uint32_t)tile_begin;
        for (unsigned w = 0; w < warp; w++) before += (uint32_t)warp_sums[w];
#pragma unroll
        for (unsigned r = 0; r < LOOK_ROWS; r++) {
            four[r].x += before, four[r].y += before, four[r].z += before, four[r].w += before;
            store_four(out, first + r * ROW, n, four[r]);
        }
    }
}

static size_t scratch_lookback(size_t n, const struct exec *x)
{
    (void)x;
    return scratch_round(sizeof(unsigned long long)) + scratch_round((n / LOOK_TILE + 1) * sizeof(struct tile_status));
}

static int run_lookback(const uint32_t *in, uint32_t *out, uint64_t *total, size_t n, void *scratch, struct exec *x)
{
    if (!n) return no_items(total, x);
    unsigned long long *next_tile = (unsigned long long *)scratch;
    struct tile_status *status = (struct tile_status *)((char *)scratch + scratch_round(sizeof *next_tile));
    const cudaError_t error = cudaMemsetAsync(scratch, UNPUBLISHED, scratch_lookback(n, x), x->stream);
    if (error != cudaSuccess) return clear_error(error);
    scan_lookback<<<launch_blocks(n, LOOK_TILE), THREADS, 0, x->stream>>>(in, out, total, n, next_tile, status);
    return cudaGetLastError();
}

/* ---- cub -----------------------------------------------------------------------------------------------------------
 * lookback moves its bytes at 2.6 TB/s, two thirds of the copy rate.
 * Idea: the library's single pass with look-back, tuned for each architecture, as the ceiling. A 64-bit start value
 * makes all sums 64 bits wide; an output function stores the low half, and at the last number also writes the total.
 * 0.269 ms, so it is no ceiling here, probably because all its sums have 64 bits, while those of lookback have 32
 * within a tile.
 * Cost: a few hundred lines of templates per type. */

#ifdef ISO_CUB_64
struct store_sum { /* called with each index and its exclusive sum */
    const uint32_t *in;
    uint32_t *out;
    uint64_t *total;
    size_t last;

    __device__ void operator()(size_t i, uint64_t sum) const
    {
        out[i] = (uint32_t)sum;
        if (i == last) *total = sum + in[i];
    }
};

/* With scratch NULL, only set *bytes. */
static cudaError_t cub_scan(const struct store_sum *store, size_t n, void *scratch, size_t *bytes, cudaStream_t stream)
{
    return cub::DeviceScan::ExclusiveScan(scratch, *bytes, store->in, thrust::make_tabulate_output_iterator(*store),
                                          cuda::std::plus<>{}, uint64_t{ 0 }, n, stream);
}

static size_t scratch_cub(size_t n, const struct exec *x)
{
    const struct store_sum store = { NULL, NULL, NULL, 0 };
    size_t bytes = 0;
    if (!n || clear_error(cub_scan(&store, n, NULL, &bytes, x->stream))) return 0;
    return scratch_round(bytes);
}

static int run_cub(const uint32_t *in, uint32_t *out, uint64_t *total, size_t n, void *scratch, struct exec *x)
{
    if (!n) return no_items(total, x);
    const struct store_sum store = { in, out, total, n - 1 };
    size_t bytes = 0;
    cudaError_t error = cub_scan(&store, n, NULL, &bytes, x->stream);
    if (error == cudaSuccess) error = cub_scan(&store, n, scratch, &bytes, x->stream);
    const cudaError_t last = cudaGetLastError();
    return error != cudaSuccess ? error : last;
}

static const char *(*const cub_unavailable)(const struct exec *) = NULL;
#else
static size_t scratch_cub(size_t, const struct exec *) { return 0; }

static int run_cub(const uint32_t *, uint32_t *, uint64_t *, size_t, void *, struct exec *)
{
    return cudaErrorNotSupported;
}

static const char *cub_unavailable(const struct exec *) { return "CUB counts in 32 bits before CUDA 13"; }
#endif

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* clang-format off */
const struct scan_rung scan_cuda[] = {
    { { "textbook", "Hillis-Steele in tiles of 1024; the tiles' sums are scanned, then added", false },
      run_textbook, scratch_levels },
    { { "blelloch", "up-sweep and down-sweep of a tree: a fifth of the additions, twice the barriers", false },
      run_blelloch, scratch_levels },
    { { "padded", "as blelloch, with a gap after every 16 numbers, against bank conflicts", false }, run_padded,
      scratch_levels },
    { { "inclusive", "warps scan by shuffles: three barriers per tile", false }, run_inclusive, scratch_levels },
    { { "lookback", "one pass: tiles publish their sums, and look back at those of earlier tiles", true },
      run_lookback, scratch_lookback },
    { { "cub", "the library: look-back, tuned per architecture", false, cub_unavailable, true }, run_cub, scratch_cub },
    {},
};
/* clang-format on */
