/* Open cells (mc_tables.h) on CUDA. Out of line: they are few, and their registers would burden all threads. */
#ifndef ISO_MC_CELLS_CUH
#define ISO_MC_CELLS_CUH

#include "inner_vertex.h"

/* Return the subcase of the cell at voxel i, a number in tables->subcase. */
static __device__ __noinline__ unsigned open_cell(struct grid g, float iso, const struct mc_tables *tables, size_t i,
                                                  unsigned index)
{
    return mc_cell(tables, &g, iso, i, index);
}

static __device__ __forceinline__ unsigned cell_of(const struct grid *g, float iso, const struct mc_tables *tables,
                                                   size_t i, unsigned index)
{
    return tables->open[index] ? open_cell(*g, iso, tables, i, index) : tables->fixed[index];
}

/* Return vertex `which` inside the cell at voxel (x, y, z), of subcase number `cell`. */
static __device__ __noinline__ struct vertex inner_of(struct grid g, float iso, const struct mc_tables *tables, uint32_t x,
                                                      uint32_t y, uint32_t z, unsigned cell, unsigned which)
{
    return inner_vertex(&g, iso, x, y, z, &tables->subcase[cell], which);
}

#endif
