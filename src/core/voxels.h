/* Reading voxels from a source, once a format's header is understood.
 *
 *    source -> [gunzip] -> [skip] -> [swap bytes] -> [convert to float32] -> [reorder axes] -> volume.grid.voxels
 *
 * The header's claims are checked against the bytes of the source before anything is allocated. Data is read straight into
 * the volume; types that no op takes are converted piece by piece, and voxels in another order are read slab by slab, which
 * needs no second volume. */
#ifndef ISO_VOXELS_H
#define ISO_VOXELS_H

#include "progress.h"
#include "source.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A type as files store it. The first VOXEL_TYPE_COUNT rows are those of enum voxel_type; the others become float32. */
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

/* Finds a type by name or spelling, whatever the case; NULL: there is none. */
const struct stored_type *stored_type_find(const char *name);

/* "uint8 int8 ... float64", for messages. */
const char *stored_type_list(void);

struct voxels_desc {
    uint64_t dims[3];               /* voxels along x, y, z, whatever the order in the file */
    const struct stored_type *type; /* must be set */
    bool z_fastest;                 /* in the file; else x is */
    bool big_endian;
    bool gzip;
    uint64_t skip; /* bytes before the first voxel; gzip: of the unpacked data */
    struct progress progress;
};

/* Allocates `volume` and reads its voxels from the position of `source` on. Reports progress every 4 MiB at least. Errors:
 * ERR_INPUT for data that is short, broken or, with gzip, too long; ERR_FAILED for memory or "cancelled"; the volume is then
 * empty. */
int voxels_read(struct volume *volume, struct source *source, const struct voxels_desc *desc, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
