/* The metadata of an OME-Zarr image of version 0.5. */
#ifndef ISO_PACK_JSON_H
#define ISO_PACK_JSON_H

#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pack_array;

/* Writes the zarr.json of an array to the array's open folder. Error: ERR_FAILED. */
int pack_json_array(int folder, const struct pack_array *p, struct err *err);

/* Writes the zarr.json of an image with so many levels, which are the folders "0", "1" ... in the open folder. `volume`
 * gives its place in the world; `path` is for messages. Error: ERR_FAILED. */
int pack_json_image(int folder, const char *path, const struct volume *volume, int levels, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
