/* What the launches of fused share: scratch, and how a block divides work among its warps. Part of fused_cuda.cu. */
#ifndef ISO_FUSED_CUDA_MEMORY_CUH
#define ISO_FUSED_CUDA_MEMORY_CUH

#include "fused.h"
#include "fused_cuda_brick.cuh"

#include <cuda_runtime.h>

enum {
    ROWS = BRICK_Y * BRICK_Z, /* rows of 32 voxels that a brick owns */
    TOUCHED = SPAN * SPAN,
    WORDS = 3 * ROWS, /* words of crossed edges: x, y, z of each row */
    BLOCK_WARPS = 4,  /* each prepares its own brick; they share what follows */
    BLOCK = BLOCK_WARPS * WARP,
    BRICK_CELLS = ROWS * WARP,
    HEAD_LINE = 256, /* bytes of the state: what follows starts on its own line */
};

#define NO_SLOT 0xffffffffu

/* What a brick leaves for the triangles, its own and those of its neighbours. Row j + 4 k is voxel row y + j, z + k.
 *
 *    number of the vertex on the edge of `axis` of voxel `lane`:  first + popc(bits before axis) + popc(bits below lane) */
struct record {
    uint4 row[ROWS];       /* crossed edges along x, y, z; number of the row's first vertex */
    uint32_t inside[WARP]; /* touched row j + 5 k: its 32 voxels; [TOUCHED]: bit r is voxel 32 of row r */
};

struct __align__(16) active_brick { uint32_t x, y, z, number; }; /* position in bricks; bricks are numbered in 32 bits */

/* A row in which some cells are open (mc_tables.h). */
struct open_row {
    uint32_t at, cells; /* ROWS * the brick's slot + row; a bit for each open cell */
};

/* Counters shared by the blocks. All are 0 between runs, so nothing has to be cleared first. The high bits of `bricks`
 * count the heavy ones; those of `triangles` count the shares that are completely reserved. Additions to `vertices` and
 * `open` come at the same time; in different lines, they do not slow each other down. */
struct state {
    uint64_t bricks, vertices, triangles;
    __align__(HEAD_LINE / 2) uint64_t open; /* rows */
    uint64_t inside;                        /* of an ordered run: voxels of bricks that are wholly inside */
};

struct fused_memory { /* scratch */
    struct state *state;
    uint32_t *heavy;           /* [bricks / 32], a bit each: had many vertices in the previous run */
    struct record *record;     /* [capacity] */
    struct open_row *open;     /* [ROWS * capacity] */
    struct active_brick *list; /* [capacity]: heavy ones from the back, others from the front */
    uint32_t *slot_of;         /* [bricks] */
    /* Of the ordered rung, which has no `record` and no `open`: */
    struct ordered_total *total;
    struct fused_counts *before;    /* [bricks.nz + 1]: the running totals (fused.h) */
    struct fused_counts *layer;     /* [bricks.nz]: what each has, without the voxels of bricks that are wholly inside */
    uint64_t *line;                 /* [slice of voxels, BRICK_Z * bricks.nz][bricks.ny] */
    struct ordered_record *ordered; /* [capacity] */
    uint16_t *subcase;              /* [BRICK_CELLS * capacity], of the open cells */
};

/* What the kernels of a run take. The host computes the pointers, so threads read them as constants and need no registers
 * for them. */
struct fused_args {
    struct fused_desc desc;
    struct fused_memory memory;
};

ISO_FN size_t heavy_bytes(const struct bricks *b) /* rounded to align what follows */
{
    return (b->nx * b->ny * b->nz + 8 * HEAD_LINE - 1) / (8 * HEAD_LINE) * HEAD_LINE;
}

static struct fused_memory memory_of(const struct fused_desc *d)
{
    struct fused_memory m = {};
    m.state = (struct state *)d->scratch;
    m.heavy = (uint32_t *)((char *)d->scratch + HEAD_LINE);
    m.record = (struct record *)((char *)m.heavy + heavy_bytes(&d->bricks));
    m.open = (struct open_row *)(m.record + d->brick_capacity);
    m.list = (struct active_brick *)(m.open + ROWS * d->brick_capacity);
    m.slot_of = (uint32_t *)(m.list + d->brick_capacity);
    return m;
}

static size_t scratch_bytes(const struct bricks *b, uint64_t capacity, const struct exec *x)
{
    (void)x;
    const size_t each = sizeof(struct record) + ROWS * sizeof(struct open_row) + sizeof(struct active_brick);
    static_assert(sizeof(struct state) == HEAD_LINE, "the state fills its lines");
    return scratch_round(sizeof(struct state) + heavy_bytes(b) + capacity * each +
                         b->nx * b->ny * b->nz * sizeof(uint32_t));
}

/* ---- reservations -------------------------------------------------------------------------------------------------- */

/* Reserve space for n items, by one thread; return where it begins. The answer takes long, and must be awaited only
 * where it is used. But the compiler likes to combine the additions of a warp, although there is only one here, and
 * then waits immediately. It does so whenever it can see that n is the same for all lanes. Therefore a warp's last lane
 * calls this, with its own sum. */
static __device__ __forceinline__ uint64_t reserve(uint64_t *counter, uint64_t n)
{
    uint64_t base;
#if __CUDA_ARCH__ >= 700
    asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;" : "=l"(base) : "l"(counter), "l"(n) : "memory");
#else
    asm volatile("atom.global.add.u64 %0, [%1], %2;" : "=l"(base) : "l"(counter), "l"(n) : "memory");
#endif
    return base;
}

/* Likewise. `after`: whoever sees the sum through see_reservations() also sees what this thread reserved before. It
 * only releases: a full fence would also empty L1, where the other warps have their tables. */
static __device__ __forceinline__ uint64_t reserve_after(uint64_t *counter, uint64_t n, bool after)
{
    if (!after) return reserve(counter, n);
#if __CUDA_ARCH__ >= 700
    uint64_t base;
    asm volatile("atom.release.gpu.global.add.u64 %0, [%1], %2;" : "=l"(base) : "l"(counter), "l"(n) : "memory");
    return base;
#else
    __threadfence();
    return reserve(counter, n);
#endif
}

static __device__ __forceinline__ void see_reservations(const uint64_t *counter)
{
#if __CUDA_ARCH__ >= 700
    /* the load is what counts: a fence would also wait for this thread's stores */
    asm volatile("{ .reg .u64 seen; ld.acquire.gpu.global.u64 seen, [%0]; }" ::"l"(counter) : "memory");
#else
    (void)counter;
    __threadfence();
#endif
}

/* ---- a block and its bricks ---------------------------------------------------------------------------------------- */

/* The number of bricks in the list. */
struct bricks_used {
    uint32_t heavy, all;
};

/* bricks: as the state has them. */
static __device__ __forceinline__ struct bricks_used bricks_used(uint64_t bricks, uint64_t capacity)
{
    const uint64_t heavy = bricks >> 32, all = heavy + (uint32_t)bricks;
    return { (uint32_t)(heavy < capacity ? heavy : capacity), (uint32_t)(all < capacity ? all : capacity) };
}

/* Return the slot of the brick for one of the `parts` of a turn, heavy bricks first; NO_SLOT if there are no more. With
 * few bricks, the parts of a turn come from all over the list, because neighbours in the list are neighbours in the
 * volume and equally dense. With many bricks, the parts of a turn are neighbours, which share voxels in L1; there are
 * enough turns to even out the blocks. */
static __device__ __forceinline__ uint32_t slot_of_turn(const struct bricks_used *used, uint64_t capacity, uint32_t turn,
                                                        uint32_t turns, unsigned part, unsigned parts)
{
    enum { MANY_BRICKS = 12000 }; /* with fewer, neighbours cost 12 us of 41, at 256^3; with more, they gain 3 % */
    const uint32_t i = turns > MANY_BRICKS / parts ? turn * parts + part : turn + part * turns;
    return i < used->heavy ? (uint32_t)capacity - 1 - i : i < used->all ? i - used->heavy : NO_SLOT;
}

static __device__ __forceinline__ struct brick_pos brick_pos_of(const struct fused_desc *d, struct active_brick brick)
{
    struct brick_pos p;
    p.at = { brick.x * BRICK_X, brick.y * BRICK_Y, brick.z * BRICK_Z };
    p.n = { (uint32_t)d->grid.nx, (uint32_t)d->grid.ny, (uint32_t)d->grid.nz };
    p.whole = p.at.x + BRICK_X < p.n.x && p.at.y + BRICK_Y < p.n.y && p.at.z + BRICK_Z < p.n.z;
    p.interior = d->grid.margin >= SURE_MARGIN && p.at.x && p.at.y && p.at.z && p.at.x + BRICK_X + 1 < p.n.x &&
                 p.at.y + BRICK_Y + 1 < p.n.y && p.at.z + BRICK_Z + 1 < p.n.z;
    return p;
}

struct shares {
    uint32_t of[BLOCK_WARPS];
}; /* how much each warp of the block has */

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
        const uint32_t below = __shfl_up_sync(ALL_LANES, sum, step);
        if (lane_index() >= step) sum += below;
    }
    *total = __shfl_sync(ALL_LANES, sum, WARP - 1);
    return sum - value;
}

static __device__ __forceinline__ uint32_t first_bits(uint32_t n) { return n >= WARP ? ALL_LANES : (1u << n) - 1; }

/* Store 16 bytes at once; the mesh is aligned to that. */
static __device__ __forceinline__ void store_vertex(struct vertex *to, struct vertex v)
{
    *(uint4 *)to = { __float_as_uint(v.x), __float_as_uint(v.y), __float_as_uint(v.z), v.normal };
}

#define SHARE_DONE ((uint64_t)1 << 40) /* more than all triangles */

/* Write the counts and reset the state for the next run. The thread that reserves last calls this. The result of its
 * addition tells that it is the last; a separate counter would queue as many additions again. open: there are open
 * cells, which may have reserved vertices before their shares ended. */
static __device__ __forceinline__ void finish(const struct fused_desc *d, struct state *state, uint64_t triangles,
                                              bool open)
{
    volatile const struct state *all = state;
    if (open) see_reservations(&state->triangles);
    const uint64_t bricks = (all->bricks >> 32) + (uint32_t)all->bricks, vertices = all->vertices;
    *d->counts = { vertices, triangles, bricks, { 0, 0 } };
    if (d->draw) *d->draw = fused_draw(d, vertices, bricks <= d->brick_capacity ? triangles : UINT64_MAX / 3);
    *state = {};
}

#endif
