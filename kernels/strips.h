/* Strips: what the stages pass to each other.
 *
 * A strip is `width` consecutive voxels of one row: 1 in the textbook layout, 32 in the row-mask layout. Strips are
 * numbered x fastest, then y, then z, and so are their vertices and triangles, whatever the width:
 *
 *    row (y, z):   | strip 0       | strip 1       | ... | last (part past nx is 0)
 *    inside bits     0110...         1111...
 *
 * A vertex belongs to a crossed grid edge, and a grid edge to its lower voxel: voxel v owns its +x, +y and +z edge, in
 * this order. A triangle belongs to its cell, and a cell to its lowest voxel. That voxel also owns the vertices inside
 * the cell: the few cells that have any have two, numbered after those on the edges. Later stages derive everything
 * else from the inside bits by XOR and population count; nothing more is stored per voxel. */
#ifndef ISO_STRIPS_H
#define ISO_STRIPS_H

#include "grid.h"
#include "mc_tables.h"

struct strips {
    unsigned width;         /* 1 or 32 */
    size_t per_row;         /* ceil(nx / width) */
    size_t count;           /* nz * ny * per_row; at most UINT32_MAX */
    size_t nx, ny, nz;      /* of the grid */
    uint32_t *inside;       /* [count] bit i: voxel i of the strip is inside */
    uint32_t *inner;        /* [count] bit i: the cell of voxel i has vertices inside */
    uint32_t *vertices;     /* [count] vertices owned by the strip */
    uint32_t *triangles;    /* [count] triangles owned by the strip */
    uint32_t *first_vertex; /* [count] exclusive sums of these two, written by scan */
    uint32_t *first_triangle;
};

enum { STRIP_ARRAYS = 6 };

struct strip_at {
    size_t x, y, z;
}; /* first voxel of a strip */

struct strip_edges {
    uint32_t x, y, z, inner;
}; /* bit i: the +x, +y, +z edge of voxel i is crossed; its cell has vertices inside */

ISO_FN struct strip_at strip_locate(const struct strips *s, size_t strip)
{
    const size_t row = strip / s->per_row;
    struct strip_at at = { (strip % s->per_row) * s->width, row % s->ny, row / s->ny };
    return at;
}

/* Return the inside bits of the +x neighbours of the strip's voxels. */
ISO_FN uint32_t strip_shifted(const struct strips *s, size_t strip, size_t x)
{
    uint32_t bits = s->inside[strip] >> 1;
    if (x + s->width < s->nx) bits |= (s->inside[strip + 1] & 1) << (s->width - 1);
    return bits;
}

/* Return the bits of the voxels that have a +x neighbour. */
ISO_FN uint32_t strip_x_bits(const struct strips *s, size_t x)
{
    const size_t left = s->nx - 1 - x;
    const uint32_t all = s->width == 32 ? 0xffffffffu : 1u;
    return left >= s->width ? all : (1u << left) - 1;
}

/* Return the crossed edges that the strip owns. */
ISO_FN struct strip_edges strip_crossed(const struct strips *s, size_t strip, struct strip_at at)
{
    const uint32_t inside = s->inside[strip];
    struct strip_edges e = { 0, 0, 0, s->inner[strip] };
    e.x = (inside ^ strip_shifted(s, strip, at.x)) & strip_x_bits(s, at.x);
    if (at.y + 1 < s->ny) e.y = inside ^ s->inside[strip + s->per_row];
    if (at.z + 1 < s->nz) e.z = inside ^ s->inside[strip + s->per_row * s->ny];
    return e;
}

/* Return the number of vertices that a strip owns. */
ISO_FN uint32_t strip_owned(struct strip_edges e)
{
    return popcount32(e.x) + popcount32(e.y) + popcount32(e.z) + MC_INNER_PAIR * popcount32(e.inner);
}

/* Return the number of the vertex on the edge along `axis` that voxel `lane` of a strip owns. Axis 3 stands for the
 * first vertex inside its cell. */
ISO_FN uint32_t strip_vertex(struct strip_edges e, uint32_t first_vertex, unsigned lane, unsigned axis)
{
    const uint32_t below = (1u << lane) - 1;
    const struct strip_edges before = { e.x & below, e.y & below, e.z & below, e.inner & below };
    return first_vertex + strip_owned(before) + (axis > 0 ? e.x >> lane & 1 : 0) + (axis > 1 ? e.y >> lane & 1 : 0) +
           (axis > 2 ? e.z >> lane & 1 : 0);
}

/* Return the number of the vertex on cube edge `edge` (or inside the cell, from MC_INNER on) of the cell whose lowest
 * voxel is `lane` of the strip. This is the full look-up of the owner, which may be in a neighbouring row and in the
 * next strip. */
ISO_FN uint32_t strip_cell_vertex(const struct strips *s, size_t strip, struct strip_at at, unsigned lane, unsigned edge)
{
    const unsigned dy = mc_edge_dy(edge), dz = mc_edge_dz(edge), second = edge > MC_INNER;
    strip += dy * s->per_row + dz * s->per_row * s->ny;
    at.y += dy, at.z += dz, lane += mc_edge_dx(edge);
    if (lane == s->width) strip++, at.x += s->width, lane = 0;
    return strip_vertex(strip_crossed(s, strip, at), s->first_vertex[strip], lane, mc_edge_axis(edge)) + second;
}

/* The inside bits of a strip's cells, corner by corner: bit i of corner[c] is corner c of cell i. `cells` excludes
 * cells that would leave the grid; a grid with an axis of one voxel has none. */
struct strip_corners {
    uint32_t corner[8], cells;
};

ISO_FN struct strip_corners strip_cells(const struct strips *s, size_t strip, struct strip_at at)
{
    struct strip_corners c = { { 0, 0, 0, 0, 0, 0, 0, 0 }, 0 };
    if (at.y + 1 >= s->ny || at.z + 1 >= s->nz) return c;
    for (unsigned row = 0; row < 4; row++) {
        const size_t other = strip + (row & 1) * s->per_row + (row >> 1) * s->per_row * s->ny;
        c.corner[2 * row] = s->inside[other];
        c.corner[2 * row + 1] = strip_shifted(s, other, at.x);
    }
    c.cells = strip_x_bits(s, at.x);
    return c;
}

/* Return the bits of the cells that the surface crosses: corners not all alike. */
ISO_FN uint32_t strip_active(const struct strip_corners *c)
{
    uint32_t any = 0, all = 0xffffffffu;
    for (unsigned i = 0; i < 8; i++) {
        any |= c->corner[i];
        all &= c->corner[i];
    }
    return any & ~all & c->cells;
}

/* Return the bits of the cells whose case is open. */
ISO_FN uint32_t strip_open(const struct strip_corners *c) { return mc_open_cells(c->corner) & c->cells; }

/* Return the case index of cell `lane`. */
ISO_FN unsigned strip_case(const struct strip_corners *c, unsigned lane)
{
    unsigned index = 0;
    for (unsigned i = 0; i < 8; i++) index |= (c->corner[i] >> lane & 1) << i;
    return index;
}

#endif
