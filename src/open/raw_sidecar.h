/* What a small text file beside a RAW file says about it: NAME.raw.ini or NAME.ini, as UnityVolumeRendering has them, or
 * NAME.json, as the Open SciVis Datasets have them. */
#ifndef ISO_RAW_SIDECAR_H
#define ISO_RAW_SIDECAR_H

#include "source.h"
#include "stored_type.h"

#ifdef __cplusplus
extern "C" {
#endif

struct raw_sidecar {
    char name[256];                 /* of the file, without its folders, perhaps cut; "": there is none */
    uint64_t dims[3];               /* voxels along x, y, z; 0: not said */
    const struct stored_type *type; /* NULL: not said */
    const char *endian;             /* "little" or "big"; NULL: not said */
    uint64_t skip;                  /* bytes before the first voxel */
    double spacing[3];              /* 0: not said */
};

/* Looks beside `raw`, and reads the first file that speaks of voxels; others of such names are passed over. Errors:
 * ERR_INPUT for what it says and nobody understands, ERR_FAILED. */
int raw_sidecar_read(struct raw_sidecar *sidecar, const struct source *raw, struct err *err);

/* Whether `other` is the file that says what is in `raw`. */
bool raw_sidecar_takes(const char *raw, const char *other);

#ifdef __cplusplus
}
#endif
#endif
