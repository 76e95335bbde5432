/* Colours surfaces by a quantity: the position along an axis of the world, or the steepness of the values there. */
#ifndef ISO_TINT_H
#define ISO_TINT_H

#include "camera.h"
#include "colour_map.h"
#include "tint_by.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tint { /* zero: surfaces have their own colours */
    enum tint_by by;
    int map;         /* row of colour_maps */
    double range[2]; /* of the quantity, for the first and last colour. World units, or real units per world unit */

    /* private */
    double direction[3][3], origin[3]; /* as in struct volume */
    double slope;                      /* real units per stored one */
    size_t dims[3], step;              /* size of the texture; voxels of the volume per voxel of it; step 0: no texture */
    unsigned texture;                  /* every step-th voxel of the volume, stored units */
    double steepest;                   /* gradient that 99 % of the voxels do not reach */
};

/* Sets `by`, and the range to that of the quantity in the volume. A gradient also needs a texture, which is made unless
 * it exists. On error (ERR_GL, ERR_FAILED) `by` is TINT_NONE. */
int tint_choose(struct tint *tint, enum tint_by by, const struct volume *volume, struct err *err);

/* Frees the texture of the volume. */
void tint_drop(struct tint *tint);

/* Writes the name and unit of the range: "z, mm", "gradient, 1/mm". */
void tint_title(const struct tint *tint, const struct volume *volume, char title[64]);

/* Sets the uniforms of shaders/paint.glsl. */
void tint_apply(const struct tint *tint, unsigned program, const struct camera *camera, double aspect);

#ifdef __cplusplus
}
#endif
#endif
