/* What a caller says about a file, beyond its name. */
#ifndef ISO_REQUEST_H
#define ISO_REQUEST_H

#include "progress.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct load_desc {            /* zero: everything from the file itself */
    uint64_t dims[3];         /* RAW: voxels along x, y, z; 0: from the file name */
    const char *type;         /* RAW: a stored_types name; NULL: from the file name, or from the size */
    const char *endian;       /* RAW: little or big; NULL: from the file name, else little */
    uint64_t offset;          /* RAW: bytes before the first voxel */
    bool offset_given;        /* RAW: bytes after the volume are no error */
    bool z_fastest;           /* z varies fastest in the file, then y; RAW, and NRRD without space directions */
    double spacing[3];        /* any format: replaces the file's spacing, world units; 0: keep */
    uint64_t frame;           /* of a series in time, from 0 */
    bool every_frame;         /* the caller reads the others, too: no note says which one this is */
    uint64_t component;       /* of vectors and colours, from 0 */
    uint64_t level;           /* of an image that is there at several resolutions: 0 is the finest */
    bool level_given;         /* else the finest level that memory allows */
    const char *array;        /* of a file that holds several: its name; NULL: the one it marks, else the first */
    const char *series;       /* of a folder of DICOM files: its number; NULL: the one with the most slices */
    bool anywhere;            /* data files of a header may lie outside its folder */
    uint64_t memory;          /* bytes that the volume and its reading may take; 0: 75 % of what is free */
    uint64_t step;            /* reads every step-th voxel along each axis, where voxels_are_ordered; 0, 1: all */
    bool thins;               /* so that the volume takes half the memory, if all of it would not fit, */
    uint64_t thin_read;       /* and of a file in one piece no more than so many bytes are read; 0: however many */
    int threads;              /* that read; 0: as many as OpenMP has */
    struct progress progress; /* step NULL: none */
};

#ifdef __cplusplus
}
#endif
#endif
