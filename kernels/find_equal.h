/* find_equal: the positions of a value in an unsorted array: the first, or all.
 *
 *    values 3 1 2 1      value 1      first 1      list 1 3, count 2
 *
 * Compares by ==: -0 finds +0, and NaN finds nothing. Sets *first to n if the value does not occur. With list NULL it
 * finds only the first and may stop early. Otherwise it also writes all positions to `list`, which has space for n, and
 * sets *count; the rest of the list is undefined. */
#ifndef ISO_FIND_EQUAL_H
#define ISO_FIND_EQUAL_H

#include "grid.h"
#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

struct find_equal_desc {
    const float *values; /* [n]; this and all below in backend memory */
    size_t n;
    float value;
    uint64_t *first; /* one */
    uint64_t *list;  /* [n], or NULL */
    uint64_t *count; /* one; unused if list is NULL */
};

struct find_equal_rung {
    struct rung rung;
    int (*run)(const struct find_equal_desc *desc, void *scratch, struct exec *x);
    size_t (*scratch)(const struct find_equal_desc *desc, const struct exec *x); /* bytes, 256-byte aligned; NULL: none */
    bool ordered;   /* the list ascends; else its order is arbitrary and changes from run to run */
    bool any_block; /* CUDA: accepts x->block threads per block */
};

extern const struct find_equal_rung find_equal_cpu[], find_equal_cuda[];

#ifdef __cplusplus
}
#endif
#endif
