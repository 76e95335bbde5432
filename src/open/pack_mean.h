/* Halves a volume: each voxel is the mean of 2 x 2 x 2. */
#ifndef ISO_PACK_MEAN_H
#define ISO_PACK_MEAN_H

#include "kernels/grid.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes (nx + 1) / 2 x (ny + 1) / 2 x (nz + 1) / 2 voxels of the same type to `to`. At the end of an odd axis, a mean is
 * of fewer voxels. Integers are rounded, halves up. If one of the eight is NaN, so is the mean. threads: how many
 * compute. */
void pack_mean(void *to, const struct grid *from, int threads);

#ifdef __cplusplus
}
#endif
#endif
