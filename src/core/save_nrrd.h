#ifndef ISO_SAVE_NRRD_H
#define ISO_SAVE_NRRD_H

#include "volume.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes an attached NRRD, raw or gzip, to `path`, atomically (replace.h). Error: ERR_FAILED, also for a slope or intercept,
 * which NRRD cannot hold. */
int save_nrrd(const struct volume *volume, const char *path, bool gzip, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
