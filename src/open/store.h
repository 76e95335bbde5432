/* Store: a volume that stays in its file. Slices of it are read when they are needed: by pread, never through a mapping,
 * where a file that shrinks would be a signal instead of a sentence. */
#ifndef ISO_STORE_H
#define ISO_STORE_H

#include "direct.h"

#ifdef __cplusplus
extern "C" {
#endif

struct store {
    struct source header, part; /* part: the file of the voxels, at their first */
    struct layout layout;
    struct volume volume;      /* without voxels: what they mean, and where they lie in the world */
    struct direct direct;      /* how all of them are read where they lie in one piece (voxels_are_direct) */
    int past;                  /* what direct.past points to, where it does */
    uint64_t component, frame; /* of a Zarr array */
    struct voxels_slices *
        *slices; /* else, one for each of several threads where each slice has a file of its own; NULL: not so */
    int readers;
};

/* Completes a store whose header and layout have been set by load_store, which is what opens one. Error: as voxels_read. */
int store_begin(struct store *store, const struct load_desc *desc, struct err *err);

void store_close(struct store *store);

/* Takes the file of the voxels out of the page cache. False: they do not lie in one piece of a file, or it stays there. */
bool store_evict(const struct store *store);

/* Reads slices and boxes past the page cache from now on (past.h), where that can be done: of a file that is larger than
 * memory. */
void store_read_past(struct store *store);

/* Bytes of a slice in memory. */
uint64_t store_slice_bytes(const struct store *store);

/* How many slices, from a multiple of it on, are unpacked together: the height of a chunk, or of the volume if that is
 * less. */
size_t store_chunk_slices(const struct store *store);

/* Whether the voxels can be read in any order. If not, they are decoded slice after slice, by one reader at a time, and
 * going back means to begin anew. */
bool store_seeks(const struct store *store);

/* Reads slices `from` to `to` - 1 to `voxels`, as the volume has them in memory, by so many threads. Several may read at
 * once, if the store seeks.
 * Errors: ERR_INPUT, ERR_FAILED. */
int store_read(const struct store *store, size_t from, size_t to, void *voxels, int threads, struct err *err);

/* Whether something that was read so far is not in the file, and counts as the fill value: chunks of a Zarr array. */
bool store_has_gaps(const struct store *store);

/* Some rows of some slices. */
struct store_rows {
    size_t slice, slices, row, rows;
};

/* Reads these rows, slice by slice, as store_read does; all rows, unless the store seeks. */
int store_read_rows(const struct store *store, const struct store_rows *rows, void *voxels, int threads, struct err *err);

/* A box of every step-th voxel along each axis, counted in those. */
struct store_box {
    uint64_t step, from[3], size[3]; /* x, y, z */
    const struct progress *progress; /* NULL: nobody is told */
};

/* Whether boxes can be read: every step-th voxel, or all of them (step 1) where they lie in chunks. */
bool store_has_boxes(const struct store *store, uint64_t step);

/* Whether all voxels between those of a box, along x, are read with it: a box of the same rows, from end to end, takes no
 * longer. */
bool store_reads_rows(const struct store *store, uint64_t step);

/* Asks the system for the beginning of a box that will be read soon, where that is known to help: of voxels in one piece of
 * a file. */
void store_ask_box(const struct store *store, const struct store_box *box);

/* Reads a box, x fastest, as store_read does. Errors: the same, and ERR_FAILED for "cancelled". */
int store_read_box(const struct store *store, const struct store_box *box, void *voxels, int threads, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
