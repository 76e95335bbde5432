/* transpose: a matrix, row after row -> the same, column after column.
 *
 *    from  0 1 2      to  0 3
 *          3 4 5          1 4
 *                         2 5
 *
 * Rows may have a pitch larger than their length, on either side: a matrix can be a slice of a volume across any two of
 * its axes. A volume with z fastest is, for each y, a matrix of nx rows and nz columns, whose transpose has x fastest. */
#ifndef ISO_TRANSPOSE_H
#define ISO_TRANSPOSE_H

#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

struct transpose_desc {
    const void *from;     /* CUDA: both aligned to 16 bytes; CPU: as their elements */
    void *to;             /* must not overlap `from`; padding between its rows stays unchanged */
    size_t rows, columns; /* of `from` */
    size_t from_pitch;    /* elements from one row to the next: at least `columns` */
    size_t to_pitch;      /* the same in `to`: at least `rows` */
    unsigned bytes;       /* of an element: 4; on the CPU also 1 or 2 */
};

struct transpose_rung {
    struct rung rung;
    int (*run)(const struct transpose_desc *desc, struct exec *x);
    bool any_block; /* CUDA: accepts x->block threads per block */
};

extern const struct transpose_rung transpose_cpu[], transpose_cuda[];

#ifdef __cplusplus
}
#endif
#endif
