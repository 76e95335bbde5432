/* Reading voxels, after a reader has understood the header.
 *
 *    parts of the file -> [uncompress] -> [decode] -> [choose frame and component] -> [swap bytes] -> [convert to float32]
 *       -> [reorder axes] -> volume.grid.voxels
 *
 * The header's claims are checked against the sizes of the files before anything is allocated. Values are read directly
 * into the volume. Types that no op takes are converted piece by piece. Voxels in another order are read slab by slab,
 * which needs no second volume. */
#ifndef ISO_VOXELS_H
#define ISO_VOXELS_H

#include "layout.h"
#include "request.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Allocates `volume` and reads the voxels that `layout` describes (of desc->frame and desc->component), with its geometry
 * and note. `layout` must have passed layout_check; `header` is the file it came from. Reports progress at least every 4
 * MiB. Errors: ERR_INPUT if data is short, broken or, when compressed, too long; ERR_USAGE if there is no such frame or
 * component; ERR_FAILED for memory or "cancelled". The volume is then empty. */
int voxels_read(struct volume *volume, const struct layout *layout, struct source *header, const struct load_desc *desc,
                struct err *err);

/* Bytes that a volume and reading it may take: desc->memory, or 75 % of what is free now. */
uint64_t voxels_memory(const struct load_desc *desc);

struct direct;

/* Describes what voxels_read would do, for a Zarr array or a file whose layout has voxels_are_ordered. Sets `volume` except
 * its voxels (NULL). For a file it also sets `direct`, which is valid if voxels_are_direct; its source, to, values and
 * progress are left to the caller. For a Zarr array `direct` is not touched. Errors: as voxels_read. */
int voxels_describe(struct volume *volume, struct direct *direct, const struct layout *layout, const struct source *header,
                    const struct load_desc *desc, struct err *err);

/* Whether the voxels of a frame and component lie in one uncompressed piece of a file, x fastest, then y. Then all threads
 * can read them at once, and every n-th voxel can be read alone. */
bool voxels_are_direct(const struct layout *layout);

/* Whether the voxels follow one another, x fastest, then y, so that they can be read slice by slice. They may be packed,
 * and lie in any number of files. False for a Zarr array. */
bool voxels_are_ordered(const struct layout *layout);

/* The slices of such a layout, of the frame and component that `desc` chooses. voxels_describe must have described it.
 * `layout` and `header` must outlive the slices. memory: bytes that decoding may take. Error: ERR_FAILED; there is then
 * nothing to close. */
struct voxels_slices;
int voxels_slices_open(struct voxels_slices **slices, const struct layout *layout, struct source *header,
                       const struct load_desc *desc, uint64_t memory, struct err *err);

/* Reads n slices, beginning with slice `from`, to `to`, as voxels_read would. To read a slice before the last one read, its
 * part is decoded from the start again. Errors: as voxels_read. */
int voxels_slices_read(struct voxels_slices *slices, size_t from, size_t n, void *to, struct err *err);
void voxels_slices_close(struct voxels_slices *slices);

#ifdef __cplusplus
}
#endif
#endif
