/* A Zarr array (https://zarr-specs.readthedocs.io), format 2 or 3: a grid of chunks. Each chunk is compressed alone, and
 * lies in its own file of a folder or with others in a shard. All threads read a box of the array together, each a chunk at
 * a time. */
#ifndef ISO_ZARR_H
#define ISO_ZARR_H

#include "error.h"
#include "axis.h"
#include "progress.h"
#include "stored_type.h"
#include "zarr_chain.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ZARR_AXES = 8, ZARR_NAME = 256 };

struct zarr {
    int folder;           /* descriptor of the array's folder; owned */
    bool anywhere;        /* its files may be links */
    char name[ZARR_NAME]; /* for messages */

    int rank;                      /* axes, the slowest of a C array first */
    uint64_t shape[ZARR_AXES];     /* values along each */
    uint64_t chunk[ZARR_AXES];     /* values of a chunk, the unit of decoding; chunks at the ends are whole, too */
    uint64_t shard[ZARR_AXES];     /* chunks in a file along each axis; 1 without shards */
    uint8_t order[ZARR_AXES];      /* axes of a chunk as they are stored, the fastest last */
    char axis_name[ZARR_AXES][16]; /* "": unknown */
    bool sharded, index_first, index_big, index_summed; /* a shard's index: before the chunks, big-endian, with a CRC-32C */
    const struct stored_type *type;
    bool big_endian;
    bool negate;                 /* the volume has float32 with reversed signs, since slopes are positive */
    uint8_t fill[sizeof(float)]; /* value of missing chunks, as the volume has it in memory before negation */
    struct zarr_chain chain;
    char before[4], between; /* for the names of chunks: "c/" and '/' for c/0/1/2 */
    bool gaps;               /* set by reading: a chunk was missing */
    int axis[AXIS_COUNT];    /* which axis is x, y, ...; -1: none is */
};

/* What is read: a box of one frame and component. */
struct zarr_box {
    uint64_t from[3], size[3]; /* x, y, z; inside the array */
    uint64_t component, frame;
    void *to;        /* size[0] * size[1] * size[2] voxels, x fastest */
    int threads;     /* 0: as many as OpenMP has */
    uint64_t memory; /* bytes that reading may take */
    const struct progress *progress;
    uint64_t chunks, missing,
        lost; /* set: chunks that the box touches; those that are missing; values that do not fit a float */
};

/* Reads a box. Errors: ERR_INPUT if chunks are broken or cut off; ERR_FAILED for memory or "cancelled". */
int zarr_read(struct zarr *zarr, struct zarr_box *box, struct err *err);

/* Bytes of a decoded chunk. 0: they do not fit in 62 bits. */
uint64_t zarr_chunk_bytes(const struct zarr *zarr);

/* Closes and frees the array; NULL is allowed. */
void zarr_free(struct zarr *zarr);

#ifdef __cplusplus
}
#endif
#endif
