/* Colours of surfaces by a quantity: how far along an axis of the world a point lies, or how steep the values are there. */
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
    double range[2]; /* of the quantity: its first and last colour. World units, or real units per world unit */

    /* private */
    double direction[3][3], origin[3]; /* as in struct volume */
    double slope;                      /* real units per stored one */
    size_t dims[3], step;              /* voxels of the texture, and of the volume for one of them; step 0: there is none */
    unsigned texture;                  /* every so many-th voxel of the volume, stored units */
    double steepest;                   /* gradient that 99 % of its voxels are below */
};

/* Sets `by` to a quantity of the volume, and the range to what there is of it in the volume; a gradient has a texture made,
 * unless it is there. On error (ERR_GL, ERR_FAILED) `by` is TINT_NONE. */
int tint_choose(struct tint *tint, enum tint_by by, const struct volume *volume, struct err *err);

/* Frees the texture, which is of the volume. */
void tint_drop(struct tint *tint);

/* Writes what the range is of: "z, mm", "gradient, 1/mm". */
void tint_title(const struct tint *tint, const struct volume *volume, char title[64]);

/* Sets the uniforms of shaders/paint.glsl. */
void tint_apply(const struct tint *tint, unsigned program, const struct camera *camera, double aspect);

#ifdef __cplusplus
}
#endif
#endif
