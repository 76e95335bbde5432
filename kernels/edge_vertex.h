/* The vertex on a crossed grid edge: where the value, linear along the edge, meets the isovalue, and the normal there.
 *
 * The normal is minus the gradient: central differences at both ends (second-order one-sided on the border), linear
 * between them. That is of second order, while the gradient inside one cell, or a mean of face normals, is of first.
 * Shared by all backends, so that they give the same bits. */
#ifndef ISO_EDGE_VERTEX_H
#define ISO_EDGE_VERTEX_H

#include "grid.h"

/* Difference per voxel along one axis at voxel i, which is number c of n on that axis; `step` voxels apart. */
ISO_FN float grid_difference(const struct grid *g, size_t i, size_t c, size_t n, size_t step)
{
    float d;
    if (n < 3)
        d = c ? grid_value(g, i) - grid_value(g, i - step) : grid_value(g, i + step) - grid_value(g, i);
    else if (c == 0)
        d = -1.5f * grid_value(g, i) + 2.0f * grid_value(g, i + step) - 0.5f * grid_value(g, i + 2 * step);
    else if (c == n - 1)
        d = 1.5f * grid_value(g, i) - 2.0f * grid_value(g, i - step) + 0.5f * grid_value(g, i - 2 * step);
    else
        d = 0.5f * grid_value(g, i + step) - 0.5f * grid_value(g, i - step);
    return isfinite(d) ? d : 0.0f; /* beside NaN or infinite voxels the other axes decide */
}

/* Rounds each component of a unit vector to the nearest of -511 .. 511. The cast truncates towards zero, so the sum is
 * made positive first: that is a floor without a call. */
ISO_FN uint32_t normal_pack(float x, float y, float z)
{
    const uint32_t i = (uint32_t)((int32_t)(x * 511.0f + 512.5f) - 512) & 1023u;
    const uint32_t j = (uint32_t)((int32_t)(y * 511.0f + 512.5f) - 512) & 1023u;
    const uint32_t k = (uint32_t)((int32_t)(z * 511.0f + 512.5f) - 512) & 1023u;
    return i | j << 10 | k << 20;
}

/* The vertex on the +axis edge of voxel (x, y, z), which must be crossed. All axes have at least 2 voxels. */
ISO_FN struct vertex edge_vertex(const struct grid *g, float iso, size_t x, size_t y, size_t z, unsigned axis)
{
    const size_t step[3] = { 1, g->nx, g->nx * g->ny };
    const size_t a = (z * g->ny + y) * g->nx + x, b = a + (axis == 0 ? step[0] : axis == 1 ? step[1] : step[2]);
    const float va = grid_value(g, a), vb = grid_value(g, b);

    /* Halves, so that the difference of any two finite floats is finite; exact but for denormals. */
    float t = (iso * 0.5f - va * 0.5f) / (vb * 0.5f - va * 0.5f);
    if (!(t >= 0.0f && t <= 1.0f)) t = 0.5f; /* an end is NaN or infinite */

    const size_t dx = axis == 0, dy = axis == 1, dz = axis == 2;
    const float s = 1.0f - t;
    float nx = -(s * grid_difference(g, a, x, g->nx, step[0]) + t * grid_difference(g, b, x + dx, g->nx, step[0]));
    float ny = -(s * grid_difference(g, a, y, g->ny, step[1]) + t * grid_difference(g, b, y + dy, g->ny, step[1]));
    float nz = -(s * grid_difference(g, a, z, g->nz, step[2]) + t * grid_difference(g, b, z + dz, g->nz, step[2]));

    float square = nx * nx + ny * ny + nz * nz;
    if (!(square > 1e-30f && square < 1e30f)) { /* squares of very large or small differences leave the float range */
        const float big = fmaxf(fabsf(nx), fmaxf(fabsf(ny), fabsf(nz)));
        if (big > 0.0f && isfinite(big)) {
            nx /= big, ny /= big, nz /= big;
        } else { /* the differences cancel: point along the edge, from inside to outside */
            const float sign = va >= iso ? 1.0f : -1.0f;
            nx = dx ? sign : 0.0f, ny = dy ? sign : 0.0f, nz = dz ? sign : 0.0f;
        }
        square = nx * nx + ny * ny + nz * nz;
    }
    const float scale = 1.0f / sqrtf(square);
    nx *= scale, ny *= scale, nz *= scale;

    struct vertex v;
    v.x = dx ? (float)x + t : (float)x;
    v.y = dy ? (float)y + t : (float)y;
    v.z = dz ? (float)z + t : (float)z;
    v.normal = normal_pack(nx, ny, nz);
    return v;
}

#endif
