/* bricks on CUDA: the range of 33 x 5 x 5 voxels for every brick of 32 x 4 x 4 cells. Contract in bricks.h.
 * Run: isoscope ladder bricks --bench --backend cuda
 *
 * Skipping space by min/max bricks is from Kreskowski, Rendle and Froehlich (EGPGV 2026). Bricks as wide as a warp are
 * ours: each row of a brick is one strip. A pyramid of coarser ranges is left out on purpose.
 * Times: H200, uint8, device events. */
#include "bricks.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

enum { SPAN_X = BRICK_X + 1, SPAN_Y = BRICK_Y + 1, SPAN_Z = BRICK_Z + 1 }; /* voxels in a brick's range */

struct brick_box {
    size_t x, y, z, x_end, y_end, z_end;
}; /* those voxels, clipped to the grid; ends excluded */

static __device__ __forceinline__ struct brick_box brick_locate(const struct grid *g, const struct bricks *b, size_t i)
{
    struct brick_box box;
    box.x = i % b->nx * BRICK_X;
    box.y = i / b->nx % b->ny * BRICK_Y;
    box.z = i / b->nx / b->ny * BRICK_Z;
    box.x_end = min_size(box.x + SPAN_X, g->nx);
    box.y_end = min_size(box.y + SPAN_Y, g->ny);
    box.z_end = min_size(box.z + SPAN_Z, g->nz);
    return box;
}

static __device__ __forceinline__ void range_add(struct brick_range *r, float value)
{
    if (isnan(value)) value = -INFINITY;
    r->min = fminf(r->min, value);
    r->max = fmaxf(r->max, value);
}

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * Without ranges, every isovalue reads every voxel. Idea: read them once per volume, with one thread per brick.
 * Cost: neighbouring threads read voxels that are 32 apart, so a load of a warp touches 32 sectors for 32 values. */

template <enum voxel_type T> static __global__ void bricks_textbook(struct grid g, struct bricks b)
{
    g.type = T;
    const size_t count = b.nx * b.ny * b.nz;
    for (size_t i = thread_index(); i < count; i += thread_count()) {
        const struct brick_box box = brick_locate(&g, &b, i);
        struct brick_range r = { INFINITY, -INFINITY };
        for (size_t z = box.z; z < box.z_end; z++)
            for (size_t y = box.y; y < box.y_end; y++)
                for (size_t x = box.x; x < box.x_end; x++) range_add(&r, grid_value(&g, (z * g.ny + y) * g.nx + x));
        b.range[i] = r;
    }
}

static int run_textbook(const struct grid *grid, const struct bricks *bricks, struct exec *x)
{
    const uint64_t count = (uint64_t)bricks->nx * bricks->ny * bricks->nz;
    if (!count) return 0;
    const unsigned blocks = launch_blocks(count, THREADS);
    LAUNCH_TYPED(grid->type, bricks_textbook<TYPE><<<blocks, THREADS, 0, x->stream>>>(*grid, *bricks));
    return cudaGetLastError();
}

/* ---- warp ----------------------------------------------------------------------------------------------------------
 * The textbook's loads are scattered: 37 us for 256^3, and 1.7 ms for 1024^3, seven times as long as reading the volume
 * once.
 * Idea: one warp per brick, with lanes along x. Each row is one coalesced load, and shuffles merge the ranges of the
 * lanes.
 *
 *    lanes 0..31 take x = 0..31 of row 0, 1, .. 24 in turn | column x = 32: lane r takes row r, one load for all 25
 *
 * 37 us and 2.6 ms: no gain once there are enough bricks to fill the GPU with threads.
 * Cost: neighbouring bricks both read the layers that they share, 825 voxels for 512 cells, and each load brings only
 * one byte per lane. */

template <enum voxel_type T> static __global__ void bricks_warp(struct grid g, struct bricks b)
{
    g.type = T;
    const unsigned lane = lane_index();
    const size_t count = b.nx * b.ny * b.nz;
    for (size_t i = thread_index() / WARP; i < count; i += thread_count() / WARP) {
        const struct brick_box box = brick_locate(&g, &b, i);
        struct brick_range r = { INFINITY, -INFINITY };

        /* Past the border, read the last voxel, row or layer again. That leaves the range the same, and because there
         * is no branch, all loads of the brick are in flight at once. */
        const size_t x = min_size(box.x + lane, box.x_end - 1);
#pragma unroll
        for (unsigned dz = 0; dz < SPAN_Z; dz++)
#pragma unroll
            for (unsigned dy = 0; dy < SPAN_Y; dy++) {
                const size_t y = min_size(box.y + dy, box.y_end - 1), z = min_size(box.z + dz, box.z_end - 1);
                range_add(&r, grid_value(&g, (z * g.ny + y) * g.nx + x));
            }
        if (lane < SPAN_Y * SPAN_Z) {
            const size_t y = min_size(box.y + lane % SPAN_Y, box.y_end - 1);
            const size_t z = min_size(box.z + lane / SPAN_Y, box.z_end - 1);
            range_add(&r, grid_value(&g, (z * g.ny + y) * g.nx + box.x_end - 1));
        }

        for (unsigned step = WARP / 2; step > 0; step /= 2) {
            r.min = fminf(r.min, __shfl_down_sync(ALL_LANES, r.min, step));
            r.max = fmaxf(r.max, __shfl_down_sync(ALL_LANES, r.max, step));
        }
        if (lane == 0) b.range[i] = r;
    }
}

static int run_warp(const struct grid *grid, const struct bricks *bricks, struct exec *x)
{
    const uint64_t count = (uint64_t)bricks->nx * bricks->ny * bricks->nz;
    if (!count) return 0;
    const unsigned blocks = launch_blocks(count, THREADS / WARP);
    LAUNCH_TYPED(grid->type, bricks_warp<TYPE><<<blocks, THREADS, 0, x->stream>>>(*grid, *bricks));
    return cudaGetLastError();
}

/* ---- vector --------------------------------------------------------------------------------------------------------
 * warp spends a load and an address on every voxel: 19.4 million warp instructions for 256^3. Idea: one thread per
 * brick again, but 16 bytes per load. The threads of a warp take bricks along x, and together load whole rows.
 *
 *    row of uint8   | thread 0: 16 16 | thread 1: 16 16 | ..      + 1 voxel each, the first of the next thread's
 *
 * 6.5 million instructions, 19 us and 0.73 ms; most of the rest is conversion to float.
 * Cost: rows must be aligned to 16 bytes; other volumes use the warp rung. Few bricks mean few threads. */

enum { LOAD_BYTES = 16, VECTOR_THREADS = 64 }; /* small blocks: even few bricks reach every SM */

union load {
    uint4 all;
    uint8_t bytes[LOAD_BYTES];
};

template <enum voxel_type T> static __global__ void bricks_vector(struct grid g, struct bricks b)
{
    g.type = T;
    const size_t count = b.nx * b.ny * b.nz;
    const unsigned per_load = (unsigned)(LOAD_BYTES / voxel_bytes(T));
    for (size_t i = thread_index(); i < count; i += thread_count()) {
        const struct brick_box box = brick_locate(&g, &b, i);
        const bool more = box.x + BRICK_X < g.nx;
        const unsigned loads = (unsigned)(more ? BRICK_X : g.nx - box.x) / per_load; /* exact: rows are aligned */
        struct brick_range r = { INFINITY, -INFINITY };
        for (size_t z = box.z; z < box.z_end; z++)
#pragma unroll
            for (unsigned dy = 0; dy < SPAN_Y; dy++) { /* past the border, the last row again, as in warp */
                const size_t start = (z * g.ny + min_size(box.y + dy, box.y_end - 1)) * g.nx + box.x;
                const uint4 *row = (const uint4 *)((const char *)g.voxels + start * voxel_bytes(T));
#pragma unroll
                for (unsigned k = 0; k < BRICK_X / per_load; k++) {
                    union load piece;
                    piece.all = row[k < loads ? k : 0];
                    const struct grid values = { piece.bytes, T, per_load, 1, 1 };
#pragma unroll
                    for (unsigned v = 0; v < per_load; v++) range_add(&r, grid_value(&values, v));
                }
                range_add(&r, grid_value(&g, more ? start + BRICK_X : start));
            }
        b.range[i] = r;
    }
}

static int run_vector(const struct grid *grid, const struct bricks *bricks, struct exec *x)
{
    const uint64_t count = (uint64_t)bricks->nx * bricks->ny * bricks->nz;
    if (!count) return 0;
    if (grid->nx * voxel_bytes(grid->type) % LOAD_BYTES || (uintptr_t)grid->voxels % LOAD_BYTES)
        return run_warp(grid, bricks, x);
    const unsigned blocks = launch_blocks(count, VECTOR_THREADS);
    LAUNCH_TYPED(grid->type, bricks_vector<TYPE><<<blocks, VECTOR_THREADS, 0, x->stream>>>(*grid, *bricks));
    return cudaGetLastError();
}

/* ---- sweep ---------------------------------------------------------------------------------------------------------
 * vector converts each voxel to float and compares it twice, some 5 instructions, and it reads 25 rows where 16 are
 * new: 23 us for 256^3, 103 us for 512^3 and 0.73 ms for 1024^3, a third of the copy rate.
 * Idea: compare voxels in the form in which they are stored. Compute capability 9.0 has a minimum and a maximum of
 * three words, each of two 16-bit numbers. If an 8-bit voxel is the upper half of such a number, it decides the
 * comparison, whatever lies below it. So two voxels of a word need no unpacking, and the other two only a shift.
 *
 *    word of uint8   | d c | b a |   compares d and b          word << 8   | c b | a 0 |   compares c and a
 *
 * In addition, a thread stays at its 16 bytes of x and walks along z, so that the layer that two bricks share is read
 * once, for both.
 *
 *    warp     512 bytes along x, or whole rows of several bricks along y; five rows of a layer, ten loads at once
 *    row 4    the first of another warp, so that it mostly comes from L1
 *    x = 32   the first voxel of the next lane; past the last lane, lane r takes row r, as in warp
 *
 * Predicted: 25 instructions per 16 bytes, each done 1.3 to 1.6 times; that is a quarter of what can issue while memory
 * is read once. So memory is the limit, and for 256^3, which stays in L2, the launch. 10.5 us, 46 us and 295 us.
 * Measured: 11.4, 45.8 and 275, the last at 96 % of the copy rate.
 *
 * In many files, rows are not a multiple of 16 bytes long. There a thread loads the five words that its 16 bytes touch,
 * and shifts them. Bytes past the end of a row become copies of the load's first voxel, so they change no range.
 * Predicted for 1000^3: 45 instructions instead of 25, still hidden behind memory: 0.35 ms. Measured: 289 us, where the
 * warp rung takes 2.38 ms.
 * Cost: before 9.0, a comparison takes several instructions. Rows that are a little longer than 512 bytes leave nearly
 * half of the lanes idle. */

enum {
    SWEEP_BLOCKS = 4,   /* on a multiprocessor, at least */
    SWEEP_WARPS = 8192, /* wanted before a thread takes a second brick */
    SWEEP_MOST = 8,     /* bricks */
};

struct sweep {
    unsigned lanes;            /* along x, of a warp: a power of two */
    unsigned x_tiles, y_tiles; /* of warps */
    unsigned bricks;           /* of a thread, along z */
    unsigned warps;
};

/* Minimum and maximum. Words are as the voxels are stored: a float is one number; other words hold two, of which the
 * upper byte counts, or both bytes. */
struct word_range {
    uint32_t min, max;
};

struct sweep_range {
    struct word_range first, rest; /* `first`: of the words that hold the first voxel, which is in the lower half */
};

template <enum voxel_type T> static __device__ __forceinline__ uint32_t word_min(uint32_t a, uint32_t b)
{
    if (T == VOXEL_FLOAT32) return __float_as_uint(fminf(__uint_as_float(a), __uint_as_float(b)));
    return T == VOXEL_INT8 || T == VOXEL_INT16 ? __vmins2(a, b) : __vminu2(a, b);
}

template <enum voxel_type T> static __device__ __forceinline__ uint32_t word_max(uint32_t a, uint32_t b)
{
    if (T == VOXEL_FLOAT32) return __float_as_uint(fmaxf(__uint_as_float(a), __uint_as_float(b)));
    return T == VOXEL_INT8 || T == VOXEL_INT16 ? __vmaxs2(a, b) : __vmaxu2(a, b);
}

template <enum voxel_type T> static __device__ __forceinline__ void word_add(struct word_range *r, uint32_t word)
{
    r->min = word_min<T>(r->min, word);
    r->max = word_max<T>(r->max, word);
}

/* Two words at once: where the GPU has an instruction for that, the compiler uses it. */
template <enum voxel_type T> static __device__ __forceinline__ void word_add(struct word_range *r, uint32_t a, uint32_t b)
{
    r->min = word_min<T>(word_min<T>(r->min, a), b);
    r->max = word_max<T>(word_max<T>(r->max, a), b);
}

template <enum voxel_type T> static __device__ __forceinline__ void word_merge(struct word_range *r, struct word_range more)
{
    r->min = word_min<T>(r->min, more.min);
    r->max = word_max<T>(r->max, more.max);
}

template <enum voxel_type T> static __device__ __forceinline__ struct word_range word_nothing(void)
{
    const struct word_range of_float = { __float_as_uint(INFINITY), __float_as_uint(-INFINITY) };
    const struct word_range of_signed = { 0x7fff7fffu, 0x80008000u }, of_unsigned = { 0xffffffffu, 0 };
    return T == VOXEL_FLOAT32 ? of_float : T == VOXEL_INT8 || T == VOXEL_INT16 ? of_signed : of_unsigned;
}

static __device__ __forceinline__ uint32_t without_nan(uint32_t word)
{
    return isnan(__uint_as_float(word)) ? __float_as_uint(-INFINITY) : word;
}

template <enum voxel_type T> static __device__ __forceinline__ void sweep_add(struct sweep_range *r, uint4 v)
{
    if (T == VOXEL_FLOAT32) v = make_uint4(without_nan(v.x), without_nan(v.y), without_nan(v.z), without_nan(v.w));
    if (voxel_bytes(T) == 1) {
        word_add<T>(&r->rest, v.x, v.y);
        word_add<T>(&r->rest, v.z, v.w);
        v = make_uint4(v.x << 8, v.y << 8, v.z << 8, v.w << 8);
    }
    word_add<T>(&r->first, v.x);
    word_add<T>(&r->rest, v.y, v.z);
    word_add<T>(&r->rest, v.w);
}

/* Where a thread is: the place of its 16 bytes in the first row that it takes of a layer. */
struct sweep_place {
    const char *voxels;
    uint32_t row[SPAN_Y]; /* distance from there, in bytes; past the border, the last row again */
    uint32_t layers;      /* that follow */
    /* if rows are not aligned: */
    uint4 mask;       /* which of the bytes are voxels of the row */
    const char *safe; /* the last place of `voxels` from which no load goes past the volume's end */
};

/* Load 16 bytes from anywhere, as words. This also touches the word after them, unless they are aligned floats. */
template <enum voxel_type T> static __device__ __forceinline__ uint4 load_anywhere(const char *from)
{
    const uint32_t *word = (const uint32_t *)((uintptr_t)from & ~(uintptr_t)3);
    if (T == VOXEL_FLOAT32) return make_uint4(word[0], word[1], word[2], word[3]);
    const uint32_t w[] = { word[0], word[1], word[2], word[3], word[4] };
    const unsigned shift = 8 * (unsigned)((uintptr_t)from & 3);
    return make_uint4(__funnelshift_r(w[0], w[1], shift), __funnelshift_r(w[1], w[2], shift),
                      __funnelshift_r(w[2], w[3], shift), __funnelshift_r(w[3], w[4], shift));
}

/* Replace bytes outside the row by the first voxel. */
template <enum voxel_type T> static __device__ __forceinline__ uint4 keep_row(uint4 v, uint4 mask)
{
    const uint32_t first = T == VOXEL_FLOAT32 ? v.x : __byte_perm(v.x, 0, voxel_bytes(T) == 1 ? 0x0000 : 0x1010);
    return make_uint4((v.x & mask.x) | (first & ~mask.x), (v.y & mask.y) | (first & ~mask.y),
                      (v.z & mask.z) | (first & ~mask.z), (v.w & mask.w) | (first & ~mask.w));
}

/* Return voxel i in the upper half of a word, or as a float. */
template <enum voxel_type T> static __device__ __forceinline__ uint32_t voxel_word(const struct grid &g, size_t i)
{
    const typename voxel<T>::type v = ((const typename voxel<T>::type *)g.voxels)[i];
    if (T == VOXEL_FLOAT32) return without_nan(__float_as_uint((float)v));
    return (uint32_t)v << (32 - 8 * voxel_bytes(T));
}

/* Add a layer voxel by voxel: at the volume's end. */
template <enum voxel_type T>
static __device__ __forceinline__ void sweep_voxels(struct sweep_range *r, const struct sweep_place &p)
{
    const unsigned bits = popcount32(p.mask.x) + popcount32(p.mask.y) + popcount32(p.mask.z) + popcount32(p.mask.w);
    const uint32_t step = p.row[1] ? p.row[1] : 1;
    const struct grid g = { p.voxels, T, 0, 0, 0 };
#pragma unroll 1
    for (uint32_t row = 0; row <= p.row[SPAN_Y - 1]; row += step)
#pragma unroll 1
        for (unsigned i = 0; i < bits / 8; i += (unsigned)voxel_bytes(T)) {
            const uint32_t upper = voxel_word<T>(g, (row + i) / voxel_bytes(T)),
                           both = T == VOXEL_FLOAT32 ? upper : upper | upper >> 16;
            word_add<T>(&r->rest, both);
            if (i == 0) word_add<T>(&r->first, both);
        }
}

template <enum voxel_type T, bool ALIGNED>
static __device__ __forceinline__ void sweep_layer(struct sweep_range *r, const struct sweep_place &p)
{
    uint4 v[SPAN_Y];
    if (!ALIGNED && p.voxels > p.safe) {
        sweep_voxels<T>(r, p);
        return;
    }
#pragma unroll
    for (unsigned dy = 0; dy < SPAN_Y; dy++)
        v[dy] = ALIGNED ? __ldg((const uint4 *)(p.voxels + p.row[dy])) : load_anywhere<T>(p.voxels + p.row[dy]);
#pragma unroll
    for (unsigned dy = 0; dy < SPAN_Y; dy++) sweep_add<T>(r, ALIGNED ? v[dy] : keep_row<T>(v[dy], p.mask));
}

/* Add the next layer; past the border, the last one again. */
template <enum voxel_type T, bool ALIGNED>
static __device__ __forceinline__ void sweep_next(struct sweep_range *r, struct sweep_place *p, size_t layer)
{
    if (p->layers) p->layers--, p->voxels += layer;
    sweep_layer<T, ALIGNED>(r, *p);
}

template <enum voxel_type T> static __device__ __forceinline__ float word_value(uint32_t word)
{
    const unsigned shift = 32 - 8 * (unsigned)voxel_bytes(T);
    if (T == VOXEL_FLOAT32) return __uint_as_float(word);
    return T == VOXEL_INT8 || T == VOXEL_INT16 ? (float)((int32_t)word >> shift) : (float)(word >> shift);
}

/* Merge with a lane that is `step` away. */
template <enum voxel_type T> static __device__ __forceinline__ void word_merge_lane(struct word_range *r, unsigned step)
{
    const struct word_range other = { __shfl_xor_sync(ALL_LANES, r->min, step), __shfl_xor_sync(ALL_LANES, r->max, step) };
    word_merge<T>(r, other);
}

/* Return the range of the thread's brick, the same in all of its lanes. edge: that of the column past the last lane, if
 * `has_edge`; has_next: a brick follows along x. All lanes must call. */
template <enum voxel_type T>
static __device__ __forceinline__ struct brick_range sweep_finish(struct sweep_range r, bool has_next, bool has_edge,
                                                                  struct word_range edge)
{
    const unsigned lanes = (unsigned)(BRICK_X * voxel_bytes(T) / LOAD_BYTES),
                   to_next = lane_index() / lanes * lanes + lanes;
    struct word_range all = r.rest, next = r.first;
    word_merge<T>(&all, r.first);
    if (T != VOXEL_FLOAT32) { /* the other half, too; then only the upper one counts */
        next.min <<= 16, next.max <<= 16;
        word_add<T>(&all, all.min << 16 | all.min >> 16, all.max << 16 | all.max >> 16);
    }
    next.min = __shfl_sync(ALL_LANES, next.min, to_next % WARP);
    next.max = __shfl_sync(ALL_LANES, next.max, to_next % WARP);
    for (unsigned step = lanes / 2; step > 0; step /= 2) word_merge_lane<T>(&all, step);
    if (has_edge) { /* in the whole warp */
        for (unsigned step = WARP / 2; step > 0; step /= 2) word_merge_lane<T>(&edge, step);
        if (to_next == WARP) next = edge;
    }
    if (has_next) word_merge<T>(&all, next);
    const struct brick_range range = { word_value<T>(all.min), word_value<T>(all.max) };
    return range;
}

/* Return a word in which the first `bytes` bytes are set, at most all. */
static __device__ __forceinline__ uint32_t first_bytes(int bytes)
{
    return bytes >= 4 ? 0xffffffffu : bytes > 0 ? (1u << 8 * bytes) - 1 : 0;
}

/* Return where the thread begins in layer z. load: the number of its 16 bytes in the row; y: its first row, after which
 * y_left follow. */
template <enum voxel_type T>
static __device__ __forceinline__ struct sweep_place sweep_begin(const struct grid &g, uint32_t load, uint32_t y,
                                                                 uint32_t y_left, uint32_t z)
{
    enum { TOUCHED = LOAD_BYTES + sizeof(uint32_t) }; /* by a load that is not aligned */
    const uint32_t row = (uint32_t)(g.nx * voxel_bytes(T)), at = load * LOAD_BYTES;
    const int own = (int)(row - at);
    struct sweep_place p;
    p.voxels = (const char *)g.voxels + ((size_t)z * g.ny + y) * row + at;
    p.layers = (uint32_t)g.nz - 1 - z;
#pragma unroll
    for (unsigned dy = 0; dy < SPAN_Y; dy++) p.row[dy] = min(dy, y_left) * row;
    p.mask = make_uint4(first_bytes(own), first_bytes(own - 4), first_bytes(own - 8), first_bytes(own - 12));
    p.safe = (const char *)g.voxels + g.nz * g.ny * row - TOUCHED - p.row[SPAN_Y - 1];
    return p;
}

/* Like all of these kernels, it needs no loop: any volume that fits a device has fewer warps than a launch may have
 * blocks. */
template <enum voxel_type T, bool ALIGNED>
static __global__ void __launch_bounds__(THREADS, SWEEP_BLOCKS) bricks_sweep(struct grid g, struct bricks b, struct sweep s)
{
    const uint32_t per_load = (uint32_t)(LOAD_BYTES / voxel_bytes(T)), nx = (uint32_t)g.nx,
                   loads = (nx + per_load - 1) / per_load, lane = lane_index();
    const uint32_t i = blockIdx.x * (THREADS / WARP) + threadIdx.x / WARP, x_tile = i % s.x_tiles, yz = i / s.x_tiles;
    if (i >= s.warps) return;
    const uint32_t load = x_tile * s.lanes + lane % s.lanes, bx = load * per_load / BRICK_X;
    const uint32_t by = yz % s.y_tiles * (WARP / s.lanes) + lane / s.lanes, ny = (uint32_t)b.ny;
    const uint32_t y = min(by, ny - 1) * BRICK_Y, y_left = (uint32_t)g.ny - 1 - y, z_last = (uint32_t)g.nz - 1;
    uint32_t z = yz / s.y_tiles * s.bricks * BRICK_Z;
    const uint32_t z_end = min(z + s.bricks * BRICK_Z, (uint32_t)g.nz);
    const bool has_edge = (x_tile + 1) * s.lanes * per_load < nx, has_next = (bx + 1) * BRICK_X < nx,
               writes = load * per_load % BRICK_X == 0 && bx < b.nx && by < ny;
    const size_t layer = g.ny * g.nx, edge = (y + min(lane % SPAN_Y, y_left)) * g.nx + (x_tile + 1) * WARP * per_load;
    struct brick_range *out = b.range + ((size_t)(z / BRICK_Z) * ny + by) * b.nx + bx;

    struct sweep_place p = sweep_begin<T>(g, min(load, loads - 1), y, y_left, z);
    struct sweep_range shared = { word_nothing<T>(), word_nothing<T>() }; /* shared by two bricks: the first layer of one */
    sweep_layer<T, ALIGNED>(&shared, p);
    for (; z < z_end; z += BRICK_Z, out += ny * b.nx) {
        struct sweep_range r = shared;
        struct word_range column = {};
        if (has_edge) column.min = column.max = voxel_word<T>(g, min(z + min(lane / SPAN_Y, 4u), z_last) * layer + edge);
#pragma unroll 1
        for (unsigned dz = 0; dz < BRICK_Z; dz += 2) { /* ten loads at once: more would spill */
            sweep_next<T, ALIGNED>(&r, &p, layer * voxel_bytes(T));
            shared.first = shared.rest = word_nothing<T>();
            sweep_next<T, ALIGNED>(&shared, &p, layer * voxel_bytes(T));
            word_merge<T>(&r.first, shared.first);
            word_merge<T>(&r.rest, shared.rest);
        }
        const struct brick_range range = sweep_finish<T>(r, has_next, has_edge, column);
        if (writes) *out = range;
    }
}

/* Return which warps sweep a volume; none if its places do not fit 32 bits. */
static struct sweep sweep_of(const struct grid *grid, const struct bricks *b)
{
    const uint64_t bytes = voxel_bytes(grid->type), brick_loads = BRICK_X * bytes / LOAD_BYTES,
                   most = UINT32_MAX / (2 * SPAN_Y);
    const uint64_t loads = (grid->nx * bytes + LOAD_BYTES - 1) / LOAD_BYTES, written = b->nx * brick_loads;
    struct sweep s = { 1, 0, 0, 1, 0 };
    while (s.lanes < WARP && (s.lanes < loads || s.lanes < written)) s.lanes *= 2;
    const uint64_t rows = WARP / s.lanes, x_tiles = (written + s.lanes - 1) / s.lanes, y_tiles = (b->ny + rows - 1) / rows,
                   each = x_tiles * y_tiles * b->nz / SWEEP_WARPS;
    s.bricks = each < 1 ? 1u : each < SWEEP_MOST ? (unsigned)each : (unsigned)SWEEP_MOST;
    const uint64_t warps = x_tiles * y_tiles * ((b->nz + s.bricks - 1) / s.bricks);
    if (grid->nx * bytes > most || grid->ny > most || grid->nz > most || warps > most) return s;
    s.x_tiles = (unsigned)x_tiles, s.y_tiles = (unsigned)y_tiles, s.warps = (unsigned)warps;
    return s;
}

static int run_sweep(const struct grid *grid, const struct bricks *bricks, struct exec *x)
{
    const struct sweep s = sweep_of(grid, bricks);
    const uintptr_t begin = (uintptr_t)grid->voxels, row = grid->nx * voxel_bytes(grid->type);
    if (begin % sizeof(uint32_t) || !s.warps) return run_warp(grid, bricks, x);
    const unsigned blocks = launch_blocks(s.warps, THREADS / WARP);
    if (begin % LOAD_BYTES || row % LOAD_BYTES)
        LAUNCH_TYPED(grid->type, bricks_sweep<TYPE, false><<<blocks, THREADS, 0, x->stream>>>(*grid, *bricks, s));
    else LAUNCH_TYPED(grid->type, bricks_sweep<TYPE, true><<<blocks, THREADS, 0, x->stream>>>(*grid, *bricks, s));
    return cudaGetLastError();
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

const struct bricks_rung bricks_cuda[] = {
    { { "none", "no empty-space skipping: every brick is read", false }, NULL },
    { { "textbook", "one thread per brick, one voxel after the other", false }, run_textbook },
    { { "warp", "one warp per brick, lanes along x, shuffles at the end", false }, run_warp },
    { { "vector", "one thread per brick, 16 bytes per load, lanes along x", false }, run_vector },
    { { "sweep", "voxels compared two at a time in their stored type; threads walk along z", true }, run_sweep },
    {},
};
