/* What a caller can say about a file, besides its name. */
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
    bool offset_given;        /* RAW: bytes after the volume are not an error */
    bool z_fastest;           /* z varies fastest in the file, then y; RAW, and NRRD without space directions */
    double spacing[3];        /* any format: replaces the file's spacing (of its finest level), world units; 0: keep */
    uint64_t frame;           /* of a time series, from 0 */
    bool every_frame;         /* the caller reads all frames: no note on which one this is */
    uint64_t component;       /* of vectors and colours, from 0 */
    uint64_t level;           /* of an image with several resolutions: 0 is the finest */
    bool level_given;         /* else: the finest level that memory allows */
    uint64_t level_counts;    /* the level whose voxels people count (volume.all), whichever is read */
    const char *array;        /* of a file with several arrays: a name; NULL: the one that the file marks, else the first */
    const char *series;       /* of a folder of DICOM files: a number; NULL: the one with the most slices */
    bool anywhere;            /* data files that a header names may lie outside its folder */
    uint64_t memory;          /* bytes that the volume and reading it may take; 0: 75 % of what is free */
    uint64_t step;            /* read every step-th voxel along each axis, if voxels_are_ordered; 0, 1: all */
    bool thins;               /* if the volume does not fit: thin it, so that it takes half the memory, */
    uint64_t thin_read;       /* and read at most so many bytes of a file in one piece; 0: no limit */
    int threads;              /* for reading; 0: as many as OpenMP has */
    struct progress progress; /* step NULL: none */
};

#ifdef __cplusplus
}
#endif
#endif
