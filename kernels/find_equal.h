/* find: where a value occurs in an array in any order: the first place, or all of them.
 *
 *    values 3 1 2 1      value 1      first 1      list 1 3, count 2
 *
 * Equal is ==, so that -0 finds +0, and NaN finds nothing. first is n where there is none. list == NULL: only the first is
 * asked for, which may stop early; else list has room for n places, all of them are written, and *count says how many. */
#ifndef ISO_FIND_EQUAL_H
#define ISO_FIND_EQUAL_H

#include "grid.h"
#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

struct find_equal_desc {
    const float *values; /* [n], backend memory, as all here */
    size_t n;
    float value;
    uint64_t *first; /* one */
    uint64_t *list;  /* [n], or NULL */
    uint64_t *count; /* one; not used where list is NULL */
};

struct find_equal_rung {
    struct rung rung;
    int (*run)(const struct find_equal_desc *desc, void *scratch, struct exec *x);
    size_t (*scratch)(const struct find_equal_desc *desc, const struct exec *x); /* bytes, 256-byte aligned; NULL: none */
    bool ordered; /* the list ascends; else it is in any order, another one at each run */
};

extern const struct find_equal_rung find_equal_cpu[], find_equal_cuda[];

#ifdef __cplusplus
}
#endif
#endif
