/* Voxels out of a source: what every format does once its header is understood.
 *
 *    source -> [gunzip] -> [skip] -> [swap bytes] -> [convert to float32] -> [reorder axes] -> volume.grid.voxels
 *
 * What the header claims is checked against the bytes that are there before anything is allocated. Data is read
 * straight into the voxels; only types that no op takes are converted, piece by piece, and only voxels that come in
 * another order are read slab by slab, so that no second volume is needed. */
#ifndef ISO_VOXELS_H
#define ISO_VOXELS_H

#include "progress.h"
#include "source.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A type as files store it. The first VOXEL_TYPE_COUNT rows are enum voxel_type; the rest become float32. */
struct stored_type {
    const char *name; /* NULL closes the table */
    size_t bytes;
    enum voxel_type voxel; /* in memory */
    /* Converts n values to float32, `from` aligned for the type. Returns how many lost
     * more than float64's rounding: integers of over 24 significant bits, float64 beyond the largest float. NULL: values are
     * read as they are. */
    size_t (*convert)(const void *from, float *to, size_t n);
    const char *spellings[10]; /* other names, in lower case */
};

extern const struct stored_type stored_types[];

/* By name or another spelling, whatever the case; NULL if it is not one. */
const struct stored_type *stored_type_find(const char *name);

/* "uint8 int8 ... float64", for messages. */
const char *stored_type_list(void);

struct voxels_desc {
    uint64_t dims[3];               /* along x, y, z, whatever the order */
    const struct stored_type *type; /* must be set */
    bool z_fastest;                 /* else x is */
    bool big_endian;
    bool gzip;
    uint64_t skip; /* bytes before the first voxel; gzip: of the unpacked data */
    struct progress progress;
};

/* Allocates the volume and reads its voxels, from where `source` is. Progress is told every 4 MiB at least. Errors
 * (volume empty): ERR_INPUT for data that is short, broken or, if gzip, too long; ERR_FAILED for memory or
 * "cancelled". */
int voxels_read(struct volume *volume, struct source *source, const struct voxels_desc *desc, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
