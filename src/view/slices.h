/* Slices in the scene: at most one plane across each axis, coloured by value, with the contour of the isovalue on it.
 *
 *    slices_set_volume -> plane[].on, .index -> slices_update, slices_take -> slices_draw (by render_draw)
 *
 * The values of a plane are a texture. It is filled from the voxels in host memory when the plane moves. slice_follow
 * makes the contours; each segment is drawn as one instance. Planes that are off cost nothing.
 *
 * A plane can also cut: then surfaces and slices on one of its sides are not drawn. One plane of any direction (the
 * knife) and the sides of the crop box cut too; they show no values. */
#ifndef ISO_SLICES_H
#define ISO_SLICES_H

#include "camera.h"
#include "colour_map.h"
#include "crop.h"
#include "cut.h"
#include "shader.h"
#include "slice.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SLICE_LINES = 4 }; /* contours on a plane, one per surface */

struct slice_line {              /* a contour in OpenGL's buffers */
    unsigned array, buffer;      /* vertex array and segments */
    uint64_t capacity, segments; /* segments that fit, segments that are drawn */
};

struct slice_plane {
    bool on;
    size_t index;     /* voxels along the axis */
    int cut;          /* while it is on: -1 cuts away what lies below the index, 1 what lies above, 0 nothing */
    unsigned texture; /* values of plane `texture_index`, if texture_filled */
    bool texture_filled;
    size_t texture_index;
    struct slice_line line[SLICE_LINES];
};

/* A plane of any direction: points p (voxel coordinates) with normal . p below `offset` are not drawn. */
struct slices_knife {
    bool on;
    float normal[3]; /* largest component is 1 or -1, so a step of 1 of the offset is one voxel along that axis */
    double offset;
};

enum { SLICES_PLANE, SLICES_CONTOUR, SLICES_SHADERS };

struct slices { /* zero: no slices, no volume yet */
    struct slice_plane plane[SLICE_AXES];
    size_t dims[3];  /* voxels of the volume along x, y, z */
    double every[3]; /* people count the file's voxels: voxel i here is at first + every * i of those; 0: 1 */
    double first[3];
    size_t last[3];  /* the file's last voxel along x, y, z */
    float low, high; /* values at the ends of the colour map, stored units; set by the caller */
    int map;         /* row of colour_maps */
    struct slices_knife knife;
    struct crop crop;
    float line_colour[SLICE_LINES][3]; /* gamma-encoded. All have a dark edge, because a map may contain any of them */
    bool line_coloured[SLICE_LINES];   /* else white */
    struct shader shader[SLICES_SHADERS];
    unsigned no_attributes; /* vertex array of the planes */
};

/* Takes the size of another volume, moves all planes to its middle and drops their textures. Planes that are on stay
 * on. Knife and crop box stay only if the volume has as many voxels along each axis. */
void slices_set_volume(struct slices *slices, const struct volume *volume);
void slices_close(struct slices *slices);

/* People count the voxels of the file, whichever of them are here, and of an image those of its finest level: in options,
 * states and texts. slices_in_file converts a place along `axis` to that; slices_here converts it back; slices_voxel and
 * slices_nearest do so for the index of a plane. */
double slices_in_file(const struct slices *slices, int axis, double place);
double slices_here(const struct slices *slices, int axis, double place);
size_t slices_voxel(const struct slices *slices, int axis, size_t index);
size_t slices_nearest(const struct slices *slices, int axis, size_t index);

/* The same for a knife. */
void slices_knife_in_file(const struct slices *slices, struct slices_knife *knife);
void slices_knife_here(const struct slices *slices, struct slices_knife *knife);

/* Takes the places of planes, knife and crop box from slices of the same file with other voxels. */
void slices_keep_places(struct slices *slices, const struct slices *before);

/* Switches on the planes with given[axis], at index[axis] of the file, with the cut cut[axis]. Error: ERR_USAGE if an index
 * is outside the volume; the sentence says which are inside, and no plane changes. */
int slices_choose(struct slices *slices, const bool given[SLICE_AXES], const uint64_t index[SLICE_AXES],
                  const int cut[SLICE_AXES], struct err *err);

/* Switches the crop box on with the sides given[], in voxels of the file; the others are those of the volume. None given:
 * nothing changes. Error: ERR_USAGE if a side lies outside the volume, or is not below the opposite one; nothing changes
 * then. */
int slices_choose_crop(struct slices *slices, const bool given[CROP_SIDES], const double side[CROP_SIDES], struct err *err);

/* Returns whether any plane is on. */
bool slices_any(const struct slices *slices);

/* Sets `cut` to what planes, knife and crop box cut away, without the cut of plane `except`, which does not cut itself
 * (-1: none). Needs a volume. */
void slices_cut(const struct slices *slices, int except, struct cut *cut);

/* Turns the knife on, through `point` (voxel coordinates). What lies before it along `along` (camera_along) is cut
 * away. */
void slices_place_knife(struct slices *slices, const float along[3], const double point[3]);

/* Turns a knife on that cuts away points p (voxel coordinates) with (plane[0], plane[1], plane[2]) . p below plane[3]. */
void slices_set_knife(struct slices_knife *knife, const double plane[4]);

/* The same for the volume's knife; the plane is in voxels of the file. */
void slices_choose_knife(struct slices *slices, const double plane[4]);

/* Moves the knife by voxels, but not beyond the volume. */
void slices_move_knife(struct slices *slices, double voxels);

/* Gives the offsets at which the knife touches the volume: at the first it cuts nothing away, at the second everything. */
void slices_knife_range(const struct slices *slices, double range[2]);

/* Sets the values of the first and last colour. */
void slices_set_window(struct slices *slices, const struct volume *volume, const double window[2]);

/* Fills the textures of planes that are on and have moved, from `host`, the volume in host memory. On error all planes
 * are off. Errors: ERR_GL, ERR_FAILED. */
int slices_update(struct slices *slices, const struct grid *host, struct err *err);

/* Takes the contours of surface `number` on the planes that are on; NULL: it has none. On error all planes are off.
 * Error: ERR_GL. */
int slices_take(struct slices *slices, int number, const struct contour contour[SLICE_AXES], struct err *err);

/* Sets the colour of the contours of surface `number`; NULL: white. */
void slices_colour_line(struct slices *slices, int number, const float colour[3]);

/* Draws the planes that are on, in the camera's part of a picture of width x height pixels, into the current
 * framebuffer, with depth test. */
void slices_draw(const struct slices *slices, const struct camera *camera, int width, int height);

/* Extends the box from `low` to `high` (voxel coordinates) to include the planes that are on. */
void slices_extend(const struct slices *slices, double low[3], double high[3]);

/* Returns the axis of the plane that is on and contains the point `voxel` (voxel coordinates); -1: none. */
int slices_at(const struct slices *slices, const double voxel[3]);

#ifdef __cplusplus
}
#endif
#endif
