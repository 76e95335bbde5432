/* bricks on the CPU; the contract is in bricks.h. */
#include "bricks.h"

#include <stdlib.h>

struct bricks bricks_for(const struct grid *grid)
{
    const struct bricks b = { (grid->nx + BRICK_X - 1) / BRICK_X, (grid->ny + BRICK_Y - 1) / BRICK_Y,
                              (grid->nz + BRICK_Z - 1) / BRICK_Z, NULL };
    return b;
}

static inline size_t at_most(size_t a, size_t b)
{
    return a < b ? a : b;
}

ISO_FN float nan_below_all(const struct grid *g, size_t i)
{
    const float v = grid_value(g, i);
    return g->type == VOXEL_FLOAT32 && v != v ? -INFINITY : v;
}

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * Brick by brick, voxel by voxel. Reads every voxel about 1.6 times, since bricks overlap by a layer. */

ISO_FN void textbook_body(const struct grid *g, const struct bricks *b)
{
    for (size_t k = 0; k < b->nz; k++)
        for (size_t j = 0; j < b->ny; j++)
            for (size_t i = 0; i < b->nx; i++) {
                struct brick_range r = { INFINITY, -INFINITY };
                for (size_t z = k * BRICK_Z; z <= at_most((k + 1) * BRICK_Z, g->nz - 1); z++)
                    for (size_t y = j * BRICK_Y; y <= at_most((j + 1) * BRICK_Y, g->ny - 1); y++)
                        for (size_t x = i * BRICK_X; x <= at_most((i + 1) * BRICK_X, g->nx - 1); x++) {
                            const float v = nan_below_all(g, (z * g->ny + y) * g->nx + x);
                            r.min = v < r.min ? v : r.min;
                            r.max = v > r.max ? v : r.max;
                        }
                b->range[(k * b->ny + j) * b->nx + i] = r;
            }
}

static int textbook(const struct grid *grid, const struct bricks *bricks, struct exec *x)
{
    (void)x;
    GRID_TYPED(grid, textbook_body(&GRID, bricks))
    return 0;
}

/* ---- rows ----------------------------------------------------------------------------------------------------------
 * The textbook's minimum waits for the one before it, voxel after voxel. Here the 25 voxel rows of a row of bricks are
 * first folded into two rows, of minima and of maxima: every column is independent, so the compiler uses vectors. Only
 * those two rows are then folded along x. Threads take rows of bricks. */

enum { PIECE = 8 * BRICK_X + 1 }; /* columns folded at once: 8 bricks and the layer they share, so that it stays in cache */

ISO_FN void rows_piece(const struct grid *g, const struct bricks *b, size_t i0, size_t j, size_t k)
{
    float lo[PIECE], hi[PIECE];
    const size_t x0 = i0 * BRICK_X, n = at_most(PIECE, g->nx - x0);
    for (size_t x = 0; x < n; x++) lo[x] = INFINITY, hi[x] = -INFINITY;
    for (size_t z = k * BRICK_Z; z <= at_most((k + 1) * BRICK_Z, g->nz - 1); z++)
        for (size_t y = j * BRICK_Y; y <= at_most((j + 1) * BRICK_Y, g->ny - 1); y++) {
            const size_t row = (z * g->ny + y) * g->nx + x0;
            for (size_t x = 0; x < n; x++) {
                const float v = nan_below_all(g, row + x);
                lo[x] = v < lo[x] ? v : lo[x];
                hi[x] = v > hi[x] ? v : hi[x];
            }
        }
    for (size_t i = i0; i < at_most(i0 + 8, b->nx); i++) {
        const size_t first = (i - i0) * BRICK_X, last = at_most(first + BRICK_X, n - 1);
        struct brick_range r = { lo[first], hi[first] };
        for (size_t x = first + 1; x <= last; x++) {
            r.min = lo[x] < r.min ? lo[x] : r.min;
            r.max = hi[x] > r.max ? hi[x] : r.max;
        }
        b->range[(k * b->ny + j) * b->nx + i] = r;
    }
}

static int rows(const struct grid *grid, const struct bricks *bricks, struct exec *x)
{
#pragma omp parallel for collapse(2) num_threads(x->threads) schedule(static)
    for (size_t k = 0; k < bricks->nz; k++)
        for (size_t j = 0; j < bricks->ny; j++)
            for (size_t i = 0; i < bricks->nx && !exec_is_cancelled(x); i += 8)
                GRID_TYPED(grid, rows_piece(&GRID, bricks, i, j, k))
    return 0;
}

const struct bricks_rung bricks_cpu[] = {
    { { "none", "no ranges: every voxel is looked at on every change", false }, NULL },
    { { "textbook", "brick by brick, voxel by voxel, one thread", false }, textbook },
    { { "rows", "folds 25 voxel rows column by column (vectors), then along x; threads", true }, rows },
    { { NULL, NULL, false }, NULL },
};
