/* The metadata of a Zarr array: .zarray in format 2, zarr.json in format 3. */
#ifndef ISO_ZARR_META_H
#define ISO_ZARR_META_H

#include "zarr.h"

#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Set the members that describe the array. zarr->name must be set; `axis` and the folder are not touched. What is not
 * supported is refused by name. Error: ERR_INPUT. */
int zarr_meta_2(struct zarr *zarr, const json_t *meta, struct err *err);
int zarr_meta_3(struct zarr *zarr, const json_t *meta, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
