/* draw for x86-64 with AVX2: vectors of 8. A mask is a vector of 0 and -1. */
#include "draw_cpu.h"

#ifdef __AVX2__

#include <immintrin.h>

enum { LANES = 8 };

typedef int32_t vi __attribute__((vector_size(32)));
typedef float vf __attribute__((vector_size(32)));
typedef vi vm;

ISO_FN vi vi_set(int32_t v) { return (vi)_mm256_set1_epi32(v); }
ISO_FN vf vf_set(float v) { return (vf)_mm256_set1_ps(v); }
ISO_FN vi vi_lanes(void) { return (vi){ 0, 1, 2, 3, 4, 5, 6, 7 }; }
ISO_FN vi vi_load(const int32_t *from) { return (vi)_mm256_loadu_si256((const __m256i *)from); }
ISO_FN void vi_store(int32_t *to, vi v) { _mm256_storeu_si256((__m256i *)to, (__m256i)v); }
ISO_FN void vf_store(float *to, vf v) { _mm256_storeu_ps(to, (__m256)v); }
ISO_FN vi vi_min(vi a, vi b) { return (vi)_mm256_min_epi32((__m256i)a, (__m256i)b); }
ISO_FN vi vi_max(vi a, vi b) { return (vi)_mm256_max_epi32((__m256i)a, (__m256i)b); }
ISO_FN vi vf_to_vi(vf v) { return (vi)_mm256_cvtps_epi32((__m256)v); }
ISO_FN vf vi_to_vf(vi v) { return (vf)_mm256_cvtepi32_ps((__m256i)v); }
ISO_FN vi vf_as_vi(vf v) { return (vi)v; }
ISO_FN vf vi_as_vf(vi v) { return (vf)v; }
ISO_FN vm vi_less(vi a, vi b) { return (vm)_mm256_cmpgt_epi32((__m256i)b, (__m256i)a); }
ISO_FN vm vi_same(vi a, vi b) { return (vm)_mm256_cmpeq_epi32((__m256i)a, (__m256i)b); }
ISO_FN vm vf_less(vf a, vf b) { return (vm)_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_LT_OQ); }
ISO_FN vm vf_most(vf a, vf b) { return (vm)_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_LE_OQ); }
ISO_FN vm mask_and(vm a, vm b) { return a & b; }
ISO_FN vm mask_or(vm a, vm b) { return a | b; }
ISO_FN vm mask_not(vm a) { return ~a; }
ISO_FN uint32_t mask_bits(vm m) { return (uint32_t)_mm256_movemask_ps((__m256)m); }
ISO_FN uint32_t sign_bits(vi v) { return (uint32_t)_mm256_movemask_ps((__m256)v); }
ISO_FN vi vi_pick(vm m, vi a, vi b) { return (vi)_mm256_blendv_epi8((__m256i)b, (__m256i)a, (__m256i)m); }
ISO_FN vf vf_pick(vm m, vf a, vf b) { return (vf)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)m); }
ISO_FN vf vf_min(vf a, vf b) { return (vf)_mm256_min_ps((__m256)a, (__m256)b); }
ISO_FN vf vf_max(vf a, vf b) { return (vf)_mm256_max_ps((__m256)a, (__m256)b); }
ISO_FN vf vf_sqrt(vf v) { return (vf)_mm256_sqrt_ps((__m256)v); }
ISO_FN vf vf_table(const float eight[8], vi index)
{
    return (vf)_mm256_permutevar8x32_ps(_mm256_loadu_ps(eight), (__m256i)index);
}

ISO_FN vi vi_mix_low(vi a, vi b) { return (vi)_mm256_unpacklo_epi32((__m256i)a, (__m256i)b); }
ISO_FN vi vi_mix_high(vi a, vi b) { return (vi)_mm256_unpackhi_epi32((__m256i)a, (__m256i)b); }

ISO_FN __m128i record_at(const void *records, uint32_t index) { return _mm_loadu_si128((const __m128i *)records + index); }

ISO_FN vi records_of(const void *records, const uint32_t *index)
{
    const __m256i first = _mm256_castsi128_si256(record_at(records, index[0]));
    return (vi)_mm256_inserti128_si256(first, record_at(records, index[12]), 1);
}

ISO_FN void records_to(void *records, vi v)
{
    __m128i *const to = records;
    _mm_storeu_si128(to, _mm256_castsi256_si128((__m256i)v));
    _mm_storeu_si128(to + 4, _mm256_extracti128_si256((__m256i)v, 1));
}

/* For each set of lanes, a byte each for the numbers of the lanes in the set. */
#define LANE_OF(set, i) ((set) >> (i)&1 ? (uint64_t)(i) << 8 * __builtin_popcount((set) & ((1 << (i)) - 1)) : 0)
#define LANES_OF(set)                                                                                            \
    (LANE_OF(set, 0) | LANE_OF(set, 1) | LANE_OF(set, 2) | LANE_OF(set, 3) | LANE_OF(set, 4) | LANE_OF(set, 5) | \
     LANE_OF(set, 6) | LANE_OF(set, 7))
#define FOUR_SETS(set) LANES_OF(set), LANES_OF((set) + 1), LANES_OF((set) + 2), LANES_OF((set) + 3)
#define SIXTEEN_SETS(set) FOUR_SETS(set), FOUR_SETS((set) + 4), FOUR_SETS((set) + 8), FOUR_SETS((set) + 12)
#define SETS(set) SIXTEEN_SETS(set), SIXTEEN_SETS((set) + 16), SIXTEEN_SETS((set) + 32), SIXTEEN_SETS((set) + 48)
static const uint64_t lanes_of[256] = { SETS(0), SETS(64), SETS(128), SETS(192) };

ISO_FN void vi_pack(int32_t *to, vi v, uint32_t which)
{
    const __m256i order = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(lanes_of + which)));
    _mm256_storeu_si256((__m256i *)to, _mm256_permutevar8x32_epi32((__m256i)v, order));
}

ISO_FN vi words_of(const uint64_t *from, int which)
{
    const __m256 low = _mm256_loadu_ps((const float *)from), high = _mm256_loadu_ps((const float *)(from + 4));
    const __m256 mixed = which ? _mm256_shuffle_ps(low, high, 0xdd) : _mm256_shuffle_ps(low, high, 0x88);
    return (vi)_mm256_permute4x64_epi64(_mm256_castps_si256(mixed), 0xd8);
}

#include "draw_cpu_body.inc"
#include "draw_light_body.inc"

const struct draw_isa draw_avx2 = { place, cover, shade, light };

#else

const struct draw_isa draw_avx2 = { NULL, NULL, NULL, NULL };

#endif
