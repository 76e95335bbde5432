/* Vectors that not every CPU has: whether this one does, and how a function is built for them.
 *
 * FOR_AVX2 and FOR_AVX512 before a function let the compiler use them there, and in what it inlines into it: a body in plain
 * C (ISO_FN) becomes one function for each kind of CPU, all with the same results, as nothing is contracted. Call such a
 * function only where cpu_has_avx2() or cpu_has_avx512() says so. Elsewhere than on x86-64 they mean nothing. */
#ifndef ISO_CPU_VECTORS_H
#define ISO_CPU_VECTORS_H

#include "rung.h"

#ifdef __x86_64__
#define FOR_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define FOR_AVX512  \
    __attribute__(( \
        target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq,avx2,bmi,bmi2,popcnt")))
#else
#define FOR_AVX2
#define FOR_AVX512
#endif

#ifdef __cplusplus
extern "C" {
#endif

bool cpu_has_avx2(void);
bool cpu_has_avx512(void); /* as since Ice Lake and Zen 4 */

/* For struct rung: why a rung that needs them is unavailable; NULL if it is available. */
const char *cpu_lacks_avx2(const struct exec *x);
const char *cpu_lacks_avx512(const struct exec *x);

#ifdef __cplusplus
}
#endif
#endif
