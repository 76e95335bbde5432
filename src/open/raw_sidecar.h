/* A small text file beside a RAW file that describes it: NAME.raw.ini or NAME.ini, as in UnityVolumeRendering, or
 * NAME.json, as in the Open SciVis Datasets. */
#ifndef ISO_RAW_SIDECAR_H
#define ISO_RAW_SIDECAR_H

#include "source.h"
#include "stored_type.h"

#ifdef __cplusplus
extern "C" {
#endif

struct raw_sidecar {
    char name[256];                 /* of the text file, without its folders, perhaps cut; "": there is none */
    uint64_t dims[3];               /* voxels along x, y, z; 0: not given */
    const struct stored_type *type; /* NULL: not given */
    const char *endian;             /* "little" or "big"; NULL: not given */
    uint64_t skip;                  /* bytes before the first voxel */
    double spacing[3];              /* 0: not given */
};

/* Looks beside `raw` and reads the first file that describes voxels. Other files with such names are skipped. Errors:
 * ERR_INPUT if a value cannot be understood, ERR_FAILED. */
int raw_sidecar_read(struct raw_sidecar *sidecar, const struct source *raw, struct err *err);

/* Whether `other` is the file that describes `raw`. */
bool raw_sidecar_takes(const char *raw, const char *other);

#ifdef __cplusplus
}
#endif
#endif
