/* compact: strips -> the numbers of the strips that own a vertex or a triangle, and how many there are.
 *
 *    vertices 0 2 0 1, triangles 0 1 0 0        list 1 3, count 2
 *
 * The list holds each once, in ascending order but where the rung says that it comes in any order. The mesh does not
 * depend on the order, since scan has told every strip where its part of the mesh begins; neighbours in the list that
 * are neighbours in the volume only spare reads. `list` has room for all strips, worst case.
 * The two arrays of counts are 16-byte aligned. */
#ifndef ISO_COMPACT_H
#define ISO_COMPACT_H

#include "rung.h"
#include "strips.h"

#ifdef __cplusplus
extern "C" {
#endif

struct compact_rung {
    struct rung rung;
    int (*run)(const struct strips *strips, uint32_t *list, uint64_t *count, void *scratch, struct exec *x);
    size_t (*scratch)(size_t n, const struct exec *x); /* bytes for n strips, 256-byte aligned; NULL: none */
    bool any_order;                                    /* of the list, and another one from run to run */
};

extern const struct compact_rung compact_cpu[], compact_cuda[];

#ifdef __cplusplus
}
#endif
#endif
