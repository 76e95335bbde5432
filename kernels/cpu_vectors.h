/* Vector instructions that not every CPU has: does this one have them, and how is a function built for them?
 *
 * FOR_AVX2 or FOR_AVX512 before a function lets the compiler use these instructions in it and in whatever it inlines
 * into it. A body in plain C (ISO_FN) thus becomes one function for each kind of CPU. All give the same results,
 * because nothing is contracted. Call such a function only where cpu_has_avx2() or cpu_has_avx512() allows it. On
 * machines other than x86-64 the two macros mean nothing.
 *
 * FOR_FMA is AVX2 plus the multiply-adds that round once; AVX-512 includes those. They double what a core computes but
 * change the last digit, so FOR_AVX2 leaves them out. Only the ops whose results have error bounds, gemm and fma_peak,
 * ask for them. They call FMA8 and FMA16 on vectors, because the compiler makes no multiply-adds by itself. */
#ifndef ISO_CPU_VECTORS_H
#define ISO_CPU_VECTORS_H

#include "rung.h"

typedef float floats4 __attribute__((vector_size(16), may_alias));
typedef float floats8 __attribute__((vector_size(32), may_alias));
typedef float floats16 __attribute__((vector_size(64), may_alias));

#ifdef __x86_64__
#include <immintrin.h>
#define FOR_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define FOR_FMA __attribute__((target("avx2,fma,bmi,bmi2,popcnt")))
#define FOR_AVX512  \
    __attribute__(( \
        target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq,avx2,bmi,bmi2,popcnt")))
#define ALL8(s) ((floats8)_mm256_set1_ps(s))
#define ALL16(s) ((floats16)_mm512_set1_ps(s))
#define FMA8(a, b, c) ((floats8)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c))) /* a * b + c */
#define FMA16(a, b, c) ((floats16)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#else
#define FOR_AVX2
#define FOR_FMA
#define FOR_AVX512
#define ALL8(s) ((s) - (floats8){ 0 })
#define ALL16(s) ((s) - (floats16){ 0 })
#define FMA8(a, b, c) ((a) * (b) + (c))
#define FMA16(a, b, c) ((a) * (b) + (c))
#endif

#ifdef __cplusplus
extern "C" {
#endif

bool cpu_has_avx2(void);
bool cpu_has_fma(void);    /* with AVX2 */
bool cpu_has_avx512(void); /* the set that Ice Lake and Zen 4 introduced */

/* For struct rung: why a rung that needs these instructions is unavailable; NULL if it is available. */
const char *cpu_lacks_avx2(const struct exec *x);
const char *cpu_lacks_fma(const struct exec *x);
const char *cpu_lacks_avx512(const struct exec *x);

#ifdef __cplusplus
}
#endif
#endif
