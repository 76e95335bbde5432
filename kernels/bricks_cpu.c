/* bricks on the CPU; contract in bricks.h.
 * Run: isoscope ladder bricks --bench --backend cpu */
#include "bricks.h"

#include "cpu_vectors.h"

struct bricks bricks_for(const struct grid *grid)
{
    const struct bricks b = { (grid->nx + BRICK_X - 1) / BRICK_X, (grid->ny + BRICK_Y - 1) / BRICK_Y,
                              (grid->nz + BRICK_Z - 1) / BRICK_Z, NULL };
    return b;
}

ISO_FN float nan_below_all(const struct grid *g, size_t i)
{
    const float v = grid_value(g, i);
    return g->type == VOXEL_FLOAT32 && v != v ? -INFINITY : v;
}

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * Brick by brick, voxel by voxel. Cost: every voxel is read about 1.6 times, because bricks overlap by a layer, and
 * compared one at a time. */

ISO_FN void textbook_body(const struct grid *g, const struct bricks *b)
{
    for (size_t k = 0; k < b->nz; k++)
        for (size_t j = 0; j < b->ny; j++)
            for (size_t i = 0; i < b->nx; i++) {
                struct brick_range r = { INFINITY, -INFINITY };
                for (size_t z = k * BRICK_Z; z <= min_size((k + 1) * BRICK_Z, g->nz - 1); z++)
                    for (size_t y = j * BRICK_Y; y <= min_size((j + 1) * BRICK_Y, g->ny - 1); y++)
                        for (size_t x = i * BRICK_X; x <= min_size((i + 1) * BRICK_X, g->nx - 1); x++) {
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
 * In the textbook each minimum waits for the one before. Idea: fold the 25 voxel rows of a row of bricks into one row
 * of minima and one of maxima. Columns are independent, so the compiler vectorises this. Only the two resulting rows
 * are folded along x. Threads take rows of bricks.
 * Cost: the row of minima and that of maxima are loaded and stored for each of the 25, and voxel rows that bricks share
 * are still read again. */

enum { PIECE = 8 * BRICK_X + 1 }; /* columns folded at once, to stay in cache: 8 bricks and their shared layer */

ISO_FN void rows_piece(const struct grid *g, const struct bricks *b, size_t i0, size_t j, size_t k)
{
    float lo[PIECE], hi[PIECE];
    const size_t x0 = i0 * BRICK_X, n = min_size(PIECE, g->nx - x0);
    for (size_t x = 0; x < n; x++) lo[x] = INFINITY, hi[x] = -INFINITY;
    for (size_t z = k * BRICK_Z; z <= min_size((k + 1) * BRICK_Z, g->nz - 1); z++)
        for (size_t y = j * BRICK_Y; y <= min_size((j + 1) * BRICK_Y, g->ny - 1); y++) {
            const size_t row = (z * g->ny + y) * g->nx + x0;
            for (size_t x = 0; x < n; x++) {
                const float v = nan_below_all(g, row + x);
                lo[x] = v < lo[x] ? v : lo[x];
                hi[x] = v > hi[x] ? v : hi[x];
            }
        }
    for (size_t i = i0; i < min_size(i0 + 8, b->nx); i++) {
        const size_t first = (i - i0) * BRICK_X, last = min_size(first + BRICK_X, n - 1);
        struct brick_range r = { lo[first], hi[first] };
        for (size_t x = first + 1; x <= last; x++) {
            /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): every brick begins before column n */
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

/* ---- narrow and avx2 -----------------------------------------------------------------------------------------------
 * rows converts every voxel to float, four to a vector, and folds along x one by one: 5.1 ms for 256^3 of uint8. Idea:
 * fold voxels in their own type, 16 of uint8 to a vector on any x86-64, and fold along x by halves: 1.9 ms. AVX2 has
 * wider vectors and a minimum for every integer type: 1.5 ms; for uint16 it is 2.6 against 4.1. Floats gain little
 * (9.2, 11 and 8.6 ms), and 64-byte vectors gain nothing more.
 *
 * Pieces are 32 bricks wide instead of 8, which helps the hardware prefetcher: 150 ms instead of 180 for 1024^3 of
 * uint8, where rows takes 430. Even so, the prefetcher follows few of the 25 rows. Therefore, while one row is folded,
 * the row five rows later is prefetched.
 * Cost: a body per type. */

enum { PIECE_BRICKS = 32 };

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#define FOLD fold_uint8
#define FOLD_ROW fold_row_uint8
#define VOXEL uint8_t
#define CLEAN(v) (v)
#include "bricks_cpu_narrow.inc"

#define FOLD fold_int8
#define FOLD_ROW fold_row_int8
#define VOXEL int8_t
#define CLEAN(v) (v)
#include "bricks_cpu_narrow.inc"

#define FOLD fold_uint16
#define FOLD_ROW fold_row_uint16
#define VOXEL uint16_t
#define CLEAN(v) (v)
#include "bricks_cpu_narrow.inc"

#define FOLD fold_int16
#define FOLD_ROW fold_row_int16
#define VOXEL int16_t
#define CLEAN(v) (v)
#include "bricks_cpu_narrow.inc"

#define FOLD fold_float32
#define FOLD_ROW fold_row_float32
#define VOXEL float
#define CLEAN(v) ((v) != (v) ? -INFINITY : (v)) /* NaN lies below all */
#include "bricks_cpu_narrow.inc"

ISO_FN void fold_any(const struct grid *g, const struct bricks *b, size_t i0, size_t j, size_t k)
{
    switch (g->type) {
    case VOXEL_UINT8: fold_uint8(g, b, i0, j, k); break;
    case VOXEL_INT8: fold_int8(g, b, i0, j, k); break;
    case VOXEL_UINT16: fold_uint16(g, b, i0, j, k); break;
    case VOXEL_INT16: fold_int16(g, b, i0, j, k); break;
    default: fold_float32(g, b, i0, j, k); break;
    }
}

static void fold_narrow(const struct grid *g, const struct bricks *b, size_t i0, size_t j, size_t k)
{
    fold_any(g, b, i0, j, k);
}

FOR_AVX2 static void fold_avx2(const struct grid *g, const struct bricks *b, size_t i0, size_t j, size_t k)
{
    fold_any(g, b, i0, j, k);
}

static int fold_all(const struct grid *g, const struct bricks *b, struct exec *x,
                    void (*fold)(const struct grid *g, const struct bricks *b, size_t i0, size_t j, size_t k))
{
#pragma omp parallel for collapse(2) num_threads(x->threads) schedule(static)
    for (size_t k = 0; k < b->nz; k++)
        for (size_t j = 0; j < b->ny; j++)
            for (size_t i = 0; i < b->nx && !exec_is_cancelled(x); i += PIECE_BRICKS) fold(g, b, i, j, k);
    return 0;
}

static int narrow(const struct grid *grid, const struct bricks *bricks, struct exec *x)
{
    return fold_all(grid, bricks, x, fold_narrow);
}

static int avx2(const struct grid *grid, const struct bricks *bricks, struct exec *x)
{
    return fold_all(grid, bricks, x, fold_avx2);
}

static int simd(const struct grid *grid, const struct bricks *bricks, struct exec *x)
{
    return fold_all(grid, bricks, x, cpu_has_avx2() ? fold_avx2 : fold_narrow);
}

const struct bricks_rung bricks_cpu[] = {
    { { "none", "no ranges: each new isovalue reads every voxel", false }, NULL },
    { { "textbook", "brick by brick, voxel by voxel, one thread", false }, textbook },
    { { "rows", "folds 25 voxel rows column by column (vectors), then along x; threads", false }, rows },
    { { "narrow", "as rows, in the voxels' own type, so that a vector holds more of them", false }, narrow },
    { { "avx2", "as narrow, with vectors of 256 bits", false, cpu_lacks_avx2 }, avx2 },
    { { "simd", "the rung above with the widest vectors that the machine has", true }, simd },
    { { NULL, NULL, false }, NULL },
};
