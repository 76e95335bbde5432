/* marching_squares: contour lines of an isovalue on a slice: one or two segments for each crossed cell.
 *
 * The slice is axis-aligned: voxel `index` along `axis`. Its axes u and v are the two others, lower one first, u
 * fastest: axis 0 gives (y, z), 1 gives (x, z), 2 gives (x, y). A cell is 2 x 2 neighbouring voxels:
 *
 *    2---e1---3        corner c: u = c & 1, v = c >> 1            inside: value >= iso; NaN is outside
 *    |        |        edges: e0 and e1 along u, at v = 0 and 1    case: bit c is set if corner c is inside
 *    e2      e3               e2 and e3 along v, at u = 0 and 1
 *    |        |
 *    0---e0---1        ends: the crossing of iso, linear along the edge; the middle if that is NaN
 *
 * In cases 6 and 9 the two inside corners are diagonally opposite. Then either the inside corners are joined and each
 * outside corner is cut off, or the other way round; the rule is that of the faces in marching cubes (mc_tables.h,
 * mc_subcase.h). The contour is therefore exactly the intersection of slice and surface. A segment keeps the outside on
 * its left, seen with u to the right and v up, so segments join end to end.
 *
 * Ordered rungs give segments cell by cell, u fastest. If a cell has two, the one round its lower corner comes first. */
#ifndef ISO_MARCHING_SQUARES_H
#define ISO_MARCHING_SQUARES_H

#include "edge_vertex.h"
#include "mc_subcase.h"
#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

struct segment {
    float u0, v0, u1, v1;
}; /* from, to; in voxels along the slice's axes */

struct marching_squares_desc {
    struct grid grid;
    unsigned axis;            /* 0, 1 or 2 */
    size_t index;             /* less than the voxels of that axis */
    float iso;                /* stored units, not NaN */
    struct segment *segments; /* backend memory, aligned to 16 bytes; NULL if capacity is 0 */
    uint64_t capacity;        /* segments that fit; those beyond are counted, not written */
    uint64_t *count;          /* one, backend memory: at most 2 per cell; if over capacity, enlarge and run again */
    enum topology topology;
};

struct marching_squares_rung {
    struct rung rung;
    int (*run)(const struct marching_squares_desc *desc, void *scratch, struct exec *x);
    size_t (*scratch)(const struct marching_squares_desc *desc,
                      const struct exec *x); /* bytes, 256-byte aligned; NULL: none */
    bool ordered;                            /* as above; else the order is arbitrary and changes from run to run */
    bool any_block;                          /* CUDA: accepts x->block threads per block */
};

extern const struct marching_squares_rung marching_squares_cpu[], marching_squares_cuda[];

/* A slice as rungs walk it: value (u, v) is voxel first + u * step_u + v * step_v. */
struct slice {
    size_t nu, nv, first, step_u, step_v;
};

ISO_FN struct slice slice_of(const struct marching_squares_desc *d)
{
    const struct grid *g = &d->grid;
    const size_t layer = g->nx * g->ny;
    const struct slice x = { g->ny, g->nz, d->index, g->nx, layer }, y = { g->nx, g->nz, d->index * g->nx, 1, layer };
    const struct slice z = { g->nx, g->ny, d->index * layer, 1, g->nx };
    return d->axis == 0 ? x : d->axis == 1 ? y : z;
}

ISO_FN size_t slice_cells(const struct slice *s) { return s->nu && s->nv ? (s->nu - 1) * (s->nv - 1) : 0; }

struct cell {
    size_t u, v;
    float value[4];
    unsigned inside;
};

ISO_FN struct cell cell_at(const struct grid *g, const struct slice *s, size_t u, size_t v, float iso)
{
    struct cell c;
    c.u = u, c.v = v;
    c.inside = 0;
    for (unsigned k = 0; k < 4; k++) {
        c.value[k] = grid_value(g, s->first + (u + (k & 1)) * s->step_u + (v + (k >> 1)) * s->step_v);
        c.inside |= (unsigned)(c.value[k] >= iso) << k;
    }
    return c;
}

/* Return cell i of the slice, u fastest. */
ISO_FN struct cell cell_of(const struct grid *g, const struct slice *s, size_t i, float iso)
{
    const size_t v = i / (s->nu - 1);
    return cell_at(g, s, i - v * (s->nu - 1), v, iso);
}

/* Return the number of segments of a case: 0 for 0 and 15, 2 for 6 and 9, else 1; two bits each. It is a word instead
 * of an array, so that it stays in a register. */
ISO_FN unsigned marching_squares_count(unsigned inside) { return 0x15596554u >> 2 * inside & 3; }

/* Return the edges where segment k of a case begins and ends, two bits each; a case has eight bits. The rule: on a walk
 * round the cell, counter-clockwise, a segment ends where the walk leaves the inside, and begins where it next enters
 * it again (a test does this walk and compares). */
ISO_FN unsigned marching_squares_edges(unsigned inside, unsigned k)
{
    const uint64_t cases = inside < 8 ? 0x0dd801090e0c0200u : 0x0008030b06046307u;
    return (unsigned)(cases >> (8 * (inside & 7) + 4 * k)) & 15;
}

/* Compute where a segment ends on a crossed edge. t is computed as in edge_vertex.h, so the end is exactly the
 * surface's vertex. */
ISO_FN void marching_squares_end(const struct cell *c, unsigned edge, float iso, float margin, float *u, float *v)
{
    const unsigned side = edge & 1;
    const float a = edge == 1 ? c->value[2] : edge == 3 ? c->value[1] : c->value[0]; /* no index, to stay in registers */
    const float b = edge == 0 ? c->value[1] : edge == 2 ? c->value[2] : c->value[3];
    const float t = edge_crossing(VOXEL_FLOAT32, iso, margin, a, b); /* integers get the same bits */
    *u = (float)(uint32_t)c->u + (edge < 2 ? t : (float)side);
    *v = (float)(uint32_t)c->v + (edge < 2 ? (float)side : t);
}

/* Return whether the inside corners of a cell with two segments are joined. */
ISO_FN bool marching_squares_is_joined(const struct marching_squares_desc *d, const struct cell *c)
{
    const float *v = c->value;
    if (d->topology == TOPOLOGY_FIXED) return true;
    return c->inside == 6 ? mc_face_is_joined(d->grid.type, d->iso, v[1], v[0], v[2], v[3])
                          : mc_face_is_joined(d->grid.type, d->iso, v[0], v[1], v[3], v[2]);
}

/* Return segment k of a cell. */
ISO_FN struct segment marching_squares_segment(const struct marching_squares_desc *d, const struct cell *c, unsigned k)
{
    unsigned inside = c->inside;
    if (marching_squares_count(inside) == 2 && !marching_squares_is_joined(d, c)) {
        inside = k ? inside & (inside - 1) : inside & (0u - inside); /* as if the other corner were outside */
        k = 0;
    }
    const unsigned edges = marching_squares_edges(inside, k);
    struct segment s;
    marching_squares_end(c, edges & 3, d->iso, d->grid.margin, &s.u0, &s.v0);
    marching_squares_end(c, edges >> 2, d->iso, d->grid.margin, &s.u1, &s.v1);
    return s;
}

#ifdef __cplusplus
}
#endif
#endif
