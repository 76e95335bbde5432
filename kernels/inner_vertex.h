/* A vertex inside a cell: between the vertices on the cell's edges that its triangles join, with the gradient of the
 * trilinear interpolant there as its normal. All backends share this code and give the same bits.
 *
 * Such cells are as few as tunnels are, and vanish where the sampling is fine enough, so the position need not lie on
 * the interpolant: inside the cell it changes neither topology nor the order of convergence. */
#ifndef ISO_INNER_VERTEX_H
#define ISO_INNER_VERTEX_H

#include "edge_vertex.h"
#include "mc_subcase.h"

struct mean {
    float x, y, z;
    unsigned n;
};

/* Return the mean of the points on cube edges that a subcase's triangles join to its inner vertices, or to one of them:
 * `which` is MC_INNER, the next, or 0 for both. */
ISO_FN struct mean inner_mean(const struct grid *g, float iso, const struct mc_values *v, const struct mc_subcase *s,
                              unsigned which)
{
    struct mean m = { 0, 0, 0, 0 };
    for (unsigned t = 0; t < s->triangles; t++) {
        const uint8_t *corner = s->edge + 3 * t;
        bool joined = false;
        for (unsigned k = 0; k < 3; k++) joined = joined || (which ? corner[k] == which : corner[k] >= MC_INNER);
        for (unsigned k = 0; joined && k < 3; k++) {
            const unsigned e = corner[k], low = mc_edge_dx(e) | mc_edge_dy(e) << 1 | mc_edge_dz(e) << 2;
            if (e >= MC_INNER) continue;
            const unsigned axis = mc_edge_axis(e);
            const float at = edge_crossing(g->type, iso, g->margin, v->at[low], v->at[low | 1u << axis]);
            m.x += axis == 0 ? at : (float)mc_edge_dx(e);
            m.y += axis == 1 ? at : (float)mc_edge_dy(e);
            m.z += axis == 2 ? at : (float)mc_edge_dz(e);
            m.n++;
        }
    }
    m.x /= (float)m.n, m.y /= (float)m.n, m.z /= (float)m.n;
    return m;
}

/* Return the slope along an axis between the means of the cell's two faces across it, weighted by the place (u, v) on
 * them; the first and second axis after it. */
ISO_FN double inner_slope(const struct mc_values *value, unsigned axis, double u, double v)
{
    const unsigned a = 1u << axis, b = 1u << (axis + 1) % 3, c = 1u << (axis + 2) % 3;
    const double at_00 = (double)value->at[a] - value->at[0], at_10 = (double)value->at[a | b] - value->at[b],
                 at_01 = (double)value->at[a | c] - value->at[c], at_11 = (double)value->at[a | b | c] - value->at[b | c];
    return (1 - v) * ((1 - u) * at_00 + u * at_10) + v * ((1 - u) * at_01 + u * at_11);
}

/* Return vertex `which`, MC_INNER or the next, inside a cell with lowest voxel (x, y, z) in subcase `s`. */
ISO_FN struct vertex inner_vertex(const struct grid *g, float iso, size_t x, size_t y, size_t z, const struct mc_subcase *s,
                                  unsigned which)
{
    const struct mc_values value = mc_values_at(g, (z * g->ny + y) * g->nx + x);
    const struct mean own = inner_mean(g, iso, &value, s, which), all = inner_mean(g, iso, &value, s, 0);
    /* The cell's middle keeps it off the faces, where its own neighbours may all lie. */
    const float px = 0.5f * (own.x + all.x), py = 0.5f * (own.y + all.y), pz = 0.5f * (own.z + all.z);
    double nx = -inner_slope(&value, 0, py, pz), ny = -inner_slope(&value, 1, pz, px), nz = -inner_slope(&value, 2, px, py);
    const double length = sqrt(nx * nx + ny * ny + nz * nz);
    if (length > 0 && length < 1e300) nx /= length, ny /= length, nz /= length;
    else nx = 0, ny = 0, nz = value.at[0] >= iso ? 1 : -1; /* no gradient: along an edge of the cell, outwards at one end */
    struct vertex v;
    v.x = (float)x + px;
    v.y = (float)y + py;
    v.z = (float)z + pz;
    v.normal = normal_pack((float)nx, (float)ny, (float)nz);
    return v;
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
