/* The voxels of a brick and those around it in shared memory, for one warp, and what follows from them alone: inside
 * words and vertices. Part of fused_cuda.cu. */
#ifndef ISO_FUSED_CUDA_BRICK_CUH
#define ISO_FUSED_CUDA_BRICK_CUH

#include "bricks.h"
#include "cuda_util.cuh"
#include "edge_vertex.h"
#include "fused.h"

enum {
    SPAN = BRICK_Y + 1, /* rows along y and z that a brick's cells touch */
    HALO = SPAN + 2,    /* rows that the differences at its vertices need */
    UNIT_BYTES = 16,
};

/* A vertex that is nearer to a voxel than this share of its edge is not made in the quick way, because a quotient may
 * underflow there. */
#define SURE_MARGIN 1e-6f

/* A brick's first voxel and the grid's size, in 32 bits. whole: all cells of the brick lie in the grid. interior: so do
 * all neighbours that the differences at its vertices need. */
struct brick_pos {
    uint3 at, n;
    bool whole, interior;
};

/* ---- reading ------------------------------------------------------------------------------------------------------- */

/* The voxels of a brick in shared memory, with one more on every side than its cells touch, for central differences.
 * Rows come in 16-byte units, including one unit before the brick and one after it. Those that come from a copy of the
 * volume (fused_cuda_halo.cuh) have no unit before the brick; the voxel before it is the last of the row before. */
template <enum voxel_type T, bool COPIED> struct brick_voxels {
    enum {
        UNIT = UNIT_BYTES / sizeof(typename voxel<T>::type), /* voxels */
        BEFORE = COPIED ? 0 : 1,                             /* units */
        ROW_UNITS = BEFORE + WARP / UNIT + 1,
        LAYER_UNITS = HALO * ROW_UNITS,
        PITCH = ROW_UNITS * UNIT, /* voxels from row to row, and from layer to layer */
        LAYER = HALO * PITCH,
        ORIGIN = LAYER + PITCH + BEFORE * UNIT, /* the brick's first voxel */
    };
    union {
        uint4 unit[HALO * LAYER_UNITS];
        typename voxel<T>::type value[HALO * LAYER];
    };
};

static __device__ __forceinline__ uint32_t clamp_to(int64_t i, uint32_t n)
{
    return i < 0 ? 0 : i < n ? (uint32_t)i : n - 1;
}

/* Load voxel by voxel, repeating the last one past the border. This is for grids whose rows are not aligned to units.
 * All loads of a layer are in flight before the first is used. */
template <enum voxel_type T>
static __device__ __noinline__ void load_voxels(struct brick_voxels<T, false> *to, const void *voxels, struct brick_pos p)
{
    enum { BEYOND = 3 }; /* columns beyond those of the lanes */
    typedef struct brick_voxels<T, false> voxels_t;
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
            to->value[(k * HALO + j) * voxels_t::PITCH + voxels_t::UNIT - 1 + lane] = value[j];
    }
#pragma unroll
    for (unsigned i = lane; i < HALO * HALO * BEYOND; i += WARP) {
        const unsigned q = i / BEYOND, c = WARP + i % BEYOND;
        const size_t y = clamp_to((int64_t)p.at.y + q % HALO - 1, p.n.y);
        const size_t z = clamp_to((int64_t)p.at.z + q / HALO - 1, p.n.z);
        to->value[q * voxels_t::PITCH + voxels_t::UNIT - 1 + c] =
            from[(z * p.n.y + y) * p.n.x + clamp_to((int64_t)p.at.x + c - 1, p.n.x)];
    }
}

/* Return true if rows are whole 16-byte units. */
template <enum voxel_type T> static __device__ __forceinline__ bool has_units(const struct grid *g)
{
    return g->nx % brick_voxels<T, false>::UNIT == 0 && (uintptr_t)g->voxels % UNIT_BYTES == 0;
}

/* Copy 16 bytes to shared memory without using registers, so that many copies can be in flight. It goes past L1, where
 * neighbouring bricks would find the same units, but where the units of uint16 and float32 evict each other: a gyroid
 * of 512^3 in float32 takes 344 us, and through L1 474. For uint8 there is no difference. */
static __device__ __forceinline__ void copy_unit(uint4 *to, const void *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from)
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

/* Load by 16 bytes, for aligned rows. Two parts are not read. The corners of the 7 x 7 rows stay empty. So does the
 * unit before the brick in the rows around the touched ones: only differences along x need it, and these are taken in
 * touched rows. Each such unit would be a separate sector of 32 bytes, so 20 of a brick's 135 sectors are saved. Past
 * the grid's border lie voxels of other rows; past the volume's memory (SOME_BEYOND) the first or last units are read
 * instead. Any value will do there: the words treat it as outside, and border vertices do not read it. */
template <enum voxel_type T, bool SOME_BEYOND>
static __device__ __forceinline__ void copy_units(struct brick_voxels<T, false> *to, const void *voxels,
                                                  const struct brick_pos *p)
{
    typedef struct brick_voxels<T, false> voxels_t;
    const typename voxel<T>::type *volume = (const typename voxel<T>::type *)voxels;
    const int64_t layer = (int64_t)p->n.x * p->n.y, last_unit = layer * p->n.z - voxels_t::UNIT;
    const int64_t origin = ((int64_t)p->at.z - 1) * layer + ((int64_t)p->at.y - 1) * p->n.x + p->at.x - voxels_t::UNIT;
#pragma unroll
    for (unsigned u = lane_index(); u < voxels_t::LAYER_UNITS; u += WARP) {
        const unsigned q = u / voxels_t::ROW_UNITS, c = u % voxels_t::ROW_UNITS;
        int64_t from = origin + (int64_t)q * p->n.x + c * voxels_t::UNIT;
        const bool last = q == 0 || q == HALO - 1, before = c == 0;
#pragma unroll
        for (unsigned k = 0; k < HALO; k++, from += layer) {
            const int64_t at = !SOME_BEYOND ? from : from < 0 ? 0 : from > last_unit ? last_unit : from;
            const bool last_layer = k == 0 || k == HALO - 1;
            if (last_layer ? !last && !before : !last || !before)
                copy_unit(&to->unit[k * voxels_t::LAYER_UNITS + u], volume + at);
        }
    }
}

template <enum voxel_type T>
static __device__ __forceinline__ void load_units(struct brick_voxels<T, false> *to, const void *voxels,
                                                  const struct brick_pos *p)
{
    typedef struct brick_voxels<T, false> voxels_t;
    const int64_t layer = (int64_t)p->n.x * p->n.y;
    const int64_t first = ((int64_t)p->at.z - 1) * layer + ((int64_t)p->at.y - 1) * p->n.x + p->at.x - voxels_t::UNIT;
    const int64_t end = first + (HALO - 1) * (layer + p->n.x) + voxels_t::ROW_UNITS * voxels_t::UNIT;
    if (first >= 0 && end <= layer * p->n.z) copy_units<T, false>(to, voxels, p);
    else copy_units<T, true>(to, voxels, p);
    wait_for_units();
}

/* Load the brick's voxels. by_units: see has_units(). */
template <enum voxel_type T>
static __device__ __forceinline__ void load_brick(struct brick_voxels<T, false> *to, const struct fused_desc *d,
                                                  const struct brick_pos *p, bool by_units)
{
    if (by_units) load_units<T>(to, d->grid.voxels, p);
    else load_voxels<T>(to, d->grid.voxels, *p);
}

/* ---- which are inside ---------------------------------------------------------------------------------------------- */

/* value >= iso is the same as value >= bar. Integers are compared as integers, which saves conversions to float. */
template <enum voxel_type T> struct bar {
    typedef int type;
};
template <> struct bar<VOXEL_FLOAT32> {
    typedef float type;
};

template <enum voxel_type T> static __device__ __forceinline__ typename bar<T>::type bar_of(float iso)
{
    if (T == VOXEL_FLOAT32) return (typename bar<T>::type)iso;
    return (typename bar<T>::type)ceilf(fminf(fmaxf(iso, -65536.0f), 65536.0f)); /* beyond all values */
}

/* Return the bits that are set in at least two of v, not bar, and rest. What the compiler makes of it otherwise has two
 * instructions more. */
static __device__ __forceinline__ uint32_t two_of_three(uint32_t v, uint32_t bar, uint32_t rest)
{
#if __CUDA_ARCH__ >= 700
    uint32_t bits;
    asm("lop3.b32 %0, %1, %2, %3, 0xb2;" : "=r"(bits) : "r"(v), "r"(bar), "r"(rest));
    return bits;
#else
    return (v & ~bar) | (v & rest) | (~bar & rest);
#endif
}

/* Return the inside word of 32 voxels in 16-byte units. Values of 8 and 16 bits are compared four and two at a time, as
 * unsigned: subtract `bar` without the top bits, from values with a 1 in that place to borrow from. The 1 remains where
 * the rest of the value is not below the rest of `bar`. A multiplication gathers the top bits. */
template <enum voxel_type T> static __device__ __forceinline__ uint32_t units_inside(const uint4 *unit, float iso)
{
    enum { BITS = 8 * sizeof(typename voxel<T>::type), PER_WORD = 32 / BITS };
    const uint32_t ones = BITS == 8 ? 0x01010101u : 0x00010001u, tops = ones << (BITS - 1);
    const uint32_t gather = BITS == 8 ? 0x00204081u : 0x00008001u;
    const uint32_t turn = T == VOXEL_INT8 || T == VOXEL_INT16 ? tops : 0; /* maps signed to unsigned in the same order */
    const uint32_t bar = ones * ((uint32_t)bar_of<T>(iso) & (0xffffffffu >> (32 - BITS))) ^ turn;
    uint32_t word = 0;
#pragma unroll
    for (int u = WARP / brick_voxels<T, false>::UNIT - 1; u >= 0; u--) {
        const uint32_t four[4] = { unit[u].x, unit[u].y, unit[u].z, unit[u].w };
#pragma unroll
        for (int i = 3; i >= 0; i--) {
            const uint32_t v = four[i] ^ turn, rest = (v | tops) - (bar & ~tops);
            const uint32_t inside = two_of_three(v, bar, rest) & tops;
            word = __funnelshift_l(inside * gather, word, PER_WORD);
        }
    }
    return word;
}

/* Return the inside word of a touched row, one row per lane. */
template <enum voxel_type T, bool COPIED>
static __device__ __forceinline__ uint32_t row_inside(const struct brick_voxels<T, COPIED> *voxels, unsigned row, float iso)
{
    typedef struct brick_voxels<T, COPIED> voxels_t;
    const unsigned at = voxels_t::ORIGIN + row / SPAN * voxels_t::LAYER + row % SPAN * voxels_t::PITCH;
    return units_inside<T>(voxels->unit + at / voxels_t::UNIT, iso);
}

/* ---- border vertices ----------------------------------------------------------------------------------------------- */

/* Return the difference per voxel at `p`, number c of n along an axis; neighbours are `step` apart. Doubled for
 * integers, as in brick_slope(). */
template <enum voxel_type T>
static __device__ __forceinline__ float brick_difference(const typename voxel<T>::type *p, unsigned c, unsigned n, int step)
{
    if (T == VOXEL_FLOAT32) {
        const struct grid g = { p - (c ? 2 * step : 0), T, 0, 0, 0, 0 };
        return grid_difference(&g, c ? 2 * step : 0, c, n, step);
    }
    const int here = (int)*p;
    if (c && c + 1 < n) return (float)((int)p[step] - (int)p[-step]);
    if (n < 3) return (float)(2 * (c ? here - (int)p[-step] : (int)p[step] - here));
    return (float)(c ? 3 * here - 4 * (int)p[-step] + (int)p[-2 * step] : 4 * (int)p[step] - 3 * here - (int)p[2 * step]);
}

/* Return where a voxel of the whole volume is in the grid. */
static __device__ __forceinline__ uint3 place_in(uint3 place, uint3 first)
{
    return { place.x - first.x, place.y - first.y, place.z - first.z };
}

/* Return any vertex; used for those that lack a neighbour, or whose differences cancel. It is out of line: such
 * vertices are rare, and its registers would burden all others. At the border, one-sided differences can reach past
 * shared memory where the brick's first voxel is the border, so they read the volume. first: that of the grid, place:
 * that of the vertex, both in the whole volume. */
template <enum voxel_type T, bool COPIED>
static __device__ __noinline__ struct vertex border_vertex(const struct brick_voxels<T, COPIED> *voxels, const void *volume,
                                                           float iso, float margin, uint3 n, uint3 place, uint3 first,
                                                           unsigned axis)
{
    typedef struct brick_voxels<T, COPIED> voxels_t;
    const uint3 at = place_in(place, first);
    const unsigned i = at.x % BRICK_X, j = at.y % BRICK_Y, k = at.z % BRICK_Z;
    if ((!i && at.x + 1 == n.x) || (!j && at.y + 1 == n.y) || (!k && at.z + 1 == n.z)) {
        const struct grid g = { volume, T, n.x, n.y, n.z, margin, { first.x, first.y, first.z } };
        return edge_vertex(&g, iso, at.x, at.y, at.z, axis);
    }
    const int along_y = voxels_t::PITCH, along_z = voxels_t::LAYER;
    const typename voxel<T>::type *a = voxels->value + voxels_t::ORIGIN + i + j * along_y + k * along_z;
    const typename voxel<T>::type *b = a + (axis == 0 ? 1 : axis == 1 ? along_y : along_z);
    const float va = (float)*a, vb = (float)*b, t = edge_crossing(T, iso, margin, va, vb);
    const float x = slope_between(brick_difference<T>(a, at.x, n.x, 1), brick_difference<T>(b, at.x + (axis == 0), n.x, 1),
                                  t);
    const float y = slope_between(brick_difference<T>(a, at.y, n.y, along_y),
                                  brick_difference<T>(b, at.y + (axis == 1), n.y, along_y), t);
    const float z = slope_between(brick_difference<T>(a, at.z, n.z, along_z),
                                  brick_difference<T>(b, at.z + (axis == 2), n.z, along_z), t);
    return vertex_at(place.x, place.y, place.z, axis, t, va >= iso, x, y, z);
}

/* ---- vertices ------------------------------------------------------------------------------------------------------ */

/* Quotients, roots and reciprocals: the same instructions that the compiler makes, and so the same bits, but without
 * its checks for operands that need out-of-line code. None of ours do. */
static __device__ __forceinline__ float quick_reciprocal(float x)
{
#ifdef __CUDA_ARCH__
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return __fmaf_rn(y, -__fmaf_rn(y, x, -1.0f), y);
#else
    return 1.0f / x;
#endif
}

static __device__ __forceinline__ float quick_root(float x)
{
#ifdef __CUDA_ARCH__
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    const float root = x * y;
    return __fmaf_rn(__fmaf_rn(-root, root, x), y * 0.5f, root);
#else
    return sqrtf(x);
#endif
}

static __device__ __forceinline__ float quick_quotient(float a, float b)
{
#ifdef __CUDA_ARCH__
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(b));
    const float r = __fmaf_rn(y, __fmaf_rn(-b, y, 1.0f), y), q = __fmaf_rn(a, r, 0.0f);
    return __fmaf_rn(r, __fmaf_rn(-b, q, a), q);
#else
    return a / b;
#endif
}

/* Differences of integers without a conversion. If the bits of unsigned integers are read as floats, they are denormal
 * numbers, and their differences are exact. All three axes have this scale, which is divided out again. Powers of two
 * change no bit of what follows as long as nothing underflows; see plain_square(). */
template <enum voxel_type T> static __device__ __forceinline__ bool reads_denormal(void)
{
    return T == VOXEL_UINT8 || T == VOXEL_UINT16;
}

#define DENORMAL_SCALE 0x1p126f

/* Return the slope along one axis between a and b. `left` and t are 1 - t and t, multiplied by DENORMAL_SCALE for the
 * types read as denormals. Neighbours are `step` apart. */
template <enum voxel_type T>
static __device__ __forceinline__ float brick_slope(const typename voxel<T>::type *a, const typename voxel<T>::type *b,
                                                    int step, float left, float t)
{
    if (T == VOXEL_FLOAT32)
        return left * difference_inside(T, a[step], a[-step]) + t * difference_inside(T, b[step], b[-step]);
    if (!reads_denormal<T>())
        return left * (float)((int)a[step] - (int)a[-step]) + t * (float)((int)b[step] - (int)b[-step]);
    return left * (__uint_as_float(a[step]) - __uint_as_float(a[-step])) +
           t * (__uint_as_float(b[step]) - __uint_as_float(b[-step]));
}

/* Return true if the squared length of a normal is harmless: vertex_at() does not treat it specially, and the scale
 * changes no rounding. Slopes of integers are below 2^18, with the scale times 2^-23. From 2^-90 on, whatever
 * underflows is too small to change the sum. */
template <enum voxel_type T> static __device__ __forceinline__ bool plain_square(float square)
{
    return reads_denormal<T>() ? square > 0x1p-90f : square > 1e-30f && square < 1e30f;
}

/* Write the same vertex as edge_vertex(), but from shared memory, to *v. Return false if it needs more care than that.
 * No neighbour may be missing, and the margin must be at least SURE_MARGIN. place: the voxel in the whole volume. */
template <enum voxel_type T, bool COPIED>
static __device__ __forceinline__ bool brick_vertex(struct vertex *v, const struct brick_voxels<T, COPIED> *voxels,
                                                    float iso, float margin, uint3 place, unsigned lane, unsigned j,
                                                    unsigned k, unsigned axis)
{
    typedef struct brick_voxels<T, COPIED> voxels_t;
    const int along_y = voxels_t::PITCH, along_z = voxels_t::LAYER;
    const typename voxel<T>::type *a = voxels->value + voxels_t::ORIGIN + lane + j * along_y + k * along_z;
    const typename voxel<T>::type *b = a + (axis == 0 ? 1 : axis == 1 ? along_y : along_z);
    const float va = (float)*a, vb = (float)*b;
    float t;
    if (T == VOXEL_FLOAT32) t = edge_crossing(T, iso, margin, va, vb);
    else t = fminf(fmaxf(quick_quotient(iso - va, vb - va), margin), 1.0f - margin);
    const float scale = reads_denormal<T>() ? DENORMAL_SCALE : 1.0f, left = (1.0f - t) * scale, right = t * scale;
    const float x = brick_slope<T>(a, b, 1, left, right), y = brick_slope<T>(a, b, along_y, left, right),
                z = brick_slope<T>(a, b, along_z, left, right);
    const float square = x * x + y * y + z * z;
    if (!plain_square<T>(square)) return false;
    const float back = -quick_reciprocal(quick_root(square));
    v->x = (float)place.x + (axis == 0 ? t : 0.0f);
    v->y = (float)place.y + (axis == 1 ? t : 0.0f);
    v->z = (float)place.z + (axis == 2 ? t : 0.0f);
    v->normal = normal_pack(x * back, y * back, z * back);
    return true;
}

#endif
