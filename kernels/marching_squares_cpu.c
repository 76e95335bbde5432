/* marching_squares on the CPU; contract in marching_squares.h.
 * Run: isoscope ladder marching_squares --bench --backend cpu */
#include "marching_squares.h"

#include "cpu_util.h"
#include "cpu_vectors.h"

/* Write the segments of cells [begin, end), starting at number `index`; return the number after the last. */
ISO_FN uint64_t emit_body(const struct grid *g, const struct slice *s, const struct marching_squares_desc *d, size_t begin,
                          size_t end, uint64_t index)
{
    for (size_t i = begin; i < end; i++) {
        const struct cell c = cell_of(g, s, i, d->iso);
        for (unsigned k = 0; k < marching_squares_count(c.inside); k++, index++)
            if (index < d->capacity) d->segments[index] = marching_squares_segment(d, &c, k);
    }
    return index;
}

ISO_FN uint64_t count_body(const struct grid *g, const struct slice *s, float iso, size_t begin, size_t end)
{
    uint64_t count = 0;
    for (size_t i = begin; i < end; i++) count += marching_squares_count(cell_of(g, s, i, iso).inside);
    return count;
}

/* ---- cells ---------------------------------------------------------------------------------------------------------
 * One cell at a time, in one thread. */

static int run_cells(const struct marching_squares_desc *d, void *scratch, struct exec *x)
{
    (void)scratch, (void)x;
    const struct slice s = slice_of(d);
    GRID_TYPED(&d->grid, *d->count = emit_body(&GRID, &s, d, 0, slice_cells(&s), 0))
    return 0;
}

/* ---- threads -------------------------------------------------------------------------------------------------------
 * cells uses one core. Idea: each thread counts the segments in its part, the counts become starts, and each thread
 * writes from its own start on, in the same order.
 * Cost: all cells are visited twice. */

static int run_threads(const struct marching_squares_desc *d, void *scratch, struct exec *x)
{
    const struct slice s = slice_of(d);
    const size_t cells = slice_cells(&s);
    uint64_t *part = scratch; /* counts, then starts */
#pragma omp parallel for num_threads(x->threads) schedule(static, 1)
    for (int p = 0; p < x->threads; p++) {
        const size_t begin = part_start(cells, p, x->threads), end = part_start(cells, p + 1, x->threads);
        GRID_TYPED(&d->grid, part[p] = count_body(&GRID, &s, d->iso, begin, end))
    }
    *d->count = counts_to_starts(part, x->threads);
#pragma omp parallel for num_threads(x->threads) schedule(static, 1)
    for (int p = 0; p < x->threads; p++) {
        const size_t begin = part_start(cells, p, x->threads), end = part_start(cells, p + 1, x->threads);
        GRID_TYPED(&d->grid, (void)emit_body(&GRID, &s, d, begin, end, part[p]))
    }
    return 0;
}

static size_t scratch_threads(const struct marching_squares_desc *d, const struct exec *x)
{
    (void)d;
    return (size_t)x->threads * sizeof(uint64_t);
}

/* ---- bits and avx2 -------------------------------------------------------------------------------------------------
 * threads fetches four voxels, divides and branches for each cell, and does that twice, although the contour crosses
 * few cells. Idea: read the slice once, with vector comparisons that leave a bit per voxel, inside or not. Then a few
 * operations on words from two rows of bits handle 32 cells: they tell which are crossed, and which of these have two
 * segments. Only the crossed cells fetch voxels. AVX2 compares more at once.
 * Cost: scratch of a bit per voxel. In a slice across x, each voxel has a cache line of its own, so comparisons stay
 * one by one. */

struct bits {
    const struct marching_squares_desc *d;
    struct slice s;
    size_t words; /* per row of the slice */
    uint32_t *word;
};

static size_t words_of(const struct slice *s) { return (s->nu + BRICK_X - 1) / BRICK_X; }

ISO_FN uint32_t strided_word(const struct grid *g, float iso, size_t first, size_t step, size_t n)
{
    uint32_t word = 0;
    for (size_t i = 0; i < n; i++) word |= (uint32_t)(grid_value(g, first + i * step) >= iso) << i;
    return word;
}

ISO_FN void row_bits(const struct grid *g, const struct bits *b, size_t v)
{
    for (size_t k = 0; k < b->words; k++) {
        const size_t u = k * BRICK_X, n = min_size(BRICK_X, b->s.nu - u),
                     at = b->s.first + v * b->s.step_v + u * b->s.step_u;
        b->word[v * b->words + k] = b->s.step_u == 1 ? row_word(g, b->d->iso, at, n)
                                                     : strided_word(g, b->d->iso, at, b->s.step_u, n);
    }
}

static void bits_plain(const struct bits *b, size_t v){ GRID_TYPED(&b->d->grid, row_bits(&GRID, b, v)) }

FOR_AVX2 static void bits_avx2(const struct bits *b, size_t v)
{
    GRID_TYPED(&b->d->grid, row_bits(&GRID, b, v))
}

struct cells {
    uint32_t crossed, two; /* a bit per cell: it has a segment, it has two */
};

/* The cells from word k of row v on. */
ISO_FN struct cells cells_at(const struct bits *b, size_t v, size_t k)
{
    const uint32_t *low = b->word + v * b->words + k, *high = low + b->words;
    const bool is_last = k + 1 == b->words;
    const uint32_t l = *low, h = *high;
    const uint32_t l1 = l >> 1 | (is_last ? 0 : low[1] << 31), h1 = h >> 1 | (is_last ? 0 : high[1] << 31);
    const size_t n = b->s.nu - 1 - k * BRICK_X;
    const uint32_t cells = n < BRICK_X ? (1u << n) - 1 : UINT32_MAX;
    return (struct cells){ (l | l1 | h | h1) & ~(l & l1 & h & h1) & cells, (l ^ l1) & (h ^ h1) & (l ^ h) & cells };
}

static uint64_t count_rows(const struct bits *b, size_t begin, size_t end)
{
    uint64_t count = 0;
    for (size_t v = begin; v < end; v++)
        for (size_t k = 0; k < b->words; k++) {
            const struct cells c = cells_at(b, v, k);
            count += popcount32(c.crossed) + popcount32(c.two);
        }
    return count;
}

ISO_FN void emit_rows(const struct grid *g, const struct bits *b, size_t begin, size_t end, uint64_t index)
{
    for (size_t v = begin; v < end; v++)
        for (size_t k = 0; k < b->words; k++)
            for (uint32_t left = cells_at(b, v, k).crossed; left; left &= left - 1) {
                const struct cell c = cell_at(g, &b->s, k * BRICK_X + (size_t)__builtin_ctz(left), v, b->d->iso);
                for (unsigned i = 0; i < marching_squares_count(c.inside); i++, index++)
                    if (index < b->d->capacity) b->d->segments[index] = marching_squares_segment(b->d, &c, i);
            }
}

static int by_bits(const struct marching_squares_desc *d, void *scratch, struct exec *x,
                   void (*find)(const struct bits *b, size_t v))
{
    const struct slice s = slice_of(d);
    uint64_t *part = scratch; /* counts, then starts */
    const struct bits b = { d, s, words_of(&s), (uint32_t *)(part + x->threads) };
    const int threads = x->threads;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
        for (size_t v = 0; v < s.nv; v++) find(&b, v);
#pragma omp for schedule(static, 1)
        for (int p = 0; p < threads; p++)
            part[p] = count_rows(&b, part_start(s.nv - 1, p, threads), part_start(s.nv - 1, p + 1, threads));
#pragma omp single
        *d->count = counts_to_starts(part, threads);
#pragma omp for schedule(static, 1)
        for (int p = 0; p < threads; p++)
            GRID_TYPED(&d->grid, emit_rows(&GRID, &b, part_start(s.nv - 1, p, threads),
                                           part_start(s.nv - 1, p + 1, threads), part[p]))
    }
    return 0;
}

static int run_bits(const struct marching_squares_desc *d, void *scratch, struct exec *x)
{
    return by_bits(d, scratch, x, bits_plain);
}

static int run_avx2(const struct marching_squares_desc *d, void *scratch, struct exec *x)
{
    return by_bits(d, scratch, x, bits_avx2);
}

static int run_simd(const struct marching_squares_desc *d, void *scratch, struct exec *x)
{
    return by_bits(d, scratch, x, cpu_has_avx2() ? bits_avx2 : bits_plain);
}

static size_t scratch_bits(const struct marching_squares_desc *d, const struct exec *x)
{
    const struct slice s = slice_of(d);
    return (size_t)x->threads * sizeof(uint64_t) + s.nv * words_of(&s) * sizeof(uint32_t);
}

/* clang-format off */
const struct marching_squares_rung marching_squares_cpu[] = {
    { { "cells", "one cell after the other", false }, run_cells, NULL, true },
    { { "threads", "counts per part, then each part writes from its own start", false }, run_threads, scratch_threads,
      true },
    { { "bits", "one pass makes a bit per voxel; only crossed cells read voxels again", false }, run_bits, scratch_bits,
      true },
    { { "avx2", "as bits, with vectors of 256 bits", false, cpu_lacks_avx2 }, run_avx2, scratch_bits, true },
    { { "simd", "the rung above with the widest vectors that the machine has", true }, run_simd, scratch_bits, true },
    { { NULL, NULL, false }, NULL, NULL, false },
};
/* clang-format on */
