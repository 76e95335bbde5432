/* fused for x86-64 with AVX2: 32 flags by comparison and movemask, the ranks of a row's vertices by sums within
 * vectors, the corners of two triangles by one permutation. The rest is the shared body, in wider vectors. */
#include "fused_cpu.h"

#ifdef __AVX2__

#include <immintrin.h>

ISO_FN uint32_t some_word(const struct grid *g, float iso, size_t first, size_t n)
{
    uint32_t word = 0;
    for (size_t i = 0; i < n; i++) word |= (uint32_t)(grid_value(g, first + i) >= iso) << i;
    return word;
}

/* Return 32 flag bits from 2 x 16 words, 0 or -1. */
ISO_FN uint32_t mask_of_16(__m256i low, __m256i high)
{
    const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8);
    return (uint32_t)_mm256_movemask_epi8(bytes);
}

ISO_FN uint32_t inside_word(const struct grid *g, float iso, int threshold, size_t first, size_t n)
{
    if (n < BRICK_X) return some_word(g, iso, first, n);
    const __m256i *v = (const __m256i *)((const char *)g->voxels + first * voxel_bytes(g->type));
    const __m256i a = _mm256_loadu_si256(v);
    if (g->type == VOXEL_UINT8)
        return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(a, _mm256_set1_epi8((char)threshold)), a));
    if (g->type == VOXEL_INT8)
        return (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(a, _mm256_set1_epi8((char)(threshold - 1))));
    const __m256i b = _mm256_loadu_si256(v + 1);
    if (g->type == VOXEL_UINT16) {
        const __m256i t = _mm256_set1_epi16((short)threshold);
        return mask_of_16(_mm256_cmpeq_epi16(_mm256_max_epu16(a, t), a), _mm256_cmpeq_epi16(_mm256_max_epu16(b, t), b));
    }
    if (g->type == VOXEL_INT16) {
        const __m256i t = _mm256_set1_epi16((short)(threshold - 1));
        return mask_of_16(_mm256_cmpgt_epi16(a, t), _mm256_cmpgt_epi16(b, t));
    }
    uint32_t word = 0;
    const float *f = (const float *)v;
    for (unsigned i = 0; i < BRICK_X; i += 8)
        word |= (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(f + i), _mm256_set1_ps(iso), _CMP_GE_OQ)) << i;
    return word;
}

#define HAVE_BRICK_TRIANGLES
struct record;
struct near;
static void brick_triangles(const struct fused_desc *d, const struct record *record, const struct near *near);

#include "fused_cpu_body.inc"

enum { RANKS = BRICK_X + 2 }; /* voxels of a row, the first of the next brick, and one to spare for reads of two */

/* Expand 32 bits to bytes, 0 or -1. */
ISO_FN __m256i bits_to_bytes(uint32_t bits)
{
    const __m256i from = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i bit = _mm256_set1_epi64x((long long)0x8040201008040201u);
    const __m256i each = _mm256_and_si256(_mm256_shuffle_epi8(_mm256_set1_epi32((int)bits), from), bit);
    return _mm256_cmpeq_epi8(each, bit);
}

/* Return the sum of the bytes before each byte. */
ISO_FN __m256i sum_before(__m256i bytes)
{
    __m256i sum = _mm256_add_epi8(bytes, _mm256_slli_si256(bytes, 1));
    sum = _mm256_add_epi8(sum, _mm256_slli_si256(sum, 2));
    sum = _mm256_add_epi8(sum, _mm256_slli_si256(sum, 4));
    sum = _mm256_add_epi8(sum, _mm256_slli_si256(sum, 8));
    const __m256i low_half = _mm256_shuffle_epi8(_mm256_permute2x128_si256(sum, sum, 0x08), _mm256_set1_epi8(15));
    return _mm256_sub_epi8(_mm256_add_epi8(sum, low_half), bytes);
}

/* Compute for each voxel of a row, and for the first voxel of the next brick, how many of the row's vertices come
 * before those on its x, y and z edges; a byte each. */
ISO_FN void row_ranks(const struct row *row, uint32_t inner, const struct row *next, uint32_t ranks[RANKS])
{
    const __m256i x = bits_to_bytes(row->x), y = bits_to_bytes(row->y), z = bits_to_bytes(row->z);
    const __m256i xy = _mm256_add_epi8(x, y), in_cell = bits_to_bytes(inner), zero = _mm256_setzero_si256();
    const __m256i before = sum_before(_mm256_add_epi8(_mm256_add_epi8(xy, z), _mm256_add_epi8(in_cell, in_cell)));
    const __m256i at_x = _mm256_sub_epi8(zero, before), at_y = _mm256_sub_epi8(at_x, x), at_z = _mm256_sub_epi8(at_x, xy);
    const __m256i xy_low = _mm256_unpacklo_epi8(at_x, at_y), xy_high = _mm256_unpackhi_epi8(at_x, at_y);
    const __m256i z_low = _mm256_unpacklo_epi8(at_z, zero), z_high = _mm256_unpackhi_epi8(at_z, zero);
    const __m256i part[4] = { _mm256_unpacklo_epi16(xy_low, z_low), _mm256_unpackhi_epi16(xy_low, z_low),
                              _mm256_unpacklo_epi16(xy_high, z_high), _mm256_unpackhi_epi16(xy_high, z_high) };
    for (unsigned i = 0; i < 4; i++) { /* voxels 4 i to 4 i + 3, and those 16 further */
        _mm_storeu_si128((__m128i *)(ranks + 4 * i), _mm256_castsi256_si128(part[i]));
        _mm_storeu_si128((__m128i *)(ranks + 4 * i + 16), _mm256_extracti128_si256(part[i], 1));
    }
    const uint32_t all = popcount32(row->x) + popcount32(row->y) + popcount32(row->z) + MC_INNER_PAIR * popcount32(inner),
                   x_too = all + (next->x & 1);
    ranks[BRICK_X] = all | x_too << 8 | (x_too + (next->y & 1)) << 16;
}

/* Return the ranks of a cell's vertices in the order of cube edges. rank[q]: row q = dy + 2 dz; 8 bytes hold the cell
 * and the next. */
ISO_FN __m128i ranks_at(const uint32_t *const rank[4], unsigned lane)
{
    const __m128i pick_low = _mm_setr_epi8(0, 8, -1, -1, 1, 5, -1, -1, 2, 6, 10, 14, -1, -1, -1, -1);
    const __m128i pick_high = _mm_setr_epi8(-1, -1, 0, 8, -1, -1, 1, 5, -1, -1, -1, -1, -1, -1, -1, -1);
    __m128i q[4];
    for (unsigned i = 0; i < 4; i++) q[i] = _mm_loadl_epi64((const __m128i *)(rank[i] + lane));
    return _mm_or_si128(_mm_shuffle_epi8(_mm_unpacklo_epi64(q[0], q[1]), pick_low),
                        _mm_shuffle_epi8(_mm_unpacklo_epi64(q[2], q[3]), pick_high));
}

/* Write the vertex numbers of 16 corners, on the cube edges `edges`. ranks: of the cell, by edge. first: of its four
 * rows. Few cells have 16 corners, but where to stop would be hard to predict. */
ISO_FN void corners_write(__m128i edges, __m128i ranks, __m256i first, uint32_t *out)
{
    const __m128i row_of = _mm_setr_epi8(0, 1, 2, 3, 0, 0, 2, 2, 0, 0, 1, 1, 0, 0, 0, 0);
    __m128i rank = _mm_shuffle_epi8(ranks, edges), row = _mm_shuffle_epi8(row_of, edges);
    for (unsigned corner = 0; corner < 16; corner += 8) {
        const __m256i base = _mm256_permutevar8x32_epi32(first, _mm256_cvtepu8_epi32(row));
        _mm256_storeu_si256((__m256i *)(out + corner), _mm256_add_epi32(base, _mm256_cvtepu8_epi32(rank)));
        rank = _mm_srli_si128(rank, 8), row = _mm_srli_si128(row, 8);
    }
}

/* The same for all corners of an open cell of any size; return how many there are. along_z: whether the cell's voxel
 * owns a vertex on its z edge; the vertices inside are numbered after that. */
static __attribute__((noinline)) unsigned large_write(const struct mc_subcase *cell, unsigned along_z, __m128i ranks,
                                                      __m256i first, uint32_t *out)
{
    const unsigned n = 3u * cell->triangles;
    const int inner = _mm_extract_epi8(ranks, 8) + (int)along_z;
    ranks = _mm_insert_epi8(_mm_insert_epi8(ranks, inner, MC_INNER), inner + 1, MC_INNER + 1);
    for (unsigned c = 0; c < n; c += 16) {
        const __m128i edges = _mm_loadu_si128((const __m128i *)(cell->edge + c));
        corners_write(edges, ranks, first, out + c);
    }
    return n;
}

/* Return the 16 half bytes of a word as bytes. */
ISO_FN __m128i half_bytes(uint64_t word)
{
    const __m128i both = _mm_cvtsi64_si128((long long)word), low = _mm_set1_epi8(15);
    return _mm_and_si128(_mm_unpacklo_epi8(both, _mm_srli_epi16(both, 4)), low);
}

/* Write the indices of a row's triangles, and up to 16 arbitrary ones past them; return how many. */
ISO_FN unsigned row_indices(const uint32_t *const rank[4], __m256i first, const struct record *record, unsigned i,
                            const struct mc_tables *tables, uint32_t *out)
{
    unsigned n = 0;
    for (uint32_t left = record->active[i]; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left), cell = record->cells[i][lane];
        const __m128i ranks = ranks_at(rank, lane);
        const uint64_t word = cell_word(tables, cell);
        if (!word) {
            n += large_write(&tables->subcase[cell - CELL_OPEN], record->row[i].z >> lane & 1, ranks, first, out + n);
            continue;
        }
        corners_write(half_bytes(word), ranks, first, out + n);
        n += 3 * (unsigned)(word >> 60);
    }
    return n;
}

static void brick_triangles(const struct fused_desc *d, const struct record *record, const struct near *near)
{
    enum { AROUND = 1 | 1 << 1 | 1 << SPAN | 1 << (SPAN + 1) };
    uint32_t ranks[TOUCHED][RANKS], indices[ROW_INDICES], touched = 0;
    for (uint32_t left = record->touching; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        touched |= (uint32_t)AROUND << (i % BRICK_Y + SPAN * (i / BRICK_Y));
    }
    for (; touched; touched &= touched - 1) {
        const unsigned r = (unsigned)__builtin_ctz(touched);
        row_ranks(near_row(near, r, 0), near_inner(near, r), near_row(near, r, 1), ranks[r]);
    }
    for (uint32_t left = record->touching; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        const uint32_t *rank[4];
        int32_t first[4];
        for (unsigned q = 0; q < 4; q++) {
            const unsigned r = i % BRICK_Y + (q & 1) + SPAN * (i / BRICK_Y + (q >> 1));
            rank[q] = ranks[r], first[q] = (int32_t)near_first(near, r);
        }
        /* Build it in registers: a load that is wider than the stores just before it would have to wait until they
         * reach the cache. */
        const __m256i of_rows = _mm256_castsi128_si256(_mm_setr_epi32(first[0], first[1], first[2], first[3]));
        const unsigned n = row_indices(rank, of_rows, record, i, d->tables, indices);
        indices_put(d, record, i, indices, n);
    }
}

const struct fused_isa fused_avx2 = { memory, find, emit };

#else

const struct fused_isa fused_avx2 = { NULL, NULL, NULL };

#endif
