/* generate: the strips that own something -> vertices and indices.
 *
 * Vertex number strip_vertex() of a crossed edge, and the triangles of cell after cell: the same numbers on every
 * backend and rung, but where the rung gives a soup. There corner k of triangle t has a vertex of its own, number 3 t + k,
 * with the same bits as the shared one; so indices count 0, 1, 2, .., and vertices are three times the triangles.
 * Everything in the desc is in the backend's memory but the desc itself and the structs in it. */
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
    struct mesh_out mesh; /* room for all that was counted; a soup: for 3 vertices per triangle */
};

struct generate_rung {
    struct rung rung;
    int (*run)(const struct generate_desc *desc, struct exec *x);
    bool soup; /* no vertex is shared */
};

extern const struct generate_rung generate_cpu[], generate_cuda[];

#ifdef __cplusplus
}
#endif
#endif
