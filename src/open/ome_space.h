/* Where an image of OME-Zarr lies in the world, as far as its version 0.5 has no words for that: the directions of its axes
 * and the world's name. `pack` writes them beside "ome", as the attribute "isoscope" of the image, for the finest level and
 * by the fields of NRRD:
 *
 *    "isoscope": {
 *        "space": "left-posterior-superior",
 *        "space directions": [[0, 2, 0], [-1, 0, 0], [0, 0, 3]],
 *        "space origin": [10, -20, 30]
 *    }
 *
 * `space` is there only if the world is that of a patient. The directions are the steps along x, y and z from one voxel to
 * the next, the origin is the middle of the first voxel, all in the unit of OME's axis x. Distances stay OME's: the scale
 * and translation of a level are lengths along these directions, counted from where OME has the origin. */
#ifndef ISO_OME_SPACE_H
#define ISO_OME_SPACE_H

#include "layout.h"

#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OME_SPACE "isoscope" /* the attribute */

/* Whether a volume has what OME-Zarr cannot say. */
bool ome_space_needed(const struct volume *volume);

/* The attribute, the caller's; NULL: no memory. */
json_t *ome_space_json(const struct volume *volume);

/* How programs that do not know the attribute see the volume, "mirrored and turned"; NULL: as it is. */
const char *ome_space_seen(const struct volume *volume);

/* Takes the attribute, where there is one: turns the layout's axes, straight so far, and moves its origin. `unit`: what
 * OME's unit is in the layout's; `name` is for messages. Error: ERR_INPUT for what is broken. */
int ome_space_take(struct layout *layout, const json_t *attributes, double unit, const char *name, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
