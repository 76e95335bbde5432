/* Open cells (mc_tables.h) on CUDA. All eight values are loaded at once and stay in registers, which requires that
 * their indices are constants. The tables could tell which values a case needs, but only later. What only few of the
 * cells need is out of line, because its registers would burden all threads. */
#ifndef ISO_MC_CELLS_CUH
#define ISO_MC_CELLS_CUH

#include "inner_vertex.h"

static __device__ __noinline__ unsigned with_tunnel(const struct mc_tables *tables, struct mc_values v, float iso,
                                                    unsigned index, unsigned number)
{
    return mc_add_tunnel(tables, &tables->cases[index], &v, iso, number);
}

/* Return the number of a cell's subcase within its case, disregarding tunnels. */
static __device__ __forceinline__ unsigned joined_faces(const struct mc_values *v, enum voxel_type type, float iso,
                                                        unsigned index)
{
    unsigned number = 0, bit = 1;
#pragma unroll
    for (unsigned f = 0; f < 6; f++) {
        const struct mc_face face = mc_face_of(f);
        if (!mc_face_is_ambiguous(face, index)) continue;
        const float p = v->at[face.corner[0]], q = v->at[face.corner[1]], r = v->at[face.corner[2]],
                    s = v->at[face.corner[3]];
        const bool turn = !(index >> face.corner[0] & 1);
        if (mc_face_is_joined(type, iso, turn ? q : p, turn ? p : q, turn ? s : r, turn ? r : s)) number |= bit;
        bit *= 2;
    }
    return number;
}

/* Return the subcase of an open cell, a number in tables->subcase, from its values; `index` is its case. */
static __device__ __forceinline__ unsigned open_cell(const struct mc_tables *tables, const struct mc_values *v,
                                                     enum voxel_type type, float iso, unsigned index)
{
    const struct mc_case *c = &tables->cases[index];
    const uint64_t tunnels = c->tunnels;
    const unsigned first = c->first, number = joined_faces(v, type, iso, index);
    return first + (tunnels >> number & 1 ? with_tunnel(tables, *v, iso, index, number) : number);
}

/* Return the subcase of the cell at voxel i, a number in tables->subcase. */
static __device__ __forceinline__ unsigned cell_of(const struct mc_tables *tables, const struct grid *g, float iso,
                                                   size_t i, unsigned index)
{
    const struct mc_case *c = &tables->cases[index];
    if (!c->open) return c->fixed;
    const struct mc_values v = mc_values_at(g, i);
    return open_cell(tables, &v, g->type, iso, index);
}

/* Return vertex `which` inside the cell at voxel (x, y, z), of subcase number `cell`. */
static __device__ __noinline__ struct vertex inner_of(const struct mc_tables *tables, struct grid g, float iso, uint32_t x,
                                                      uint32_t y, uint32_t z, unsigned cell, unsigned which)
{
    return inner_vertex(&g, iso, x, y, z, &tables->subcase[cell], which);
}

#endif
