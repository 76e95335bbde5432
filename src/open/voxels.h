/* Reading voxels, once a reader has understood the header.
 *
 *    parts of the file -> [uncompress] -> [decode] -> [choose frame and component] -> [swap bytes] -> [convert to float32]
 *       -> [reorder axes] -> volume.grid.voxels
 *
 * The header's claims are checked against the bytes of the files before anything is allocated. Values go straight into the
 * volume; types that no op takes are converted piece by piece, and voxels in another order are read slab by slab, which
 * needs no second volume. */
#ifndef ISO_VOXELS_H
#define ISO_VOXELS_H

#include "layout.h"
#include "request.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Allocates `volume` and reads the voxels that `layout` describes (of desc->frame and desc->component), with its geometry
 * and note. `layout` must have passed layout_check; `header` is the file it came from. Reports progress every 4 MiB at
 * least. Errors: ERR_INPUT for data that is short, broken or, compressed, too long; ERR_USAGE for a frame or component that
 * is not there; ERR_FAILED for memory or "cancelled". The volume is then empty. */
int voxels_read(struct volume *volume, const struct layout *layout, struct source *header, const struct load_desc *desc,
                struct err *err);

/* Bytes that a volume and its reading may take: desc->memory, or 75 % of what is free now. */
uint64_t voxels_memory(const struct load_desc *desc);

struct direct;

/* What voxels_read would do, for a layout where voxels_are_ordered, of a file, or of a Zarr array: sets `volume` but for
 * its voxels (NULL), and `direct`, which is for voxels_are_direct, but for source, to, values and progress, which are the
 * caller's. Of a Zarr array `direct` is left alone. Errors: as voxels_read. */
int voxels_describe(struct volume *volume, struct direct *direct, const struct layout *layout, const struct source *header,
                    const struct load_desc *desc, struct err *err);

/* Whether the voxels of a frame and component lie in one uncompressed piece of a file, x fastest, then y: all threads can
 * then read them at once, and every n-th alone. */
bool voxels_are_direct(const struct layout *layout);

/* Whether the voxels follow one another, x fastest, then y, however they are packed, and in how many files: slice after
 * slice can then be read. Not of a Zarr array. */
bool voxels_are_ordered(const struct layout *layout);

/* The slices of such a layout, of the frame and component that `desc` chooses, which was described by voxels_describe.
 * `layout` and `header` must outlive it; memory: bytes that decoding may take. Error: ERR_FAILED, and there is nothing to
 * close. */
struct voxels_slices;
int voxels_slices_open(struct voxels_slices **slices, const struct layout *layout, struct source *header,
                       const struct load_desc *desc, uint64_t memory, struct err *err);

/* Reads n slices from `from` on to `to`, as voxels_read would. Those before the last one that was read are decoded from the
 * start of their part anew. Errors: as voxels_read. */
int voxels_slices_read(struct voxels_slices *slices, size_t from, size_t n, void *to, struct err *err);
void voxels_slices_close(struct voxels_slices *slices);

#ifdef __cplusplus
}
#endif
#endif
