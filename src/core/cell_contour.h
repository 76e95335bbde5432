/* The surface in one cell, according to the trilinear interpolant of its eight values (or to the fixed rule): how it cuts
 * the cell's faces, and which curves on them it connects inside. It is derived from the values alone, without case tables,
 * so it can check what is made from case tables. It shares with them only the names of the rules.
 *
 * Corners, edges and faces: corner c is at x = c & 1, y = c >> 1 & 1, z = c >> 2. Edge e runs along axis e >> 2. It starts
 * at the corner whose other two coordinates are the bits of e & 3, lower axis first. Face f is perpendicular to axis f >> 1
 * and lies at coordinate f & 1.
 *
 * Inside means at or above the isovalue, as everywhere. This also holds for the interpolant: if the saddle of a face or
 * tunnel equals the isovalue, it joins what is inside. All signs are exact as long as value minus isovalue is exact in
 * double. */
#ifndef ISO_CELL_CONTOUR_H
#define ISO_CELL_CONTOUR_H

#include "kernels/mc_tables.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CONTOUR_NONE = 255, CONTOUR_LOOPS = 4 };

struct cell_contour {
    uint8_t arcs[6];      /* on each face: 0, 1 or 2 */
    uint8_t arc[6][2][2]; /* the two edges that an arc joins */
    uint8_t loops;        /* closed curves that the arcs of the six faces form */
    uint8_t loop[12];     /* of each edge; CONTOUR_NONE: not crossed */
    bool tunnel;          /* one piece of the surface has two loops; every other piece has one */
    uint8_t ends[2];      /* the tunnel's loops */
};

/* Sets `out` from the values minus the isovalue. NaN is outside, and a comparison with it false. A cell with a value that
 * is not finite has no tunnel, because its values cannot be interpolated. */
void cell_contour_find(struct cell_contour *out, const double value[8], enum topology rule);

#ifdef __cplusplus
}
#endif
#endif
