/* Loading: a file name in, a volume out. load.c has a table row per format. */
#ifndef ISO_LOAD_H
#define ISO_LOAD_H

#include "progress.h"
#include "source.h"
#include "volume.h"

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
    struct progress progress; /* step NULL: none */
};

/* Loads `path` into a new `volume`; desc NULL: all defaults. Errors: ERR_INPUT, ERR_FAILED, ERR_USAGE for a `desc` that
 * contradicts itself or the format; the volume is then empty. */
int volume_load(struct volume *volume, const char *path, const struct load_desc *desc, struct err *err);

/* The readers of the formats. `source` is at its start; detached data is opened relative to source->path. */
int load_raw(struct volume *volume, struct source *source, const struct load_desc *desc, struct err *err);
int load_nrrd(struct volume *volume, struct source *source, const struct load_desc *desc, struct err *err);

/* Writes an attached NRRD, raw or gzip, to `path`, atomically (replace.h). Error: ERR_FAILED, also for a slope or intercept,
 * which NRRD cannot hold. */
int save_nrrd(const struct volume *volume, const char *path, bool gzip, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
