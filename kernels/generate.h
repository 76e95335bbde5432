/* generate: the strips that own something -> vertices and indices.
 *
 * Vertex number strip_vertex() of a crossed edge, and the triangles of cell after cell: the same numbers on every
 * backend and rung. Everything in the desc is in the backend's memory but the desc itself and the structs in it. */
#ifndef ISO_GENERATE_H
#define ISO_GENERATE_H

#include "rung.h"
#include "strips.h"

#ifdef __cplusplus
extern "C" {
#endif

struct generate_desc {
    struct grid grid;
    float iso;
    struct strips strips;
    const struct mc_tables *tables;
    const uint32_t *list; /* strips to do */
    size_t list_count;
    struct mesh_out mesh; /* room for all that was counted */
};

struct generate_rung {
    struct rung rung;
    int (*run)(const struct generate_desc *desc, struct exec *x);
};

extern const struct generate_rung generate_cpu[], generate_cuda[];

#ifdef __cplusplus
}
#endif
#endif
