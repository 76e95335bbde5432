/* The table of formats. */
#ifndef ISO_FORMATS_H
#define ISO_FORMATS_H

#include "read.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FORMAT_HEAD = 1024 }; /* bytes that probes get */

struct format {
    const char *name;
    const char *extensions[6];                    /* lower case, with the dot */
    bool (*probe)(const uint8_t *head, size_t n); /* whether this is the format's magic; NULL: it has none */
    int (*read)(struct layout *layout, struct source *source, const struct load_desc *desc, struct err *err);
    const char *advice; /* if read is NULL: what to do with a file of this known but unsupported format */
    bool array, series; /* --array and --series select in it */
    /* Whether reading the volume `path` also reads `other`, or would if `other` existed. NULL: only the files that the
     * layout lists. */
    bool (*takes)(const char *path, const char *other);
};

/* Finds the format of a file. First by its first bytes, uncompressed. Then by its name, so that the right reader can say
 * what is wrong with a damaged file. Then RAW, if `described`: the caller describes the voxels. In that case a file that
 * only has the name of an unsupported format is RAW, too. NULL: unknown. */
const struct format *format_find(const uint8_t *head, size_t n, const char *name, bool described);

/* Finds the format of the folder at `path`; if it is nothing else, a folder of slices. */
const struct format *format_find_folder(const char *path);

/* Names what opening the folder at `path` would read. NULL: nothing in it can be read. */
const char *format_of_folder(const char *path);

/* format_is_zarr: whether the folder at `path` is a Zarr array or group. format_is_zarr_file: whether a file of this name
 * marks its folder as one. */
bool format_is_zarr(const char *path);
bool format_is_zarr_file(const char *name);

/* Whether a file of this name is probably a volume. */
bool format_knows(const char *name);

/* Writes the formats that can be read, for messages: "NRRD, NumPy, ...". Returns `to`. */
const char *format_list(char *to, size_t capacity);

bool format_is_raw(const struct format *format);

#ifdef __cplusplus
}
#endif
#endif
