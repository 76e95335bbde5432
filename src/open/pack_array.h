/* Writes a Zarr array of format 3. Voxels are in chunks of at most 64 x 64 x 64, compressed with zstd; chunks are in shards
 * of 8 x 8 x 8. The array comes in bands: parts of a layer of chunks with as many rows as fit into memory. */
#ifndef ISO_PACK_ARRAY_H
#define ISO_PACK_ARRAY_H

#include "error.h"
#include "kernels/grid.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PACK_CHUNK = 64, PACK_SHARD = 8 /* voxels of a chunk, chunks of a shard, along each axis */ };

struct pack_array {
    const char *path; /* of the whole image, for messages; borrowed */
    int folder;       /* descriptor of the array's folder; borrowed */
    enum voxel_type type;
    size_t size[3], chunk[3], shard[3]; /* in x, y, z: voxels; voxels of a chunk; chunks of a shard */
    size_t shards[2];                   /* number of shards along x and y */
    int threads;
    uint64_t *at;          /* [shards[0] * shards[1]] bytes so far of each shard in this layer; owned */
    uint64_t *index;       /* for each of them, offset and size of its chunks; owned */
    uint64_t bytes, files; /* written so far */
};

/* Sets the shape of the array, a level of the image `path`. The string must outlive it. */
void pack_array_plan(struct pack_array *p, const char *path, enum voxel_type type, const size_t size[3]);

/* Bytes that writing takes, besides the band. */
uint64_t pack_array_bytes(const struct pack_array *p, int threads);

/* Begins to write a planned array to the open folder, with its zarr.json. Error: ERR_FAILED. Call pack_array_close in any
 * case. */
int pack_array_open(struct pack_array *p, int folder, int threads, struct err *err);

/* Writes rows `row` to row + rows - 1 of layer number `layer` of chunks; `voxels` has these rows of all its slices. Bands
 * come layer by layer; `row` is a multiple of the chunk size. Error: ERR_FAILED. */
int pack_array_add(struct pack_array *p, size_t layer, size_t row, size_t rows, const void *voxels, struct err *err);

/* Completes the shards of the current layer of shards with their indexes. Error: ERR_FAILED. */
int pack_array_end(struct pack_array *p, size_t layer, struct err *err);

void pack_array_close(struct pack_array *p);

#ifdef __cplusplus
}
#endif
#endif
