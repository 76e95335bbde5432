/* compact: strips -> the numbers of the strips that own a vertex or a triangle, and their count.
 *
 *    vertices 0 2 0 1, triangles 0 1 0 0        list 1 3, count 2
 *
 * `list` holds each number once, ascending unless the rung says any_order, and has space for all strips. The mesh does
 * not depend on the order, because scan has already given every strip its place in the mesh. Order only saves reads:
 * strips that are neighbours in the volume are then neighbours in the list, too. The two arrays of counts are aligned
 * to 16 bytes. */
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
    bool any_order;                                    /* the list's order is arbitrary and changes from run to run */
};

extern const struct compact_rung compact_cpu[], compact_cuda[];

#ifdef __cplusplus
}
#endif
#endif
