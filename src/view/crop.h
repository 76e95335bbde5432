/* The crop box: only the part of the volume inside it is drawn. The volume and the surface stay as they are. */
#ifndef ISO_CROP_H
#define ISO_CROP_H

#include "error.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CROP_SIDES = 6 }; /* side = 2 * axis, + 1 for the upper side */

struct crop {
    bool on;
    double side[CROP_SIDES]; /* voxels along the side's axis */
};

/* Makes it as large as a volume of `dims` voxels, and switches it off. */
void crop_reset(struct crop *crop, const size_t dims[3]);

/* Moves a side, but not out of the volume, and not closer than one voxel to the opposite side. */
void crop_move(struct crop *crop, const size_t dims[3], int side, double place);

/* Returns the position of a side of the volume. */
double crop_end(const size_t dims[3], int side);

/* Cuts the box from `low` to `high` (voxel coordinates) down to its part in the crop box, or sets it to the crop box if
 * they do not overlap. */
void crop_bounds(const struct crop *crop, double low[3], double high[3]);

/* Switches it on with the sides given[]; the others are those of the volume. Sides outside are moved to its border. */
void crop_choose(struct crop *crop, const size_t dims[3], const bool given[CROP_SIDES], const double side[CROP_SIDES]);

#ifdef __cplusplus
}
#endif
#endif
