/* Open cells (mc_tables.h) on CUDA. What few of them need is out of line: its registers would burden all threads. */
#ifndef ISO_MC_CELLS_CUH
#define ISO_MC_CELLS_CUH

#include "inner_vertex.h"

static __device__ __noinline__ unsigned with_tunnel(const struct mc_tables *tables, struct grid g, float iso, size_t i,
                                                    unsigned index, unsigned number)
{
    return mc_with_tunnel(tables, &tables->cases[index], &g, iso, i, number);
}

/* Return the subcase of the cell at voxel i, a number in tables->subcase. */
static __device__ __forceinline__ unsigned cell_of(const struct mc_tables *tables, const struct grid *g, float iso,
                                                   size_t i, unsigned index)
{
    const struct mc_case *c = &tables->cases[index];
    if (!c->open) return c->fixed;
    const unsigned number = mc_joined_faces(c, g, iso, i);
    return c->first + (c->tunnels >> number & 1 ? with_tunnel(tables, *g, iso, i, index, number) : number);
}

/* Return vertex `which` inside the cell at voxel (x, y, z), of subcase number `cell`. */
static __device__ __noinline__ struct vertex inner_of(const struct mc_tables *tables, struct grid g, float iso, uint32_t x,
                                                      uint32_t y, uint32_t z, unsigned cell, unsigned which)
{
    return inner_vertex(&g, iso, x, y, z, &tables->subcase[cell], which);
}

#endif
