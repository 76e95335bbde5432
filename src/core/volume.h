/* A volume: a grid of voxels in host memory, what its values mean and where it lies in the world. */
#ifndef ISO_VOLUME_H
#define ISO_VOLUME_H

#include "error.h"
#include "kernels/grid.h"

#ifdef __cplusplus
extern "C" {
#endif

struct volume {
    struct grid grid;        /* voxels: owned, from malloc; NULL: no volume */
    double direction[3][3];  /* column a: world step (file's unit, mostly mm) from one voxel to the next along axis a */
    double origin[3];        /* world position of voxel (0, 0, 0) */
    double slope, intercept; /* real value = slope * stored value + intercept; slope is not 0 */
    char name[256];          /* for titles and messages: the file's name without its folders, text_visible */
    char note[256];          /* what the loader had to assume or convert, one sentence; "" if nothing */
};

/* Frees the voxels and zeroes the struct. NULL and empty are fine. */
void volume_free(struct volume *volume);

/* An empty volume of that shape with unit spacing, slope 1, uninitialised voxels. The product is checked in 64 bits
 * before anything is allocated. Errors: ERR_INPUT for a bad shape, ERR_FAILED for memory. */
int volume_alloc(struct volume *volume, enum voxel_type type, const uint64_t dims[3], struct err *err);

/* dims[0] * dims[1] * dims[2] * bytes, or 0 if an axis is 0 or the product leaves 63 bits. */
uint64_t volume_bytes(const uint64_t dims[3], size_t bytes_per_voxel);

/* Length of one voxel along axis a, in world units. */
double volume_spacing(const struct volume *volume, int axis);

/* Determinant of the direction matrix: negative where the axes are left-handed, so that winding must flip. */
double volume_handedness(const struct volume *volume);

/* Names as in file names and --type: uint8 int8 uint16 int16 float32. */
extern const char *const voxel_type_name[VOXEL_TYPE_COUNT];

/* Real value -> the float that ops compare with: the smallest float that is not below the stored value, so that
 * v >= iso asks the same in float as in double. A negative slope is not supported by the loaders. */
float volume_iso(const struct volume *volume, double real_value);

/* Stored value -> real value. */
double volume_real(const struct volume *volume, double stored);

/* World position of a point in voxel coordinates. */
void volume_place(const struct volume *volume, const double voxel[3], double at[3]);

/* Real value at a point in voxel coordinates, trilinear between the eight voxels round it; points outside the grid are
 * moved to its border. NaN where one that counts is. */
double volume_value(const struct volume *volume, const double voxel[3]);

#ifdef __cplusplus
}
#endif
#endif
