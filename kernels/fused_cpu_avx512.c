/* fused for x86-64 with AVX-512 as since Ice Lake and Zen 4. */
#include "fused_cpu.h"

#ifdef __AVX512VPOPCNTDQ__

#include <immintrin.h>

static bool available(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vpopcntdq") &&
           __builtin_cpu_supports("bmi2");
}

/* Masked loads read nothing past the row's end. */
ISO_FN uint32_t inside_word(const struct grid *g, float iso, int threshold, size_t first, size_t n)
{
    const char *v = (const char *)g->voxels + first * voxel_bytes(g->type);
    const __mmask32 m = n < BRICK_X ? (1u << n) - 1 : 0xffffffffu;
    switch (g->type) {
    case VOXEL_UINT8:
        return _mm256_mask_cmpge_epu8_mask(m, _mm256_maskz_loadu_epi8(m, v), _mm256_set1_epi8((char)threshold));
    case VOXEL_INT8:
        return _mm256_mask_cmpge_epi8_mask(m, _mm256_maskz_loadu_epi8(m, v), _mm256_set1_epi8((char)threshold));
    case VOXEL_UINT16:
        return _mm512_mask_cmpge_epu16_mask(m, _mm512_maskz_loadu_epi16(m, v), _mm512_set1_epi16((short)threshold));
    case VOXEL_INT16:
        return _mm512_mask_cmpge_epi16_mask(m, _mm512_maskz_loadu_epi16(m, v), _mm512_set1_epi16((short)threshold));
    default: {
        const __mmask16 low = (__mmask16)m, high = (__mmask16)(m >> 16);
        const __m512 t = _mm512_set1_ps(iso);
        return _mm512_mask_cmp_ps_mask(low, _mm512_maskz_loadu_ps(low, v), t, _CMP_GE_OQ) |
               (uint32_t)_mm512_mask_cmp_ps_mask(high, _mm512_maskz_loadu_ps(high, v + 64), t, _CMP_GE_OQ) << 16;
    }
    }
}

#define HAVE_BRICK_CASES
struct brick_bits;
struct brick_edges;
ISO_FN void brick_cases(const struct brick_bits *b, const struct brick_edges *e, const struct mc_tables *tables,
                        uint16_t cases[][BRICK_X], uint32_t *triangles);

#define HAVE_OPEN_ROW
ISO_FN unsigned open_row(uint32_t cells, unsigned i, uint16_t *place);

#define HAVE_NOTE_ROW
struct row;
ISO_FN uint32_t note_row(struct row row, unsigned i, uint16_t *notes);

#define HAVE_BRICK_TRIANGLES
struct record;
struct near;
static void brick_triangles(const struct fused_desc *d, const struct record *record, const struct near *near);

#include "fused_cpu_body.inc"

ISO_FN __mmask64 two_rows(const uint32_t *word)
{
    uint64_t bits;
    memcpy(&bits, word, sizeof bits);
    return bits;
}

/* Look up `index` in a table of 256 bytes in four registers. */
ISO_FN __m512i look_up(const __m512i table[4], __m512i index)
{
    const __m512i low = _mm512_permutex2var_epi8(table[0], index, table[1]);
    return _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(index), _mm512_permutex2var_epi8(table[2], index, table[3]));
}

/* Return the 16-bit sums of eight rows: even rows are in the low half, odd ones in the high half, spread over its
 * 64-bit lanes. */
ISO_FN __m256i sums_in_order(__m512i sums)
{
    sums = _mm512_add_epi64(sums, _mm512_permutex_epi64(sums, 0x4e));
    sums = _mm512_add_epi64(sums, _mm512_permutex_epi64(sums, 0xb1));
    const __m128i even = _mm512_castsi512_si128(sums), odd = _mm512_extracti64x2_epi64(sums, 2);
    return _mm256_cvtepu16_epi32(_mm_unpacklo_epi16(even, odd));
}

/* Take two rows at once: a masked addition per corner, then the table. */
ISO_FN void brick_cases(const struct brick_bits *b, const struct brick_edges *e, const struct mc_tables *tables,
                        uint16_t cases[][BRICK_X], uint32_t *triangles)
{
    __m512i table[4], sums[2] = { _mm512_setzero_si512(), _mm512_setzero_si512() };
    for (unsigned i = 0; i < 4; i++) table[i] = _mm512_loadu_si512(tables->triangles + 64 * i);
    for (unsigned i = 0; i < ROWS; i += 2) {
        const unsigned r = row_lane(i);
        const __mmask64 active = two_rows(e->active + r);
        if (!active) continue; /* most, in smooth surfaces */
        __m512i index = _mm512_setzero_si512();
        for (unsigned row = 0; row < 4; row++) {
            const unsigned other = r + (row & 1) + STEP * (row >> 1);
            index = _mm512_mask_add_epi8(index, two_rows(b->word + other), index, _mm512_set1_epi8((char)(1 << 2 * row)));
            index = _mm512_mask_add_epi8(index, two_rows(b->next + other), index, _mm512_set1_epi8((char)(2 << 2 * row)));
        }
        _mm512_storeu_si512(cases[i], _mm512_cvtepu8_epi16(_mm512_castsi512_si256(index)));
        _mm512_storeu_si512(cases[i + 1], _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(index, 1)));
        const __m512i each = _mm512_maskz_mov_epi8(active, look_up(table, index));
        const __m512i sum = _mm512_sad_epu8(each, _mm512_setzero_si512());
        sums[i / 8] = _mm512_add_epi64(sums[i / 8], _mm512_slli_epi64(sum, 8 * (i % 8)));
    }
    for (unsigned half = 0; half < 2; half++)
        _mm256_storeu_si256((__m256i *)(triangles + 8 * half), sums_in_order(sums[half]));
}

/* Compress the places of all cells of the row. */
ISO_FN unsigned open_row(uint32_t cells, unsigned i, uint16_t *place)
{
    static const uint16_t lane[BRICK_X] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                            16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 };
    const __m512i all = _mm512_or_si512(_mm512_loadu_si512(lane), _mm512_set1_epi16((short)(i * BRICK_X)));
    _mm512_storeu_si512(place, _mm512_maskz_compress_epi16(cells, all));
    return popcount32(cells);
}

#define OF_1(v) (v), (v) + (1 << NOTE_AXIS), (v) + (2 << NOTE_AXIS)
#define OF_8(v) \
    OF_1(v), OF_1((v) + 1), OF_1((v) + 2), OF_1((v) + 3), OF_1((v) + 4), OF_1((v) + 5), OF_1((v) + 6), OF_1((v) + 7)

/* Interleave the crossed edges into one word of 96 bits, x, y and z of each voxel, and compress all notes by it. */
ISO_FN uint32_t note_row(struct row row, unsigned i, uint16_t *notes)
{
    static const uint16_t all[96] = { OF_8(0), OF_8(8), OF_8(16), OF_8(24) };
    const uint64_t low = _pdep_u64(row.x, 0x9249249249249249u) | _pdep_u64(row.y, 0x2492492492492492u) |
                         _pdep_u64(row.z, 0x4924924924924924u);
    const uint32_t high = _pdep_u32(row.x >> 22, 0x24924924u) | _pdep_u32(row.y >> 21, 0x49249249u) |
                          _pdep_u32(row.z >> 21, 0x92492492u);
    const uint32_t mask[3] = { (uint32_t)low, (uint32_t)(low >> 32), high };
    uint32_t n = 0;
    for (unsigned part = 0; part < 3; part++) {
        const __m512i note = _mm512_or_si512(_mm512_loadu_si512(all + 32 * part),
                                             _mm512_set1_epi16((short)(i << NOTE_ROW)));
        _mm512_storeu_si512(notes + n, _mm512_maskz_compress_epi16(mask[part], note));
        n += popcount32(mask[part]);
    }
    return n;
}

/* Lane e is cube edge e of a cell. The vertex at voxel i is first + the population count of each word under a mask.
 * Edges of voxel i + 1, which lie after that voxel's lower axes, use a word shifted by a voxel: the mask of i stays
 * valid at i = 31, and the lost bit 0 is added to `first`. */
struct numbers {
    __m512i x, y, z, first;
    __m512i inner; /* cells with vertices inside; counted only where there are any */
};

ISO_FN __m512i rows_load(const struct row *const row[4])
{
    const __m256i low = _mm256_loadu2_m128i((const __m128i *)row[1], (const __m128i *)row[0]);
    const __m256i high = _mm256_loadu2_m128i((const __m128i *)row[3], (const __m128i *)row[2]);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

#define EDGES(e0, e1, e2, e3, e4, e5, e6, e7, e8, e9, ea, eb) \
    _mm512_setr_epi32(e0, e1, e2, e3, e4, e5, e6, e7, e8, e9, ea, eb, 0, 0, 0, 0)

enum { NEXT_Y = 1 << 5 | 1 << 7, NEXT_Z = 1 << 9 | 1 << 11 }; /* edges that belong to voxel i + 1 */

ISO_FN struct numbers numbers_load(const struct row *const row[4], const struct row *const next[4], const uint32_t inner[4])
{
    const __m512i of_row = EDGES(0, 4, 8, 12, 0, 0, 8, 8, 0, 0, 4, 4), one = _mm512_set1_epi32(1);
    const __m512i all = rows_load(row), beyond = rows_load(next), at_y = _mm512_add_epi32(of_row, one),
                  at_z = _mm512_add_epi32(at_y, one), at_first = _mm512_add_epi32(at_z, one);
    const __m512i in_cells = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)inner));
    struct numbers n = { _mm512_permutexvar_epi32(of_row, all), _mm512_permutexvar_epi32(at_y, all),
                         _mm512_permutexvar_epi32(at_z, all), _mm512_permutexvar_epi32(at_first, all),
                         _mm512_permutexvar_epi32(_mm512_srli_epi32(of_row, 2), in_cells) };
    const __mmask16 x_too = NEXT_Y | NEXT_Z, y_too = NEXT_Z;
    n.first = _mm512_mask_add_epi32(n.first, x_too, n.first, _mm512_and_si512(n.x, one));
    n.first = _mm512_mask_add_epi32(n.first, y_too, n.first, _mm512_and_si512(n.y, one));
    n.x = _mm512_mask_or_epi32(n.x, x_too, _mm512_srli_epi32(n.x, 1),
                               _mm512_slli_epi32(_mm512_permutexvar_epi32(of_row, beyond), 31));
    n.y = _mm512_mask_or_epi32(n.y, y_too, _mm512_srli_epi32(n.y, 1),
                               _mm512_slli_epi32(_mm512_permutexvar_epi32(at_y, beyond), 31));
    return n;
}

ISO_FN __m512i count_below(__m512i word, __m512i end, __m128i lane)
{
    const __m512i below = _mm512_add_epi32(_mm512_sll_epi32(end, lane), _mm512_set1_epi32(-1));
    return _mm512_popcnt_epi32(_mm512_and_si512(word, below));
}

/* Return the numbers of all vertices that the cell at `lane` can have on its edges. */
ISO_FN __m512i numbers_at(const struct numbers *n, unsigned lane, bool any_inner)
{
    const __m128i at = _mm_cvtsi32_si128((int)lane);
    const __m512i last = EDGES(1, 1, 1, 1, 1, 2, 1, 2, 1, 2, 1, 2);
    const __m512i x = count_below(n->x, EDGES(1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2), at);
    const __m512i y = count_below(n->y, EDGES(1, 1, 1, 1, 1, 2, 1, 2, 2, 2, 2, 2), at);
    const __m512i z = count_below(n->z, last, at);
    const __m512i all = _mm512_add_epi32(_mm512_add_epi32(n->first, x), _mm512_add_epi32(y, z));
    if (!any_inner) return all;
    const __m512i inner = count_below(n->inner, last, at);
    return _mm512_add_epi32(all, _mm512_add_epi32(inner, inner));
}

/* Write the indices of an open cell of any size; return how many. number: of the vertices on its edges. along_z: whether it
 * owns a vertex on its z edge, after which those inside are numbered. */
static __attribute__((noinline)) unsigned large_write(const struct mc_subcase *cell, unsigned along_z, __m512i number,
                                                      uint32_t *out)
{
    const unsigned n = 3u * cell->triangles;
    if (cell->inner) {
        const __m512i last = _mm512_permutexvar_epi32(_mm512_set1_epi32(8), number);
        const __m512i behind = _mm512_add_epi32(last, _mm512_set1_epi32((int)along_z));
        number = _mm512_mask_mov_epi32(number, 1 << MC_INNER, behind);
        number = _mm512_mask_add_epi32(number, 2 << MC_INNER, behind, _mm512_set1_epi32(1));
    }
    for (unsigned c = 0; c < n; c += 16) {
        const __m512i edges = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(cell->edge + c)));
        _mm512_mask_storeu_epi32(out + c, (__mmask16)_bzhi_u32(0xffff, n - c), _mm512_permutexvar_epi32(edges, number));
    }
    return n;
}

/* Write the indices of owned row i to `out`. Corner k's edge is at bit 4 k of a cell's word: byte shifts put it into the
 * low bits of lane k. */
ISO_FN void row_indices(const struct mc_tables *tables, const struct record *record, unsigned i,
                        const struct numbers *numbers, bool any_inner, uint32_t *out)
{
    const __m512i at = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60);
    for (uint32_t left = record->active[i]; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left), cell = record->cells[i][lane];
        const __m512i number = numbers_at(numbers, lane, any_inner);
        const uint64_t word = cell_word(tables, cell);
        const unsigned n = 3 * (unsigned)(word >> 60);
        if (!word) {
            out += large_write(&tables->subcase[cell - CELL_OPEN], record->row[i].z >> lane & 1, number, out);
            continue;
        }
        const __m512i edges = _mm512_multishift_epi64_epi8(at, _mm512_set1_epi64((long long)word));
        _mm512_mask_storeu_epi32(out, (__mmask16)((1u << n) - 1), _mm512_permutexvar_epi32(edges, number));
        out += n;
    }
}

static void brick_triangles(const struct fused_desc *d, const struct record *record, const struct near *near)
{
    struct row rows[2][TOUCHED];
    for (unsigned dx = 0; dx < 2; dx++)
        for (unsigned k = 0; k < SPAN; k++) {
            const struct record *const *line[2] = { near->at[k / BRICK_Z][0], near->at[k / BRICK_Z][1] };
            const unsigned from = BRICK_Y * (k % BRICK_Z);
            memcpy(&rows[dx][SPAN * k], &line[0][dx]->row[from], BRICK_Y * sizeof(struct row));
            rows[dx][SPAN * k + BRICK_Y] = line[1][dx]->row[from];
        }
    for (unsigned r = 0; r < TOUCHED; r++) rows[0][r].vertex += near->base[r / SPAN / BRICK_Z];
    for (unsigned i = 0; i < ROWS; i++) {
        if (!record->active[i]) continue;
        const unsigned at = i % BRICK_Y + SPAN * (i / BRICK_Y);
        const struct row *const row[4] = { rows[0] + at, rows[0] + at + 1, rows[0] + at + SPAN, rows[0] + at + SPAN + 1 };
        const struct row *const next[4] = { rows[1] + at, rows[1] + at + 1, rows[1] + at + SPAN, rows[1] + at + SPAN + 1 };
        const uint32_t inner[4] = { near_inner(near, at), near_inner(near, at + 1), near_inner(near, at + SPAN),
                                    near_inner(near, at + SPAN + 1) };
        const struct numbers numbers = numbers_load(row, next, inner);
        uint32_t *out = d->mesh.indices + (size_t)3 * record->triangle[i];
        if (inner[0] | inner[1] | inner[2] | inner[3]) row_indices(d->tables, record, i, &numbers, true, out);
        else row_indices(d->tables, record, i, &numbers, false, out);
    }
}

const struct fused_isa fused_avx512 = { available, memory, find, emit };

#else

static bool available(void) { return false; }

const struct fused_isa fused_avx512 = { available, NULL, NULL, NULL };

#endif
