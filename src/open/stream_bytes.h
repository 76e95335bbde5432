/* How much memory slabs of n layers of bricks take, without their meshes (plan_bytes). */
#ifndef ISO_STREAM_BYTES_H
#define ISO_STREAM_BYTES_H

#include "iso.h"
#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of the two bands, which have `ahead` more slices than their slabs, and of the ranges of bricks. */
uint64_t stream_band_bytes(const struct store *store, size_t n, size_t ahead);

/* Bytes of the pipeline's working memory if every brick held surface. */
uint64_t stream_working_bytes(const struct store *store, const struct iso *iso, size_t n);

/* The same, if it is known how many bricks of each layer of the volume hold surface. */
uint64_t stream_working_bytes_known(const struct store *store, const struct iso *iso, const struct iso_layer *layer,
                                    size_t n);

#ifdef __cplusplus
}
#endif
#endif
