/* The formats, a row each. */
#ifndef ISO_FORMATS_H
#define ISO_FORMATS_H

#include "read.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FORMAT_HEAD = 1024 }; /* bytes that probes see */

struct format {
    const char *name;
    const char *extensions[6];                    /* lower case, with their dot */
    bool (*probe)(const uint8_t *head, size_t n); /* is this the format's magic? NULL: it has none */
    int (*read)(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
    const char *advice; /* read NULL: what to do with a file that is known and not read */
    bool array, series; /* --array and --series choose in it */
    /* Whether reading the volume `path` takes in `other`, which is there, or would if it were there. NULL: only what the
     * layout lists. */
    bool (*takes)(const char *path, const char *other);
};

/* Finds the format of a file by its first bytes, uncompressed; then by its name, for a damaged file to be refused by the
 * reader that knows why; then RAW, if `described`: the caller describes the voxels. What is only called like a format that
 * is not read is RAW then, too. NULL: unknown. */
const struct format *format_find(const uint8_t *head, size_t n, const char *name, bool described);

/* Finds what the folder at `path` is; slices, if it is nothing else. */
const struct format *format_find_folder(const char *path);

/* Names what opening the folder at `path` would read; NULL: there is nothing in it that can be. */
const char *format_of_folder(const char *path);

/* Whether the folder at `path` is an array or a group of Zarr; and whether a file of this name says so of its folder. */
bool format_is_zarr(const char *path);
bool format_is_zarr_file(const char *name);

/* Whether a file of this name is likely to be a volume. */
bool format_knows(const char *name);

/* "NRRD, NumPy, ...": the formats that can be read, for messages. Returns `to`. */
const char *format_list(char *to, size_t capacity);

bool format_is_raw(const struct format *format);

#ifdef __cplusplus
}
#endif
#endif
