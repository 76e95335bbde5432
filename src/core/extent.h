/* How far the region that a surface encloses extends in given directions. Computed from the voxels, without the surface. */
#ifndef ISO_EXTENT_H
#define ISO_EXTENT_H

#include "kernels/grid.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct extent_of { /* which voxels to look at, and what they mean */
    const struct grid *grid;
    size_t pick;            /* look at each pick-th voxel along each axis; at least 1 */
    double step;            /* voxel distance of this grid, which may be a coarse one, in units of the points */
    float iso;              /* stored units; values at or above it are enclosed */
    double low[3], high[3]; /* box around the surface: points beyond it are moved to it */
};

/* Returns the `pick` with which extent_most takes at most 30 ms; 0 if there are no voxels. */
size_t extent_pick(const struct grid *grid);

/* Sets most[i] to the largest value of plane i over the enclosed voxels. A plane is a function of a point: plane[0..2] .
 * point + plane[3]. Half a step is added, the average distance between a picked voxel and the surface. If no voxel is
 * enclosed, it returns false and each value is -INFINITY. */
bool extent_most(const struct extent_of *of, const double (*plane)[4], double *most, size_t planes);

#ifdef __cplusplus
}
#endif
#endif
