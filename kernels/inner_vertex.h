/* A vertex inside a cell. It lies between the vertices on the cell's edges that its triangles join it to; its normal is
 * the gradient of the trilinear interpolant there. All backends share this code and give the same bits.
 *
 * Cells with such a vertex are as rare as tunnels, and disappear where the sampling is fine enough. So the position
 * need not lie on the interpolant: anywhere inside the cell, it changes neither the topology nor the order of
 * convergence. */
#ifndef ISO_INNER_VERTEX_H
#define ISO_INNER_VERTEX_H

#include "edge_vertex.h"
#include "mc_subcase.h"

/* Sums over points on cube edges. */
struct inner_sum {
    float x, y, z;
    unsigned n;
};

ISO_FN void inner_sum_add(struct inner_sum *sum, unsigned times, float x, float y, float z)
{
    sum->x += (float)times * x, sum->y += (float)times * y, sum->z += (float)times * z;
    sum->n += times;
}

/* How many triangle corners lie on each cube edge, among the triangles that join an inner vertex and among all: see
 * struct mc_subcase. */
struct inner_joined {
    uint64_t own, all;
};

ISO_FN struct inner_joined inner_joined_of(const struct mc_subcase *s, unsigned which)
{
    const struct inner_joined joined = { s->joined[which - MC_INNER], s->joined[MC_INNER_PAIR] };
    return joined;
}

/* Return twice the position of an inner vertex in the cell. It is the mean of two points: the mean of the points that
 * its own triangles join, and the mean of those of all inner vertices. The second keeps it off the faces of the cell,
 * since its own points may all lie on one face. */
ISO_FN struct inner_sum inner_position(enum voxel_type type, float iso, float margin, const struct mc_values *v,
                                       struct inner_joined joined)
{
    struct inner_sum own = { 0, 0, 0, 0 }, all = { 0, 0, 0, 0 };
    ISO_UNROLL
    for (unsigned e = 0; e < MC_INNER; e++) {
        const unsigned low = mc_edge_dx(e) | mc_edge_dy(e) << 1 | mc_edge_dz(e) << 2, axis = mc_edge_axis(e);
        if (!(joined.all >> 4 * e & 15)) continue;
        const float at = edge_crossing(type, iso, margin, v->at[low], v->at[low | 1u << axis]);
        const float x = axis == 0 ? at : (float)mc_edge_dx(e), y = axis == 1 ? at : (float)mc_edge_dy(e),
                    z = axis == 2 ? at : (float)mc_edge_dz(e);
        inner_sum_add(&own, joined.own >> 4 * e & 15, x, y, z);
        inner_sum_add(&all, joined.all >> 4 * e & 15, x, y, z);
    }
    const struct inner_sum twice = { own.x / (float)own.n + all.x / (float)all.n,
                                     own.y / (float)own.n + all.y / (float)all.n,
                                     own.z / (float)own.n + all.z / (float)all.n, 2 };
    return twice;
}

/* Return the slope along an axis: the difference between the means of the cell's two faces across it, weighted for the
 * place (u, v) on them. u and v are along the first and second axis after it. */
ISO_FN double inner_slope(const struct mc_values *value, unsigned axis, double u, double v)
{
    const unsigned a = 1u << axis, b = 1u << (axis + 1) % 3, c = 1u << (axis + 2) % 3;
    const double at_00 = (double)value->at[a] - value->at[0], at_10 = (double)value->at[a | b] - value->at[b],
                 at_01 = (double)value->at[a | c] - value->at[c], at_11 = (double)value->at[a | b | c] - value->at[b | c];
    return (1 - v) * ((1 - u) * at_00 + u * at_10) + v * ((1 - u) * at_01 + u * at_11);
}

/* Return an inner vertex of the cell with the corner values `v`, whose lowest voxel is (x, y, z) of the whole volume. */
ISO_FN struct vertex inner_vertex_at(enum voxel_type type, float iso, float margin, const struct mc_values *v,
                                     struct inner_joined joined, uint32_t x, uint32_t y, uint32_t z)
{
    const struct inner_sum twice = inner_position(type, iso, margin, v, joined);
    const float px = 0.5f * twice.x, py = 0.5f * twice.y, pz = 0.5f * twice.z;
    const double nx = -inner_slope(v, 0, py, pz), ny = -inner_slope(v, 1, pz, px), nz = -inner_slope(v, 2, px, py);
    const double length = sqrt(nx * nx + ny * ny + nz * nz);
    const bool any = (int)(length > 0) & (length < 1e300); /* else along an edge of the cell, outwards at one end */
    const float along = v->at[0] >= iso ? 1.0f : -1.0f;
    const struct vertex made = { (float)x + px, (float)y + py, (float)z + pz,
                                 normal_pack(any ? (float)(nx / length) : 0.0f, any ? (float)(ny / length) : 0.0f,
                                             any ? (float)(nz / length) : along) };
    return made;
}

/* Return vertex `which`, MC_INNER or the next, inside a cell with lowest voxel (x, y, z) in subcase `s`. */
ISO_RARE_FN struct vertex inner_vertex(const struct grid *g, float iso, size_t x, size_t y, size_t z,
                                       const struct mc_subcase *s, unsigned which)
{
    const struct mc_values v = mc_values_at(g, (z * g->ny + y) * g->nx + x);
    return inner_vertex_at(g->type, iso, g->margin, &v, inner_joined_of(s, which), grid_place(g, 0, x), grid_place(g, 1, y),
                           grid_place(g, 2, z));
}

/* Return the vertex at corner `corner` of a triangle of `s`: on an edge of the cell or inside it. */
ISO_FN struct vertex cell_vertex(const struct grid *g, float iso, size_t x, size_t y, size_t z, const struct mc_subcase *s,
                                 unsigned corner)
{
    if (corner >= MC_INNER) return inner_vertex(g, iso, x, y, z, s, corner);
    return edge_vertex(g, iso, x + mc_edge_dx(corner), y + mc_edge_dy(corner), z + mc_edge_dz(corner),
                       mc_edge_axis(corner));
}

#endif
