/* draw for x86-64 with AVX-512: vectors of 16, masks in registers of their own. */
#include "draw_cpu.h"

#ifdef __AVX512VPOPCNTDQ__

#include <immintrin.h>

enum { LANES = 16 };

typedef int32_t vi __attribute__((vector_size(64)));
typedef float vf __attribute__((vector_size(64)));
typedef __mmask16 vm;

ISO_FN vi vi_set(int32_t v) { return (vi)_mm512_set1_epi32(v); }
ISO_FN vf vf_set(float v) { return (vf)_mm512_set1_ps(v); }
ISO_FN vi vi_lanes(void) { return (vi){ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 }; }
ISO_FN vi vi_load(const int32_t *from) { return (vi)_mm512_loadu_si512(from); }
ISO_FN void vi_store(int32_t *to, vi v) { _mm512_storeu_si512(to, (__m512i)v); }
ISO_FN void vf_store(float *to, vf v) { _mm512_storeu_ps(to, (__m512)v); }
ISO_FN vi vi_min(vi a, vi b) { return (vi)_mm512_min_epi32((__m512i)a, (__m512i)b); }
ISO_FN vi vi_max(vi a, vi b) { return (vi)_mm512_max_epi32((__m512i)a, (__m512i)b); }
ISO_FN vi vf_to_vi(vf v) { return (vi)_mm512_cvtps_epi32((__m512)v); }
ISO_FN vf vi_to_vf(vi v) { return (vf)_mm512_cvtepi32_ps((__m512i)v); }
ISO_FN vi vf_as_vi(vf v) { return (vi)v; }
ISO_FN vf vi_as_vf(vi v) { return (vf)v; }
ISO_FN vm vi_less(vi a, vi b) { return _mm512_cmplt_epi32_mask((__m512i)a, (__m512i)b); }
ISO_FN vm vi_same(vi a, vi b) { return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b); }
ISO_FN vm vf_less(vf a, vf b) { return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ); }
ISO_FN vm vf_most(vf a, vf b) { return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LE_OQ); }
ISO_FN vm mask_and(vm a, vm b) { return (vm)(a & b); }
ISO_FN vm mask_or(vm a, vm b) { return (vm)(a | b); }
ISO_FN vm mask_not(vm a) { return (vm)~a; }
ISO_FN uint32_t mask_bits(vm m) { return m; }
ISO_FN uint32_t sign_bits(vi v) { return _mm512_movepi32_mask((__m512i)v); }
ISO_FN vi vi_pick(vm m, vi a, vi b) { return (vi)_mm512_mask_mov_epi32((__m512i)b, m, (__m512i)a); }
ISO_FN vf vf_pick(vm m, vf a, vf b) { return (vf)_mm512_mask_mov_ps((__m512)b, m, (__m512)a); }
ISO_FN vf vf_min(vf a, vf b) { return (vf)_mm512_min_ps((__m512)a, (__m512)b); }
ISO_FN vf vf_max(vf a, vf b) { return (vf)_mm512_max_ps((__m512)a, (__m512)b); }
ISO_FN vf vf_sqrt(vf v) { return (vf)_mm512_sqrt_ps((__m512)v); }
ISO_FN vf vf_table(const float eight[8], vi index)
{
    return (vf)_mm512_permutexvar_ps((__m512i)index, _mm512_castps256_ps512(_mm256_loadu_ps(eight)));
}

ISO_FN vi vi_mix_low(vi a, vi b) { return (vi)_mm512_unpacklo_epi32((__m512i)a, (__m512i)b); }
ISO_FN vi vi_mix_high(vi a, vi b) { return (vi)_mm512_unpackhi_epi32((__m512i)a, (__m512i)b); }

ISO_FN __m128i record_at(const void *records, uint32_t index) { return _mm_loadu_si128((const __m128i *)records + index); }

ISO_FN vi records_of(const void *records, const uint32_t *index)
{
    const __m512i first = _mm512_castsi128_si512(record_at(records, index[0]));
    const __m512i two = _mm512_inserti32x4(first, record_at(records, index[12]), 1);
    const __m512i three = _mm512_inserti32x4(two, record_at(records, index[24]), 2);
    return (vi)_mm512_inserti32x4(three, record_at(records, index[36]), 3);
}

ISO_FN void records_to(void *records, vi v)
{
    __m128i *const to = records;
    _mm_storeu_si128(to, _mm512_castsi512_si128((__m512i)v));
    _mm_storeu_si128(to + 4, _mm512_extracti32x4_epi32((__m512i)v, 1));
    _mm_storeu_si128(to + 8, _mm512_extracti32x4_epi32((__m512i)v, 2));
    _mm_storeu_si128(to + 12, _mm512_extracti32x4_epi32((__m512i)v, 3));
}

/* Storing all lanes takes less time than storing some. */
ISO_FN void vi_pack(int32_t *to, vi v, uint32_t which)
{
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)which, (__m512i)v));
}

ISO_FN vi words_of(const uint64_t *from, int which)
{
    const __m512i order = _mm512_add_epi32(_mm512_add_epi32((__m512i)vi_lanes(), (__m512i)vi_lanes()),
                                           _mm512_set1_epi32(which));
    return (vi)_mm512_permutex2var_epi32(_mm512_loadu_si512(from), order, _mm512_loadu_si512(from + 8));
}

#include "draw_cpu_body.inc"
#include "draw_light_body.inc"

const struct draw_isa draw_avx512 = { place, cover, shade, light };

#else

const struct draw_isa draw_avx512 = { NULL, NULL, NULL, NULL };

#endif
