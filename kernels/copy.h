/* copy: move n 32-bit numbers within the backend's memory; the upper bound for every op that only moves data.
 *
 * `from` and `to` do not overlap and are aligned to 16 bytes. */
#ifndef ISO_COPY_H
#define ISO_COPY_H

#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

struct copy_rung {
    struct rung rung;
    int (*run)(const uint32_t *from, uint32_t *to, size_t n, struct exec *x);
    bool any_block; /* CUDA: accepts x->block threads per block */
};

extern const struct copy_rung copy_cpu[], copy_cuda[];

#ifdef __cplusplus
}
#endif
#endif
