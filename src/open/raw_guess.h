/* Guesses for RAW files whose shape nobody has said. */
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

/* Finds shapes of exactly `voxels` voxels, no axis over 4 times another, the nearest to a cube first: those with square
 * slices, then those whose axes are powers of two. Returns how many it wrote to `shapes`, at most `most`. */
size_t raw_guess(uint64_t voxels, struct raw_shape *shapes, size_t most);

#ifdef __cplusplus
}
#endif
#endif
