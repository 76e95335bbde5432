/* Chunk layer: reads slices of a store whose voxels lie in chunks (zarr.h). Chunks are unpacked as a whole, but slabs end
 * inside them. So all slices of the layer of chunks in which a read ends are kept for the next read. A caller that reads
 * slices in order then unpacks each chunk once. */
#ifndef ISO_CHUNK_LAYER_H
#define ISO_CHUNK_LAYER_H

#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif

struct chunk_layer { /* zero means closed */
    const struct store *store;
    char *voxels;    /* of one layer */
    size_t from, to; /* slices that it holds */
};

/* Bytes of memory that it takes. 0: each slice is unpacked alone, so there is nothing to keep. */
uint64_t chunk_layer_bytes(const struct store *store);

/* Error: ERR_FAILED for memory; there is then nothing to close. */
int chunk_layer_open(struct chunk_layer *layer, const struct store *store, struct err *err);
void chunk_layer_close(struct chunk_layer *layer);

/* Reads slices as store_read does, but for one caller at a time. */
int chunk_layer_read(struct chunk_layer *layer, size_t from, size_t to, void *voxels, int threads, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
