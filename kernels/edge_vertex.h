/* The vertex on a crossed grid edge: the point where the value, taken as linear along the edge, equals the isovalue,
 * and its normal.
 *
 * The normal is minus the gradient: central differences at both ends of the edge (on the border, one-sided differences
 * of second order), interpolated linearly between them. It is of second order; the gradient inside one cell, or a mean
 * of face normals, is only of first. All backends share this code and give the same bits. */
#ifndef ISO_EDGE_VERTEX_H
#define ISO_EDGE_VERTEX_H

#include "grid.h"

#include <stdbool.h>

/* Return the difference per voxel along one axis at voxel i, number c of n on that axis; neighbours are `step` apart. */
ISO_FN float grid_difference(const struct grid *g, size_t i, size_t c, size_t n, size_t step)
{
    float d;
    if (n < 3) d = c ? grid_value(g, i) - grid_value(g, i - step) : grid_value(g, i + step) - grid_value(g, i);
    else if (c == 0) d = -1.5f * grid_value(g, i) + 2.0f * grid_value(g, i + step) - 0.5f * grid_value(g, i + 2 * step);
    else if (c == n - 1) d = 1.5f * grid_value(g, i) - 2.0f * grid_value(g, i - step) + 0.5f * grid_value(g, i - 2 * step);
    else d = 0.5f * grid_value(g, i + step) - 0.5f * grid_value(g, i - step);
    return isfinite(d) ? d : 0.0f; /* next to NaN or infinite voxels, leave it to the other axes */
}

/* Round each component of a unit vector to the nearest of -511 .. 511. A cast truncates towards zero; adding enough to
 * make the sum positive first turns that into a floor, without a call. CUDA avoids the conversion, whose rate is a
 * quarter of an addition's: adding a large power of two, rounding down, leaves the floor in the low bits of the float.
 * 2^23 leaves it from bit 0 on, 2^13 from bit 10 on. Another 512 wraps negative numbers to their two's complement in 10
 * bits. */
ISO_FN uint32_t normal_pack(float x, float y, float z)
{
#ifdef __CUDA_ARCH__
    const uint32_t i = __float_as_uint(__fadd_rz(x * 511.0f + 512.5f, 8388608.0f + 512.0f));
    const uint32_t j = __float_as_uint(__fadd_rz(y * 511.0f + 512.5f, 8192.0f + 512.0f));
    const uint32_t k = __float_as_uint(__fadd_rz(z * 511.0f + 512.5f, 8388608.0f + 512.0f));
    return (i & 1023u) | (j & 1023u << 10) | (k << 20 & 1023u << 20);
#else
    const uint32_t i = (uint32_t)((int32_t)(x * 511.0f + 512.5f) - 512) & 1023u;
    const uint32_t j = (uint32_t)((int32_t)(y * 511.0f + 512.5f) - 512) & 1023u;
    const uint32_t k = (uint32_t)((int32_t)(z * 511.0f + 512.5f) - 512) & 1023u;
    return i | j << 10 | k << 20;
#endif
}

/* Unpack a packed normal; its length is 1 apart from rounding. */
ISO_FN void normal_unpack(uint32_t packed, double n[3])
{
    for (int i = 0; i < 3; i++) {
        const int bits = (int)(packed >> (10 * i) & 1023);
        n[i] = (bits >= 512 ? bits - 1024 : bits) / 511.0;
    }
}

/* Return the difference along one axis from the values of both neighbours, where neither is missing. For integers the
 * result is doubled: that is exact, and keeps the direction of the normal if all three axes of a vertex use this
 * function. */
ISO_FN float difference_inside(enum voxel_type type, float up, float down)
{
    if (type != VOXEL_FLOAT32) return up - down;
    const float d = 0.5f * up - 0.5f * down; /* halves keep the difference of finite values finite */
    return isfinite(d) ? d : 0.0f;
}

/* Return minus the slope at point t between two voxels with differences da and db. */
ISO_FN float slope_between(float da, float db, float t) { return -((1.0f - t) * da + t * db); }

struct edge_point { /* on an edge of the grid */
    size_t a, b;    /* its voxels, */
    float va, vb;   /* and their values */
    float t;        /* how far from a to b */
    bool inside;    /* no neighbour is missing: fewer checks, shared values, the same direction */
};

struct edge_axis {      /* along which slopes are found */
    size_t at, n, step; /* of voxel a; voxels; elements from one to the next */
    bool own;           /* it is the edge's own axis: its two voxels are neighbours on it */
};

/* Return minus the slope along an axis at a point. */
ISO_FN float edge_slope(const struct grid *g, const struct edge_point *p, const struct edge_axis *axis)
{
    const size_t a = p->a, b = p->b, n = axis->n, step = axis->step;
    if (!p->inside)
        return slope_between(grid_difference(g, a, axis->at, n, step), grid_difference(g, b, axis->at + axis->own, n, step),
                             p->t);
    return slope_between(difference_inside(g->type, axis->own ? p->vb : grid_value(g, a + step), grid_value(g, a - step)),
                         difference_inside(g->type, grid_value(g, b + step), axis->own ? p->va : grid_value(g, b - step)),
                         p->t);
}

/* Return where `iso` lies on a crossed edge from value va to vb, limited to `margin` .. 1 - margin. A vertex exactly on
 * a voxel would lie on several edges at once, and the triangles between them would have no area. */
ISO_FN float edge_crossing(enum voxel_type type, float iso, float margin, float va, float vb)
{
    float t;
    if (type != VOXEL_FLOAT32) {
        t = (iso - va) / (vb - va);
    } else {
        /* Halves keep the difference of finite floats finite, and are exact except for denormals. */
        t = (iso * 0.5f - va * 0.5f) / (vb * 0.5f - va * 0.5f);
        t = t >= 0.0f && t <= 1.0f ? t : 0.5f; /* else an end is NaN or infinite */
    }
    t = t > margin ? t : margin;
    return t < 1.0f - margin ? t : 1.0f - margin;
}

/* Return the vertex at point t of the +axis edge of voxel (x, y, z) of the whole volume. falls: the values fall along the
 * edge. nx, ny, nz: minus the slopes there, in any scale. */
ISO_FN struct vertex vertex_at(uint32_t x, uint32_t y, uint32_t z, unsigned axis, float t, bool falls, float nx, float ny,
                               float nz)
{
    float square = nx * nx + ny * ny + nz * nz;
    if (!(square > 1e-30f && square < 1e30f)) { /* very large or small squares leave the float range */
        const float big = fmaxf(fabsf(nx), fmaxf(fabsf(ny), fabsf(nz)));
        if (big > 0.0f && isfinite(big)) {
            nx /= big, ny /= big, nz /= big;
        } else { /* the differences cancel: point along the edge, outwards */
            const float sign = falls ? 1.0f : -1.0f;
            nx = axis == 0 ? sign : 0.0f, ny = axis == 1 ? sign : 0.0f, nz = axis == 2 ? sign : 0.0f;
        }
        square = nx * nx + ny * ny + nz * nz;
    }
    const float scale = 1.0f / sqrtf(square);
    struct vertex v;
    v.x = (float)x + (axis == 0 ? t : 0.0f);
    v.y = (float)y + (axis == 1 ? t : 0.0f);
    v.z = (float)z + (axis == 2 ? t : 0.0f);
    v.normal = normal_pack(nx * scale, ny * scale, nz * scale);
    return v;
}

/* Return the vertex on the +axis edge of voxel (x, y, z), which must be crossed. All axes have at least 2 voxels. */
ISO_FN struct vertex edge_vertex(const struct grid *g, float iso, size_t x, size_t y, size_t z, unsigned axis)
{
    const size_t dx = axis == 0, dy = axis == 1, dz = axis == 2;
    const size_t row = g->nx, layer = g->nx * g->ny;
    const size_t a = (z * g->ny + y) * g->nx + x, b = a + (dx ? 1 : dy ? row : layer);
    const float va = grid_value(g, a), vb = grid_value(g, b);
    const float t = edge_crossing(g->type, iso, g->margin, va, vb);
    const bool inside = x && y && z && x + dx + 1 < g->nx && y + dy + 1 < g->ny && z + dz + 1 < g->nz;
    const struct edge_point point = { a, b, va, vb, t, inside };
    const struct edge_axis along_x = { x, g->nx, 1, dx != 0 }, along_y = { y, g->ny, row, dy != 0 },
                           along_z = { z, g->nz, layer, dz != 0 };
    const float nx = edge_slope(g, &point, &along_x);
    const float ny = edge_slope(g, &point, &along_y);
    const float nz = edge_slope(g, &point, &along_z);
    return vertex_at(grid_place(g, 0, x), grid_place(g, 1, y), grid_place(g, 2, z), axis, t, va >= iso, nx, ny, nz);
}

#endif
