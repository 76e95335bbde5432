/* Levels: finer resolutions of the volume in memory, which stay in its file. A level is every n-th voxel of a file whose
 * voxels lie in order, or a finer level of a Zarr image. */
#ifndef ISO_LEVELS_H
#define ISO_LEVELS_H

#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LEVELS_MOST = 32 };

struct level {
    const struct store *store;
    uint64_t step;    /* every step-th voxel of the store along each axis */
    struct grid grid; /* of the whole level, without voxels */
    float scale;      /* voxel v of the level lies at scale * v + offset of the volume in memory */
    float offset[3];
};

struct levels { /* zero means closed; do not move an open one */
    struct store store[LEVELS_MOST];
    int stores;
    struct level level[LEVELS_MOST]; /* finest first; each is finer than the volume in memory */
    int count;                       /* 0: there are none, or none can be read in boxes */
};

/* Opens the levels of the file that `shown` was loaded from with `desc`. There are none (count 0) if shown->finer is not
 * set, if voxels are packed, if slices are files of their own, or if the voxels of two levels differ in shape. Errors: as
 * load_store; there is then nothing to close. */
int levels_open(struct levels *levels, const char *path, const struct load_desc *desc, const struct volume *shown,
                struct err *err);
void levels_close(struct levels *levels);

/* Writes which level number `level` is, such as "level 1 of 0 to 2, every 2nd voxel". */
void levels_name(const struct levels *levels, int level, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
