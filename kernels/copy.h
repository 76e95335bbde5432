/* copy: n 32-bit numbers from one place in the backend's memory to another; what every op that only moves data can hope for.
 *
 * `from` and `to` do not overlap, and both are aligned to 16 bytes. */
#ifndef ISO_COPY_H
#define ISO_COPY_H

#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

struct copy_rung {
    struct rung rung;
    int (*run)(const uint32_t *from, uint32_t *to, size_t n, struct exec *x);
    bool any_block; /* CUDA: takes x->block threads per block */
};

extern const struct copy_rung copy_cpu[], copy_cuda[];

#ifdef __cplusplus
}
#endif
#endif
