/* sort on CUDA: keys and payload, stable. Contract, ranks and items in sort.h.
 * Run: isoscope ladder sort --bench --backend cuda
 *
 * First the sorting networks of Batcher (1968), whose comparisons do not depend on the data. Then merging by rank
 * (Satish, Harris and Garland 2009, section 5), and radix sort: as in section 4 there, and in one sweep per byte. All
 * rungs except onesweep and the library's sort 64-bit items of rank and position.
 * Times: H200, 2^26 keys. */
#include "sort.h"
#include "cuda_util.cuh"
#include "scan.h"

#include <cub/device/device_radix_sort.cuh>
#include <cuda_runtime.h>

static const uint64_t LAST_ITEM = UINT64_MAX; /* padding; no item is equal, because no position is 0xffffffff */

/* Write the items of all keys, then LAST_ITEM up to `padded`. */
static __global__ void pack_items(struct sort_desc d, uint64_t *item, size_t padded)
{
    for (size_t i = thread_index(); i < padded; i += thread_count()) item[i] = i < d.n ? sort_item(&d, i) : LAST_ITEM;
}

static __global__ void unpack_items(struct sort_desc d, const uint64_t *item)
{
    for (size_t i = thread_index(); i < d.n; i += thread_count()) sort_store(&d, i, item[i]);
}

static void pack(const struct sort_desc *d, uint64_t *item, size_t padded, struct exec *x)
{
    pack_items<<<launch_blocks(padded, block_threads(x)), block_threads(x), 0, x->stream>>>(*d, item, padded);
}

static int unpack(const struct sort_desc *d, const uint64_t *item, struct exec *x)
{
    unpack_items<<<launch_blocks(d->n, block_threads(x)), block_threads(x), 0, x->stream>>>(*d, item);
    return cudaGetLastError();
}

/* Return n rounded up to a power of two times min_size, the rung's tile. */
static size_t network_size(size_t n, size_t min_size)
{
    while (min_size < n) min_size *= 2;
    return min_size;
}

static size_t network_bytes(size_t n, size_t min_size)
{
    return n ? scratch_round(network_size(n, min_size) * sizeof(uint64_t)) : 0;
}

static __device__ __forceinline__ void compare_exchange(uint64_t &a, uint64_t &b, bool up)
{
    const uint64_t low = a < b ? a : b, high = a < b ? b : a;
    a = up ? low : high;
    b = up ? high : low;
}

/* Return the lower item of pair t; the two items of a pair are `step` apart. Step 2 gives 0 1, 4 5, .. for t = 0 1, 2
 * 3, .. */
static __device__ __forceinline__ size_t pair_low(size_t t, size_t step) { return 2 * t - (t & (step - 1)); }

/* ---- bitonic -------------------------------------------------------------------------------------------------------
 * Runs of 2, 4, 8, .. items are sorted, alternately up and down, so that two neighbouring runs form one bitonic
 * sequence. To sort that, compare items half a run apart, then a quarter, and so on. One launch per step, one thread
 * per pair.
 *
 *    sizes 2 4 8 .. n, for each: steps size/2 .. 4 2 1       launches: log2 n (log2 n + 1) / 2, 210 for 2^20 items
 *
 * Cost: each launch reads and writes every item, 16 bytes each time; for 2^20 items that is 3.4 KB per item in all. n
 * is rounded up to a power of two, which is nearly twice the work just above one. 90 ms for 2^26: 351 launches, each at
 * the copy rate. */

static __global__ void bitonic_step(uint64_t *item, size_t pairs, size_t size, size_t step)
{
    for (size_t t = thread_index(); t < pairs; t += thread_count()) {
        const size_t i = pair_low(t, step);
        compare_exchange(item[i], item[i + step], (i & size) == 0);
    }
}

static int run_bitonic(const struct sort_desc *d, void *scratch, struct exec *x)
{
    if (!d->n) return cudaSuccess;
    const unsigned threads = block_threads(x);
    uint64_t *item = (uint64_t *)scratch;
    const size_t n = network_size(d->n, 2);
    pack(d, item, n, x);
    for (size_t size = 2; size <= n; size *= 2)
        for (size_t step = size / 2; step > 0; step /= 2)
            bitonic_step<<<launch_blocks(n / 2, threads), threads, 0, x->stream>>>(item, n / 2, size, step);
    return unpack(d, item, x);
}

static size_t scratch_bitonic(const struct sort_desc *d, const struct exec *x)
{
    (void)x;
    return network_bytes(d->n, 2);
}

/* ---- shared --------------------------------------------------------------------------------------------------------
 * bitonic moves all items through memory at each of its steps, 351 for 2^26: 90 ms. Idea: do the steps within 2048
 * items in shared memory, one after the other. The first launch does all steps up to size 2048, and for every larger
 * size one launch does the last 11 steps: 45 + 10 launches for 2^20 items. For 2^26 they are 120 + 16 launches, 45.7
 * ms, of which the copy rate explains 35.
 * Cost: 16 KiB per block, and a barrier per step. */

enum { TILE = 2048, TILE_THREADS = TILE / 2 };

/* Run sizes first .. last of the network, for each the steps below TILE; a block per tile of items. */
static __global__ void __launch_bounds__(TILE_THREADS) bitonic_tile(uint64_t *item, size_t first, size_t last)
{
    __shared__ uint64_t tile[TILE];
    const size_t start = (size_t)blockIdx.x * TILE;
    for (unsigned i = threadIdx.x; i < TILE; i += TILE_THREADS) tile[i] = item[start + i];
    __syncthreads();
    for (size_t size = first; size <= last; size *= 2)
        for (unsigned step = size < TILE ? (unsigned)size / 2 : TILE / 2; step > 0; step /= 2) {
            const unsigned i = (unsigned)pair_low(threadIdx.x, step);
            compare_exchange(tile[i], tile[i + step], ((start + i) & size) == 0);
            __syncthreads();
        }
    for (unsigned i = threadIdx.x; i < TILE; i += TILE_THREADS) item[start + i] = tile[i];
}

static int run_shared(const struct sort_desc *d, void *scratch, struct exec *x)
{
    if (!d->n) return cudaSuccess;
    uint64_t *item = (uint64_t *)scratch;
    const size_t n = network_size(d->n, TILE);
    const unsigned tiles = (unsigned)(n / TILE); /* 2^21 at most */
    pack(d, item, n, x);
    bitonic_tile<<<tiles, TILE_THREADS, 0, x->stream>>>(item, 2, TILE);
    for (size_t size = 2 * TILE; size <= n; size *= 2) {
        for (size_t step = size / 2; step >= TILE; step /= 2)
            bitonic_step<<<launch_blocks(n / 2, THREADS), THREADS, 0, x->stream>>>(item, n / 2, size, step);
        bitonic_tile<<<tiles, TILE_THREADS, 0, x->stream>>>(item, size, size);
    }
    return unpack(d, item, x);
}

static size_t scratch_shared(const struct sort_desc *d, const struct exec *x)
{
    (void)x;
    return network_bytes(d->n, TILE);
}

/* ---- split ---------------------------------------------------------------------------------------------------------
 * shared reads and writes shared memory, and waits at a barrier, for every comparison: 10 ms of its 45.7. Idea:
 * compare-split. An element of the network is no longer one item but a sorted run of 8 items in the registers of a
 * thread. Comparing two runs leaves the 8 smaller items in one and the 8 larger in the other, each sorted again: 32
 * comparisons between registers for 16 loads and stores. The network covers n / 8 runs, so a tile of 4096 items has 9
 * sizes, and 45 steps instead of 78.
 *
 *    a  1 4 6 9        min(a[i], b[3 - i])  1 4 3 2    sorted: 1 2 3 4    keeps the smaller half
 *    b  2 3 7 8        max(a[i], b[3 - i])  8 7 6 9            6 7 8 9    the larger; both halves are bitonic
 *
 * In shared memory, item k of run r is at [k][r], so that lanes are contiguous.
 * Cost: 64 registers for two runs. And it takes 95 ms, twice as long as shared, although it has only 105 steps across
 * tiles instead of 120. In those steps, a thread reads and writes its runs of 64 bytes item by item, so each access of
 * a warp touches 16 lines instead of two, and a multiprocessor sends stores at only one line per 2 ns or so, as in
 * `stride32` of copy. Moving the runs through shared memory there, as in the tiles, should help; it was not tried. */

enum { RUN = 8, SPLIT_RUNS = 512, SPLIT_TILE = RUN * SPLIT_RUNS, SPLIT_THREADS = SPLIT_RUNS / 2 };

/* Sort a bitonic run, ascending. */
static __device__ __forceinline__ void clean_run(uint64_t *run)
{
#pragma unroll
    for (unsigned step = RUN / 2; step > 0; step /= 2)
#pragma unroll
        for (unsigned i = 0; i < RUN; i++)
            if (!(i & step)) compare_exchange(run[i], run[i + step], true);
}

static __device__ __forceinline__ void sort_run(uint64_t *run)
{
#pragma unroll
    for (unsigned size = 2; size <= RUN; size *= 2)
#pragma unroll
        for (unsigned step = size / 2; step > 0; step /= 2)
#pragma unroll
            for (unsigned i = 0; i < RUN; i++)
                if (!(i & step)) compare_exchange(run[i], run[i + step], (i & size) == 0);
}

/* Leave the smaller half in a if up, else the larger. Sort both ascending in either case. */
static __device__ __forceinline__ void compare_split(uint64_t *a, uint64_t *b, bool up)
{
    uint64_t low[RUN], high[RUN];
#pragma unroll
    for (unsigned i = 0; i < RUN; i++) {
        low[i] = a[i], high[i] = b[RUN - 1 - i];
        compare_exchange(low[i], high[i], true);
    }
    clean_run(low);
    clean_run(high);
#pragma unroll
    for (unsigned i = 0; i < RUN; i++) a[i] = up ? low[i] : high[i], b[i] = up ? high[i] : low[i];
}

static __device__ __forceinline__ void load_run(uint64_t *run, const uint64_t *from, size_t apart)
{
#pragma unroll
    for (unsigned k = 0; k < RUN; k++) run[k] = from[k * apart];
}

static __device__ __forceinline__ void store_run(const uint64_t *run, uint64_t *to, size_t apart)
{
#pragma unroll
    for (unsigned k = 0; k < RUN; k++) to[k * apart] = run[k];
}

/* Run one step across tiles; sizes and steps are in runs. */
static __global__ void __launch_bounds__(THREADS) split_step(uint64_t *item, size_t pairs, size_t size, size_t step)
{
    for (size_t t = thread_index(); t < pairs; t += thread_count()) {
        const size_t r = pair_low(t, step);
        uint64_t a[RUN], b[RUN];
        load_run(a, item + r * RUN, 1);
        load_run(b, item + (r + step) * RUN, 1);
        compare_split(a, b, (r & size) == 0);
        store_run(a, item + r * RUN, 1);
        store_run(b, item + (r + step) * RUN, 1);
    }
}

/* As bitonic_tile(), over runs. fresh: the runs are not sorted yet. */
static __global__ void __launch_bounds__(SPLIT_THREADS) split_tile(uint64_t *item, size_t first, size_t last, bool fresh)
{
    __shared__ uint64_t tile[RUN][SPLIT_RUNS + 1]; /* + 1: copies in and out access across the runs */
    const size_t start = (size_t)blockIdx.x * SPLIT_RUNS;
    uint64_t a[RUN], b[RUN];
    for (unsigned i = threadIdx.x; i < SPLIT_TILE; i += SPLIT_THREADS) tile[i % RUN][i / RUN] = item[start * RUN + i];
    __syncthreads();
    if (fresh) {
        for (unsigned r = threadIdx.x; r < SPLIT_RUNS; r += SPLIT_THREADS) {
            load_run(a, &tile[0][r], SPLIT_RUNS + 1);
            sort_run(a);
            store_run(a, &tile[0][r], SPLIT_RUNS + 1);
        }
        __syncthreads();
    }
    for (size_t size = first; size <= last; size *= 2)
        for (unsigned step = size < SPLIT_RUNS ? (unsigned)size / 2 : SPLIT_RUNS / 2; step > 0; step /= 2) {
            const unsigned r = (unsigned)pair_low(threadIdx.x, step);
            load_run(a, &tile[0][r], SPLIT_RUNS + 1);
            load_run(b, &tile[0][r + step], SPLIT_RUNS + 1);
            compare_split(a, b, ((start + r) & size) == 0);
            store_run(a, &tile[0][r], SPLIT_RUNS + 1);
            store_run(b, &tile[0][r + step], SPLIT_RUNS + 1);
            __syncthreads();
        }
    for (unsigned i = threadIdx.x; i < SPLIT_TILE; i += SPLIT_THREADS) item[start * RUN + i] = tile[i % RUN][i / RUN];
}

static int run_split(const struct sort_desc *d, void *scratch, struct exec *x)
{
    if (!d->n) return cudaSuccess;
    uint64_t *item = (uint64_t *)scratch;
    const size_t n = network_size(d->n, SPLIT_TILE), runs = n / RUN;
    const unsigned tiles = (unsigned)(n / SPLIT_TILE);
    pack(d, item, n, x);
    split_tile<<<tiles, SPLIT_THREADS, 0, x->stream>>>(item, 2, SPLIT_RUNS, true);
    for (size_t size = 2 * SPLIT_RUNS; size <= runs; size *= 2) {
        for (size_t step = size / 2; step >= SPLIT_RUNS; step /= 2)
            split_step<<<launch_blocks(runs / 2, THREADS), THREADS, 0, x->stream>>>(item, runs / 2, size, step);
        split_tile<<<tiles, SPLIT_THREADS, 0, x->stream>>>(item, size, size, false);
    }
    return unpack(d, item, x);
}

static size_t scratch_split(const struct sort_desc *d, const struct exec *x)
{
    (void)x;
    return network_bytes(d->n, SPLIT_TILE);
}

/* ---- merge ---------------------------------------------------------------------------------------------------------
 * Networks make n log2^2 n comparisons, and pass over memory 136 times or more: 45.7 ms at best. Idea: sort tiles of
 * 2048 in shared memory, then merge them in pairs by counting. An item's position in the merged run is its position in
 * its own run plus the number of smaller items in the other run, which a binary search finds. All items search at once.
 * That takes log2(n / 2048) passes: 9 for 2^20 items instead of 45, 15 for 2^26. n need not be a power of two. 28.6 ms.
 * Cost: a second buffer. Each search makes log2 of the run's length reads, which are far apart in long runs. */

static size_t tile_count(size_t n) { return (n + TILE - 1) / TILE; }

/* Return how many of the n items are smaller than `item`. */
static __device__ __forceinline__ size_t count_smaller(const uint64_t *run, size_t n, uint64_t item)
{
    size_t low = 0;
    while (n > 0) {
        const size_t half = n / 2;
        if (run[low + half] < item) low += half + 1, n -= half + 1;
        else n = half;
    }
    return low;
}

static __global__ void merge_pass(const uint64_t *in, uint64_t *out, size_t n, size_t run)
{
    for (size_t i = thread_index(); i < n; i += thread_count()) {
        const size_t mine = i / run * run, pair = i / (2 * run) * (2 * run); /* where this run and its pair begin */
        const size_t other = mine == pair ? pair + run : pair;
        const size_t length = other >= n ? 0 : n - other < run ? n - other : run;
        out[i - mine + pair + count_smaller(in + other, length, in[i])] = in[i];
    }
}

/* Sort all tiles ascending; pad the last one with LAST_ITEM. */
static __global__ void __launch_bounds__(TILE_THREADS) sort_tiles(struct sort_desc d, uint64_t *item)
{
    __shared__ uint64_t tile[TILE];
    const size_t start = (size_t)blockIdx.x * TILE;
    for (unsigned i = threadIdx.x; i < TILE; i += TILE_THREADS)
        tile[i] = start + i < d.n ? sort_item(&d, start + i) : LAST_ITEM;
    __syncthreads();
    for (unsigned size = 2; size <= TILE; size *= 2)
        for (unsigned step = size / 2; step > 0; step /= 2) {
            const unsigned i = (unsigned)pair_low(threadIdx.x, step);
            compare_exchange(tile[i], tile[i + step], (i & size) == 0);
            __syncthreads();
        }
    for (unsigned i = threadIdx.x; i < TILE; i += TILE_THREADS)
        if (start + i < d.n) item[start + i] = tile[i];
}

static size_t items_bytes(const struct sort_desc *d) { return scratch_round(d->n * sizeof(uint64_t)); }

static int run_merge(const struct sort_desc *d, void *scratch, struct exec *x)
{
    if (!d->n) return cudaSuccess;
    uint64_t *in = (uint64_t *)scratch, *out = (uint64_t *)((char *)scratch + items_bytes(d));
    sort_tiles<<<(unsigned)tile_count(d->n), TILE_THREADS, 0, x->stream>>>(*d, in);
    for (size_t run = TILE; run < d->n; run *= 2) {
        merge_pass<<<launch_blocks(d->n, THREADS), THREADS, 0, x->stream>>>(in, out, d->n, run);
        uint64_t *swap = in;
        in = out, out = swap;
    }
    return unpack(d, in, x);
}

static size_t scratch_merge(const struct sort_desc *d, const struct exec *x)
{
    (void)x;
    return 2 * items_bytes(d);
}

/* ---- radix ---------------------------------------------------------------------------------------------------------
 * merge passes over all items log2(n / 2048) times, and searches in each pass: 28.6 ms for 15. Idea: four passes, each
 * by one byte of the rank, the lowest byte first. Each block counts its 4096 items per byte value. A scan of the
 * counts, value by value and within that block by block, gives each block's offset for each value. Then each item needs
 * its position among the equal ones before it in the block: __match_any_sync finds those within a warp, counters in
 * shared memory those of other warps. Equal bytes keep their order, which is why sorting from the lowest byte up is
 * correct. (A single such pass, by the highest digits, is a bucket sort; its buckets would then have to be sorted by
 * themselves. From the lowest digit on, nothing is left to sort.)
 *
 *    counts  byte 0: block 0, 1, 2, ..   byte 1: block 0, 1, ..        256 x blocks, scanned by the scan ladder's default
 *
 * 6.1 ms. Cost: items are read twice and written once per pass, 96 bytes per item in all, which takes 1.6 ms at the
 * copy rate. The writes of a block go to 256 ranges, 16 items to each. */

enum { DIGITS = 256, TURNS = 16, RADIX_TILE = THREADS * TURNS, RADIX_WARPS = THREADS / WARP };

static size_t radix_tiles(size_t n) { return (n + RADIX_TILE - 1) / RADIX_TILE; }

static __device__ __forceinline__ unsigned digit_of(uint64_t item, unsigned shift)
{
    return (unsigned)(item >> shift) & (DIGITS - 1);
}

static __global__ void __launch_bounds__(THREADS)
    radix_count(const uint64_t *in, uint32_t *counts, size_t n, unsigned shift)
{
    __shared__ uint32_t count[DIGITS];
    static_assert(THREADS == DIGITS, "a thread per digit");
    count[threadIdx.x] = 0;
    __syncthreads();
    const size_t start = (size_t)blockIdx.x * RADIX_TILE;
    for (unsigned t = 0; t < TURNS; t++) {
        const size_t i = start + t * THREADS + threadIdx.x;
        if (i < n) atomicAdd(&count[digit_of(in[i], shift)], 1u);
    }
    __syncthreads();
    counts[(size_t)threadIdx.x * gridDim.x + blockIdx.x] = count[threadIdx.x];
}

static __global__ void __launch_bounds__(THREADS)
    radix_move(const uint64_t *in, uint64_t *out, const uint32_t *offsets, size_t n, unsigned shift)
{
    __shared__ uint32_t offset[RADIX_WARPS][DIGITS]; /* at first each warp's count of each digit, then its offset */
    const unsigned warp = threadIdx.x / WARP, below = (1u << lane_index()) - 1;
    const size_t start = (size_t)blockIdx.x * RADIX_TILE + (size_t)warp * WARP * TURNS + lane_index();
    uint64_t item[TURNS];
    uint32_t before[TURNS]; /* equal digits before this one in the warp's part */
    for (unsigned i = threadIdx.x; i < RADIX_WARPS * DIGITS; i += THREADS) (&offset[0][0])[i] = 0;
    __syncthreads();
#pragma unroll
    for (unsigned t = 0; t < TURNS; t++) {
        const bool is_there = start + t * WARP < n;
        item[t] = is_there ? in[start + t * WARP] : 0;
        const unsigned digit = digit_of(item[t], shift);
        const uint32_t equal = lanes_with(is_there ? digit : DIGITS);
        before[t] = offset[warp][digit] + popcount32(equal & below);
        __syncwarp(); /* all have read; then the last of the equal ones writes */
        if (is_there && equal >> lane_index() == 1) offset[warp][digit] = before[t] + 1;
        __syncwarp();
    }
    __syncthreads();
    uint32_t sum = offsets[(size_t)threadIdx.x * gridDim.x + blockIdx.x];
    for (unsigned w = 0; w < RADIX_WARPS; w++) {
        const uint32_t count = offset[w][threadIdx.x];
        offset[w][threadIdx.x] = sum;
        sum += count;
    }
    __syncthreads();
#pragma unroll
    for (unsigned t = 0; t < TURNS; t++)
        if (start + t * WARP < n) out[offset[warp][digit_of(item[t], shift)] + before[t]] = item[t];
}

struct radix_layout {
    uint64_t *a, *b, *total;
    uint32_t *counts, *offsets;
    void *scan;
    size_t bytes, tiles;
};

static const struct scan_rung *scan_rung(void)
{
    return (const struct scan_rung *)ladder_find(ladder_of("scan"), BACKEND_CUDA, NULL);
}

static struct radix_layout radix_layout_of(const struct sort_desc *d, void *scratch, const struct exec *x)
{
    struct radix_layout r;
    char *at = (char *)scratch;
    r.tiles = radix_tiles(d->n);
    const size_t items = items_bytes(d), counts = r.tiles * DIGITS, part = scratch_round(counts * sizeof(uint32_t));
    const struct scan_rung *scan = scan_rung();
    r.a = (uint64_t *)at, r.b = (uint64_t *)(at + items);
    r.total = (uint64_t *)(at + 2 * items);
    r.counts = (uint32_t *)(at + 2 * items + 256), r.offsets = (uint32_t *)(at + 2 * items + 256 + part);
    r.scan = at + 2 * items + 256 + 2 * part;
    r.bytes = 2 * items + 256 + 2 * part + (scan->scratch ? scan->scratch(counts, x) : 0);
    return r;
}

static int run_radix(const struct sort_desc *d, void *scratch, struct exec *x)
{
    if (!d->n) return cudaSuccess;
    struct radix_layout r = radix_layout_of(d, scratch, x);
    const unsigned tiles = (unsigned)r.tiles; /* 2^20 at most */
    pack(d, r.a, d->n, x);
    for (unsigned shift = 32; shift < 64; shift += 8) {
        radix_count<<<tiles, THREADS, 0, x->stream>>>(r.a, r.counts, d->n, shift);
        const int code = scan_rung()->run(r.counts, r.offsets, r.total, r.tiles * DIGITS, r.scan, x);
        if (code) return code;
        radix_move<<<tiles, THREADS, 0, x->stream>>>(r.a, r.b, r.offsets, d->n, shift);
        uint64_t *swap = r.a;
        r.a = r.b, r.b = swap;
    }
    return unpack(d, r.a, x);
}

static size_t scratch_radix(const struct sort_desc *d, const struct exec *x)
{
    return d->n ? radix_layout_of(d, NULL, x).bytes : 0;
}

#include "sort_cuda_sweep.cuh"

/* ---- cub -----------------------------------------------------------------------------------------------------------
 * The library's sort, as the ceiling: one sweep per byte, with 4-byte ranks and the payload itself. 2.35 ms.
 * Cost: buffers for ranks, and for positions if they are the payload. */

static __global__ void write_ranks(struct sort_desc d, uint32_t *rank, uint32_t *position)
{
    for (size_t i = thread_index(); i < d.n; i += thread_count()) {
        rank[i] = sort_rank(&d, d.keys_in[i]);
        if (!d.values_in) position[i] = (uint32_t)i;
    }
}

static __global__ void ranks_to_keys(struct sort_desc d)
{
    for (size_t i = thread_index(); i < d.n; i += thread_count()) d.keys_out[i] = sort_key_of(&d, d.keys_out[i]);
}

static size_t ranks_bytes(const struct sort_desc *d) { return scratch_round(d->n * sizeof(uint32_t)); }

/* With scratch NULL, only set *bytes. */
static cudaError_t cub_sort(const struct sort_desc *d, const uint32_t *rank, const uint32_t *values, void *scratch,
                            size_t *bytes, cudaStream_t stream)
{
    return cub::DeviceRadixSort::SortPairs(scratch, *bytes, rank, d->keys_out, values, d->values_out, (uint32_t)d->n, 0, 32,
                                           stream);
}

static size_t scratch_cub(const struct sort_desc *d, const struct exec *x)
{
    size_t bytes = 0;
    if (!d->n || clear_error(cub_sort(d, NULL, NULL, NULL, &bytes, x->stream))) return 0;
    return 2 * ranks_bytes(d) + scratch_round(bytes);
}

static int run_cub(const struct sort_desc *d, void *scratch, struct exec *x)
{
    if (!d->n) return cudaSuccess;
    uint32_t *rank = (uint32_t *)scratch, *position = (uint32_t *)((char *)scratch + ranks_bytes(d));
    const uint32_t *values = d->values_in ? d->values_in : position;
    const unsigned blocks = launch_blocks(d->n, THREADS);
    size_t bytes = 0;
    write_ranks<<<blocks, THREADS, 0, x->stream>>>(*d, rank, position);
    cudaError_t error = cub_sort(d, rank, values, NULL, &bytes, x->stream);
    if (error == cudaSuccess) error = cub_sort(d, rank, values, (char *)scratch + 2 * ranks_bytes(d), &bytes, x->stream);
    if (error == cudaSuccess) ranks_to_keys<<<blocks, THREADS, 0, x->stream>>>(*d);
    const cudaError_t last = cudaGetLastError();
    return error != cudaSuccess ? error : last;
}

/* ---- the table ----------------------------------------------------------------------------------------------------- */

const struct sort_rung sort_cuda[] = {
    { { "bitonic", "sorting network, a launch per step", false }, run_bitonic, scratch_bitonic, true },
    { { "shared", "as bitonic, the steps within 2048 items in shared memory", false }, run_shared, scratch_shared },
    { { "split", "sorted runs of 8 per thread, compared and split", false }, run_split, scratch_split },
    { { "merge", "sorted tiles, merged by counting smaller items with a binary search", false }, run_merge, scratch_merge },
    { { "radix", "four passes of one byte each", false }, run_radix, scratch_radix },
    { { "onesweep", "one sweep per byte: blocks look back at what earlier blocks have published", false },
      run_onesweep,
      scratch_onesweep },
    { { "cub", "the library: radix, one sweep per byte", true, NULL, true }, run_cub, scratch_cub },
    {},
};
