/* transpose: a matrix of 32-bit elements, row after row -> the same, column after column.
 *
 *    from  0 1 2      to  0 3
 *          3 4 5          1 4
 *                         2 5
 *
 * `from` and `to` do not overlap, and are aligned to 16 bytes. A volume of nz slices is a matrix of nz rows: its transpose
 * has z fastest. */
#ifndef ISO_TRANSPOSE_H
#define ISO_TRANSPOSE_H

#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

struct transpose_rung {
    struct rung rung;
    int (*run)(const uint32_t *from, uint32_t *to, size_t rows, size_t columns, struct exec *x); /* of `from` */
};

extern const struct transpose_rung transpose_cpu[], transpose_cuda[];

#ifdef __cplusplus
}
#endif
#endif
