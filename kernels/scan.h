/* scan: counts -> exclusive prefix sums, and the total.
 *
 *    in   3 0 2 5        out  0 3 3 5        total 10
 *
 * Sums are computed in 64 bits and stored in 32: if the exact total exceeds UINT32_MAX, `out` has wrapped and must not
 * be used. `in` and `out` are aligned to 16 bytes and must not overlap. n == 0 gives total 0. */
#ifndef ISO_SCAN_H
#define ISO_SCAN_H

#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

struct scan_rung {
    struct rung rung;
    int (*run)(const uint32_t *in, uint32_t *out, uint64_t *total, size_t n, void *scratch, struct exec *x);
    size_t (*scratch)(size_t n, const struct exec *x); /* bytes, 256-byte aligned; NULL: none */
};

extern const struct scan_rung scan_cpu[], scan_cuda[];

#ifdef __cplusplus
}
#endif
#endif
