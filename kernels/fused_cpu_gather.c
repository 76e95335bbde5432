/* fused as in fused_cpu_avx512.c, but with gathered loads: one instruction loads a voxel for each of sixteen vertices.
 * It was measured to be faster on Sapphire Rapids only. Intel's earlier processors lost their quick gathers with the
 * microcode of 2023 (Downfall); AMD's were not measured. */
#include "fused_cpu.h"

#define FUSED_AVX512 fused_gather

#ifdef __AVX512VPOPCNTDQ__
#define HAVE_BATCH_GATHER
struct making;
struct batch;
ISO_FN void batch_gather(const struct grid *g, const struct making *m, const uint16_t *notes, unsigned n, struct batch *b);
#endif

#include "fused_cpu_avx512.inc"

#ifdef __AVX512VPOPCNTDQ__

bool fused_gather_is_quick(void) { return __builtin_cpu_is("intel") && __builtin_cpu_supports("avx512bf16"); }

enum { MOST_LAYER = 1 << 28 }; /* bytes of a layer of voxels; six layers fit an offset */

struct places {      /* of sixteen vertices */
    __m512i x, y, z; /* of the edge's first voxel in the grid */
    __m512i axis;
    __m512i first, second; /* the edge's voxels: bytes from the brick's first one */
};

/* step: bytes from voxel to voxel along x, y and z. */
ISO_FN struct places places_of(const struct making *m, __m512i note, const int step[3])
{
    const __m512i three = _mm512_set1_epi32(3), row = _mm512_srli_epi32(note, NOTE_ROW);
    const __m512i lane = _mm512_and_si512(note, _mm512_set1_epi32(BRICK_X - 1)), j = _mm512_and_si512(row, three),
                  k = _mm512_srli_epi32(row, 2);
    const __m512i along[3] = { _mm512_mullo_epi32(lane, _mm512_set1_epi32(step[0])),
                               _mm512_mullo_epi32(j, _mm512_set1_epi32(step[1])),
                               _mm512_mullo_epi32(k, _mm512_set1_epi32(step[2])) };
    const __m512i to_second = _mm512_setr_epi32(step[0], step[1], step[2], 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    struct places p;
    _Static_assert(BRICK_Y == 4, "a row is j + 4 k");
    p.axis = _mm512_and_si512(_mm512_srli_epi32(note, NOTE_AXIS), three);
    p.x = _mm512_add_epi32(lane, _mm512_set1_epi32((int)m->x));
    p.y = _mm512_add_epi32(j, _mm512_set1_epi32((int)m->y));
    p.z = _mm512_add_epi32(k, _mm512_set1_epi32((int)m->z));
    p.first = _mm512_add_epi32(along[0], _mm512_add_epi32(along[1], along[2]));
    p.second = _mm512_add_epi32(p.first, _mm512_permutexvar_epi32(p.axis, to_second));
    return p;
}

/* As on_border(), along one axis with n voxels. at: of the first voxel. */
ISO_FN __mmask16 at_end(__m512i at, __m512i axis, int own, size_t n)
{
    const __m512i one = _mm512_set1_epi32(1), behind = _mm512_add_epi32(at, one);
    const __mmask16 along = _mm512_cmpeq_epi32_mask(axis, _mm512_set1_epi32(own));
    const __m512i last = _mm512_mask_add_epi32(behind, along, behind, one);
    return (__mmask16)(_mm512_testn_epi32_mask(at, at) | _mm512_cmpge_epu32_mask(last, _mm512_set1_epi32((int)n)));
}

/* Return the voxels at `at`, bytes from `base`, as raw_value() does. Each voxel is the end of a 32-bit load, so nothing
 * after the volume is touched. */
ISO_FN __m512i gather_voxels(enum voxel_type type, const char *base, __m512i at, __mmask16 which)
{
    const unsigned before = 4 - (unsigned)voxel_bytes(type);
    const __m512i word = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), which, at, base - before, 1);
    if (type == VOXEL_INT8 || type == VOXEL_INT16) return _mm512_srai_epi32(word, 8 * before);
    return before ? _mm512_srli_epi32(word, 8 * before) : word;
}

/* As batch_load(), for one end of sixteen edges. */
ISO_FN void gather_end(const struct grid *g, struct batch *b, unsigned end, unsigned i, const char *base, __m512i at,
                       __mmask16 which, const int step[3])
{
    const unsigned words = step[0] == 1 ? 1 : step[0] == 2 ? 2 : 3;
    for (unsigned w = 0; w < words; w++)
        _mm512_store_si512(b->line[end][w] + i,
                           _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), which, at, base - step[0] + 4 * (int)w, 1));
    for (unsigned a = 0; a < 2; a++) {
        const __m512i across = _mm512_set1_epi32(step[1 + a]);
        _mm512_store_si512(b->across[end][2 * a] + i, gather_voxels(g->type, base, _mm512_sub_epi32(at, across), which));
        _mm512_store_si512(b->across[end][2 * a + 1] + i,
                           gather_voxels(g->type, base, _mm512_add_epi32(at, across), which));
    }
}

ISO_FN void batch_gather(const struct grid *g, const struct making *m, const uint16_t *notes, unsigned n, struct batch *b)
{
    const size_t bytes = voxel_bytes(g->type);
    if (g->nx * g->ny * bytes > MOST_LAYER) {
        batch_load_each(g, m, notes, n, b);
        return;
    }
    const int step[3] = { (int)bytes, (int)(g->nx * bytes), (int)(g->nx * g->ny * bytes) };
    const char *const base = (const char *)g->voxels + m->first * bytes;
    for (unsigned i = 0; i < n; i += 16) {
        const __m512i note = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(notes + i)));
        const struct places p = places_of(m, note, step);
        const __mmask16 some = (__mmask16)_bzhi_u32(0xffff, n - i);
        __mmask16 odd = 0;
        if (!m->inside)
            odd = (__mmask16)(at_end(p.x, p.axis, 0, g->nx) | at_end(p.y, p.axis, 1, g->ny) |
                              at_end(p.z, p.axis, 2, g->nz));
        odd &= some;
        _mm512_store_si512(b->note + i, note);
        _mm512_store_si512(b->odd + i, _mm512_maskz_set1_epi32(odd, 1));
        gather_end(g, b, 0, i, base, p.first, some & (__mmask16)~odd, step);
        gather_end(g, b, 1, i, base, p.second, some & (__mmask16)~odd, step);
    }
}

#else

bool fused_gather_is_quick(void) { return false; }

#endif
