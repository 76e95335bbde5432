/* Packing: a volume as an OME-Zarr image of version 0.5, with levels, in bounded memory: band by band, and each level from
 * the one before it in the file. */
#ifndef ISO_PACK_H
#define ISO_PACK_H

#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pack_desc {
    const struct store *store;   /* the volume in its file; NULL: */
    const struct volume *volume; /* in memory */
    uint64_t memory;             /* bytes that the process may take, beside `volume` */
    int threads;                 /* 0: as many as OpenMP has */
    struct progress progress;
};

struct pack_result {
    int levels;
    enum voxel_type type;
    uint64_t bytes, files; /* of the shards */
    char note[256];        /* what was converted or is not kept */
};

/* Writes the folder `path`, which must not exist: it gets its name when it is complete, and nothing is left of it after an
 * error. Values with a slope or intercept are written as real ones, in float32. Errors: ERR_FAILED, also for "cancelled"
 * and too little memory; ERR_USAGE if there is such a file; ERR_INPUT of the store. */
int pack_write(const struct pack_desc *desc, const char *path, struct pack_result *result, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
