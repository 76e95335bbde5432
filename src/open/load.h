/* Loading: a file name in, a volume out. formats.c has a table row per format, read.h its reader. */
#ifndef ISO_LOAD_H
#define ISO_LOAD_H

#include "request.h"
#include "source.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Loads `path`, a file or a folder of slices, into a new `volume`; desc NULL: all defaults. Errors: ERR_INPUT, ERR_FAILED,
 * ERR_USAGE for a `desc` that contradicts itself or the format; the volume is then empty. */
int load_volume(struct volume *volume, const char *path, const struct load_desc *desc, struct err *err);

/* Reads only the header: fills `layout`, to be freed by the caller also after an error. Errors: as load_volume; CAUSE_SHAPE
 * for a RAW file whose shape `desc` should say. */
struct layout;
int load_layout(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);

/* Chooses a part of a file of at least `bytes` bytes (of packed ones, a quarter) that is quickly read, for a first look:
 * every n-th voxel (desc->step), at most `voxels` in all, or a coarser level of an image (desc->level). Returns how many
 * voxels along an axis stand behind one of it; 1: the file is smaller or has to be read as a whole, and `desc` is as it
 * was. Reads headers. */
uint64_t load_look(struct load_desc *desc, const char *path, uint64_t bytes, uint64_t voxels);

/* Opens `path` as a store, to be closed by the caller if *is: its voxels lie in chunks, or in their order
 * (voxels_are_ordered). Errors: as load_volume, and there is nothing to close. */
struct store;
int load_store(struct store *store, const char *path, const struct load_desc *desc, bool *is, struct err *err);

/* Whether reading the volume `path` takes in the file `other`: it is the header or holds voxels, or would be taken for a
 * part if it were there, as a picture in a folder of slices. Nothing is said of what is no volume. */
bool load_takes(const char *path, const struct load_desc *desc, const char *other);

/* Whether `source`, at its start, is a RAW file by its name, and by its content no other. */
bool load_is_raw(struct source *source);

#ifdef __cplusplus
}
#endif
#endif
