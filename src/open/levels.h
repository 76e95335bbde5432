/* Levels: a volume at several resolutions finer than the one that is in memory, which stay in its file: every n-th voxel of
 * what lies there in order, or the finer levels of a Zarr image. */
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

struct levels { /* zero is a closed one; do not move an open one */
    struct store store[LEVELS_MOST];
    int stores;
    struct level level[LEVELS_MOST]; /* the finest first; each is finer than the volume in memory */
    int count;                       /* 0: there is none, or none that can be read in boxes */
};

/* Opens the levels of the file that `shown` came from, by load_desc. There are none (count 0) unless shown->finer; if
 * voxels are packed, or slices in files of their own; or where voxels of two levels differ in shape. Errors: as
 * load_store, and there is nothing to close. */
int levels_open(struct levels *levels, const char *path, const struct load_desc *desc, const struct volume *shown,
                struct err *err);
void levels_close(struct levels *levels);

/* Writes which level number `level` is, like "level 1 of 0 to 2, every 2nd voxel". */
void levels_name(const struct levels *levels, int level, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
