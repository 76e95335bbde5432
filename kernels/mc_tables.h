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
 * Case index: bit c is set if corner c is inside, that is value >= iso. On a face whose diagonals differ, corners below
 * the isovalue are separated. The rule depends on the face alone, so both cells that share it agree, and the surface
 * has no cracks. */
#ifndef ISO_MC_TABLES_H
#define ISO_MC_TABLES_H

#include "grid.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MC_MAX_TRIANGLES 5

struct mc_tables {
    uint8_t triangles[256];                      /* triangles of each case */
    uint8_t edge[256][3 * MC_MAX_TRIANGLES + 1]; /* cube edge of each triangle corner, front towards lower values */
    uint64_t packed[256];                        /* both in one word: corner k's edge at bit 4 k, the triangles at bit 60 */
};

/* Fills the tables. Takes microseconds. */
void mc_tables_build(struct mc_tables *tables);

ISO_FN unsigned mc_edge_axis(unsigned edge) { return edge >> 2; }
ISO_FN unsigned mc_edge_dx(unsigned edge) { return edge < 4 ? 0 : edge & 1; }
ISO_FN unsigned mc_edge_dy(unsigned edge) { return edge < 4 ? edge & 1 : edge < 8 ? 0 : edge >> 1 & 1; }
ISO_FN unsigned mc_edge_dz(unsigned edge) { return edge < 8 ? edge >> 1 & 1 : 0; }

#ifdef __cplusplus
}
#endif
#endif
