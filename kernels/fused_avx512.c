/* fused for x86-64 with AVX-512 as since Ice Lake and Zen 4. */
#include "fused_level.h"

#ifdef __AVX512VPOPCNTDQ__

#include <immintrin.h>

static bool available(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("bmi2");
}

/* Masked loads read nothing past the row's end. */
ISO_FN uint32_t inside_word(const struct grid *g, float iso, int least, size_t first, size_t n)
{
    const char *v = (const char *)g->voxels + first * voxel_bytes(g->type);
    const __mmask32 m = n < BRICK_X ? (1u << n) - 1 : 0xffffffffu;
    switch (g->type) {
    case VOXEL_UINT8:
        return _mm256_mask_cmpge_epu8_mask(m, _mm256_maskz_loadu_epi8(m, v), _mm256_set1_epi8((char)least));
    case VOXEL_INT8:
        return _mm256_mask_cmpge_epi8_mask(m, _mm256_maskz_loadu_epi8(m, v), _mm256_set1_epi8((char)least));
    case VOXEL_UINT16:
        return _mm512_mask_cmpge_epu16_mask(m, _mm512_maskz_loadu_epi16(m, v), _mm512_set1_epi16((short)least));
    case VOXEL_INT16:
        return _mm512_mask_cmpge_epi16_mask(m, _mm512_maskz_loadu_epi16(m, v), _mm512_set1_epi16((short)least));
    default: {
        const __mmask16 low = (__mmask16)m, high = (__mmask16)(m >> 16);
        const __m512 t = _mm512_set1_ps(iso);
        return _mm512_mask_cmp_ps_mask(low, _mm512_maskz_loadu_ps(low, v), t, _CMP_GE_OQ) |
               (uint32_t)_mm512_mask_cmp_ps_mask(high, _mm512_maskz_loadu_ps(high, v + 64), t, _CMP_GE_OQ) << 16;
    }
    }
}

#include "fused_level.inc"

const struct fused_level fused_avx512 = { available, count, emit, memory };

#else

static bool available(void)
{
    return false;
}

const struct fused_level fused_avx512 = { available, NULL, NULL, NULL };

#endif
