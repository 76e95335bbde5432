/* The metadata of a Zarr array: .zarray of format 2, zarr.json of format 3. */
#ifndef ISO_ZARR_META_H
#define ISO_ZARR_META_H

#include "zarr.h"

#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets what describes the array; zarr->name is set already, `axis` and the folder are left alone. What is not known is
 * refused by name. Error: ERR_INPUT. */
int zarr_meta_2(struct zarr *zarr, const json_t *meta, struct err *err);
int zarr_meta_3(struct zarr *zarr, const json_t *meta, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
