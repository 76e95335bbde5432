/* The marching-cubes case tables (Lorensen and Cline 1987), derived from the cube's topology by mc_tables.c.
 *
 *      6-------7        corner c is at x = c & 1, y = c >> 1 & 1, z = c >> 2
 *     /|      /|
 *    4-------5 |        edge e runs along axis e >> 2 (0 x, 1 y, 2 z) from its base corner, whose two other
 *    | |     | |        coordinates are the bits of e & 3, lower axis first:
 *    | 2-----|-3          e 0..3  along x from (0, e & 1, e >> 1 & 1)
 *    |/      |/           e 4..7  along y from (e & 1, 0, e >> 1 & 1)
 *    0-------1            e 8..11 along z from (e & 1, e >> 1 & 1, 0)
 *    z up, y back
 *
 * Case index: bit c is set if corner c is inside, that is value >= iso. The case alone does not determine the surface
 * if a face is ambiguous (two opposite corners inside, the other two outside), or if two pieces may be joined by a
 * tunnel through the cell. There are two ways to decide:
 *
 *    fixed      on every ambiguous face the two inside corners are joined. The rule depends on the face alone, so both
 *               cells that share it agree, and the surface has no cracks; but it ignores the values
 *    trilinear  as the trilinear interpolant of the eight values does: a case has subcases, one for each combination of
 *               its ambiguous faces, and more with a tunnel. mc_subcase.h finds the subcase from the values */
#ifndef ISO_MC_TABLES_H
#define ISO_MC_TABLES_H

#include "grid.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum topology { TOPOLOGY_TRILINEAR, TOPOLOGY_FIXED, TOPOLOGY_COUNT };

enum {
    MC_MAX_TRIANGLES = 5,          /* of a cell by the fixed rule */
    MC_MAX_SUBCASE_TRIANGLES = 14, /* of a cell otherwise */
    MC_INNER = 12,                 /* a triangle corner inside the cell, and 13 the other one */
    MC_INNER_PAIR = 2,             /* vertices inside a cell, if any: one does not suffice for all tunnels */
    MC_SUBCASES = 804,
    MC_HAS_INNER = 128,
};

struct mc_subcase {
    uint8_t triangles, inner; /* inner: vertices inside the cell, 0 or MC_INNER_PAIR */
    uint8_t tunnel;           /* the subcase with a tunnel, counted from the case's first; 0: none can be */
    uint8_t pieces;           /* closed loops on the cell's faces */
    uint8_t edge[3 * MC_MAX_SUBCASE_TRIANGLES]; /* cube edge of each triangle corner, or MC_INNER, or the next */
    /* How many triangle corners lie on each cube edge e, counting the triangles that join the first inner vertex, the
     * other one, or either: at bit 4 e. */
    uint64_t joined[MC_INNER_PAIR + 1];
};

enum { MC_FACES = 1 << 6 }; /* sets of a cell's faces: bit f is face f of mc_face_of() */

/* How the values choose among a case's subcases. */
struct mc_case {
    uint64_t tunnels;      /* bit k: subcase k, of those without tunnels, may have one */
    uint16_t first, fixed; /* numbers of the first subcase, and of the one by the fixed rule */
    uint8_t ambiguous;     /* faces, */
    uint8_t turned;        /* those of them whose inside corners are 1 and 3, not 0 and 2 */
    uint8_t open;          /* the values choose; 0 for all cases with TOPOLOGY_FIXED */
};

struct mc_tables {
    uint8_t triangles[256];                      /* triangles of each case by the fixed rule */
    uint8_t edge[256][3 * MC_MAX_TRIANGLES + 1]; /* cube edge of each triangle corner, front towards lower values */
    uint64_t packed[256];                        /* both in one word: corner k's edge at bit 4 k, the triangles at bit 60;
                                                    0 where the values decide */
    struct mc_subcase subcase[MC_SUBCASES];
    uint8_t size[MC_SUBCASES]; /* triangles of each, plus MC_HAS_INNER if it has vertices inside */
    struct mc_case cases[256];
    uint8_t number[MC_FACES][MC_FACES];   /* number of a subcase without tunnels within its case: [ambiguous faces][faces
                                           * whose inside corners are joined; others may be set, too] */
    uint64_t packed_subcase[MC_SUBCASES]; /* likewise; 0 if it does not fit or has vertices inside */
    uint32_t open_mask;                   /* all ones: some cases are open; 0 with TOPOLOGY_FIXED */
};

/* Fills the tables. Takes some two milliseconds. */
void mc_tables_build(struct mc_tables *tables, enum topology topology);

/* Returns the tables of a topology, which the first call fills. Any thread may call. */
const struct mc_tables *mc_tables_of(enum topology topology);

ISO_FN unsigned mc_edge_axis(unsigned edge) { return edge >> 2; }
/* From MC_INNER, vertices inside the cell: along "axis" 3, of the cell's own voxel. */
ISO_FN unsigned mc_edge_dx(unsigned edge) { return edge < 4 || edge >= MC_INNER ? 0 : edge & 1; }
ISO_FN unsigned mc_edge_dy(unsigned edge) { return edge < 4 ? edge & 1 : edge < 8 ? 0 : edge >> 1 & 1; }
ISO_FN unsigned mc_edge_dz(unsigned edge) { return edge < 8 ? edge >> 1 & 1 : 0; }

/* The corners of face f (axis f >> 1, side f & 1), counter-clockwise seen from outside the cube. */
struct mc_face {
    unsigned corner[4];
};

ISO_FN struct mc_face mc_face_of(unsigned f)
{
    const unsigned axis = f >> 1, side = f & 1, base = side << axis;
    const unsigned u = 1u << (axis + 1) % 3, v = 1u << (axis + 2) % 3; /* (axis, u, v) is right-handed */
    const struct mc_face ccw = { { base, base | u, base | u | v, base | v } };
    const struct mc_face cw = { { base | v, base | u | v, base | u, base } };
    return side ? ccw : cw;
}

/* Whether a face is ambiguous in a case: the two corners on each diagonal are alike, and unlike the other two. */
ISO_FN bool mc_face_is_ambiguous(struct mc_face f, unsigned index)
{
    const unsigned a = index >> f.corner[0] & 1, b = index >> f.corner[1] & 1;
    return a != b && a == (index >> f.corner[2] & 1) && b == (index >> f.corner[3] & 1);
}

/* Return which of 32 cells have an open case, where bit i of v[c] is corner c of cell i. A case is open if a face is
 * ambiguous, or if two opposite corners alone differ from the rest. Both can be seen from which of the cell's edges are
 * crossed. */
ISO_FN uint32_t mc_open_cells(const uint32_t v[8])
{
    const uint32_t x0 = v[0] ^ v[1], x1 = v[2] ^ v[3], x2 = v[4] ^ v[5], x3 = v[6] ^ v[7];
    const uint32_t y0 = v[0] ^ v[2], y1 = v[1] ^ v[3], y2 = v[4] ^ v[6], y3 = v[5] ^ v[7];
    const uint32_t z0 = v[0] ^ v[4], z1 = v[1] ^ v[5], z2 = v[2] ^ v[6], z3 = v[3] ^ v[7];
    return (y0 & y2 & z0) | (y1 & y3 & z1) | (x0 & x2 & z0) | (x1 & x3 & z2) | (x0 & x1 & y0) | (x2 & x3 & y2) |
           (x0 & y0 & z0 & x3 & y3 & z3) | (x0 & y1 & z1 & x3 & y2 & z2) | (x1 & y0 & z2 & x2 & y3 & z1) |
           (x1 & y1 & z3 & x2 & y2 & z0);
}

#ifdef __cplusplus
}
#endif
#endif
