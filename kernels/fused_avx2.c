/* fused for x86-64 with AVX2: 32 flags at once by comparison and movemask; the rest is the body, in wider vectors. */
#include "fused_level.h"

#ifdef __AVX2__

#include <immintrin.h>

static bool available(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}

ISO_FN uint32_t some_word(const struct grid *g, float iso, size_t first, size_t n)
{
    uint32_t word = 0;
    for (size_t i = 0; i < n; i++) word |= (uint32_t)(grid_value(g, first + i) >= iso) << i;
    return word;
}

/* Flags of 2 x 16 words, 0 or -1, to 32 bits. */
ISO_FN uint32_t mask_of_16(__m256i low, __m256i high)
{
    const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8);
    return (uint32_t)_mm256_movemask_epi8(bytes);
}

ISO_FN uint32_t inside_word(const struct grid *g, float iso, int least, size_t first, size_t n)
{
    if (n < BRICK_X) return some_word(g, iso, first, n);
    const __m256i *v = (const __m256i *)((const char *)g->voxels + first * voxel_bytes(g->type));
    const __m256i a = _mm256_loadu_si256(v);
    if (g->type == VOXEL_UINT8)
        return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(a, _mm256_set1_epi8((char)least)), a));
    if (g->type == VOXEL_INT8)
        return (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(a, _mm256_set1_epi8((char)(least - 1))));
    const __m256i b = _mm256_loadu_si256(v + 1);
    if (g->type == VOXEL_UINT16) {
        const __m256i t = _mm256_set1_epi16((short)least);
        return mask_of_16(_mm256_cmpeq_epi16(_mm256_max_epu16(a, t), a), _mm256_cmpeq_epi16(_mm256_max_epu16(b, t), b));
    }
    if (g->type == VOXEL_INT16) {
        const __m256i t = _mm256_set1_epi16((short)(least - 1));
        return mask_of_16(_mm256_cmpgt_epi16(a, t), _mm256_cmpgt_epi16(b, t));
    }
    uint32_t word = 0;
    const float *f = (const float *)v;
    for (unsigned i = 0; i < BRICK_X; i += 8)
        word |= (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(f + i), _mm256_set1_ps(iso), _CMP_GE_OQ)) << i;
    return word;
}

#include "fused_level.inc"

const struct fused_level fused_avx2 = { available, count, emit, memory };

#else

static bool available(void)
{
    return false;
}

const struct fused_level fused_avx2 = { available, NULL, NULL, NULL };

#endif
