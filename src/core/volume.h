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
    bool density;                /* values are told in standard deviations, too: a format of maps of density or potential */
    uint64_t frames, components; /* in the file, of which one is here */
    uint64_t step;               /* every so many-th voxel of the file along each axis is here; 0, 1: all */
    bool finer;                  /* the file has finer levels, which exceed the memory */
    uint64_t missing;            /* chunks of a Zarr array that were not there: the fill value, or lost */
    char file[256];              /* what the volume's file is called, without folders, */
    char name[256];              /* and how that is shown: text_visible */
    char note[256];              /* what the loader assumed, converted or ignored; "": nothing */
};

/* Frees the voxels and zeroes the struct; NULL and an empty volume are fine. */
void volume_free(struct volume *volume);

/* Sets `file` and `name` by the file's name, or by what a procedural volume is called. */
void volume_set_name(struct volume *volume, const char *name);

/* A volume of dims[0] x dims[1] x dims[2] voxels whose voxels are elsewhere: voxel coordinates are the world's. Error:
 * ERR_INPUT. */
int volume_shape(struct volume *volume, enum voxel_type type, const uint64_t dims[3], struct err *err);

/* Allocates a volume of `dims` voxels: unit spacing, slope 1, uninitialised values. Errors: ERR_INPUT for a bad shape,
 * ERR_FAILED for memory; the volume is then empty. */
int volume_alloc(struct volume *volume, enum voxel_type type, const uint64_t dims[3], struct err *err);

/* Bytes of dims[0] * dims[1] * dims[2] voxels; 0 if an axis is 0 or the product leaves 63 bits. */
uint64_t volume_bytes(const uint64_t dims[3], size_t bytes_per_voxel);

/* Length of one voxel along `axis`, in world units. */
double volume_spacing(const struct volume *volume, int axis);

/* Determinant of the direction matrix. Negative: the axes are left-handed, and triangles must turn round. */
double volume_handedness(const struct volume *volume);

/* Whether all axes run along axes of the world, but for rounding. Sets along[a] to the world's axis that axis a is nearest
 * to. */
bool volume_aligned(const struct volume *volume, int along[3]);

/* Names as in file names and --type: uint8 int8 uint16 int16 float32. */
extern const char *const voxel_type_name[VOXEL_TYPE_COUNT];

/* Converts a real value to the isovalue of the ops: the smallest float not below the stored value, which makes `v >= iso`
 * in float the same as in double. Loaders give no negative slope. */
float volume_iso(const struct volume *volume, double real_value);

/* Converts a stored value to a real one. */
double volume_real(const struct volume *volume, double stored);

/* Sets `world` to the position of `voxel`, a point in voxel coordinates. */
void volume_to_world(const struct volume *volume, const double voxel[3], double world[3]);

/* The real value at `voxel`, a point in voxel coordinates: trilinear between the eight voxels around it; points outside the
 * grid are moved to its border. NaN if a voxel of any weight is. */
double volume_value(const struct volume *volume, const double voxel[3]);

/* Reports what was measured: the file and its note, dims and type (report.h). */
void volume_report(const struct volume *volume, struct report *report);

#ifdef __cplusplus
}
#endif
#endif
