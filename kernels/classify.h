/* classify: voxels and an isovalue -> inside bits, and the number of vertices and triangles that each strip owns.
 *
 * Inside means value >= iso, in float; NaN is outside. The tables decide what happens in ambiguous cells: either a
 * fixed rule or the values. The rung chooses the strip width for all later stages. Writes `inside`, `inner`, `vertices`
 * and `triangles` of all strips; reads no other array of them. */
#ifndef ISO_CLASSIFY_H
#define ISO_CLASSIFY_H

#include "bricks.h"
#include "strips.h"

#ifdef __cplusplus
extern "C" {
#endif

struct classify_rung {
    struct rung rung;
    int (*run)(const struct grid *grid, float iso, const struct bricks *bricks, const struct mc_tables *tables,
               const struct strips *out, struct exec *x);
    unsigned width; /* voxels per strip: 1 or 32 */
};

extern const struct classify_rung classify_cpu[], classify_cuda[];

#ifdef __cplusplus
}
#endif
#endif
