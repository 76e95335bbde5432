/* Chunk layer: slices of a store whose voxels lie in chunks (zarr.h). Chunks are unpacked as a whole, and slabs end within
 * them: of the layer of chunks that a reading ends in, all slices are kept for the next one, so that whoever reads slices
 * in their order unpacks each chunk once. */
#ifndef ISO_CHUNK_LAYER_H
#define ISO_CHUNK_LAYER_H

#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif

struct chunk_layer { /* zero is a closed one */
    const struct store *store;
    char *voxels;    /* of one layer */
    size_t from, to; /* slices that are in it */
};

/* Bytes that it takes in memory; 0: each slice is unpacked alone, and none need be kept. */
uint64_t chunk_layer_bytes(const struct store *store);

/* Error: ERR_FAILED for memory, and there is nothing to close. */
int chunk_layer_open(struct chunk_layer *layer, const struct store *store, struct err *err);
void chunk_layer_close(struct chunk_layer *layer);

/* Reads slices as store_read does; one at a time. */
int chunk_layer_read(struct chunk_layer *layer, size_t from, size_t to, void *voxels, int threads, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
