/* generate: the strips that own something -> vertices and indices.
 *
 * Writes the vertex of each crossed edge at number strip_vertex(), and the triangles cell by cell. The numbers are the
 * same on every backend and rung, except soups. In a soup, corner k of triangle t has a vertex of its own, number 3 t +
 * k, with the same bits as the shared one: there are three vertices per triangle, and the indices count 0, 1, 2, ...
 * All arrays are in the backend's memory; the desc and its structs are on the host. */
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
    const uint32_t *list; /* strips to process */
    size_t list_count;
    struct mesh_out mesh; /* space for all that was counted; a soup: for 3 vertices per triangle */
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
