/* Loading: a file name in, a volume out. One table row per format in load.c. */
#ifndef ISO_LOAD_H
#define ISO_LOAD_H

#include "progress.h"
#include "source.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

struct load_desc {            /* zero everywhere is a working request: all from the file itself */
    uint64_t dims[3];         /* RAW: voxels along x, y, z; 0: from the file name */
    const char *type;         /* RAW: uint8 int8 uint16 int16 float32; NULL: from the file name */
    const char *endian;       /* RAW: little or big; NULL: from the file name, else little */
    uint64_t offset;          /* RAW: bytes before the first voxel */
    bool offset_given;        /* RAW: the offset was asked for, so bytes after the volume are not an error */
    bool z_fastest;           /* the file has neighbours in z side by side, then in y; RAW, NRRD without space directions */
    double spacing[3];        /* any format: overrides the file's spacing; 0: keep */
    struct progress progress; /* step NULL: none */
};

/* Loads `path`. On error (ERR_INPUT, ERR_FAILED, ERR_USAGE for a desc that contradicts itself) `volume` is empty. */
int volume_load(struct volume *volume, const char *path, const struct load_desc *desc, struct err *err);

/* The readers behind it. `source` is at its start; detached data is opened beside source->path. */
int load_raw(struct volume *volume, struct source *source, const struct load_desc *desc, struct err *err);
int load_nrrd(struct volume *volume, struct source *source, const struct load_desc *desc, struct err *err);

/* Writes an NRRD (attached; encoding raw, or gzip if `gzip`), to a temporary file beside `path` that is renamed when it
 * is whole, so that a failure leaves the old file. */
int save_nrrd(const struct volume *volume, const char *path, bool gzip, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
