/* The plain views that ops take: a grid of voxels in, a mesh out. They own nothing, and know nothing of files or
 * OpenGL.
 *
 * The header also has the few functions on them that must give the same bits on every backend. These are ISO_FN, which
 * compiles both as C and by nvcc, or ISO_RARE_FN, out of line, if few voxels need them. Floating-point contraction is
 * off wherever this header is used. */
#ifndef ISO_GRID_H
#define ISO_GRID_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#define ISO_FN static __host__ __device__ __forceinline__
#define ISO_RARE_FN static __host__ __device__ __noinline__ __attribute__((unused))
#else
#ifdef ISO_CHECKED /* by a sanitizer, whose checks in each inlined copy take minutes to compile */
#define ISO_FN static inline __attribute__((unused))
#else
#define ISO_FN static inline __attribute__((always_inline))
#endif
#define ISO_RARE_FN static __attribute__((noinline, unused))
#endif

/* For use before a loop that indexes an array. Only constant indices keep the array in registers, and let the compiler
 * vectorise the loop around it. */
#ifdef __CUDA_ARCH__
#define ISO_UNROLL _Pragma("unroll")
#elif defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define ISO_UNROLL _Pragma("GCC unroll 16")
#else
#define ISO_UNROLL
#endif

enum voxel_type { VOXEL_UINT8, VOXEL_INT8, VOXEL_UINT16, VOXEL_INT16, VOXEL_FLOAT32, VOXEL_TYPE_COUNT };

struct grid {
    const void *voxels; /* (nz, ny, nx), x fastest, native byte order; memory of the backend that runs the op */
    enum voxel_type type;
    size_t nx, ny, nz; /* voxels along each axis, at least 1; nx * ny * nz fits size_t */
    float margin;      /* how far a vertex stays from the voxels of its edge, in voxels; 0: it may meet one */
    size_t first[3];   /* if this is a block of a larger volume: where its first voxel lies there; else 0 */
};

struct vertex {      /* 16 bytes, as OpenGL reads it */
    float x, y, z;   /* voxel coordinates: voxel (i, j, k) is at (i, j, k) + grid.first */
    uint32_t normal; /* unit, towards lower values, in voxel coordinates; signed 10:10:10:2, x in the low bits */
};

struct mesh_out {            /* output of a generate rung; memory of its backend */
    struct vertex *vertices; /* at least as many as counted; aligned to 16 bytes */
    uint32_t *indices;       /* 3 per triangle, counter-clockwise seen from the side of lower values */
};

ISO_FN size_t min_size(size_t a, size_t b) { return a < b ? a : b; }

ISO_FN size_t voxel_bytes(enum voxel_type type) { return type == VOXEL_FLOAT32 ? 4 : type >= VOXEL_UINT16 ? 2 : 1; }

/* Return the number of voxels along the longest axis. */
ISO_FN size_t grid_longest(const struct grid *g)
{
    const size_t most = g->nx > g->ny ? g->nx : g->ny;
    return g->nz > most ? g->nz : most;
}

/* Return a margin for a volume with `longest` voxels along its longest axis. It is large enough that no two vertices
 * coincide when their coordinates are rounded to float, and that no triangle loses its area. */
ISO_FN float margin_for(size_t longest)
{
    const float ulps = (float)longest * 2.4e-7f; /* two, or up to four, units in the last place */
    return ulps > 1e-4f ? ulps : 1e-4f;
}

ISO_FN float grid_margin(const struct grid *g) { return margin_for(grid_longest(g)); }

/* Return the coordinate along `axis` of the grid's voxel number i, as it is in the whole volume. The offset is added
 * before anything is rounded, so that blocks of a volume give the same bits as the whole. 32 bits: a longer axis would
 * exceed the precision of float anyway. */
ISO_FN uint32_t grid_place(const struct grid *g, unsigned axis, size_t i) { return (uint32_t)(g->first[axis] + i); }

ISO_FN size_t grid_voxels(const struct grid *g) { return g->nx * g->ny * g->nz; }

ISO_FN size_t grid_bytes(const struct grid *g) { return grid_voxels(g) * voxel_bytes(g->type); }

/* Return voxel i in stored units. All supported types are exact in float. */
ISO_FN float grid_value(const struct grid *g, size_t i)
{
    switch (g->type) {
    case VOXEL_UINT8: return (float)((const uint8_t *)g->voxels)[i];
    case VOXEL_INT8: return (float)((const int8_t *)g->voxels)[i];
    case VOXEL_UINT16: return (float)((const uint16_t *)g->voxels)[i];
    case VOXEL_INT16: return (float)((const int16_t *)g->voxels)[i];
    default: return ((const float *)g->voxels)[i];
    }
}

ISO_FN uint32_t popcount32(uint32_t bits)
{
#ifdef __CUDA_ARCH__
    return (uint32_t)__popc(bits);
#elif defined(__POPCNT__)
    return (uint32_t)__builtin_popcount(bits);
#else /* plain x86-64 has no popcnt instruction, and the compiler's fallback is a call */
    bits -= bits >> 1 & 0x55555555u;
    bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u);
    return ((bits + (bits >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
#endif
}

/* Run `call`, which uses `GRID`, on a copy of `*view` whose type is a compile-time constant, so that the switch in
 * grid_value() disappears. One body gives five specialised loops. */
#define GRID_TYPED(view, call)                                  \
    switch ((view)->type) {                                     \
    case VOXEL_UINT8: GRID_AS(VOXEL_UINT8, view, call) break;   \
    case VOXEL_INT8: GRID_AS(VOXEL_INT8, view, call) break;     \
    case VOXEL_UINT16: GRID_AS(VOXEL_UINT16, view, call) break; \
    case VOXEL_INT16: GRID_AS(VOXEL_INT16, view, call) break;   \
    default: GRID_AS(VOXEL_FLOAT32, view, call) break;          \
    }
#define GRID_AS(known, view, call)  \
    {                               \
        struct grid GRID = *(view); \
        GRID.type = known;          \
        call;                       \
    }

#endif
