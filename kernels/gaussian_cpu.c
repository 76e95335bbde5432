/* gaussian on the CPU, and the weights for all backends; contract in gaussian.h.
 * Run: isoscope ladder gaussian --bench --backend cpu */
#include "gaussian.h"

#include "cpu_util.h"
#include "cpu_vectors.h"

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

/* ---- rolling, avx2 and avx512 --------------------------------------------------------------------------------------
 * separable loads and stores a row of the result once per weight, and each of its passes fetches the whole volume again.
 * Idea: sums of STEP voxels stay in registers until all weights are in. A row that was smoothed along x goes to a ring of
 * 2 radius + 1 rows, from which it is smoothed along y while they are in the cache. Along z, the rows of one y are copied
 * to the ring one by one, so that results can replace what they come from, and the second volume is gone: a voxel of
 * uint8 moves 17 bytes, with the lines that are read before they are written, and 33 before. The order of additions stays,
 * and with it every bit. The sums are written once for each length of vector, as the compiler keeps no array in registers.
 * Cost: 2 radius rows are smoothed along x twice where a thread's part begins. */

enum { STEP = 64, LINE = 16 }; /* floats */

#define WEIGH_STEP(name, bytes)                                                                           \
    ISO_FN void name(float *out, const float *const *row, size_t at, const struct gaussian_weights *w)    \
    {                                                                                                     \
        typedef float vector __attribute__((vector_size(bytes), aligned(4), may_alias));                  \
        enum { SUMS = 256 / (bytes) < 8 ? 256 / (bytes) : 8, EACH = SUMS * (bytes) / 4 };                 \
        for (size_t part = 0; part < STEP; part += EACH) {                                                \
            vector sum[SUMS];                                                                             \
            const vector *middle = (const vector *)(row[w->radius] + at + part);                          \
            ISO_UNROLL for (unsigned l = 0; l < SUMS; l++) sum[l] = w->w[0] * middle[l];                  \
            for (unsigned k = 1; k <= w->radius; k++) {                                                   \
                const vector *a = (const vector *)(row[w->radius - k] + at + part);                       \
                const vector *b = (const vector *)(row[w->radius + k] + at + part);                       \
                ISO_UNROLL for (unsigned l = 0; l < SUMS; l++) sum[l] += w->w[k] * a[l] + w->w[k] * b[l]; \
            }                                                                                             \
            ISO_UNROLL for (unsigned l = 0; l < SUMS; l++)((vector *)(out + part))[l] = sum[l];           \
        }                                                                                                 \
    }

/* The weighted sum of 2 radius + 1 rows, each of n floats and readable to the end of a step; and a row of voxels as
 * floats. */
/* NOLINTBEGIN(bugprone-macro-parentheses): attributes */
#define VECTORS(name, kind, step)                                                                                  \
    kind static void weigh_##name(float *out, const float *const *row, size_t n, const struct gaussian_weights *w) \
    {                                                                                                              \
        float last[STEP];                                                                                          \
        size_t i = 0;                                                                                              \
        for (; i + STEP <= n; i += STEP) step(out + i, row, i, w);                                                 \
        if (i == n) return;                                                                                        \
        step(last, row, i, w);                                                                                     \
        memcpy(out + i, last, (n - i) * sizeof *out);                                                              \
    }                                                                                                              \
    kind static void widen_##name(float *restrict out, const struct grid *g, size_t first)                         \
    {                                                                                                              \
        GRID_TYPED(g, for (size_t i = 0; i < GRID.nx; i++) out[i] = grid_value(&GRID, first + i))                  \
    }                                                                                                              \
    static const struct vectors name##_vectors = { weigh_##name, widen_##name };
/* NOLINTEND(bugprone-macro-parentheses) */

struct vectors {
    void (*weigh)(float *out, const float *const *row, size_t n, const struct gaussian_weights *w);
    void (*widen)(float *restrict out, const struct grid *g, size_t first);
};

WEIGH_STEP(weigh_16, 16)
WEIGH_STEP(weigh_32, 32)
WEIGH_STEP(weigh_64, 64)
VECTORS(plain, , weigh_16)
VECTORS(avx2, FOR_AVX2, weigh_32)
VECTORS(avx512, FOR_AVX512, weigh_64)

struct rolling {
    const struct gaussian_desc *d;
    const struct vectors *vectors;
    struct gaussian_axes w;
    size_t stride, wide; /* floats: from a row of the ring to the next, of the row with its borders */
};

static struct rolling rolling_of(const struct gaussian_desc *d, const struct vectors *vectors)
{
    /* a line more than whole steps, as rows a power of two apart would share few sets of the cache */
    const size_t stride = (d->grid.nx + STEP - 1) / STEP * STEP + LINE;
    const struct gaussian_axes w = gaussian_axes_of(d->sigma);
    return (struct rolling){ d, vectors, w, stride, stride + 2 * w.along[0].radius };
}

/* Floats of a thread: the row with its borders, then the ring. */
static size_t rolling_floats(const struct rolling *r)
{
    const unsigned y = r->w.along[1].radius, z = r->w.along[2].radius;
    return r->wide + (2 * (size_t)(y > z ? y : z) + 1) * r->stride;
}

static float *ring_row(const struct rolling *r, float *mine, size_t c, unsigned radius)
{
    return mine + r->wide + c % (2 * (size_t)radius + 1) * r->stride;
}

/* Writes what belongs to place c of n along y or z, from the ring that holds its neighbours, to `out`. */
static void weigh_ring(const struct rolling *r, float *mine, size_t c, size_t n, unsigned axis, float *out)
{
    const struct gaussian_weights *w = &r->w.along[axis];
    const float *row[2 * GAUSSIAN_MAX_RADIUS + 1];
    const float *first = mine + r->wide, *end = first + (2 * (size_t)w->radius + 1) * r->stride;
    const float *at = ring_row(r, mine, clamped(c, -(int)w->radius, n), w->radius);
    for (unsigned k = 0; k <= 2 * w->radius; k++) { /* a step is cheaper than the division of ring_row */
        row[k] = at;
        if (c + k < w->radius || c + k - w->radius + 1 >= n) continue; /* the border is repeated */
        at += r->stride;
        if (at == end) at = first;
    }
    r->vectors->weigh(out, row, r->d->grid.nx, w);
}

/* Smooths row y of slice z along x, into the ring. */
static void roll_x(const struct rolling *r, float *mine, size_t y, size_t z)
{
    const struct gaussian_weights *w = &r->w.along[0];
    const struct grid *g = &r->d->grid;
    const float *row[2 * GAUSSIAN_MAX_RADIUS + 1];
    float *in = mine + w->radius;
    r->vectors->widen(in, g, (z * g->ny + y) * g->nx);
    for (size_t i = 1; i <= w->radius; i++) in[-(ptrdiff_t)i] = in[0], in[g->nx - 1 + i] = in[g->nx - 1];
    for (size_t k = 0; k <= 2 * w->radius; k++) row[k] = mine + k;
    r->vectors->weigh(ring_row(r, mine, y, r->w.along[1].radius), row, g->nx, w);
}

/* Smooths rows begin to end - 1 along x and y. */
static void roll_xy(const struct rolling *r, float *mine, size_t begin, size_t end, const struct exec *x)
{
    const struct grid *g = &r->d->grid;
    const size_t radius = r->w.along[1].radius;
    size_t next = 0; /* row of the slice that the ring does not hold yet */
    size_t y = begin % g->ny, z = begin / g->ny;
    for (size_t i = begin; i < end && !exec_is_cancelled(x); i++) {
        if (i == begin || !y) next = y < radius ? 0 : y - radius;
        for (; next < min_size(y + radius + 1, g->ny); next++) roll_x(r, mine, next, z);
        weigh_ring(r, mine, y, g->ny, 1, r->d->out + i * g->nx);
        tell(r->d, GAUSSIAN_ROW - 1);
        if (++y == g->ny) y = 0, z++;
    }
}

/* Smooths the rows of number y in all slices along z. */
static void roll_z(const struct rolling *r, float *mine, size_t y, const struct exec *x)
{
    const struct grid *g = &r->d->grid;
    const size_t radius = r->w.along[2].radius;
    size_t next = 0;
    for (size_t z = 0; z < g->nz && !exec_is_cancelled(x); z++) {
        for (; next < min_size(z + radius + 1, g->nz); next++)
            memcpy(ring_row(r, mine, next, (unsigned)radius), r->d->out + (next * g->ny + y) * g->nx,
                   g->nx * sizeof(float));
        weigh_ring(r, mine, z, g->nz, 2, r->d->out + (z * g->ny + y) * g->nx);
        tell(r->d, 1);
    }
}

static int roll(const struct gaussian_desc *d, float *scratch, struct exec *x, const struct vectors *vectors)
{
    const struct rolling r = rolling_of(d, vectors);
    const size_t rows = d->grid.ny * d->grid.nz, each = rolling_floats(&r);
#pragma omp parallel num_threads(x->threads)
    {
#pragma omp for schedule(static, 1)
        for (int p = 0; p < x->threads; p++)
            roll_xy(&r, scratch + (size_t)p * each, part_start(rows, p, x->threads), part_start(rows, p + 1, x->threads),
                    x);
#pragma omp for schedule(static, 1)
        for (int p = 0; p < x->threads; p++)
            for (size_t y = part_start(d->grid.ny, p, x->threads); y < part_start(d->grid.ny, p + 1, x->threads); y++)
                roll_z(&r, scratch + (size_t)p * each, y, x);
    }
    return 0;
}

static int run_rolling(const struct gaussian_desc *d, void *scratch, struct exec *x)
{
    return roll(d, scratch, x, &plain_vectors);
}

static int run_avx2(const struct gaussian_desc *d, void *scratch, struct exec *x)
{
    return roll(d, scratch, x, &avx2_vectors);
}

static int run_avx512(const struct gaussian_desc *d, void *scratch, struct exec *x)
{
    return roll(d, scratch, x, &avx512_vectors);
}

static int run_simd(const struct gaussian_desc *d, void *scratch, struct exec *x)
{
    return roll(d, scratch, x, cpu_has_avx512() ? &avx512_vectors : cpu_has_avx2() ? &avx2_vectors : &plain_vectors);
}

static size_t scratch_rolling(const struct gaussian_desc *d, const struct exec *x)
{
    const struct rolling r = rolling_of(d, &plain_vectors);
    return (size_t)x->threads * rolling_floats(&r) * sizeof(float);
}

/* clang-format off */
const struct gaussian_rung gaussian_cpu[] = {
    { { "naive", "the whole cube of neighbours for each voxel", false }, run_naive, NULL, NULL, NULL },
    { { "separable", "three passes, along x, y and z, on whole rows; threads", false }, run_separable, scratch_separable,
      NULL, NULL },
    { { "rolling", "sums in registers; x and y in one pass, z in place, from rings of rows", false }, run_rolling,
      scratch_rolling, NULL, NULL },
    { { "avx2", "as rolling, with vectors of 256 bits", false, cpu_lacks_avx2 }, run_avx2, scratch_rolling, NULL, NULL },
    { { "avx512", "as rolling, with vectors of 512 bits", false, cpu_lacks_avx512 },
      run_avx512, scratch_rolling, NULL, NULL },
    { { "simd", "the rung above with the widest vectors that the machine has", true },
      run_simd, scratch_rolling, NULL, NULL },
    { { NULL, NULL, false }, NULL, NULL, NULL, NULL },
};
/* clang-format on */
