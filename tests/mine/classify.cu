#include "classify.h"
#include "mc_subcase.h"

extern "C" __global__ void classify_mine(struct grid g, float iso, const struct mc_tables *tables, struct strips out)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= out.count) return;
    const struct strip_at at = strip_locate(&out, i); /* width is 1: strip i is voxel i */
    const bool right = at.x + 1 < g.nx, back = at.y + 1 < g.ny, up = at.z + 1 < g.nz;
    unsigned inside = 0;
    for (unsigned c = 0; c < 8; c++) {
        if (((c & 1) && !right) || ((c & 2) && !back) || ((c & 4) && !up)) continue;
        const size_t corner = i + (c & 1) + (c >> 1 & 1) * g.nx + (c >> 2) * g.nx * g.ny;
        inside |= (unsigned)(grid_value(&g, corner) >= iso) << c;
    }
    const struct mc_subcase *cell = &tables->subcase[right && back && up ? mc_cell(tables, &g, iso, i, inside) : 0];
    const unsigned owned = (unsigned)right << 1 | (unsigned)back << 2 | (unsigned)up << 4; /* far ends of its edges */
    out.inside[i] = inside & 1;
    out.inner[i] = cell->inner > 0;
    out.vertices[i] = popcount32((inside & 1 ? ~inside : inside) & owned) + cell->inner;
    out.triangles[i] = cell->triangles;
}
