/* Halving a volume: means of 2 x 2 x 2 voxels. */
#ifndef ISO_PACK_MEAN_H
#define ISO_PACK_MEAN_H

#include "kernels/grid.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes (nx + 1) / 2 x (ny + 1) / 2 x (nz + 1) / 2 voxels to `to`, of the same type: at odd ends means of fewer. Integers
 * are rounded, halves upwards; a NaN among the eight makes one. threads: that compute. */
void pack_mean(void *to, const struct grid *from, int threads);

#ifdef __cplusplus
}
#endif
#endif
