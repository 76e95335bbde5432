/* Packing: writes a volume as an OME-Zarr image of version 0.5, with levels, in bounded memory. It works band by band, and
 * makes each level from the one before it in the file. */
#ifndef ISO_PACK_H
#define ISO_PACK_H

#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pack_desc {
    const struct store *store;   /* the volume in its file; NULL: */
    const struct volume *volume; /* the volume in memory */
    uint64_t memory;             /* bytes that the process may take, besides `volume` */
    int threads;                 /* 0: as many as OpenMP has */
    struct progress progress;
};

struct pack_result {
    int levels;
    enum voxel_type type;
    uint64_t bytes, files; /* of all shards */
    char note[256];        /* what was converted or lost */
};

/* Checks in advance whether pack_write could make the folder `path`. Writes nothing. Errors: ERR_USAGE if it exists;
 * ERR_FAILED. */
int pack_check(const char *path, struct err *err);

/* Writes the folder `path`, which must not exist. It gets its name when it is complete; after an error nothing is left of
 * it. Values with a slope or intercept are written as real values in float32. Errors: ERR_FAILED, also for "cancelled" and
 * too little memory; ERR_USAGE if `path` exists; ERR_INPUT from the store. */
int pack_write(const struct pack_desc *desc, const char *path, struct pack_result *result, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
