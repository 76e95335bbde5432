/* reduce on CUDA: one summary of all voxels. Contract and the merging of summaries in reduce.h.
 * Run: isoscope ladder reduce --bench --backend cuda
 *
 * Every rung except cas takes two launches: first each block writes a summary, then one block merges them. The number
 * of blocks depends only on the volume, not on the device, so a rung rounds the same way on every GPU. */
#include "reduce.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

enum { REDUCE_BLOCKS = 2048 }; /* at most; limits the scratch to 112 KiB */

static __device__ __forceinline__ struct summary summary_of(float value)
{
    struct summary s = summary_empty();
    if (isnan(value)) {
        s.nan = 1;
    } else if (isinf(value)) {
        s.infinite = 1;
    } else {
        s.min = s.max = s.mean = value;
        s.count = 1;
    }
    return s;
}

/* Merge part[0..THREADS) into part[0], by halves. All threads of the block must call. */
static __device__ __forceinline__ void merge_tree(struct summary *part)
{
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] = summary_merge(part[threadIdx.x], part[threadIdx.x + half]);
        __syncthreads();
    }
}

/* Merge the blocks' summaries, in one block. */
static __global__ void __launch_bounds__(THREADS)
    merge_blocks(const struct summary *block, unsigned blocks, struct summary *out)
{
    __shared__ struct summary part[THREADS];
    struct summary mine = summary_empty();
    for (unsigned i = threadIdx.x; i < blocks; i += THREADS) mine = summary_merge(mine, block[i]);
    part[threadIdx.x] = mine;
    merge_tree(part);
    if (threadIdx.x == 0) *out = part[0];
}

static unsigned reduce_blocks(size_t voxels, unsigned per_block)
{
    const unsigned blocks = launch_blocks(voxels, per_block);
    return blocks < REDUCE_BLOCKS ? blocks : (unsigned)REDUCE_BLOCKS;
}

static size_t scratch_blocks(size_t voxels, const struct exec *x)
{
    (void)x;
    return scratch_round(reduce_blocks(voxels, THREADS) * sizeof(struct summary));
}

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * A block takes 256 voxels, makes a summary of each, and merges them by halves in shared memory; then it takes the next
 * 256.
 * Cost: eight barriers and 255 merges for 256 voxels, each merge with a division of doubles; half of the threads go
 * idle at each step. */

template <enum voxel_type T>
static __global__ void __launch_bounds__(THREADS) reduce_textbook(struct grid g, struct summary *block)
{
    __shared__ struct summary part[THREADS];
    g.type = T;
    const size_t n = grid_voxels(&g);
    struct summary sum = summary_empty(); /* in thread 0: the tiles so far */
    for (size_t tile = blockIdx.x; tile * THREADS < n; tile += gridDim.x) {
        const size_t i = tile * THREADS + threadIdx.x;
        part[threadIdx.x] = i < n ? summary_of(grid_value(&g, i)) : summary_empty();
        merge_tree(part);
        if (threadIdx.x == 0) sum = summary_merge(sum, part[0]);
        __syncthreads();
    }
    if (threadIdx.x == 0) block[blockIdx.x] = sum;
}

static int run_textbook(const struct grid *grid, struct summary *out, void *scratch, struct exec *x)
{
    const unsigned blocks = reduce_blocks(grid_voxels(grid), THREADS);
    struct summary *block = (struct summary *)scratch;
    LAUNCH_TYPED(grid->type, reduce_textbook<TYPE><<<blocks, THREADS, 0, x->stream>>>(*grid, block));
    merge_blocks<<<1, THREADS, 0, x->stream>>>(block, blocks, out);
    return cudaGetLastError();
}

/* ---- batch ---------------------------------------------------------------------------------------------------------
 * In the textbook, merges and barriers are the limit, not memory: 0.32 ms for 2^24 uint8 voxels on an H200, 52 GB/s.
 * Idea: a thread holds 16 voxels in registers. It computes their mean, then the squares about the mean, in two plain
 * loops. So the divisions of a merge come only once per 16 voxels. Shuffles merge the lanes once, at the end.
 * 0.06 ms, 0.28 TB/s; 0.31 ms for 512^3. Cost: registers. The 16 loads of a thread are a block's width apart, so that
 * each is coalesced, but each brings only one byte per lane. */

enum { BATCH = 16 };

static __device__ __forceinline__ struct summary summary_of_batch(const float *value, unsigned have)
{
    struct summary s = summary_empty();
    double sum = 0;
#pragma unroll
    for (unsigned k = 0; k < BATCH; k++) {
        if (k >= have) continue;
        const bool finite = isfinite(value[k]);
        s.nan += isnan(value[k]);
        s.infinite += !finite && !isnan(value[k]);
        s.count += finite;
        sum += finite ? (double)value[k] : 0.0;
        s.min = finite && value[k] < s.min ? value[k] : s.min;
        s.max = finite && value[k] > s.max ? value[k] : s.max;
    }
    if (s.count) s.mean = sum / (double)s.count;
#pragma unroll
    for (unsigned k = 0; k < BATCH; k++) {
        const double d = (double)value[k] - s.mean;
        if (k < have && isfinite(value[k])) s.m2 += d * d;
    }
    return s;
}

static __device__ __forceinline__ double shuffle_down(double value, unsigned step)
{
    return __shfl_down_sync(ALL_LANES, value, step);
}

static __device__ __forceinline__ uint64_t shuffle_down(uint64_t value, unsigned step)
{
    return __shfl_down_sync(ALL_LANES, value, step);
}

static __device__ __forceinline__ struct summary warp_merge(struct summary s)
{
    for (unsigned step = WARP / 2; step > 0; step /= 2) {
        struct summary other;
        other.min = shuffle_down(s.min, step);
        other.max = shuffle_down(s.max, step);
        other.mean = shuffle_down(s.mean, step);
        other.m2 = shuffle_down(s.m2, step);
        other.count = shuffle_down(s.count, step);
        other.nan = shuffle_down(s.nan, step);
        other.infinite = shuffle_down(s.infinite, step);
        s = summary_merge(s, other);
    }
    return s; /* complete in lane 0 */
}

/* Return the summary of the block's share in thread 0. All threads of the block must call. */
static __device__ __forceinline__ struct summary summary_of_block(const struct grid &g)
{
    __shared__ struct summary part[THREADS / WARP];
    const size_t n = grid_voxels(&g), tile = (size_t)THREADS * BATCH;
    struct summary sum = summary_empty();
    for (size_t first = blockIdx.x * tile + threadIdx.x; first < n; first += gridDim.x * tile) {
        float value[BATCH];
        unsigned have = 0;
#pragma unroll
        for (unsigned k = 0; k < BATCH; k++) {
            const size_t i = first + k * THREADS;
            value[k] = i < n ? grid_value(&g, i) : 0.0f;
            have += i < n;
        }
        sum = summary_merge(sum, summary_of_batch(value, have));
    }

    sum = warp_merge(sum);
    if (lane_index() == 0) part[threadIdx.x / WARP] = sum;
    __syncthreads();
    for (unsigned i = 1; i < THREADS / WARP && threadIdx.x == 0; i++) sum = summary_merge(sum, part[i]);
    return sum;
}

template <enum voxel_type T>
static __global__ void __launch_bounds__(THREADS) reduce_batch(struct grid g, struct summary *block)
{
    g.type = T;
    const struct summary sum = summary_of_block(g);
    if (threadIdx.x == 0) block[blockIdx.x] = sum;
}

static int run_batch(const struct grid *grid, struct summary *out, void *scratch, struct exec *x)
{
    const unsigned blocks = reduce_blocks(grid_voxels(grid), THREADS * BATCH);
    struct summary *block = (struct summary *)scratch;
    LAUNCH_TYPED(grid->type, reduce_batch<TYPE><<<blocks, THREADS, 0, x->stream>>>(*grid, block));
    merge_blocks<<<1, THREADS, 0, x->stream>>>(block, blocks, out);
    return cudaGetLastError();
}

/* ---- cas -----------------------------------------------------------------------------------------------------------
 * batch needs a second launch, because no atomic operation merges 56 bytes. Idea: compare-and-swap, from which every
 * other atomic operation can be built. Here it makes a lock: a block that finds a 0 and replaces it by 1 in the same
 * instant owns the lock. It merges its summary into the result and puts the 0 back; fences keep its reads and writes
 * between the two. Only one thread per block tries, because lanes of a warp that wait for each other's lock might wait
 * forever. Predicted for 512^3: 0.8 ms against 0.31 of batch. Measured: 0.76: 512 blocks finish at about the same time,
 * and each holds the lock for a microsecond.
 * Cost: what was parallel now queues, and in a different order each time, so the result may differ in the last digit
 * from run to run. */

enum { CAS_BLOCKS = 512 };

static __global__ void begin_cas(unsigned *lock, struct summary *out) { *lock = 0, *out = summary_empty(); }

template <enum voxel_type T>
static __global__ void __launch_bounds__(THREADS) reduce_cas(struct grid g, unsigned *lock, struct summary *out)
{
    g.type = T;
    const struct summary sum = summary_of_block(g);
    if (threadIdx.x > 0) return;
    while (atomicCAS(lock, 0u, 1u) != 0) continue;
    __threadfence();
    *out = summary_merge(*out, sum);
    __threadfence();
    atomicExch(lock, 0u);
}

static int run_cas(const struct grid *grid, struct summary *out, void *scratch, struct exec *x)
{
    const unsigned blocks = min(launch_blocks(grid_voxels(grid), THREADS * BATCH), (unsigned)CAS_BLOCKS);
    unsigned *lock = (unsigned *)scratch;
    begin_cas<<<1, 1, 0, x->stream>>>(lock, out);
    LAUNCH_TYPED(grid->type, reduce_cas<TYPE><<<blocks, THREADS, 0, x->stream>>>(*grid, lock, out));
    return cudaGetLastError();
}

static size_t scratch_cas(size_t voxels, const struct exec *x)
{
    (void)voxels, (void)x;
    return scratch_round(sizeof(unsigned));
}

/* ---- integer -------------------------------------------------------------------------------------------------------
 * batch converts each voxel to double and uses it twice, some 35 instructions: 0.31 ms for 512^3 of uint8, a tenth of
 * the copy rate.
 * Idea: sum integers as integers. One instruction (__dp4a) multiplies four bytes by four others and adds the products:
 * by ones for the sum, by themselves for the squares. Minima and maxima come in pairs, as in the rung sweep of bricks.
 * Nothing is rounded before the end. So the squares about the mean are exact, too: n times their sum is n times the sum
 * of squares about 0, minus the square of the sum, in 128 bits. The result depends neither on the number of blocks nor
 * on their order. Signed voxels are used with the sign bit flipped; this adds 128 or 32768, which is subtracted at the
 * end.
 * Predicted: 29 instructions per 16 bytes, a quarter of what can issue while memory is read. So memory is the limit, 33
 * us, plus two launches: 45 us. Measured: 42.3.
 * Cost: it is no help for floats, which use batch. */

enum { INTEGER_LOADS = 4, INTEGER_BLOCKS = 8 * 132 }; /* loads in flight of a thread; what an H200 holds at once */

struct integer_sums {
    uint64_t sum, squares; /* squares of one block: below 2^64 with fewer than 2^32 voxels */
    uint32_t ends;         /* 0xffff - minimum, and maximum below; for 8-bit voxels only the upper byte of each counts */
};

template <enum voxel_type T> static __device__ __forceinline__ uint32_t without_sign(uint32_t word)
{
    return T == VOXEL_INT8 ? word ^ 0x80808080u : T == VOXEL_INT16 ? word ^ 0x80008000u : word;
}

/* A thread's minima and maxima, two 16-bit numbers each. */
struct integer_range {
    uint32_t min, max;
};

/* Return c plus the products of the bytes of a with those of b. */
static __device__ __forceinline__ uint32_t dot_bytes(uint32_t a, uint32_t b, uint32_t c)
{
#if __CUDA_ARCH__ >= 610
    return __dp4a(a, b, c);
#else
    for (unsigned shift = 0; shift < 32; shift += 8) c += (a >> shift & 0xff) * (b >> shift & 0xff);
    return c;
#endif
}

static __device__ __forceinline__ void range_add(struct integer_range *r, uint32_t a, uint32_t b)
{
    r->min = __vminu2(__vminu2(r->min, a), b); /* becomes one instruction where the GPU has one with three operands */
    r->max = __vmaxu2(__vmaxu2(r->max, a), b);
}

template <enum voxel_type T>
static __device__ __forceinline__ void load_add(struct integer_sums *s, struct integer_range *r, uint4 load)
{
    const uint32_t word[4] = { without_sign<T>(load.x), without_sign<T>(load.y), without_sign<T>(load.z),
                               without_sign<T>(load.w) };
    uint32_t sum = 0, squares = 0; /* of 16 bytes: below 2^32 */
#pragma unroll
    for (unsigned k = 0; k < 4; k += 2) {
        range_add(r, word[k], word[k + 1]);
        if (voxel_bytes(T) == 1) range_add(r, word[k] << 8, word[k + 1] << 8);
    }
#pragma unroll
    for (unsigned k = 0; k < 4; k++) {
        const uint32_t low = word[k] & 0xffff, high = word[k] >> 16;
        if (voxel_bytes(T) == 1) {
            sum = dot_bytes(word[k], 0x01010101u, sum);
            squares = dot_bytes(word[k], word[k], squares);
        } else {
            sum += low + high;
            s->squares += (uint64_t)low * low;
            s->squares += (uint64_t)high * high;
        }
    }
    s->sum += sum, s->squares += squares;
}

static __device__ __forceinline__ struct integer_sums integers_merge(struct integer_sums a, struct integer_sums b)
{
    const struct integer_sums s = { a.sum + b.sum, a.squares + b.squares, __vmaxu2(a.ends, b.ends) };
    return s;
}

static __device__ __forceinline__ struct integer_sums warp_merge(struct integer_sums s)
{
    for (unsigned step = WARP / 2; step > 0; step /= 2) {
        struct integer_sums other;
        other.sum = shuffle_down(s.sum, step);
        other.squares = shuffle_down(s.squares, step);
        other.ends = __shfl_down_sync(ALL_LANES, s.ends, step);
        s = integers_merge(s, other);
    }
    return s; /* complete in lane 0 */
}

/* Return the sum over the block in thread 0. All threads of the block must call. */
static __device__ __forceinline__ struct integer_sums block_merge(struct integer_sums s)
{
    __shared__ struct integer_sums part[THREADS / WARP];
    s = warp_merge(s);
    if (lane_index() == 0) part[threadIdx.x / WARP] = s;
    __syncthreads();
    for (unsigned i = 1; i < THREADS / WARP && threadIdx.x == 0; i++) s = integers_merge(s, part[i]);
    return s;
}

/* The voxels before the first address that is aligned for a load, and those after the last load. */
struct integer_rest {
    size_t head, loads, tail;
};

/* Add a voxel before or after the loads. */
template <enum voxel_type T>
static __device__ __forceinline__ void integer_add(struct integer_sums *s, struct integer_range *r, const struct grid &g,
                                                   size_t i)
{
    const uint32_t sign = T == VOXEL_INT8 ? 128 : T == VOXEL_INT16 ? 32768 : 0;
    const uint32_t v = (uint32_t)(int32_t)((const typename voxel<T>::type *)g.voxels)[i] + sign;
    const uint32_t word = (voxel_bytes(T) == 1 ? v << 8 : v) * 0x10001u;
    s->sum += v, s->squares += (uint64_t)v * v;
    range_add(r, word, word);
}

template <enum voxel_type T>
static __global__ void __launch_bounds__(THREADS)
    reduce_integer(struct grid g, struct integer_rest rest, struct integer_sums *block)
{
    const typename voxel<T>::type *voxels = (const typename voxel<T>::type *)g.voxels;
    const uint4 *load = (const uint4 *)(voxels + rest.head);
    const size_t stride = thread_count();
    struct integer_sums s = { 0, 0, 0 };
    struct integer_range r = { 0xffffffffu, 0 };
    size_t i = thread_index();
    if (i < rest.head) integer_add<T>(&s, &r, g, i);
    else if (i < rest.head + rest.tail) integer_add<T>(&s, &r, g, grid_voxels(&g) - 1 - (i - rest.head));

    for (; i + (INTEGER_LOADS - 1) * stride < rest.loads; i += INTEGER_LOADS * stride) {
        uint4 v[INTEGER_LOADS];
#pragma unroll
        for (unsigned k = 0; k < INTEGER_LOADS; k++) v[k] = __ldg(load + i + k * stride);
#pragma unroll
        for (unsigned k = 0; k < INTEGER_LOADS; k++) load_add<T>(&s, &r, v[k]);
    }
    for (; i < rest.loads; i += stride) load_add<T>(&s, &r, __ldg(load + i));

    const uint32_t min = __vminu2(r.min, r.min << 16 | r.min >> 16), max = __vmaxu2(r.max, r.max << 16 | r.max >> 16);
    s.ends = (~min & 0xffff0000u) | max >> 16;
    s = block_merge(s);
    if (threadIdx.x == 0) block[blockIdx.x] = s;
}

/* Merge the sums of all blocks, in one block, and make a summary of them. low, high: the sums of the lower and the
 * upper 32 bits of each block's squares. */
template <enum voxel_type T>
static __global__ void __launch_bounds__(THREADS)
    summarise_integers(const struct integer_sums *block, unsigned blocks, uint64_t n, struct summary *out)
{
    const unsigned shift = 16 - 8 * (unsigned)voxel_bytes(T);
    const int64_t sign = T == VOXEL_INT8 ? 128 : T == VOXEL_INT16 ? 32768 : 0;
    __shared__ struct integer_sums upper;
    struct integer_sums low = { 0, 0, 0 }, high = { 0, 0, 0 };
    for (unsigned i = threadIdx.x; i < blocks; i += THREADS) {
        low.sum += block[i].sum, low.ends = __vmaxu2(low.ends, block[i].ends);
        low.squares += block[i].squares & 0xffffffffu, high.squares += block[i].squares >> 32;
    }
    high = block_merge(high);
    if (threadIdx.x == 0) upper = high;
    __syncthreads(); /* the other warps' parts have been read */
    low = block_merge(low);
    if (threadIdx.x > 0) return;

    typedef unsigned __int128 uint128_t;
    const uint128_t squares = ((uint128_t)upper.squares << 32) + low.squares,
                    about_mean = squares * n - (uint128_t)low.sum * low.sum; /* times n */
    struct summary s = summary_empty();
    s.min = (double)((int64_t)(((~low.ends >> 16) & 0xffff) >> shift) - sign);
    s.max = (double)((int64_t)((low.ends & 0xffff) >> shift) - sign);
    s.count = n;
    s.mean = (double)((int64_t)low.sum - sign * (int64_t)n) / (double)n;
    s.m2 = ((double)(uint64_t)(about_mean >> 64) * 18446744073709551616.0 + (double)(uint64_t)about_mean) / (double)n;
    *out = s;
}

static struct integer_rest integer_rest_of(const struct grid *grid)
{
    const size_t n = grid_voxels(grid), bytes = voxel_bytes(grid->type), at = (uintptr_t)grid->voxels % sizeof(uint4);
    const size_t head = min_size(n, (sizeof(uint4) - at) % sizeof(uint4) / bytes),
                 loads = (n - head) * bytes / sizeof(uint4);
    const struct integer_rest rest = { head, loads, n - head - loads * sizeof(uint4) / bytes };
    return rest;
}

template <enum voxel_type T>
static int launch_integer(const struct grid *grid, struct summary *out, void *scratch, struct exec *x)
{
    const struct integer_rest rest = integer_rest_of(grid);
    const unsigned blocks = min(launch_blocks(rest.loads, THREADS * INTEGER_LOADS), (unsigned)INTEGER_BLOCKS);
    struct integer_sums *block = (struct integer_sums *)scratch;
    reduce_integer<T><<<blocks, THREADS, 0, x->stream>>>(*grid, rest, block);
    summarise_integers<T><<<1, THREADS, 0, x->stream>>>(block, blocks, grid_voxels(grid), out);
    return cudaGetLastError();
}

static int run_integer(const struct grid *grid, struct summary *out, void *scratch, struct exec *x)
{
    switch (grid->type) {
    case VOXEL_UINT8: return launch_integer<VOXEL_UINT8>(grid, out, scratch, x);
    case VOXEL_INT8: return launch_integer<VOXEL_INT8>(grid, out, scratch, x);
    case VOXEL_UINT16: return launch_integer<VOXEL_UINT16>(grid, out, scratch, x);
    case VOXEL_INT16: return launch_integer<VOXEL_INT16>(grid, out, scratch, x);
    default: return run_batch(grid, out, scratch, x);
    }
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

const struct reduce_rung reduce_cuda[] = {
    { { "textbook", "256 summaries at once, merged by halves in shared memory", false }, run_textbook, scratch_blocks },
    { { "batch", "16 voxels per thread before each merge, shuffles at the end", false }, run_batch, scratch_blocks },
    { { "cas", "no second launch: a lock, taken by compare-and-swap", false }, run_cas, scratch_cas },
    { { "integer", "integers summed as integers, four bytes per instruction", true }, run_integer, scratch_blocks },
    {},
};
