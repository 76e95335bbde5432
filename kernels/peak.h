/* peak: n numbers, each through PEAK_TURNS multiply-adds in registers, in float: v = v * a + 1, from v = i % 16.
 *
 * Nothing but arithmetic: what it reaches is the flat roof over all ops that are bound by arithmetic. With a = 1, which the
 * compiler does not know, the numbers are i % 16 + PEAK_TURNS, exactly. */
#ifndef ISO_PEAK_H
#define ISO_PEAK_H

#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PEAK_TURNS = 256 };

struct peak_rung {
    struct rung rung;
    int (*run)(float *out, size_t n, float a, struct exec *x);
};

extern const struct peak_rung peak_cpu[], peak_cuda[];

#ifdef __cplusplus
}
#endif
#endif
