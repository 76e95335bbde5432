/* fused on CUDA. Contract in fused.h.
 *
 * After Parallel Marching Blocks (Liu et al. 2016): skip by brick, and do all of a brick where it is read. Row words as
 * in the ballot rung of classify. Deliberately absent: an order of bricks, which a scan would give.
 *
 * A warp prepares a brick: it reads the voxels, finds what is crossed, and notes what is to be made of it. What is noted,
 * the four warps of a block make together, a thread per vertex or triangle, so that a full brick keeps no warp waiting
 * long. For the four they take room at once: additions to one number by all blocks follow each other at 1.2 ns, and one for
 * each of the 160 thousand bricks of a CT of 1024^3 took longer than all else.
 *
 * Times: H200, bonsai CT at 40.5, uint8, 256^3 (7243 of 32768 bricks active) and enlarged: 55 us, 127 us for 512^3, 440 us
 * for 1024^3, where the stages take 118 us and 1.9 ms. Of the 55, cull takes 3, vertices 24 and triangles 19. At 256^3 the
 * GPU issues half of what it could, since some 1800 blocks are hardly two rounds of what fits at once, and each waits for a
 * chain of loads, of the list, the voxels, the room; at 1024^3 it issues 60 % in vertices, which wait for voxels, and 73 %
 * in triangles, some 850 and 770 instructions for a brick in a warp. Tried and left: a warp or a block for each brick all
 * the way (76 us; 690 us and 1.06 ms: additions); eight warps to a block (61 us, 0.55 ms); the next brick fetched meanwhile
 * (spills); 48 registers (spills); a ticket per block to find the last (58 us); one CUDA graph for the three (53 us, 59 for
 * 60 by the clock on the wall: not worth a second way to launch). */
#include "cuda_util.cuh"
#include "edge_vertex.h"
#include "fused.h"

#include <cuda_runtime.h>

enum {
    ROWS = BRICK_Y * BRICK_Z,     /* rows of 32 voxels that a brick owns */
    SPAN = BRICK_Y + 1,           /* rows along y and z that its cells touch */
    TOUCHED = SPAN * SPAN,
    WORDS = 3 * ROWS,             /* words of crossed edges: x, y, z of each row */
    BLOCK_WARPS = 4,              /* each prepares a brick of its own; what is to be made of them, they share */
    BLOCK = BLOCK_WARPS * WARP,
};

#define NO_SLOT 0xffffffffu

/* What a brick leaves for the triangles, its own and its neighbours'. Row j + 4 k is voxel row y + j, z + k.
 *
 *    number of the vertex on the edge of `axis` of voxel `lane`:  first + popc(bits before axis) + popc(bits below lane)
 */
struct record {
    uint4 row[ROWS];       /* crossed edges along x, y, z; number of the row's first vertex */
    uint32_t inside[WARP]; /* touched row j + 5 k: its 32 voxels; [TOUCHED]: bit r is voxel 32 of row r */
};

struct active_brick { uint32_t x, y, z, number; }; /* place, in bricks; bricks are numbered in 32 bits */

/* What the blocks count together; all 0 between runs, so that nothing has to be cleared first. */
struct state { uint64_t bricks, vertices, triangles; }; /* on top of triangles: the blocks that have taken all of theirs */

struct fused_memory { /* scratch */
    struct state *state;
    struct record *record;     /* [room] */
    struct active_brick *list; /* [room] */
    uint32_t *slot_of;         /* [bricks] */
};

static __device__ __forceinline__ struct fused_memory memory_of(const struct fused_desc *d)
{
    struct fused_memory m;
    static_assert(sizeof(struct state) <= FUSED_STATE_BYTES, "the state is what is cleared");
    m.state = (struct state *)d->scratch;
    m.record = (struct record *)((char *)d->scratch + FUSED_STATE_BYTES);
    m.list = (struct active_brick *)(m.record + d->brick_room);
    m.slot_of = (uint32_t *)(m.list + d->brick_room);
    return m;
}

static size_t scratch_bytes(const struct bricks *b, uint64_t room, const struct exec *x)
{
    (void)x;
    return scratch_round(FUSED_STATE_BYTES + room * (sizeof(struct record) + sizeof(struct active_brick)) +
                         b->nx * b->ny * b->nz * sizeof(uint32_t));
}

/* ---- launches ------------------------------------------------------------------------------------------------------ */

/* Where the GPU can, the blocks of a launch are set up while the launch before still runs, and wait here for its end. */
static __device__ __forceinline__ void wait_for_launch_before(void)
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

static __device__ __forceinline__ void let_next_launch_begin(void)
{
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/* Room for `n` things, by one thread. The answer takes long, and is waited for only where it is used: the compiler would
 * gather the additions of a warp, which is one here, and wait at once. */
static __device__ __forceinline__ uint64_t take_room(uint64_t *counter, uint64_t n)
{
    uint64_t base;
    asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;" : "=l"(base) : "l"(counter), "l"(n) : "memory");
    return base;
}

/* ---- cull ---------------------------------------------------------------------------------------------------------- */

static __global__ void __launch_bounds__(THREADS) cull(struct fused_desc d)
{
    __shared__ uint32_t before[THREADS / WARP]; /* active bricks in the warps before */
    __shared__ uint64_t base;
    const struct fused_memory m = memory_of(&d);
    const uint32_t nx = (uint32_t)d.bricks.nx, ny = (uint32_t)d.bricks.ny;
    const size_t bricks = d.bricks.nx * d.bricks.ny * d.bricks.nz;
    const unsigned lane = lane_index(), warp = threadIdx.x / WARP;
    let_next_launch_begin();
    for (size_t first = (size_t)blockIdx.x * THREADS; first < bricks; first += thread_count()) {
        const size_t i = first + threadIdx.x;
        const bool active = i < bricks && brick_state_of(d.bricks.range[i], d.iso) == BRICK_ACTIVE;
        const uint32_t all = __ballot_sync(WARP_ALL, active), number = (uint32_t)i;
        if (lane == 0) before[warp] = popcount32(all);
        __syncthreads();
        if (threadIdx.x == 0) {
            uint32_t total = 0;
            for (unsigned w = 0; w < THREADS / WARP; w++) {
                const uint32_t own = before[w];
                before[w] = total;
                total += own;
            }
            if (total) base = take_room(&m.state->bricks, total);
        }
        __syncthreads();
        const uint64_t slot = base + before[warp] + popcount32(all & ((1u << lane) - 1));
        const bool kept = active && slot < d.brick_room;
        if (kept) m.list[slot] = { number % nx, number / nx % ny, number / nx / ny, number };
        if (i < bricks) m.slot_of[i] = kept ? (uint32_t)slot : NO_SLOT;
        __syncthreads(); /* before the next bricks */
    }
}

/* ---- a block and its bricks ---------------------------------------------------------------------------------------- */

static __device__ __forceinline__ uint32_t slots_used(const struct fused_memory *m, uint64_t room)
{
    return (uint32_t)(m->state->bricks < room ? m->state->bricks : room);
}

/* Bricks side by side in the list are so in the volume, and what is dense here is dense there: the warps of a block take
 * bricks from all over the list, so that each block gets its share of both. */
static __device__ __forceinline__ uint32_t slot_of_turn(uint32_t turn, uint32_t turns, unsigned warp)
{
    return turn + warp * turns;
}

/* A brick at hand: its first voxel and the grid's size, with axes of 32 bits; most: its cells all lie in the grid;
 * interior: so do all neighbours that the differences at its vertices ask for. */
struct place { uint3 at, n; bool most, interior; };

static __device__ __forceinline__ struct place place_of(const struct fused_desc *d, struct active_brick brick)
{
    struct place p;
    p.at = { brick.x * BRICK_X, brick.y * BRICK_Y, brick.z * BRICK_Z };
    p.n = { (uint32_t)d->grid.nx, (uint32_t)d->grid.ny, (uint32_t)d->grid.nz };
    p.most = p.at.x + BRICK_X < p.n.x && p.at.y + BRICK_Y < p.n.y && p.at.z + BRICK_Z < p.n.z;
    p.interior = p.at.x && p.at.y && p.at.z && p.at.x + BRICK_X + 1 < p.n.x && p.at.y + BRICK_Y + 1 < p.n.y &&
                 p.at.z + BRICK_Z + 1 < p.n.z;
    return p;
}

struct shares { uint32_t of[BLOCK_WARPS]; }; /* how much each warp of the block has */

static __device__ __forceinline__ uint32_t shares_before(const struct shares *s, unsigned warp)
{
    uint32_t before = 0;
#pragma unroll
    for (unsigned w = 0; w < BLOCK_WARPS; w++)
        if (w < warp) before += s->of[w];
    return before;
}

static __device__ __forceinline__ uint32_t warp_prefix(uint32_t value, uint32_t *total)
{
    uint32_t sum = value;
#pragma unroll
    for (unsigned step = 1; step < WARP; step *= 2) {
        const uint32_t below = __shfl_up_sync(WARP_ALL, sum, step);
        if (lane_index() >= step) sum += below;
    }
    *total = __shfl_sync(WARP_ALL, sum, WARP - 1);
    return sum - value;
}

static __device__ __forceinline__ uint32_t first_bits(uint32_t n)
{
    return n >= WARP ? WARP_ALL : (1u << n) - 1;
}

/* ---- vertices: the voxels ------------------------------------------------------------------------------------------ */

template <enum voxel_type T> struct voxel;
template <> struct voxel<VOXEL_UINT8> { typedef uint8_t type; };
template <> struct voxel<VOXEL_INT8> { typedef int8_t type; };
template <> struct voxel<VOXEL_UINT16> { typedef uint16_t type; };
template <> struct voxel<VOXEL_INT16> { typedef int16_t type; };
template <> struct voxel<VOXEL_FLOAT32> { typedef float type; };

enum { HALO = SPAN + 2, UNIT_BYTES = 16 };

/* Voxels of a brick in shared memory, one more on every side than its cells touch, which central differences ask for.
 * Rows come in units of 16 bytes, one before the brick and one behind it. */
template <enum voxel_type T> struct near {
    enum {
        UNIT = UNIT_BYTES / sizeof(typename voxel<T>::type), /* voxels */
        ROW_UNITS = WARP / UNIT + 2,
        LAYER_UNITS = HALO * ROW_UNITS,
        PITCH = ROW_UNITS * UNIT, /* voxels from row to row, and from layer to layer */
        LAYER = HALO * PITCH,
        ORIGIN = LAYER + PITCH + UNIT, /* the brick's first voxel */
    };
    union { uint4 unit[HALO * LAYER_UNITS]; typename voxel<T>::type value[HALO * LAYER]; };
};

static __device__ __forceinline__ uint32_t clamp_to(int64_t i, uint32_t n)
{
    return i < 0 ? 0 : i < n ? (uint32_t)i : n - 1;
}

/* Voxel by voxel; past the border the last one again. For grids whose rows do not start on units. The loads of a layer are
 * all under way before the first is waited for. */
template <enum voxel_type T>
static __device__ __noinline__ void load_voxels(struct near<T> *to, const void *voxels, struct place p)
{
    enum { BEYOND = 3 }; /* columns past the lanes' */
    typedef typename voxel<T>::type value_t;
    const value_t *from = (const value_t *)voxels;
    const unsigned lane = lane_index();
    const size_t x = clamp_to((int64_t)p.at.x + lane - 1, p.n.x);
#pragma unroll 1
    for (unsigned k = 0; k < HALO; k++) {
        const size_t z = clamp_to((int64_t)p.at.z + k - 1, p.n.z);
        value_t value[HALO];
#pragma unroll
        for (unsigned j = 0; j < HALO; j++)
            value[j] = from[(z * p.n.y + clamp_to((int64_t)p.at.y + j - 1, p.n.y)) * p.n.x + x];
#pragma unroll
        for (unsigned j = 0; j < HALO; j++)
            to->value[(k * HALO + j) * near<T>::PITCH + near<T>::UNIT - 1 + lane] = value[j];
    }
#pragma unroll
    for (unsigned i = lane; i < HALO * HALO * BEYOND; i += WARP) {
        const unsigned q = i / BEYOND, c = WARP + i % BEYOND;
        const size_t y = clamp_to((int64_t)p.at.y + q % HALO - 1, p.n.y), z = clamp_to((int64_t)p.at.z + q / HALO - 1, p.n.z);
        to->value[q * near<T>::PITCH + near<T>::UNIT - 1 + c] =
            from[(z * p.n.y + y) * p.n.x + clamp_to((int64_t)p.at.x + c - 1, p.n.x)];
    }
}

/* Whether rows come in whole units, on 16 bytes. */
template <enum voxel_type T> static __device__ __forceinline__ bool has_units(const struct grid *g)
{
    return g->nx % near<T>::UNIT == 0 && (uintptr_t)g->voxels % UNIT_BYTES == 0;
}

/* 16 bytes to shared memory without a stop in registers, so that many are under way at once; through the nearest cache,
 * since bricks side by side need the same ones. */
static __device__ __forceinline__ void copy_unit(uint4 *to, const void *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
#else
    *to = *(const uint4 *)from;
#endif
}

static __device__ __forceinline__ void wait_for_units(void)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* By 16 bytes, where rows start on them. The corners of the 7 x 7 rows stay empty. Past the grid's border there are other
 * rows' voxels, or past the volume's memory (SOME_BEYOND) its first or last ones, which is as good as any: what lies there
 * is outside for the words, and vertices that would ask for it do not ask here. */
template <enum voxel_type T, bool SOME_BEYOND>
static __device__ __forceinline__ void copy_units(struct near<T> *to, const void *voxels, const struct place *p)
{
    typedef struct near<T> near_t;
    const typename voxel<T>::type *volume = (const typename voxel<T>::type *)voxels;
    const int64_t layer = (int64_t)p->n.x * p->n.y, last_unit = layer * p->n.z - near_t::UNIT;
    const int64_t origin = ((int64_t)p->at.z - 1) * layer + ((int64_t)p->at.y - 1) * p->n.x + p->at.x - near_t::UNIT;
#pragma unroll
    for (unsigned u = lane_index(); u < near_t::LAYER_UNITS; u += WARP) {
        const unsigned q = u / near_t::ROW_UNITS, c = u % near_t::ROW_UNITS;
        int64_t from = origin + (int64_t)q * p->n.x + c * near_t::UNIT;
        const bool last = q == 0 || q == HALO - 1;
#pragma unroll
        for (unsigned k = 0; k < HALO; k++, from += layer) {
            const int64_t at = !SOME_BEYOND ? from : from < 0 ? 0 : from > last_unit ? last_unit : from;
            if (!last || (k != 0 && k != HALO - 1)) copy_unit(&to->unit[k * near_t::LAYER_UNITS + u], volume + at);
        }
    }
}

template <enum voxel_type T>
static __device__ __forceinline__ void load_units(struct near<T> *to, const void *voxels, const struct place *p)
{
    typedef struct near<T> near_t;
    const int64_t layer = (int64_t)p->n.x * p->n.y;
    const int64_t first = ((int64_t)p->at.z - 1) * layer + ((int64_t)p->at.y - 1) * p->n.x + p->at.x - near_t::UNIT;
    const int64_t end = first + (HALO - 1) * (layer + p->n.x) + near_t::ROW_UNITS * near_t::UNIT;
    if (first >= 0 && end <= layer * p->n.z) copy_units<T, false>(to, voxels, p);
    else copy_units<T, true>(to, voxels, p);
    wait_for_units();
}

/* ---- vertices: words and notes ------------------------------------------------------------------------------------- */

enum {
    NOTE_WORD = 5, NOTE_WARP = 11,     /* a note: voxel | word << NOTE_WORD | warp << NOTE_WARP */
    PART_VERTICES = 256 * BLOCK_WARPS, /* noted at a time; few blocks have more */
};

template <enum voxel_type T> struct vertex_work { /* of a warp */
    struct near<T> near;
    uint32_t inside[WARP];              /* as in the record */
    uint32_t bits[WORDS], first[WORDS]; /* [row + ROWS * axis]: crossed edges of a row along it; vertices before them */
    struct place place;
};

template <enum voxel_type T> struct block_vertices {
    struct vertex_work<T> warp[BLOCK_WARPS];
    struct shares shares;
    uint64_t base; /* number of the block's first vertex */
    uint16_t note[PART_VERTICES];
};

/* value >= iso is value >= bar; integers are compared as such, which spares making floats of them. */
template <enum voxel_type T> struct bar { typedef int type; };
template <> struct bar<VOXEL_FLOAT32> { typedef float type; };

template <enum voxel_type T> static __device__ __forceinline__ typename bar<T>::type bar_of(float iso)
{
    if (T == VOXEL_FLOAT32) return (typename bar<T>::type)iso;
    return (typename bar<T>::type)ceilf(fminf(fmaxf(iso, -65536.0f), 65536.0f)); /* past all values that there are */
}

/* Inside words of the touched rows, and of the column of voxels 32. */
template <enum voxel_type T>
static __device__ __forceinline__ void find_inside(struct vertex_work<T> *work, float iso, const struct place *p)
{
    typedef struct near<T> near_t;
    const unsigned lane = lane_index(), j = lane % SPAN, k = lane / SPAN;
    const typename voxel<T>::type *value = work->near.value + near_t::ORIGIN;
    const typename bar<T>::type bar = bar_of<T>(iso);
#pragma unroll
    for (unsigned r = 0; r < TOUCHED; r++) {
        const bool inside = value[r / SPAN * near_t::LAYER + r % SPAN * near_t::PITCH + lane] >= bar;
        const uint32_t word = __ballot_sync(WARP_ALL, inside);
        if (lane == 0) work->inside[r] = word; /* to keep each in its lane would take a predicate for every row */
    }
    bool beyond = lane < TOUCHED && value[k * near_t::LAYER + j * near_t::PITCH + WARP] >= bar;
    if (!p->most) {
        const bool here = p->at.y + j < p->n.y && p->at.z + k < p->n.z;
        __syncwarp();
        if (lane < TOUCHED) work->inside[lane] = here ? work->inside[lane] & first_bits(p->n.x - p->at.x) : 0;
        beyond = beyond && here && p->at.x + WARP < p->n.x;
    }
    const uint32_t column = __ballot_sync(WARP_ALL, beyond);
    if (lane == 0) work->inside[TOUCHED] = column;
}

/* Crossed edges of the owned rows, a lane each, and how many are before them; *total: all. */
template <enum voxel_type T>
static __device__ __forceinline__ uint4 find_edges(struct vertex_work<T> *work, const struct place *p, uint32_t *total)
{
    const unsigned lane = lane_index(), j = lane % BRICK_Y, k = lane / BRICK_Y, r = j + SPAN * k;
    uint4 e = { 0, 0, 0, 0 };
    if (lane < ROWS) {
        const uint32_t word = work->inside[r], column = work->inside[TOUCHED];
        e.x = word ^ (word >> 1 | (column >> r & 1) << (WARP - 1));
        e.y = word ^ work->inside[r + 1];
        e.z = word ^ work->inside[r + SPAN];
        if (!p->most) {
            const bool here = p->at.y + j < p->n.y && p->at.z + k < p->n.z;
            e.x = here ? e.x & first_bits(p->n.x - 1 - p->at.x) : 0;
            if (!here || p->at.y + j + 1 >= p->n.y) e.y = 0; /* past nx both words are 0 */
            if (!here || p->at.z + k + 1 >= p->n.z) e.z = 0;
        }
    }
    const uint32_t x = popcount32(e.x), y = popcount32(e.y);
    e.w = warp_prefix(x + y + popcount32(e.z), total);
    if (lane < ROWS) {
        work->bits[lane] = e.x, work->first[lane] = e.w;
        work->bits[lane + ROWS] = e.y, work->first[lane + ROWS] = e.w + x;
        work->bits[lane + 2 * ROWS] = e.z, work->first[lane + 2 * ROWS] = e.w + x + y;
    }
    return e;
}

/* Notes the warp's vertices, the first of which is number `first` of the part at hand; others fall outside. */
template <enum voxel_type T>
static __device__ __forceinline__ void note_vertices(struct block_vertices<T> *block, unsigned warp, uint32_t first)
{
    const struct vertex_work<T> *work = &block->warp[warp];
    for (unsigned w = lane_index(); w < WORDS; w += WARP) {
        uint32_t i = work->first[w] + first;
        for (uint32_t bits = work->bits[w]; bits; bits &= bits - 1, i++)
            if (i < PART_VERTICES) block->note[i] = (uint16_t)((__ffs(bits) - 1) | w << NOTE_WORD | warp << NOTE_WARP);
    }
}

/* ---- vertices: one by one ------------------------------------------------------------------------------------------ */

/* Minus the slope along one axis, whose neighbours lie `step` away, at the point t between a and b. */
template <enum voxel_type T>
static __device__ __forceinline__ float near_slope(const typename voxel<T>::type *a, const typename voxel<T>::type *b,
                                                   int step, float t)
{
    if (T == VOXEL_FLOAT32)
        return slope_between(difference_inside(T, a[step], a[-step]), difference_inside(T, b[step], b[-step]), t);
    return slope_between((float)((int)a[step] - (int)a[-step]), (float)((int)b[step] - (int)b[-step]), t);
}

/* The same vertex as edge_vertex(), from the voxels at hand. Only where no neighbour is missing. */
template <enum voxel_type T>
static __device__ __forceinline__ struct vertex near_vertex(const struct near<T> *voxels, float iso, uint3 at,
                                                            unsigned lane, unsigned j, unsigned k, unsigned axis)
{
    typedef struct near<T> near_t;
    const int along_y = near_t::PITCH, along_z = near_t::LAYER;
    const typename voxel<T>::type *a = voxels->value + near_t::ORIGIN + lane + j * along_y + k * along_z;
    const typename voxel<T>::type *b = a + (axis == 0 ? 1 : axis == 1 ? along_y : along_z);
    const float va = (float)*a, vb = (float)*b, t = edge_crossing(T, iso, va, vb);
    return vertex_at(at.x + lane, at.y + j, at.z + k, axis, t, va >= iso, near_slope<T>(a, b, 1, t),
                     near_slope<T>(a, b, along_y, t), near_slope<T>(a, b, along_z, t));
}

/* Of a vertex that lacks a neighbour. Kept out of line: it is rare, and its registers would be taken from all. The voxels
 * at hand do as a grid of their own, whose steps are PITCH and LAYER; but where the border is the brick's first voxel, one-
 * sided differences reach past them, and the volume is asked. */
template <enum voxel_type T>
static __device__ __noinline__ struct vertex border_vertex(const struct near<T> *voxels, const void *volume, float iso,
                                                           uint3 n, uint3 at, unsigned axis)
{
    const unsigned i = at.x % BRICK_X, j = at.y % BRICK_Y, k = at.z % BRICK_Z;
    if ((!i && at.x + 1 == n.x) || (!j && at.y + 1 == n.y) || (!k && at.z + 1 == n.z)) {
        const struct grid g = { volume, T, n.x, n.y, n.z };
        return edge_vertex(&g, iso, at.x, at.y, at.z, axis);
    }
    typedef struct near<T> near_t;
    const struct grid g = { voxels->value, T, near_t::PITCH, HALO, HALO };
    const unsigned a = near_t::ORIGIN + i + j * near_t::PITCH + k * near_t::LAYER;
    const unsigned b = a + (axis == 0 ? 1u : axis == 1 ? (unsigned)near_t::PITCH : (unsigned)near_t::LAYER);
    const float va = grid_value(&g, a), vb = grid_value(&g, b), t = edge_crossing(T, iso, va, vb);
    float slope[3];
#pragma unroll
    for (unsigned s = 0; s < 3; s++) {
        const unsigned c = s == 0 ? at.x : s == 1 ? at.y : at.z, all = s == 0 ? n.x : s == 1 ? n.y : n.z;
        const unsigned step = s == 0 ? 1u : s == 1 ? (unsigned)near_t::PITCH : (unsigned)near_t::LAYER;
        slope[s] = slope_between(grid_difference(&g, a, c, all, step),
                                 grid_difference(&g, b, c + (s == axis), all, step), t);
    }
    return vertex_at(at.x, at.y, at.z, axis, t, va >= iso, slope[0], slope[1], slope[2]);
}

/* One store of 16 bytes; the mesh is aligned to that. */
static __device__ __forceinline__ void store_vertex(struct vertex *to, struct vertex v)
{
    *(uint4 *)to = { __float_as_uint(v.x), __float_as_uint(v.y), __float_as_uint(v.z), v.normal };
}

/* The first `count` that are noted. */
template <enum voxel_type T>
static __device__ __forceinline__ void write_vertices(struct vertex *out, const void *voxels, float iso,
                                                      const struct block_vertices<T> *block, uint32_t count)
{
    for (uint32_t i = threadIdx.x; i < count; i += BLOCK) {
        const unsigned note = block->note[i], lane = note % WARP, w = note >> NOTE_WORD & 63, axis = w / ROWS;
        const unsigned j = w % BRICK_Y, k = w % ROWS / BRICK_Y;
        const struct vertex_work<T> *work = &block->warp[note >> NOTE_WARP];
        const struct place *p = &work->place;
        const uint3 at = { p->at.x + lane, p->at.y + j, p->at.z + k };
        if (p->interior || (at.x && at.y && at.z && at.x + (axis == 0) + 1 < p->n.x && at.y + (axis == 1) + 1 < p->n.y &&
                            at.z + (axis == 2) + 1 < p->n.z))
            store_vertex(out + i, near_vertex<T>(&work->near, iso, p->at, lane, j, k, axis));
        else
            store_vertex(out + i, border_vertex<T>(&work->near, voxels, iso, p->n, at, axis));
    }
}

/* 56 registers let nine blocks run at once; with fewer, what is kept over calls goes to memory. */
template <enum voxel_type T> static __global__ void __maxnreg__(56) vertices(struct fused_desc d)
{
    __shared__ struct block_vertices<T> block;
    const unsigned warp = threadIdx.x / WARP, lane = lane_index();
    struct vertex_work<T> *work = &block.warp[warp];
    const struct fused_memory m = memory_of(&d);
    wait_for_launch_before();
    const uint32_t slots = slots_used(&m, d.brick_room), turns = (slots + BLOCK_WARPS - 1) / BLOCK_WARPS;
    const bool by_units = has_units<T>(&d.grid);
    let_next_launch_begin();

    for (uint32_t turn = blockIdx.x; turn < turns; turn += gridDim.x) {
        const uint32_t slot = slot_of_turn(turn, turns, warp);
        uint32_t own = 0; /* vertices */
        uint4 edges = { 0, 0, 0, 0 };
        if (slot < slots) {
            const struct place p = place_of(&d, m.list[slot]);
            if (by_units) load_units<T>(&work->near, d.grid.voxels, &p);
            else load_voxels<T>(&work->near, d.grid.voxels, p);
            if (lane == 0) work->place = p;
            __syncwarp();
            find_inside<T>(work, d.iso, &p);
            __syncwarp();
            edges = find_edges<T>(work, &p, &own);
        } else {
            for (unsigned w = lane; w < WORDS; w += WARP) work->bits[w] = 0;
        }
        if (lane == 0) block.shares.of[warp] = own;
        __syncthreads();
        const uint32_t before = shares_before(&block.shares, warp), total = shares_before(&block.shares, BLOCK_WARPS);
        uint64_t taken = 0;
        if (threadIdx.x == 0) taken = take_room(&m.state->vertices, total);
        note_vertices<T>(&block, warp, before);
        if (slot < slots) m.record[slot].inside[lane] = work->inside[lane];
        if (threadIdx.x == 0) block.base = taken;
        __syncthreads();
        const uint64_t base = block.base;
        if (slot < slots && lane < ROWS)
            m.record[slot].row[lane] = { edges.x, edges.y, edges.z, (uint32_t)base + before + edges.w };
        const bool room = base + total <= d.vertex_room; /* else counted, not written */
        for (uint32_t begin = 0; begin < total && room; begin += PART_VERTICES) {
            if (begin) {
                __syncthreads();
                note_vertices<T>(&block, warp, before - begin);
                __syncthreads();
            }
            const uint32_t count = total - begin < PART_VERTICES ? total - begin : (uint32_t)PART_VERTICES;
            write_vertices<T>(d.mesh.vertices + base + begin, d.grid.voxels, d.iso, &block, count);
        }
        __syncthreads(); /* before the next bricks */
    }
}

/* ---- triangles ----------------------------------------------------------------------------------------------------- */

enum {
    CELL_TURNS = 4,                /* of 32 cells each that a warp looks up before the block writes: for most bricks all */
    PART_CELLS = CELL_TURNS * WARP,
    CELL_ROW = 5, CELL_BITS = 10,  /* a cell: voxel | touched row << CELL_ROW */
    EDGE_BITS = 12,                /* three cube edges */
    TRIANGLE_WARP = CELL_BITS + EDGE_BITS,
    ENTRIES_NEXT = 3 * TOUCHED * 8, /* bytes from an entry to that of the brick beyond voxel 31 */
    HALF = WARP / 2,
};

struct __align__(8) edge_entry { uint32_t bits, first; }; /* vertex at `lane`: number first + popc(bits below lane) */
struct __align__(8) edge_place { uint32_t bytes, next; }; /* from a row's first entry to an edge's; 1: of the next voxel */

struct triangle_work { /* of a warp */
    struct edge_entry entry[2][TOUCHED * 3]; /* [voxels 0 to 31, or 32][3 * touched row + axis] */
    uint2 inside[TOUCHED];                   /* 33 bits of each touched row */
    uint16_t cell[ROWS * WARP];              /* the active ones */
};

struct block_triangles {
    struct triangle_work warp[BLOCK_WARPS];
    struct shares shares;
    uint64_t base;     /* number of the block's first triangle */
    struct edge_place place[12]; /* of each cube edge */
    uint32_t note[BLOCK_WARPS * PART_CELLS * MC_MAX_TRIANGLES]; /* cell | edges << CELL_BITS | warp << TRIANGLE_WARP */
};

static __device__ __forceinline__ struct edge_place place_of_edge(unsigned edge)
{
    const unsigned rows = mc_edge_dy(edge) + SPAN * mc_edge_dz(edge);
    return { (3 * rows + mc_edge_axis(edge)) * (uint32_t)sizeof(struct edge_entry), mc_edge_dx(edge) };
}

static __device__ __forceinline__ void keep_row(struct edge_entry *entry, uint4 row)
{
    const uint32_t along_y = row.w + popcount32(row.x);
    entry[0] = { row.x, row.w };
    entry[1] = { row.y, along_y };
    entry[2] = { row.z, along_y + popcount32(row.y) };
}

/* Lane r gets the edges of touched row r, from the record of whichever brick owns it, here and beyond voxel 31. Where no
 * brick is active no edge is crossed, and what is kept is never asked for. */
static __device__ __forceinline__ void load_rows(struct triangle_work *work, const struct fused_desc *d,
                                                 const struct fused_memory *m, struct active_brick brick)
{
    const uint32_t nx = (uint32_t)d->bricks.nx, ny = (uint32_t)d->bricks.ny, nz = (uint32_t)d->bricks.nz;
    const unsigned r = lane_index(), j = r % SPAN, k = r / SPAN, dy = j / BRICK_Y, dz = k / BRICK_Z;
    if (r >= TOUCHED) return;
    uint32_t slot[2];
    uint4 row[2] = { { 0, 0, 0, 0 }, { 0, 0, 0, 0 } };
#pragma unroll
    for (unsigned dx = 0; dx < 2; dx++)
        slot[dx] = brick.x + dx < nx && brick.y + dy < ny && brick.z + dz < nz
                       ? m->slot_of[brick.number + dx + (dy + dz * ny) * nx] : NO_SLOT;
#pragma unroll
    for (unsigned dx = 0; dx < 2; dx++)
        if (slot[dx] != NO_SLOT) row[dx] = m->record[slot[dx]].row[k % BRICK_Z * BRICK_Y + j % BRICK_Y];
    keep_row(&work->entry[0][3 * r], row[0]);
    keep_row(&work->entry[1][3 * r], row[1]);
}

/* Lists the active cells; lanes take half rows. Returns how many. */
static __device__ __forceinline__ uint32_t list_cells(struct triangle_work *work, const struct place *p)
{
    const unsigned lane = lane_index(), row = lane / 2, begin = lane % 2 * HALF;
    const unsigned j = row % BRICK_Y, k = row / BRICK_Y, r = j + SPAN * k;
    uint32_t any = 0, all = ~0u;
#pragma unroll
    for (unsigned q = 0; q < 4; q++) {
        const uint2 bits = work->inside[r + q % 2 + q / 2 * SPAN];
        const uint32_t piece = __funnelshift_r(bits.x, bits.y, begin);
        any |= piece;
        all &= piece;
    }
    uint32_t active = (any | any >> 1) & ~(all & all >> 1) & ((1u << HALF) - 1);
    if (!p->most) {
        const bool here = p->at.y + j + 1 < p->n.y && p->at.z + k + 1 < p->n.z;
        active = here ? active & first_bits(p->n.x - 1 - p->at.x) >> begin : 0;
    }
    uint32_t total;
    uint16_t *to = work->cell + warp_prefix(popcount32(active), &total);
    for (; active; active &= active - 1) *to++ = (uint16_t)((__ffs(active) - 1 + begin) | r << CELL_ROW);
    return total;
}

/* Case of a cell. */
static __device__ __forceinline__ unsigned case_of(const uint2 *inside, unsigned cell)
{
    unsigned index = 0;
#pragma unroll
    for (unsigned q = 0; q < 4; q++) {
        const uint2 bits = inside[(cell >> CELL_ROW) + q % 2 + q / 2 * SPAN];
        index |= (__funnelshift_r(bits.x, bits.y, cell % WARP) & 3) << 2 * q;
    }
    return index;
}

struct cells { uint64_t packed[CELL_TURNS]; unsigned at[CELL_TURNS]; }; /* of a lane: their triangles as in the table */

/* Looks up the listed cells from `first` up to `end`. Returns how many triangles this lane's have. */
static __device__ __forceinline__ unsigned look_up_cells(struct cells *c, const struct triangle_work *work, uint32_t first,
                                                         uint32_t end, const struct mc_tables *tables)
{
    unsigned triangles = 0;
#pragma unroll
    for (unsigned turn = 0; turn < CELL_TURNS; turn++) {
        const uint32_t i = first + turn * WARP + lane_index();
        c->packed[turn] = 0;
        if (i < end) {
            c->at[turn] = work->cell[i];
            c->packed[turn] = tables->packed[case_of(work->inside, c->at[turn])];
            triangles += (unsigned)(c->packed[turn] >> 60);
        }
    }
    return triangles;
}

static __device__ __forceinline__ void note_triangles(uint32_t *note, const struct cells *c, unsigned warp)
{
#pragma unroll
    for (unsigned turn = 0; turn < CELL_TURNS; turn++) {
        uint64_t packed = c->packed[turn];
        const uint32_t rest = c->at[turn] | warp << TRIANGLE_WARP, *end = note + (unsigned)(packed >> 60);
#pragma unroll 1
        for (; note < end; packed >>= EDGE_BITS)
            *note++ = rest | ((uint32_t)packed & ((1u << EDGE_BITS) - 1)) << CELL_BITS;
    }
}

static __device__ __forceinline__ uint32_t corner_vertex(const char *row, struct edge_place place, unsigned voxel)
{
    const unsigned lane = voxel + place.next;
    const struct edge_entry e = *(const struct edge_entry *)(row + place.bytes + lane / WARP * ENTRIES_NEXT);
    return e.first + popcount32(e.bits & ((1u << lane % WARP) - 1));
}

static __device__ __forceinline__ void write_triangles(uint32_t *out, const struct block_triangles *block, uint32_t total)
{
    uint32_t *to = out + 3 * threadIdx.x; /* kept in step, which is shorter than to find it each time */
    for (uint32_t i = threadIdx.x; i < total; i += BLOCK, to += 3 * BLOCK) {
        const uint32_t note = block->note[i];
        const unsigned voxel = note % WARP, r = note >> CELL_ROW & 31;
        const char *row = (const char *)&block->warp[note >> TRIANGLE_WARP].entry[0][3 * r];
#pragma unroll
        for (unsigned c = 0; c < 3; c++)
            to[c] = corner_vertex(row, block->place[note >> (CELL_BITS + 4 * c) & 15], voxel);
    }
}

#define BLOCK_DONE ((uint64_t)1 << 40) /* more than all triangles */

/* Tells what there is, and leaves the state for the next run. By the block that was the last to take room, of which the
 * addition tells: a counter of its own would queue as many additions again. */
static __device__ __forceinline__ void finish(const struct fused_desc *d, struct state *state, uint64_t triangles)
{
    volatile const struct state *all = state;
    const uint64_t bricks = all->bricks, vertices = all->vertices;
    *d->counts = { vertices, triangles, bricks, { 0, 0 } };
    if (d->draw) *d->draw = fused_draw(d, vertices, bricks <= d->brick_room ? triangles : UINT64_MAX / 3);
    *state = { 0, 0, 0 };
}

static __global__ void __launch_bounds__(BLOCK) triangles(struct fused_desc d)
{
    __shared__ struct block_triangles block;
    const unsigned warp = threadIdx.x / WARP, lane = lane_index();
    struct triangle_work *work = &block.warp[warp];
    const struct fused_memory m = memory_of(&d);
    wait_for_launch_before();
    const uint32_t slots = slots_used(&m, d.brick_room), turns = (slots + BLOCK_WARPS - 1) / BLOCK_WARPS;
    const uint32_t blocks = turns < gridDim.x ? turns : gridDim.x; /* that have anything to do */
    if (threadIdx.x < 12) block.place[threadIdx.x] = place_of_edge(threadIdx.x);
    if (!turns && !blockIdx.x && !threadIdx.x) finish(&d, m.state, 0);

    for (uint32_t turn = blockIdx.x; turn < turns; turn += gridDim.x) {
        const uint32_t slot = slot_of_turn(turn, turns, warp);
        uint32_t cells = 0, done = 0;
        bool more;
        if (slot < slots) {
            const struct active_brick brick = m.list[slot];
            const struct place p = place_of(&d, brick);
            const uint32_t word = m.record[slot].inside[lane], column = __shfl_sync(WARP_ALL, word, TOUCHED);
            if (lane < TOUCHED) work->inside[lane] = { word, column >> lane & 1 };
            load_rows(work, &d, &m, brick);
            __syncwarp();
            cells = list_cells(work, &p);
            __syncwarp();
        }
        do {
            const uint32_t end = cells - done < PART_CELLS ? cells : done + PART_CELLS;
            struct cells c;
            uint32_t own;
            const uint32_t before = warp_prefix(look_up_cells(&c, work, done, end, d.tables), &own);
            done = end;
            if (lane == 0) block.shares.of[warp] = own;
            more = __syncthreads_or(done < cells);
            const bool last = !more && turn + gridDim.x >= turns;
            const uint32_t total = shares_before(&block.shares, BLOCK_WARPS);
            uint64_t taken = 0;
            if (threadIdx.x == 0) taken = take_room(&m.state->triangles, total + (last ? BLOCK_DONE : 0));
            note_triangles(block.note + shares_before(&block.shares, warp) + before, &c, warp);
            if (threadIdx.x == 0) block.base = taken % BLOCK_DONE; /* looked at only now: it takes long */
            if (threadIdx.x == 0 && last && taken / BLOCK_DONE == blocks - 1)
                finish(&d, m.state, taken % BLOCK_DONE + total);
            __syncthreads();
            if (block.base + total <= d.triangle_room) write_triangles(d.mesh.indices + 3 * block.base, &block, total);
            __syncthreads(); /* before the next notes */
        } while (more);
    }
}

/* ---- launch -------------------------------------------------------------------------------------------------------- */

/* Blocks of a launch whose bricks are only known on the device: one for as many as fit the room, within reason. */
static unsigned blocks_for(const struct fused_desc *d, const struct exec *x)
{
    enum { PER_PROCESSOR = 64 }; /* several times what runs at once, so that blocks with little to do make way for others */
    int processors = 0;
    if (cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, x->device) != cudaSuccess) processors = 64;
    const unsigned most = (unsigned)processors * PER_PROCESSOR, blocks = launch_blocks(d->brick_room, BLOCK_WARPS);
    return blocks < most ? blocks : most;
}

/* After the launch before; where the GPU can, set up while that still runs. */
static cudaError_t launch_after(const void *kernel, unsigned blocks, unsigned threads, const struct fused_desc *d,
                                const struct exec *x)
{
    int major = 0;
    const cudaError_t error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, x->device);
    if (error != cudaSuccess) return error;
    cudaLaunchAttribute early;
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.stream = x->stream;
    config.attrs = &early;
    config.numAttrs = major >= 9;
    void *args[] = { (void *)d };
    return cudaLaunchKernelExC(&config, kernel, args);
}

static int run_brick(const struct fused_desc *d, struct exec *x)
{
    const uint64_t bricks = (uint64_t)d->bricks.nx * d->bricks.ny * d->bricks.nz;
    const unsigned blocks = blocks_for(d, x);
    cudaError_t error;
    cull<<<launch_blocks(bricks, THREADS), THREADS, 0, x->stream>>>(*d);
    LAUNCH_TYPED(d->grid.type, error = launch_after((const void *)vertices<TYPE>, blocks, BLOCK, d, x));
    if (error == cudaSuccess) error = launch_after((const void *)triangles, blocks, BLOCK, d, x);
    const cudaError_t last = cudaGetLastError();
    return error != cudaSuccess ? error : last;
}

/* ---- the table ----------------------------------------------------------------------------------------------------- */

const struct fused_rung fused_cuda[] = {
    { { "none", "the stages, one by one", false }, NULL, NULL },
    { { "brick", "a warp per active brick, its voxels in shared memory; records for the neighbours", true }, run_brick,
      scratch_bytes },
    {},
};
