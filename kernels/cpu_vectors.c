#include "cpu_vectors.h"

#ifdef __x86_64__

bool cpu_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}

bool cpu_has_fma(void) { return cpu_has_avx2() && __builtin_cpu_supports("fma"); }

bool cpu_has_avx512(void)
{
    return cpu_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
           __builtin_cpu_supports("avx512vpopcntdq");
}

#else

bool cpu_has_avx2(void) { return false; }
bool cpu_has_fma(void) { return false; }
bool cpu_has_avx512(void) { return false; }

#endif

const char *cpu_lacks_avx2(const struct exec *x)
{
    (void)x;
    return cpu_has_avx2() ? NULL : "this processor lacks AVX2";
}

const char *cpu_lacks_fma(const struct exec *x)
{
    (void)x;
    return cpu_has_fma() ? NULL : "this processor lacks AVX2 or FMA";
}

const char *cpu_lacks_avx512(const struct exec *x)
{
    (void)x;
    return cpu_has_avx512() ? NULL : "this processor lacks AVX-512 as since Ice Lake and Zen 4";
}
