/* components: the connected components of a mesh: each vertex gets the smallest vertex number of its component.
 *
 *    triangles 0 3 5   1 4 6   3 5 7        vertices 0 1 2 3 4 5 6 7  ->  labels 0 1 2 0 1 0 1 0
 *
 * Two vertices belong together if a chain of triangles leads from one to the other. A vertex without triangles is
 * alone, with its own number. There is exactly one right result, so all rungs give the same bits. A vertex whose label
 * is its own number is the root of its component. */
#ifndef ISO_COMPONENTS_H
#define ISO_COMPONENTS_H

#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

struct components_desc {
    size_t vertices, triangles; /* vertices: at most 2^32 - 1 */
    const uint32_t *indices;    /* (triangles, 3), each below `vertices`; in the backend's memory, as is */
    uint32_t *labels;           /* [vertices] */
};

struct components_rung {
    struct rung rung;
    int (*run)(const struct components_desc *desc, void *scratch, struct exec *x);
    size_t (*scratch)(const struct components_desc *desc, const struct exec *x); /* bytes, 256-byte aligned; NULL: none */
};

extern const struct components_rung components_cpu[], components_cuda[];

#ifdef __cplusplus
}
#endif
#endif
