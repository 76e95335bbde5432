/* Surfaces as raster and compute draw them (raster.h). */
#ifndef ISO_RASTER_LAYER_H
#define ISO_RASTER_LAYER_H

#include "mesh.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct raster_layer {
    const struct mesh *mesh;
    uint64_t triangles; /* the first so many of the mesh */
    float clip_from_voxel[16], view_normal[9];
    uint32_t surface; /* 1 to 31 */
    bool clockwise, flipped;
};

enum { RASTER_LAYERS = 4 }; /* of a picture */

struct raster_layers { /* in the order in which they are drawn */
    struct raster_layer layer[RASTER_LAYERS];
    int count;
};

#ifdef __cplusplus
}
#endif
#endif
