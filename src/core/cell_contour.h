/* The surface in one cell, as the trilinear interpolant of its eight values has it (or the fixed rule): how it cuts the
 * cell's faces and what it joins inside. It is found from the values alone, so that it can judge what is made from case
 * tables; of those it knows the name of the rule only.
 *
 * Corners, edges and faces: corner c is at x = c & 1, y = c >> 1 & 1, z = c >> 2. Edge e runs along axis e >> 2 from the
 * corner whose other two coordinates are the bits of e & 3, lower axis first. Face f has the axis f >> 1 and lies at
 * coordinate f & 1.
 *
 * Inside means not below the isovalue, as everywhere; where the interpolant equals it, too: a face or a tunnel whose saddle
 * lies at the isovalue joins what is inside. All signs are exact as long as value minus isovalue is exact in double. */
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

/* Sets `contour` from the values minus the isovalue. NaN is outside, and a comparison with it false. A cell with a value
 * that is not finite has no tunnel: nothing lies between its values. */
void cell_contour_find(struct cell_contour *contour, const double value[8], enum topology rule);

#ifdef __cplusplus
}
#endif
#endif
