/* gaussian on the CPU, and the weights for all backends; contract in gaussian.h.
 * Run: isoscope ladder gaussian --bench --backend cpu */
#include "gaussian.h"

#include "cpu_util.h"

#include <assert.h>
#include <string.h>

static struct gaussian_weights weights_of(float sigma)
{
    struct gaussian_weights g = { 0, { 1 } };
    double exact[GAUSSIAN_MAX_RADIUS + 1] = { 0 }, sum = 1;
    assert(sigma >= 0 && sigma <= GAUSSIAN_MAX_SIGMA);
    g.radius = (unsigned)ceilf(3 * sigma);
    for (unsigned i = 1; i <= g.radius; i++) {
        exact[i] = exp(-0.5 * i * i / ((double)sigma * sigma));
        sum += 2 * exact[i];
    }
    g.w[0] = (float)(1 / sum);
    for (unsigned i = 1; i <= g.radius; i++) g.w[i] = (float)(exact[i] / sum);
    return g;
}

struct gaussian_axes gaussian_axes_of(const float sigma[3])
{
    return (struct gaussian_axes){ { weights_of(sigma[0]), weights_of(sigma[1]), weights_of(sigma[2]) } };
}

static void tell(const struct gaussian_desc *d, size_t part)
{
    if (d->done) __atomic_fetch_add(d->done, part, __ATOMIC_RELAXED);
}

/* ---- naive ---------------------------------------------------------------------------------------------------------
 * The definition: a cube of (2 radius + 1)^3 voxels for each one, 343 at sigma 1.
 * Cost: that cube, and a clamp for each of its coordinates. */

static size_t clamped(size_t c, int step, size_t n)
{
    const ptrdiff_t to = (ptrdiff_t)c + step;
    return to < 0 ? 0 : to < (ptrdiff_t)n ? (size_t)to : n - 1;
}

static float weight(const struct gaussian_weights *g, int i) { return g->w[i < 0 ? -i : i]; }

ISO_FN void naive_body(const struct grid *g, const struct gaussian_desc *d, const struct gaussian_weights w[3],
                       const struct exec *exec)
{
    const int rx = (int)w[0].radius, ry = (int)w[1].radius, rz = (int)w[2].radius;
    for (size_t z = 0; z < g->nz; z++)
        for (size_t y = 0; y < g->ny && !exec_is_cancelled(exec); y++) {
            for (size_t x = 0; x < g->nx; x++) {
                float sum = 0;
                for (int k = -rz; k <= rz; k++) {
                    float plane = 0;
                    for (int j = -ry; j <= ry; j++) {
                        const size_t at = (clamped(z, k, g->nz) * g->ny + clamped(y, j, g->ny)) * g->nx;
                        float row = 0;
                        for (int i = -rx; i <= rx; i++) row += weight(&w[0], i) * grid_value(g, at + clamped(x, i, g->nx));
                        plane += weight(&w[1], j) * row;
                    }
                    sum += weight(&w[2], k) * plane;
                }
                d->out[(z * g->ny + y) * g->nx + x] = sum;
            }
            tell(d, GAUSSIAN_ROW);
        }
}

static int run_naive(const struct gaussian_desc *d, void *scratch, struct exec *x)
{
    (void)scratch;
    const struct gaussian_axes w = gaussian_axes_of(d->sigma);
    GRID_TYPED(&d->grid, naive_body(&GRID, d, w.along, x))
    return 0;
}

/* ---- separable -----------------------------------------------------------------------------------------------------
 * naive multiplies 343 times per voxel at sigma 1. Idea: the weights are products, so three sums of 7, along x, then y,
 * then z, give the same: 21. Each works on whole rows: a row of the result is a weighted sum of rows that are
 * contiguous in memory; along x, of shifted copies of one row. The compiler vectorises that, and threads share the
 * rows.
 * Cost: a second volume of floats, and three passes over memory. */

static void add_rows(float *restrict out, const float *a, const float *b, float w, size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] += w * a[i] + w * b[i];
}

static void start_row(float *restrict out, const float *in, float w, size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] = w * in[i];
}

/* Smooth one row along x. wide: receives the row as floats, with the border repeated on both sides. */
static void smooth_along(const struct grid *g, size_t row, float *wide, float *out, const struct gaussian_weights *w)
{
    float *in = wide + w->radius;
    GRID_TYPED(g, for (size_t i = 0; i < GRID.nx; i++) in[i] = grid_value(&GRID, row * GRID.nx + i))
    for (size_t i = 1; i <= w->radius; i++) wide[w->radius - i] = in[0], in[g->nx - 1 + i] = in[g->nx - 1];
    start_row(out, in, w->w[0], g->nx);
    for (size_t i = 1; i <= w->radius; i++) add_rows(out, in - i, in + i, w->w[i], g->nx);
}

/* Smooth row c of n along y or z; its neighbours are `step` floats apart. */
static void smooth_across(const float *in, float *out, size_t nx, size_t c, size_t n, size_t step,
                          const struct gaussian_weights *w)
{
    start_row(out, in, w->w[0], nx);
    for (size_t i = 1; i <= w->radius; i++)
        add_rows(out, in - (c < i ? c : i) * step, in + (n - 1 - c < i ? n - 1 - c : i) * step, w->w[i], nx);
}

/* One of three passes over the rows; each thread has its own part of `wide`. */
struct pass {
    const struct gaussian_desc *d;
    float *between, *wide;
    struct gaussian_axes w;
};

static void along_x(const struct pass *p, size_t row, int part)
{
    const size_t nx = p->d->grid.nx;
    smooth_along(&p->d->grid, row, p->wide + (size_t)part * (nx + 2 * p->w.along[0].radius), p->d->out + row * nx,
                 &p->w.along[0]);
}

static void along_y(const struct pass *p, size_t row, int part)
{
    const size_t nx = p->d->grid.nx, ny = p->d->grid.ny;
    (void)part;
    smooth_across(p->d->out + row * nx, p->between + row * nx, nx, row % ny, ny, nx, &p->w.along[1]);
}

static void along_z(const struct pass *p, size_t row, int part)
{
    const size_t nx = p->d->grid.nx, ny = p->d->grid.ny;
    (void)part;
    smooth_across(p->between + row * nx, p->d->out + row * nx, nx, row / ny, p->d->grid.nz, nx * ny, &p->w.along[2]);
}

static int run_separable(const struct gaussian_desc *d, void *scratch, struct exec *x)
{
    static void (*const passes[])(const struct pass *p, size_t row, int part) = { along_x, along_y, along_z };
    float *between = scratch;
    const struct pass pass = { d, between, between + grid_voxels(&d->grid), gaussian_axes_of(d->sigma) };
    const size_t rows = d->grid.ny * d->grid.nz;
    for (int i = 0; i < GAUSSIAN_ROW; i++) {
#pragma omp parallel for num_threads(x->threads) schedule(static, 1)
        for (int p = 0; p < x->threads; p++)
            for (size_t r = part_start(rows, p, x->threads); r < part_start(rows, p + 1, x->threads); r++) {
                if (exec_is_cancelled(x)) break;
                passes[i](&pass, r, p);
                tell(d, 1);
            }
    }
    return 0;
}

static size_t scratch_separable(const struct gaussian_desc *d, const struct exec *x)
{
    const size_t wide = d->grid.nx + 2 * weights_of(d->sigma[0]).radius;
    return (grid_voxels(&d->grid) + (size_t)x->threads * wide) * sizeof(float);
}

/* clang-format off */
const struct gaussian_rung gaussian_cpu[] = {
    { { "naive", "the whole cube of neighbours for each voxel", false }, run_naive, NULL, NULL, NULL },
    { { "separable", "three passes, along x, y and z, on whole rows; threads", true }, run_separable, scratch_separable,
      NULL, NULL },
    { { NULL, NULL, false }, NULL, NULL, NULL, NULL },
};
/* clang-format on */
