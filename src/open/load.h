/* Loading: takes a file name, returns a volume. formats.c has a table row per format; read.h declares the readers. */
#ifndef ISO_LOAD_H
#define ISO_LOAD_H

#include "request.h"
#include "source.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Loads `path`, a file or a folder of slices, into a new `volume`. desc NULL: all defaults. Errors: ERR_INPUT, ERR_FAILED,
 * ERR_USAGE if `desc` contradicts itself or the format; the volume is then empty. */
int load_volume(struct volume *volume, const char *path, const struct load_desc *desc, struct err *err);

/* Reads only the header and fills `layout`, which the caller frees, also after an error. Errors: as load_volume;
 * CAUSE_SHAPE for a RAW file if `desc` has to give its shape. */
struct layout;
int load_layout(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);

/* Chooses a part of a large file that can be read quickly, for a first look. A file is large if it has at least `bytes`
 * bytes; for packed values a quarter is enough. The part is every n-th voxel (desc->step), at most `voxels` in all, or a
 * coarser level of an image (desc->level). Returns how many voxels along an axis one voxel of the part stands for. 1: the
 * file is smaller, or can only be read as a whole; `desc` is then unchanged. Reads headers. */
uint64_t load_look(struct load_desc *desc, const char *path, uint64_t bytes, uint64_t voxels);

/* Opens `path` as a store if possible: if its voxels lie in chunks, or in their order (voxels_are_ordered). Sets *is; if it
 * is true, the caller closes the store. Errors: as load_volume; there is then nothing to close. */
struct store;
int load_store(struct store *store, const char *path, const struct load_desc *desc, bool *is, struct err *err);

/* Whether the voxels of `path` take at least `bytes` bytes and lie in one piece of a file as they do in memory, except for
 * the order of their bytes. Reads headers; false for files that have to be converted first. */
bool load_is_plain(const char *path, const struct load_desc *desc, uint64_t bytes);

/* Whether reading the volume `path` also reads the file `other`: as its header, for its voxels, or, if `other` does not
 * exist, as a part that it would become (a picture in a folder of slices, for instance). The answer means nothing if `path`
 * is not a volume. */
bool load_takes(const char *path, const struct load_desc *desc, const char *other);

/* Whether `source`, at its start, is a RAW file by its name and not another format by its content. */
bool load_is_raw(struct source *source);

#ifdef __cplusplus
}
#endif
#endif
