/* Writes a volume as an NRRD file. */
#ifndef ISO_SAVE_NRRD_H
#define ISO_SAVE_NRRD_H

#include "replace.h"
#include "volume.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes an attached NRRD, raw or gzip, to `path`, atomically (replace.h). Error: ERR_FAILED, also for a slope or
 * intercept, which NRRD cannot hold. */
int save_nrrd(const struct volume *volume, const char *path, bool gzip, struct err *err);

/* The same for a volume that comes piece by piece. The file appears when it is complete. */
struct save_nrrd {
    struct replace replace;
    void *gzip;  /* zlib's; NULL: raw */
    size_t left; /* bytes still to come */
};

/* volume: without voxels. Errors: as save_nrrd, and there is nothing to close. */
int save_nrrd_open(struct save_nrrd *save, const struct volume *volume, const char *path, bool gzip, struct err *err);

/* Adds the next n bytes of the voxels. False: they cannot be written; errno says why, and save_nrrd_close reports it. */
bool save_nrrd_add(struct save_nrrd *save, const void *voxels, size_t n);

/* Completes the file. Error: ERR_FAILED, also if bytes are missing or were not written; no file is left. */
int save_nrrd_close(struct save_nrrd *save, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
