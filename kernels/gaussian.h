/* gaussian: voxels -> the same grid in float32, smoothed by a Gaussian.
 *
 *    out(x, y, z) = sum over i, j, k in -radius .. radius of w(i) w(j) w(k) value(x + i, y + j, z + k)
 *
 * w(i) = exp(-i^2 / (2 sigma^2)), normalised to sum 1, so that a constant volume stays as it is apart from rounding;
 * radius = ceil(3 sigma). Each axis has its own sigma, radius and w, for volumes whose voxels are not cubes. Beyond the
 * border, the voxel at the border is repeated. A NaN spreads as far as the radius.
 *
 * The Gaussian is the only filter that is both round and separable: three passes along the axes give the same sum (Marr
 * and Hildreth 1980). Rungs add in different orders, so each result is within gaussian_tolerance() of the exact one,
 * times the largest |value|; a rung with a larger error says so. */
#ifndef ISO_GAUSSIAN_H
#define ISO_GAUSSIAN_H

#include "grid.h"
#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GAUSSIAN_MAX_RADIUS 63
#define GAUSSIAN_MAX_SIGMA 21.0f /* voxels */
#define GAUSSIAN_ROW 3           /* what each row adds to `done`: 1 per pass, or all 3 at once */

struct gaussian_desc {
    struct grid grid;
    float *out;       /* [voxels], backend memory; must not overlap the grid */
    float sigma[3];   /* along x, y and z: voxels, 0 (a copy) to GAUSSIAN_MAX_SIGMA */
    uint64_t texture; /* set by the rung's open(), with `array`; 0 and NULL before */
    void *array;
    size_t *done; /* CPU: grows by GAUSSIAN_ROW per row of the grid; any thread may read it; may be NULL */
};

/* The CPU checks x->cancel before each row. */
struct gaussian_rung {
    struct rung rung;
    int (*run)(const struct gaussian_desc *desc, void *scratch, struct exec *x);
    size_t (*scratch)(const struct gaussian_desc *desc, const struct exec *x); /* bytes, 256-byte aligned; NULL: none */
    /* May be NULL. Call open() before the first run on a grid; it may allocate, and copies the voxels. Call close()
     * after waiting for the last run. A failed open() needs no close(). */
    int (*open)(struct gaussian_desc *desc, struct exec *x);
    void (*close)(struct gaussian_desc *desc);
    double loose;   /* how far from gaussian_tolerance() a result may be, times the largest |value|; 0: within it */
    bool any_block; /* CUDA: accepts x->block threads per block */
};

extern const struct gaussian_rung gaussian_cpu[], gaussian_cuda[];

struct gaussian_weights {
    unsigned radius;
    float w[GAUSSIAN_MAX_RADIUS + 1]; /* w[0] the middle; w[i] for -i and i */
};

struct gaussian_axes {
    struct gaussian_weights along[3]; /* x, y, z */
};

struct gaussian_axes gaussian_axes_of(const float sigma[3]);

/* The roundings of three weights and of three nested sums. */
ISO_FN double gaussian_tolerance(unsigned radius) { return (double)(3 * (2 * radius + 1) + 12) / (1 << 24); }

#ifdef __cplusplus
}
#endif
#endif
