/* Store: a volume that stays in its file. Its slices are read when needed. They are read with pread, never through a
 * mapping: if the file shrinks, that is an error with a message instead of a signal. */
#ifndef ISO_STORE_H
#define ISO_STORE_H

#include "direct.h"
#include "past.h"

#ifdef __cplusplus
extern "C" {
#endif

struct store {
    struct source header, part; /* part: the file with the voxels, at the first one */
    struct layout layout;
    struct volume volume;          /* without voxels: their meaning, and their place in the world */
    struct direct direct;          /* how to read all voxels if they lie in one piece (voxels_are_direct) */
    struct past past;              /* what direct.past points to, if it is set */
    uint64_t component, frame;     /* for a Zarr array */
    struct voxels_slices **slices; /* otherwise: readers, one per thread if each slice is a file; NULL: unused */
    int readers;
};

/* Completes a store whose header and layout load_store has set. Use load_store to open a store. Error: as voxels_read. */
int store_begin(struct store *store, const struct load_desc *desc, struct err *err);

void store_close(struct store *store);

/* Removes the file with the voxels from the page cache. False: the voxels do not lie in one piece of a file, or it stays
 * there. */
bool store_evict(const struct store *store);

/* From now on, reads slices and boxes past the page cache (past.h) if possible: slices only as long as the disk delivers
 * `least` bytes per second; 0: however slow it is. */
void store_read_past(struct store *store, uint64_t least);

/* Bytes of a slice in memory. */
uint64_t store_slice_bytes(const struct store *store);

/* How many slices are unpacked together: the height of a chunk, or of the volume if that is less. Such groups begin at
 * multiples of this number. */
size_t store_chunk_slices(const struct store *store);

/* Whether the voxels can be read in any order. If not, they are decoded slice by slice by one reader at a time, and going
 * back means starting again. */
bool store_seeks(const struct store *store);

/* Reads slices `from` to `to` - 1 to `voxels`, in the volume's type in memory, with so many threads. Several callers may
 * read at once if the store seeks.
 * Errors: ERR_INPUT, ERR_FAILED. */
int store_read(const struct store *store, size_t from, size_t to, void *voxels, int threads, struct err *err);

/* Whether any of the data read so far was missing in the file and was replaced by the fill value: chunks of a Zarr
 * array. */
bool store_has_gaps(const struct store *store);

/* Some rows of some slices. */
struct store_rows {
    size_t slice, slices, row, rows;
};

/* Reads these rows, slice by slice, as store_read does. Unless the store seeks, `rows` must be all rows. */
int store_read_rows(const struct store *store, const struct store_rows *rows, void *voxels, int threads, struct err *err);

/* A box of every step-th voxel along each axis, counted in these voxels. */
struct store_box {
    uint64_t step, from[3], size[3]; /* x, y, z */
    const struct progress *progress; /* NULL: not reported */
};

/* Whether boxes of every step-th voxel can be read. If the voxels lie in chunks, step must be 1. */
bool store_has_boxes(const struct store *store, uint64_t step);

/* Whether reading a box also reads all voxels in between along x. Then a box of the same rows over their full length takes
 * no longer. */
bool store_reads_rows(const struct store *store, uint64_t step);

/* Asks the system for the beginning of a box that will be read soon, if that is known to help: if the voxels lie in one
 * piece of a file. */
void store_ask_box(const struct store *store, const struct store_box *box);

/* Reads a box, x fastest, as store_read does. Errors: the same, and ERR_FAILED for "cancelled". */
int store_read_box(const struct store *store, const struct store_box *box, void *voxels, int threads, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
