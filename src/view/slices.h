/* Slices in the scene: up to one plane along each axis, coloured by value, with the contour of the isovalue on it.
 *
 *    slices_set_volume -> plane[].on, .index -> slices_update, slices_take -> slices_draw (by render_draw)
 *
 * Pictures are textures, made from the voxels in host memory when a plane is moved; contours, which slice_follow makes, are
 * instances, one for each segment. Nothing is made of a plane that is off, and nothing twice. */
#ifndef ISO_SLICES_H
#define ISO_SLICES_H

#include "camera.h"
#include "slice.h"

#ifdef __cplusplus
extern "C" {
#endif

struct slice_plane {
    bool on;
    size_t index;
    bool pictured; /* `texture` is of `picture` */
    size_t picture;
    unsigned texture;
    unsigned array, buffer;      /* of the contour */
    uint64_t capacity, segments; /* in `buffer`: that fit, and that are drawn */
};

struct slices { /* zero is none, before any volume */
    struct slice_plane plane[SLICE_AXES];
    size_t dims[3];          /* of the volume */
    float low, high;         /* the window of the colours, stored units; set by the caller */
    unsigned picture, lines; /* programs */
};

/* Another volume: all planes stand in its middle, and what is on stays on. */
void slices_set_volume(struct slices *slices, const struct grid *grid);
void slices_close(struct slices *slices);

/* Switches planes on, as the command line says: those given, each at its index. Error: ERR_USAGE, an index is not one of the
 * volume's, and the sentence says which are; no plane is changed. */
int slices_choose(struct slices *slices, const bool given[SLICE_AXES], const uint64_t index[SLICE_AXES], struct err *err);

bool slices_any(const struct slices *slices);

/* Makes the pictures that the planes that are on lack, from `host`. On error all planes are off. */
int slices_update(struct slices *slices, const struct grid *host, struct err *err);

/* Takes over the contours of the planes that are on. On error all planes are off. */
int slices_take(struct slices *slices, const struct contour contour[SLICE_AXES], struct err *err);

/* Draws into the present framebuffer of that size, with its depth. */
void slices_draw(const struct slices *slices, const struct camera *camera, int width, int height);

/* Makes the box from `low` to `high` (voxel coordinates) hold the planes that are on too. */
void slices_extend(const struct slices *slices, double low[3], double high[3]);

/* The axis of the plane that is on and holds the point, or -1. */
int slices_at(const struct slices *slices, const double voxel[3]);

#ifdef __cplusplus
}
#endif
#endif
