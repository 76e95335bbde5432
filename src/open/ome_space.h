/* The place of an OME-Zarr image in the world, as far as version 0.5 cannot express it: the directions of its axes and the
 * name of the world. `pack` writes them next to "ome", as the attribute "isoscope" of the image. They are for the finest
 * level and use the fields of NRRD:
 *
 *    "isoscope": {
 *        "space": "left-posterior-superior",
 *        "space directions": [[0, 2, 0], [-1, 0, 0], [0, 0, 3]],
 *        "space origin": [10, -20, 30]
 *    }
 *
 * `space` is present only if the world is that of a patient. The directions are the steps from one voxel to the next along
 * x, y and z. The origin is the centre of the first voxel. All are in the unit of OME's axis x. OME still defines
 * distances: the scale and translation of a level are lengths along these directions, counted from OME's origin. */
#ifndef ISO_OME_SPACE_H
#define ISO_OME_SPACE_H

#include "layout.h"

#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OME_SPACE "isoscope" /* name of the attribute */

/* Whether a volume has a place that OME-Zarr cannot express. */
bool ome_space_needed(const struct volume *volume);

/* Returns the attribute, owned by the caller. NULL: no memory. */
json_t *ome_space_json(const struct volume *volume);

/* How programs that do not know the attribute show the volume, such as "mirrored and turned". NULL: as it is. */
const char *ome_space_seen(const struct volume *volume);

/* Applies the attribute if there is one: turns the layout's axes, which are straight so far, and moves its origin. `unit`:
 * OME's unit in the layout's unit; `name` is for messages. Error: ERR_INPUT if it is broken. */
int ome_space_take(struct layout *layout, const json_t *attributes, double unit, const char *name, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
