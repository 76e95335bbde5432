/* draw on CUDA: a visibility buffer (Burns and Hunt 2013) with 64-bit atomics. Contract in draw.h.
 * Run: isoscope ladder draw --bench --backend cuda
 *
 * A pixel is a key, the depth above the number of the triangle, as in the CPU's rung `keys`. The least key is the one
 * seen, whichever thread comes first, so the picture does not depend on the order of threads. One launch clears the
 * keys, one covers pixels, and one turns keys into depth and what is seen; it makes one normal per pixel. The
 * arithmetic is the CPU's, bit for bit.
 *
 * Triangles that have to be cut are rare, and the code for them is not inlined. It takes the address of the kernel's
 * argument, which is therefore a GRID_CONST; otherwise each thread makes a copy of its own, 192 bytes. With
 * copies, `small` took 0.083 ms on an H200 (vessels of 256^3, 0.4 million triangles, 1280x800) instead of 0.031, because
 * draw_shade has a thread for each pixel. */
#include "draw_triangle.h"
#include "cuda_util.cuh"
#include "launch_chain.h"

#include <cuda_runtime.h>

struct keyed { /* where covered pixels go */
    struct draw_desc d;
    unsigned long long *key;    /* [height, width] */
    uint32_t *count, *triangle; /* [1], [triangle_count]: the list of `small`; NULL: there is none */
};

/* ---- what all rungs share ------------------------------------------------------------------------------------------ */

static __device__ __forceinline__ unsigned long long key_of(float depth, uint32_t low)
{
    return (unsigned long long)__float_as_uint(depth) << 32 | low;
}

static __device__ __forceinline__ uint32_t low_of(size_t triangle, bool counter_clockwise)
{
    return (uint32_t)(triangle + 1) << 1 | counter_clockwise;
}

static __device__ __forceinline__ struct draw_box screen_of(const struct draw_desc *d)
{
    return { { 0, 0 }, { (int32_t)d->width - 1, (int32_t)d->height - 1 } };
}

static __global__ void draw_clear(GRID_CONST struct keyed k)
{
    const size_t pixels = (size_t)k.d.width * k.d.height;
    if (k.count && thread_index() == 0) *k.count = 0;
    for (size_t i = thread_index(); i < pixels; i += thread_count()) k.key[i] = key_of(k.d.over ? k.d.depth[i] : 1.0f, 0);
}

static __global__ void draw_shade(GRID_CONST struct keyed k)
{
    const size_t pixels = (size_t)k.d.width * k.d.height;
    wait_for_launch_before();
    for (size_t i = thread_index(); i < pixels; i += thread_count()) {
        const unsigned long long key = k.key[i];
        const uint32_t low = (uint32_t)key;
        if (low || !k.d.over) k.d.depth[i] = __uint_as_float((uint32_t)(key >> 32));
        if (!low) {
            if (!k.d.over) k.d.seen[i] = 0;
            continue;
        }
        const uint32_t x = (uint32_t)(i % k.d.width), y = (uint32_t)(i / k.d.width),
                       *index = k.d.indices + 3 * (size_t)((low >> 1) - 1);
        struct draw_point p[3];
        float share[3];
        if (draw_places(&k.d, index, p)) draw_shares(p, x, y, low & 1, share);
        else draw_shares_clipped(&k.d, index, x, y, share);
        k.d.seen[i] = draw_seen(&k.d, index, share, low & 1);
    }
}

/* How the key of a covered pixel is compared with what is there. */
enum keep {
    KEEP_ALWAYS, /* by an atomic operation each */
    KEEP_NEARER, /* only if a plain read shows that it is nearer */
};

struct fragments {
    const struct keyed *k;
    size_t triangle;
};

template <enum keep KEEP>
static __device__ __forceinline__ void put(const struct fragments *to, int32_t x, int32_t y, float depth,
                                           bool counter_clockwise)
{
    unsigned long long *at = to->k->key + ((size_t)y * to->k->d.width + (size_t)x);
    const unsigned long long key = key_of(depth, low_of(to->triangle, counter_clockwise));
    if (KEEP == KEEP_NEARER && key >= *(volatile unsigned long long *)at) return;
    atomicMin(at, key);
}

template <enum keep KEEP>
static __device__ __forceinline__ void cover(const struct fragments *to, const struct draw_point p[3])
{
    const struct draw_box screen = screen_of(&to->k->d);
    DRAW_FILL(p, &screen, put<KEEP>, to)
}

/* What is left of a triangle that reaches out of the view. */
template <enum keep KEEP> static __device__ __noinline__ void cover_cut(const struct fragments *to, const uint32_t *index)
{
    struct draw_point corner[DRAW_CORNERS];
    const int n = draw_clip(&to->k->d, index, corner);
    for (int i = 1; i + 1 < n; i++) {
        const struct draw_point p[3] = { corner[0], corner[i], corner[i + 1] };
        cover<KEEP>(to, p);
    }
}

static size_t key_bytes(const struct draw_desc *d, const struct exec *x)
{
    (void)x;
    return scratch_round((size_t)d->width * d->height * sizeof(unsigned long long));
}

static int run(const struct draw_desc *d, void *scratch, struct exec *x, void (*kernel)(struct keyed))
{
    const struct keyed k = { *d, (unsigned long long *)scratch, NULL, NULL };
    const unsigned threads = block_threads(x), pixels = launch_blocks((uint64_t)d->width * d->height, threads);
    draw_clear<<<pixels, threads, 0, x->stream>>>(k);
    kernel<<<launch_blocks(d->triangle_count, threads), threads, 0, x->stream>>>(k);
    draw_shade<<<pixels, threads, 0, x->stream>>>(k);
    return cudaGetLastError();
}

/* ---- textbook --------------------------------------------------------------------------------------------------------
 * A thread per triangle finds its places, its edges, and the pixels of its box; the key of each covered pixel is put by
 * atomicMin.
 * Cost: an atomic operation for each pixel that any triangle covers, even behind others. Lanes wait for the largest of
 * 32 boxes, and a triangle that fills the picture is the work of a single thread. */

template <enum keep KEEP> static __global__ void draw_each(GRID_CONST struct keyed k)
{
    for (size_t i = thread_index(); i < k.d.triangle_count; i += thread_count()) {
        const uint32_t *index = k.d.indices + 3 * i;
        const struct fragments to = { &k, i };
        struct draw_point p[3];
        if (draw_places(&k.d, index, p)) cover<KEEP>(&to, p);
        else cover_cut<KEEP>(&to, index);
    }
}

static int run_textbook(const struct draw_desc *d, void *scratch, struct exec *x)
{
    return run(d, scratch, x, draw_each<KEEP_ALWAYS>);
}

/* ---- nearer ----------------------------------------------------------------------------------------------------------
 * Half of a closed surface is behind the other half. Idea: a plain read of the key shows most of the time that there is
 * nothing to do, and if several lanes read from the same line, that is only one read.
 * Cost: an additional read where the pixel is nearer. On an H200 (vessels of 1024^3, 6.4 million triangles, 1280x800)
 * it takes 0.27 ms against the textbook's 0.26: what is saved where a nearer key is found is less than what the other
 * reads cost. */

static int run_nearer(const struct draw_desc *d, void *scratch, struct exec *x)
{
    return run(d, scratch, x, draw_each<KEEP_NEARER>);
}

/* ---- warps -----------------------------------------------------------------------------------------------------------
 * Close to the eye triangles are large, and one lane walks through thousands of pixels while 31 wait. Idea: each lane
 * does its triangle if it is small. Then the warp does the large ones in turn, 32 pixels at a time.
 * Cost: for small triangles, a vote and more registers: with the vessels seen as a whole it takes 0.48 ms. It pays only
 * when the eye is close. */

enum { SMALL = 64 /* pixels of a box that a lane does by itself */ };

static __device__ __forceinline__ struct draw_point point_of(struct draw_point p, unsigned lane)
{
    return { __shfl_sync(ALL_LANES, p.x, lane), __shfl_sync(ALL_LANES, p.y, lane), __shfl_sync(ALL_LANES, p.depth, lane),
             0 };
}

/* Called by all lanes: the pixels of the box of one triangle, 32 at a time. */
static __device__ __forceinline__ void cover_together(const struct fragments *to, const struct draw_point p[3])
{
    const struct draw_box screen = screen_of(&to->k->d), box = draw_box_of(p, &screen);
    struct draw_edges e;
    if (draw_is_empty(&box) || !draw_edges_of(p, &e)) return;
    const uint32_t width = (uint32_t)(box.high[0] - box.low[0] + 1), height = (uint32_t)(box.high[1] - box.low[1] + 1);
    for (uint32_t i = lane_index(); i < width * height; i += WARP) {
        const int32_t x = box.low[0] + (int32_t)(i % width), y = box.low[1] + (int32_t)(i / width);
        int64_t at[3];
        bool covered = true;
#pragma unroll
        for (int k = 0; k < 3; k++) {
            at[k] = e.first[k] + DRAW_ONE * (e.dx[k] * y - e.dy[k] * x);
            covered = covered && at[k] >= e.least[k];
        }
        if (covered) put<KEEP_NEARER>(to, x, y, draw_depth(&e, at[1], at[2]), e.counter_clockwise);
    }
}

static __global__ void draw_warps(GRID_CONST struct keyed k)
{
    for (size_t first = thread_index() - lane_index(); first < k.d.triangle_count; first += thread_count()) {
        const size_t i = first + lane_index();
        const bool any = i < k.d.triangle_count;
        const uint32_t *index = k.d.indices + 3 * (any ? i : first);
        const struct fragments to = { &k, i };
        const struct draw_box screen = screen_of(&k.d);
        struct draw_point p[3];
        const bool whole = draw_places(&k.d, index, p);
        bool large = false;
        if (any && whole) {
            const struct draw_box box = draw_box_of(p, &screen);
            large = !draw_is_empty(&box) &&
                    (uint32_t)(box.high[0] - box.low[0] + 1) * (uint32_t)(box.high[1] - box.low[1] + 1) > SMALL;
            if (!large) cover<KEEP_NEARER>(&to, p);
        } else if (any) cover_cut<KEEP_NEARER>(&to, index);
        for (uint32_t rest = __ballot_sync(ALL_LANES, large); rest; rest &= rest - 1) {
            const unsigned lane = (unsigned)__ffs(rest) - 1;
            const struct fragments its = { &k, first + lane };
            const struct draw_point all[3] = { point_of(p[0], lane), point_of(p[1], lane), point_of(p[2], lane) };
            cover_together(&its, all);
        }
    }
}

static int run_warps(const struct draw_desc *d, void *scratch, struct exec *x) { return run(d, scratch, x, draw_warps); }

/* ---- small -----------------------------------------------------------------------------------------------------------
 * Edge functions for triangles as wide as the picture need 64 bits. They take 160 registers, which leaves 12 warps out
 * of 64 on a multiprocessor, and several instructions for each product. But the triangles of a surface are only a few
 * pixels wide. Idea: relative to a pixel of its own box, the edge functions of a small triangle fit 32 bits, and they
 * are the same integers. Large and cut triangles are put on a list for a second launch, with a warp for each, so that
 * the first launch does not need its registers. A triangle whose box contains no centre of a pixel is dropped before
 * its edges are computed. 0.15 ms for the vessels, 43 billion triangles a second.
 *
 * The launches are one graph (launch_chain.h). The list has few blocks, because it is usually empty: 2048 of them took
 * 0.01 ms longer. With 48 registers for the small triangles, five blocks run on a multiprocessor instead of four: for the
 * vessels of 512^3, 1.6 million triangles, 0.053 ms instead of 0.064 in one run.
 * Dropped: 40 registers for draw_shade instead of 48; it takes as long.
 * Cost: a second way to do the same thing. */

enum {
    SMALL_WIDTH = 16 * DRAW_ONE, /* of a box that a lane does by itself; products of such lengths easily fit 32 bits */
    LISTED_BLOCKS = 264,         /* two for each multiprocessor of an H200, which can run three of them at once */
};

struct small_edges {
    int32_t dx[3], dy[3], at[3], least[3]; /* at: at the centre of the box's first pixel; the rest as in draw_edges */
    float depth[3], share;
    bool counter_clockwise;
};

/* As draw_edges_of(), seen from pixel (x, y). */
static __device__ __forceinline__ bool small_edges_of(const struct draw_point p[3], int32_t x, int32_t y,
                                                      struct small_edges *e)
{
    const int32_t area = (p[1].x - p[0].x) * (p[2].y - p[0].y) - (p[1].y - p[0].y) * (p[2].x - p[0].x);
    const bool turned = area < 0;
    const struct draw_point v[3] = { p[0], turned ? p[2] : p[1], turned ? p[1] : p[2] };
    if (!area) return false;
#pragma unroll
    for (int i = 0; i < 3; i++) {
        const struct draw_point &a = v[(i + 1) % 3], &b = v[(i + 2) % 3];
        e->dx[i] = b.x - a.x, e->dy[i] = b.y - a.y;
        e->at[i] = e->dx[i] * (y * DRAW_ONE + DRAW_CENTRE - a.y) - e->dy[i] * (x * DRAW_ONE + DRAW_CENTRE - a.x);
        e->least[i] = e->dy[i] < 0 || (e->dy[i] == 0 && e->dx[i] < 0) ? 0 : 1;
    }
    e->depth[0] = v[0].depth, e->depth[1] = v[1].depth - v[0].depth, e->depth[2] = v[2].depth - v[0].depth;
    e->share = 1.0f / (float)(turned ? -area : area);
    e->counter_clockwise = !turned;
    return true;
}

static __device__ __forceinline__ void cover_small(const struct fragments *to, const struct draw_point p[3],
                                                   const struct draw_box *box)
{
    struct small_edges e;
    if (!small_edges_of(p, box->low[0], box->low[1], &e)) return;
    for (int32_t y = box->low[1]; y <= box->high[1]; y++) {
        int32_t at[3] = { e.at[0], e.at[1], e.at[2] };
        for (int32_t x = box->low[0]; x <= box->high[0]; x++) {
            if (at[0] >= e.least[0] && at[1] >= e.least[1] && at[2] >= e.least[2]) {
                const float depth = e.depth[0] + ((float)at[1] * e.depth[1] + (float)at[2] * e.depth[2]) * e.share;
                put<KEEP_NEARER>(to, x, y, depth > 0 ? depth : 0, e.counter_clockwise);
            }
#pragma unroll
            for (int k = 0; k < 3; k++) at[k] -= DRAW_ONE * e.dy[k];
        }
#pragma unroll
        for (int k = 0; k < 3; k++) e.at[k] += DRAW_ONE * e.dx[k];
    }
}

static __device__ __forceinline__ bool is_small(const struct draw_point p[3])
{
    return draw_highest(p[0].x, p[1].x, p[2].x) - draw_lowest(p[0].x, p[1].x, p[2].x) <= SMALL_WIDTH &&
           draw_highest(p[0].y, p[1].y, p[2].y) - draw_lowest(p[0].y, p[1].y, p[2].y) <= SMALL_WIDTH;
}

static __device__ __forceinline__ void list(const struct keyed *to, uint32_t triangle, bool large)
{
    const uint32_t all = __ballot_sync(ALL_LANES, large);
    uint32_t first = 0;
    if (!all) return;
    if (lane_index() == 0) first = atomicAdd(to->count, popcount32(all));
    first = __shfl_sync(ALL_LANES, first, 0);
    if (large) to->triangle[first + popcount32(all & ((1u << lane_index()) - 1))] = triangle;
}

static __global__ void __maxnreg__(48) draw_small(GRID_CONST struct keyed k)
{
    const struct draw_box screen = screen_of(&k.d);
    wait_for_launch_before();
    for (size_t first = thread_index() - lane_index(); first < k.d.triangle_count; first += thread_count()) {
        const size_t i = first + lane_index();
        bool large = false;
        if (i < k.d.triangle_count) {
            struct draw_point p[3];
            const bool whole = draw_places(&k.d, k.d.indices + 3 * i, p);
            const struct draw_box box = draw_box_of(p, &screen);
            const struct fragments to = { &k, i };
            large = !whole || (!draw_is_empty(&box) && !is_small(p));
            if (!large && !draw_is_empty(&box)) cover_small(&to, p, &box);
        }
        list(&k, (uint32_t)i, large);
    }
}

/* A warp for each triangle on the list. */
static __global__ void draw_listed(GRID_CONST struct keyed k)
{
    wait_for_launch_before();
    const uint32_t count = *k.count;
    for (size_t n = thread_index() / WARP; n < count; n += thread_count() / WARP) {
        const size_t i = k.triangle[n];
        const uint32_t *index = k.d.indices + 3 * i;
        const struct fragments to = { &k, i };
        struct draw_point p[DRAW_CORNERS];
        int corners = 3;
        if (!draw_places(&k.d, index, p)) corners = draw_clip(&k.d, index, p);
        for (int c = 1; c + 1 < corners; c++) {
            const struct draw_point piece[3] = { p[0], p[c], p[c + 1] };
            cover_together(&to, piece);
        }
    }
}

static size_t small_bytes(const struct draw_desc *d, const struct exec *x)
{
    return key_bytes(d, x) + scratch_round((d->triangle_count + 1) * sizeof(uint32_t));
}

static int run_small(const struct draw_desc *d, void *scratch, struct exec *x)
{
    uint32_t *const count = (uint32_t *)((char *)scratch + key_bytes(d, x));
    struct keyed k = { *d, (unsigned long long *)scratch, count, count + 1 };
    const unsigned threads = block_threads(x), pixels = launch_blocks((uint64_t)d->width * d->height, threads);
    const unsigned triangles = launch_blocks(d->triangle_count, threads);
    const unsigned listed = triangles < LISTED_BLOCKS ? triangles : (unsigned)LISTED_BLOCKS;
    const struct chain_link link[] = { { (const void *)draw_clear, pixels, threads },
                                       { (const void *)draw_small, triangles, threads },
                                       { (const void *)draw_listed, listed, threads },
                                       { (const void *)draw_shade, pixels, threads } };
    return launch_chain_run(link, sizeof link / sizeof *link, &k, sizeof k, x);
}

/* ---- table ----------------------------------------------------------------------------------------------------------- */

/* clang-format off */
const struct draw_rung draw_cuda[] = {
    { { "textbook", "one thread per triangle, an atomic minimum per covered pixel", false }, run_textbook, key_bytes },
    { { "nearer", "a plain read first, which makes most atomics unnecessary", false }, run_nearer, key_bytes },
    { { "warps", "all lanes of a warp share each large triangle", false }, run_warps, key_bytes },
    { { "small", "32-bit edge functions for small triangles: half the registers", true }, run_small, small_bytes },
    {},
};
/* clang-format on */
