#include "bricks.h"
extern "C" __global__ void bricks_mine(struct grid g, struct bricks b)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= b.nx * b.ny * b.nz) return;
    const size_t x0 = i % b.nx * BRICK_X, y0 = i / b.nx % b.ny * BRICK_Y, z0 = i / b.nx / b.ny * BRICK_Z;
    struct brick_range r = { INFINITY, -INFINITY };
    for (size_t z = z0; z <= z0 + BRICK_Z && z < g.nz; z++)
        for (size_t y = y0; y <= y0 + BRICK_Y && y < g.ny; y++)
            for (size_t x = x0; x <= x0 + BRICK_X && x < g.nx; x++) {
                float v = grid_value(&g, (z * g.ny + y) * g.nx + x);
                if (isnan(v)) v = -INFINITY;
                r.min = fminf(r.min, v), r.max = fmaxf(r.max, v);
            }
    b.range[i] = r;
}
