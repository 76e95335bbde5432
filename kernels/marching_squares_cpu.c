/* marching_squares on the CPU; contract in marching_squares.h.
 * Run: isoscope ladder marching_squares --bench --backend cpu */
#include "marching_squares.h"

#include "cpu_util.h"

/* Write the segments of cells [begin, end), starting with number `index`; return the number after the last. */
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
 * One cell at a time, one thread. */

static int run_cells(const struct marching_squares_desc *d, void *scratch, struct exec *x)
{
    (void)scratch, (void)x;
    const struct slice s = slice_of(d);
    GRID_TYPED(&d->grid, *d->count = emit_body(&GRID, &s, d, 0, slice_cells(&s), 0))
    return 0;
}

/* ---- threads -------------------------------------------------------------------------------------------------------
 * cells uses one core. Idea: each thread counts in its part, the counts become starts, and each thread writes from its
 * own, in the same order.
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

/* clang-format off */
const struct marching_squares_rung marching_squares_cpu[] = {
    { { "cells", "one cell after the other", false }, run_cells, NULL, true },
    { { "threads", "counts per part, then each part writes from its own start", true }, run_threads, scratch_threads,
      true },
    { { NULL, NULL, false }, NULL, NULL, false },
};
/* clang-format on */
