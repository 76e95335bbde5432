/* Slices of the volume, without OpenGL: the voxels of a plane as a picture, and the contour of an isovalue on it.
 *
 * A slice is voxel `index` along `axis`; its own axes u and v are the other two, lower one first, u fastest (marching_squares.h). */
#ifndef ISO_SLICE_H
#define ISO_SLICE_H

#include "iso.h"
#include "kernels/marching_squares.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SLICE_AXES = 3 };

struct contour {              /* zero is an empty one */
    bool wanted;              /* in: to be made anew */
    size_t index;             /* in: below the voxels of its axis */
    struct segment *segments; /* in host memory, from malloc */
    uint64_t count, capacity;
};

/* Voxels along each axis of the grid. */
void slice_dims(const struct grid *grid, size_t dims[3]);

/* Voxels along u and v. */
void slice_size(const struct grid *grid, unsigned axis, size_t size[2]);

/* Which axes of the volume u and v are. */
void slice_uv(unsigned axis, unsigned uv[2]);

/* Writes the values, stored units, to `to`, u fastest. `host`: a grid in host memory. */
void slice_picture(const struct grid *host, unsigned axis, size_t index, float *to);

/* Makes the contours that are wanted, of each axis one, by the chosen rung of squares, timed as one run. `grid`: in the
 * backend's memory; it need not be iso->grid. value: stored units, not NaN. On error no contour has segments. */
int slice_contours(struct iso *iso, const struct grid *grid, float value, struct contour contour[SLICE_AXES],
                   struct err *err);

/* Frees the segments of all. */
void slice_free(struct contour contour[SLICE_AXES]);

/* Contours that follow what is asked of them, and of which nothing is made twice. Zero is a set without any. */
struct slice_set {
    struct contour contour[SLICE_AXES];
    float value;             /* of the contours, stored units, */
    uint64_t epoch;          /* and of the caller's volume */
    const struct rung *rung; /* that made them; NULL: there are none */
};

struct slice_wish {
    bool on[SLICE_AXES];
    size_t index[SLICE_AXES]; /* below the voxels of its axis */
    float value;              /* stored units, not NaN */
    uint64_t epoch;           /* another for each volume */
};

/* Makes what the planes that are on lack: contour[].wanted says which. *made: any was. On error the set is empty. */
int slice_follow(struct slice_set *set, struct iso *iso, const struct grid *grid, const struct slice_wish *wish, bool *made,
                 struct err *err);
void slice_drop(struct slice_set *set);

#ifdef __cplusplus
}
#endif
#endif
