/* Slices of the volume, without OpenGL: the values of a plane of voxels, and the contour of an isovalue on it.
 *
 * A slice is the plane of voxels at `index` along `axis`. Its own axes u and v are the other two, the lower one first. u
 * varies fastest (marching_squares.h). */
#ifndef ISO_SLICE_H
#define ISO_SLICE_H

#include "iso.h"
#include "kernels/marching_squares.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SLICE_AXES = 3 };

struct contour {              /* zero is an empty one */
    bool wanted;              /* in: make it again */
    size_t index;             /* in: voxel along its axis */
    struct segment *segments; /* in host memory, owned */
    uint64_t count, capacity;
};

/* Sets `dims` to the voxels along each axis of `grid`. */
void slice_dims(const struct grid *grid, size_t dims[3]);

/* Sets `size` to the voxels of a slice along u and v. */
void slice_size(const struct grid *grid, unsigned axis, size_t size[2]);

/* Sets `uv` to the volume's axes along u and v. */
void slice_uv(unsigned axis, unsigned uv[2]);

/* Copies the values of a slice (stored units) to `to`, which has room for slice_size. `host` is in host memory. */
void slice_values(const struct grid *host, unsigned axis, size_t index, float *to);

/* Makes the wanted contours, one per axis, by the chosen marching_squares rung, and times them as one run. `grid` is in
 * backend memory and may differ from iso->grid. value: stored units, not NaN. Error: ERR_FAILED; all contours are then
 * empty. */
int slice_contours(struct iso *iso, const struct grid *grid, float value, struct contour contour[SLICE_AXES],
                   struct err *err);

/* Frees the segments of all; they are then empty. */
void slice_free(struct contour contour[SLICE_AXES]);

/* Contours that are kept up to date with a wish; only what has changed is made again. Zero is an empty set. */
struct slice_set {
    struct contour contour[SLICE_AXES];
    float value;             /* of the contours, stored units */
    uint64_t epoch;          /* of the caller's volume */
    const struct rung *rung; /* that made the contours; NULL: there are none */
};

struct slice_wish {
    bool on[SLICE_AXES];
    size_t index[SLICE_AXES]; /* below the number of voxels along its axis */
    float value;              /* stored units, not NaN */
    uint64_t epoch;           /* different for each volume */
};

/* Makes the missing contours of the planes that are on; contour[].wanted tells which. *made: whether any was made. On error
 * the set is empty. */
int slice_follow(struct slice_set *set, struct iso *iso, const struct grid *grid, const struct slice_wish *wish, bool *made,
                 struct err *err);
void slice_drop(struct slice_set *set);

#ifdef __cplusplus
}
#endif
#endif
