/* Writing a Zarr array of format 3: voxels in chunks of at most 64 x 64 x 64, packed by zstd, and these in shards of 8 x 8
 * x 8. The array comes band by band: a layer of chunks, and as many rows of it as memory holds. */
#ifndef ISO_PACK_ARRAY_H
#define ISO_PACK_ARRAY_H

#include "error.h"
#include "kernels/grid.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PACK_CHUNK = 64, PACK_SHARD = 8 /* voxels of a chunk, chunks of a shard, along each axis */ };

struct pack_array {
    const char *path; /* of the whole image, for messages; the caller's */
    int folder;       /* descriptor of the array's; the caller's */
    enum voxel_type type;
    size_t size[3], chunk[3], shard[3]; /* voxels x, y, z; of a chunk; chunks of a shard */
    size_t shards[2];                   /* along x and y */
    int threads;
    uint64_t *at;          /* [shards[0] * shards[1]] bytes so far, of this layer of shards; owned */
    uint64_t *index;       /* of each the offset and size of its chunks; owned */
    uint64_t bytes, files; /* written */
};

/* Sets the shape of the array, a level of the image `path`, which must outlive it. */
void pack_array_plan(struct pack_array *p, const char *path, enum voxel_type type, const size_t size[3]);

/* Bytes that writing takes, beside the band. */
uint64_t pack_array_bytes(const struct pack_array *p, int threads);

/* Begins to write a planned array to the open folder: its zarr.json. Error: ERR_FAILED; pack_array_close is due either
 * way. */
int pack_array_open(struct pack_array *p, int folder, int threads, struct err *err);

/* Writes rows `row` to row + rows - 1 of the layer of chunks number `layer`: `voxels` are rows of all its slices. Bands
 * come layer by layer; row is a multiple of the chunks' size. Error: ERR_FAILED. */
int pack_array_add(struct pack_array *p, size_t layer, size_t row, size_t rows, const void *voxels, struct err *err);

/* Ends the shards of the present layer of these: their indexes. Error: ERR_FAILED. */
int pack_array_end(struct pack_array *p, size_t layer, struct err *err);

void pack_array_close(struct pack_array *p);

#ifdef __cplusplus
}
#endif
#endif
