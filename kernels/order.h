/* order: what drawing triangles from back to front needs beside gemv and sort.
 *
 *    vertices, indices --sums--> rows of a matrix --gemv--> depths --sort--> which triangle comes first, second, ..
 *                      indices and that --permute--> indices
 *
 * The sum of a triangle's corners is three times its centre: the factor changes no order. The sums last as long as the
 * mesh; gemv, sort and permute are for each view. Everything is in the backend's memory; outputs do not overlap inputs. */
#ifndef ISO_ORDER_H
#define ISO_ORDER_H

#include "grid.h"
#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

struct order_rung {
    struct rung rung;
    /* sums: (n, 3), of the corners of n triangles */
    int (*sums)(const struct vertex *vertices, const uint32_t *indices, float *sums, size_t n, struct exec *x);
    /* out: the corners of triangle order[0], then order[1], ..; each below n */
    int (*permute)(const uint32_t *indices, const uint32_t *order, uint32_t *out, size_t n, struct exec *x);
};

extern const struct order_rung order_cpu[], order_cuda[];

/* The same bits everywhere. */
ISO_FN void order_sum(const struct vertex *a, const struct vertex *b, const struct vertex *c, float sum[3])
{
    sum[0] = a->x + b->x + c->x;
    sum[1] = a->y + b->y + c->y;
    sum[2] = a->z + b->z + c->z;
}

#ifdef __cplusplus
}
#endif
#endif
