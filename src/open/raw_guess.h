/* Guesses the shape of RAW files if nobody has given it. */
#ifndef ISO_RAW_GUESS_H
#define ISO_RAW_GUESS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct raw_shape {
    uint64_t dims[3]; /* along x, y, z */
};

/* Finds shapes of exactly `voxels` voxels in which no axis is over 4 times as long as another. The slices are square, or
 * all axes are powers of two. The shape nearest to a cube comes first; of equally near ones, those with square slices.
 * Returns how many it wrote to `shapes`, at most `most`. */
size_t raw_guess(uint64_t voxels, struct raw_shape *shapes, size_t most);

#ifdef __cplusplus
}
#endif
#endif
