/* The mesh of the slices read for a slab (plan.h), and which part of it the slab owns. */
#ifndef ISO_SLAB_MESH_H
#define ISO_SLAB_MESH_H

#include "mesh_host.h"
#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

struct slab_mesh { /* its memory is borrowed */
    struct plan_slab slab;
    struct mesh_host mesh;
    float *normals;        /* 3 per vertex; NULL if not needed */
    struct iso_layer skip; /* vertices and triangles of the mesh before those that the slab owns */
};

#ifdef __cplusplus
}
#endif
#endif
