/* A volume: a grid of voxels in host memory, what its values mean and where it lies in the world. */
#ifndef ISO_VOLUME_H
#define ISO_VOLUME_H

#include "error.h"
#include "kernels/grid.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct report; /* report.h */

enum { VOLUME_UNIT = 8 };

enum volume_world {
    WORLD_OTHER, /* whatever the file's axes mean */
    WORLD_LPS    /* a patient: x to the left, y to the back, z to the head, as in DICOM */
};

struct volume {
    struct grid grid;        /* voxels: owned, from malloc; NULL: no volume */
    double direction[3][3];  /* column a: world step (file's unit, mostly mm) from one voxel to the next along axis a */
    double origin[3];        /* world position of voxel (0, 0, 0) */
    double slope, intercept; /* real value = slope * stored value + intercept; slope is not 0 */
    char unit[VOLUME_UNIT];  /* of the world: "mm", "um", "nm", "A" (angstrom), "m", ...; "": not known */
    enum volume_world world;
    bool density;                /* a map of density or potential: show values in standard deviations, too */
    uint64_t frames, components; /* in the file; the volume is one of them */
    uint64_t step;               /* each step-th voxel of the file is here, along each axis; 0, 1: all */
    uint64_t all[3];             /* voxels along x, y, z that people count: of the file or its level; 0: those here */
    double every[3], first[3];   /* voxel i along an axis lies at first + every * i of those; every 0: at i */
    bool finer;                  /* the file has finer levels, which do not fit in memory */
    uint64_t missing;            /* chunks absent from a Zarr array: the fill value, or lost */
    char file[256];              /* the file's name without folders, */
    char name[256];              /* and the same as it is shown (text_visible) */
    char note[256];              /* what the loader assumed, converted or ignored; "": nothing */
};

/* Frees the voxels and zeroes the struct. NULL and an empty volume are allowed. */
void volume_free(struct volume *volume);

/* Sets `file` and `name` from the name of the file or of the procedural volume. */
void volume_set_name(struct volume *volume, const char *name);

/* Makes a volume of dims[0] x dims[1] x dims[2] voxels without allocating them. World coordinates are voxel coordinates.
 * Error: ERR_INPUT. */
int volume_shape(struct volume *volume, enum voxel_type type, const uint64_t dims[3], struct err *err);

/* Allocates a volume of `dims` voxels: unit spacing, slope 1, uninitialised values. Errors: ERR_INPUT for a bad shape,
 * ERR_FAILED for memory; the volume is then empty. */
int volume_alloc(struct volume *volume, enum voxel_type type, const uint64_t dims[3], struct err *err);

/* Bytes of dims[0] * dims[1] * dims[2] voxels; 0 if an axis is 0 or the product exceeds 63 bits. */
uint64_t volume_bytes(const uint64_t dims[3], size_t bytes_per_voxel);

/* Length of one voxel along `axis`, in world units. */
double volume_spacing(const struct volume *volume, int axis);

/* Determinant of the direction matrix. Negative: the axes are left-handed, and triangles must be turned over. */
double volume_handedness(const struct volume *volume);

/* Whether all axes are parallel to world axes, up to rounding. Sets along[a] to the world axis nearest to axis a. */
bool volume_aligned(const struct volume *volume, int along[3]);

/* Names as used in file names and by --type: uint8 int8 uint16 int16 float32. */
extern const char *const voxel_type_name[VOXEL_TYPE_COUNT];

/* Converts a real value to the isovalue of the ops: the smallest float not below the stored value. So `v >= iso` gives the
 * same result in float as in double. Loaders never give a negative slope. */
float volume_iso(const struct volume *volume, double real_value);

/* Converts a stored value to a real one. */
double volume_real(const struct volume *volume, double stored);

/* Sets `world` to the position of `voxel`, a point in voxel coordinates. */
void volume_to_world(const struct volume *volume, const double voxel[3], double world[3]);

/* How many significant digits tell positions along a world axis apart to a thousandth of the volume, at least `least`. An
 * axis of -1 means lengths from voxel 0. */
int volume_digits(const struct volume *volume, int axis, int least);

/* The real value at `voxel`, a point in voxel coordinates: trilinear between the eight voxels around it. Points outside the
 * grid are moved to its border. NaN if any voxel with a weight above 0 is NaN. */
double volume_value(const struct volume *volume, const double voxel[3]);

/* Adds the volume to a report (report.h): file, note, dims and type. */
void volume_report(const struct volume *volume, struct report *report);

#ifdef __cplusplus
}
#endif
#endif
