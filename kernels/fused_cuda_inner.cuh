/* The vertices inside open cells, with 16 lanes for each such cell. Part of fused_cuda.cu.
 *
 * One in 30 open cells has them, so in most warps one lane does. inner_vertex() makes twelve crossings, two means and
 * two normals, one after the other; that took this lane as long as everything else that a warp's open cells need. Here
 * a lane handles an edge, then a coordinate. The sums are the same, in the same order, so the bits are the same. */
#ifndef ISO_FUSED_CUDA_INNER_CUH
#define ISO_FUSED_CUDA_INNER_CUH

#include "fused_cuda_halo.cuh"
#include "fused_cuda_memory.cuh"
#include "inner_vertex.h"

enum {
    INNER_LANES = 16,
    INNER_CELLS = WARP / INNER_LANES, /* at a time */
    INNER_AXES = 3,
};

struct inner_cell {
    struct mc_values values;
    uint32_t place[INNER_AXES]; /* in the whole volume */
    uint32_t subcase;
};

struct inner_work { /* of a warp */
    struct inner_cell cell[INNER_CELLS];
    struct vertex vertex[MC_INNER_PAIR * WARP]; /* results, those of lower lanes first */
};

/* Return the values of a cell, read from the copy if there is one, because nothing else reads the volume then. */
template <enum voxel_type T>
static __device__ __forceinline__ struct mc_values open_values(const struct fused_desc *d, uint3 at)
{
    struct grid g = d->copy ? halo_grid<T>(d) : d->grid;
    g.type = T;
    return mc_values_at(&g, d->copy ? halo_index<T>(d, at) : ((size_t)at.z * g.ny + at.y) * g.nx + at.x);
}

/* Return the sum along the lane's axis of the joined points, in the order of inner_position(), divided by their number.
 * crossing: of the edge whose number is the lane's number in its group; 0 if it has none. */
static __device__ __forceinline__ float inner_mean(float crossing, uint64_t joined, unsigned axis)
{
    float sum = 0;
    unsigned n = 0;
#pragma unroll
    for (unsigned e = 0; e < MC_INNER; e++) {
        const unsigned low = mc_edge_dx(e) | mc_edge_dy(e) << 1 | mc_edge_dz(e) << 2;
        const unsigned times = (unsigned)(joined >> 4 * e) & 15;
        const float along = __shfl_sync(ALL_LANES, crossing, e, INNER_LANES);
        sum += (float)times * (mc_edge_axis(e) == axis ? along : (float)(low >> axis & 1));
        n += times;
    }
    return sum / (float)n;
}

/* Make both vertices inside a cell, with the lanes of a group. Lane axis + 3 k makes a coordinate of vertex k and of
 * its normal; lanes 6 to 8 make the mean that both share. The other lanes only hold an edge's crossing. `keep`: write
 * them. */
template <enum voxel_type T>
static __device__ __forceinline__ void make_inner_pair(struct vertex *out, const struct inner_cell *c,
                                                       const struct fused_desc *d, bool keep)
{
    unsigned here; /* keeps the compiler from computing what follows too early, into local memory */
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(here));
    const unsigned lane = here % INNER_LANES, axis = lane % INNER_AXES, row = lane / INNER_AXES;
    const unsigned k = row < MC_INNER_PAIR ? row : (unsigned)MC_INNER_PAIR, first = k * INNER_AXES;
    const unsigned second = first + (axis + 1) % INNER_AXES, third = first + (axis + 2) % INNER_AXES;
    const uint64_t *joined = d->tables->subcase[c->subcase].joined, own = joined[k], any = joined[MC_INNER_PAIR];
    float crossing = 0;
    if (lane < MC_INNER && (any >> 4 * lane & 15)) {
        const unsigned low = mc_edge_dx(lane) | mc_edge_dy(lane) << 1 | mc_edge_dz(lane) << 2;
        crossing = edge_crossing(T, d->iso, d->grid.margin, c->values.at[low],
                                 c->values.at[low | 1u << mc_edge_axis(lane)]);
    }
    const float mean = inner_mean(crossing, own, axis);
    const float p = 0.5f * (mean + __shfl_sync(ALL_LANES, mean, MC_INNER_PAIR * INNER_AXES + axis, INNER_LANES));
    const float u = __shfl_sync(ALL_LANES, p, second, INNER_LANES), v = __shfl_sync(ALL_LANES, p, third, INNER_LANES);
    const double n = -inner_slope(&c->values, axis, u, v);
    const double x = __shfl_sync(ALL_LANES, n, first, INNER_LANES), y = __shfl_sync(ALL_LANES, n, first + 1, INNER_LANES),
                 z = __shfl_sync(ALL_LANES, n, first + 2, INNER_LANES);
    const double length = sqrt(x * x + y * y + z * z);
    const float outwards = axis < 2 ? 0.0f : c->values.at[0] >= d->iso ? 1.0f : -1.0f; /* without a gradient */
    const float unit = length > 0 && length < 1e300 ? (float)(n / length) : outwards;
    const float unit_y = __shfl_sync(ALL_LANES, unit, first + 1, INNER_LANES),
                unit_z = __shfl_sync(ALL_LANES, unit, first + 2, INNER_LANES);
    if (!keep || k >= MC_INNER_PAIR) return;
    (&out[k].x)[axis] = (float)c->place[axis] + p;
    if (axis == 0) out[k].normal = normal_pack(unit, unit_y, unit_z);
}

/* Make the vertices inside the warp's cells. `any`: the lane's cell has some, and the arguments after it are those of
 * this cell. */
template <enum voxel_type T>
static __device__ __forceinline__ void make_inner(struct inner_work *work, const struct fused_desc *d, bool any,
                                                  unsigned subcase, uint3 at)
{
    const unsigned lane = lane_index(), group = lane / INNER_LANES;
    struct vertex *out = work->vertex;
    for (uint32_t left = __ballot_sync(ALL_LANES, any); left; left &= left - 1, out += INNER_CELLS * MC_INNER_PAIR) {
        const unsigned from = __ffs(left) - 1;
        left &= left - 1;
        const unsigned other = left ? __ffs(left) - 1 : from;
        const bool both = other != from;
        if (lane == from || lane == other)
            work->cell[lane != from] = { open_values<T>(d, at),
                                         { grid_place(&d->grid, 0, at.x), grid_place(&d->grid, 1, at.y),
                                           grid_place(&d->grid, 2, at.z) },
                                         subcase };
        __syncwarp();
        make_inner_pair<T>(out + group * MC_INNER_PAIR, &work->cell[both ? group : 0], d, both || !group);
        __syncwarp(); /* before the next cells */
    }
}

static __device__ __forceinline__ void write_inner(struct vertex *out, const struct inner_work *work, uint32_t count)
{
#pragma unroll 1
    for (uint32_t i = lane_index(); i < count; i += WARP) store_vertex(out + i, work->vertex[i]);
}

#endif
