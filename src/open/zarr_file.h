/* The files of a Zarr folder. Its metadata is not trusted, and it names other files. So paths are walked part by part; ".."
 * is never followed, and a link only if the caller says `anywhere`. */
#ifndef ISO_ZARR_FILE_H
#define ISO_ZARR_FILE_H

#include "error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opens `path` below the open folder `folder` for reading. `flags`: O_DIRECTORY for a folder. -1: errno has the reason,
 * ENOENT if there is none, ELOOP if it is a link, EXDEV if it begins with a slash or leads upwards. */
int zarr_file_open(int folder, const char *path, bool anywhere, int flags);

/* Gets the size of an open regular file. False: it is not one. */
bool zarr_file_size(int file, uint64_t *size);

/* Reads the JSON object in the file `path`. The caller owns *json; it is NULL without an error if there is no such file.
 * `name` is the folder's, for messages. Errors: ERR_INPUT, ERR_FAILED. */
int zarr_file_json(json_t **json, int folder, const char *path, bool anywhere, const char *name, struct err *err);

/* Reports why zarr_file_open failed, from errno. Returns ERR_INPUT. */
int zarr_file_refuse(const char *name, const char *path, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
