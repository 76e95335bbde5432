/* The files of a Zarr folder. Its metadata comes from strangers and names other files: paths are walked part by part, and
 * neither ".." nor, unless the caller says `anywhere`, a link is followed. */
#ifndef ISO_ZARR_FILE_H
#define ISO_ZARR_FILE_H

#include "error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opens `path` below the open folder `folder`, to read; `flags`: O_DIRECTORY for a folder. -1: errno says why, ENOENT if
 * there is none, ELOOP if it is a link or climbs. */
int zarr_file_open(int folder, const char *path, bool anywhere, int flags);

/* The size of an open regular file; false: it is none. */
bool zarr_file_size(int file, uint64_t *size);

/* Reads n bytes at `at`; false: there are fewer, or errno says why. */
bool zarr_file_read(int file, void *to, size_t n, uint64_t at);

/* Reads the JSON object in the file `path`. *json: owned by the caller; NULL without an error if there is no such file.
 * `name` is the folder's, for messages. Errors: ERR_INPUT, ERR_FAILED. */
int zarr_file_json(json_t **json, int folder, const char *path, bool anywhere, const char *name, struct err *err);

/* Says why zarr_file_open failed, by errno. Returns ERR_INPUT. */
int zarr_file_refuse(const char *name, const char *path, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
