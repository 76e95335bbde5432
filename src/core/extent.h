/* How far what a surface encloses reaches, in any directions: from voxels, without the surface. */
#ifndef ISO_EXTENT_H
#define ISO_EXTENT_H

#include "kernels/grid.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct extent_of { /* which voxels are looked at, and what they mean */
    const struct grid *grid;
    size_t pick; /* every so many along each axis, at least 1 */
    double step; /* unit of the points: so many times the distance of the grid's voxels, which may be a coarse one's */
    float iso;   /* stored units; values from it on are enclosed */
    double low[3], high[3]; /* box around the surface: points beyond it are moved to it */
};

/* Every how many-th voxel to look at, so that this takes 30 ms at most; 0 if there are none. */
size_t extent_pick(const struct grid *grid);

/* Gives the largest value of each plane, a function of a point (plane[0..2] . point + plane[3]), over the enclosed voxels;
 * half a step more, since so much, on the average, lies between a picked voxel and the surface. Returns false, and
 * -INFINITY, if none is enclosed. */
bool extent_most(const struct extent_of *of, const double (*plane)[4], double *most, size_t planes);

#ifdef __cplusplus
}
#endif
#endif
