#include "op_grid.h"

#include "kernels/gaussian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gaussian_case {
    struct grid_case grid;
    float sigma[3];
    bool cancelled; /* before the run */
};

struct state {
    struct gaussian_desc desc;
    const struct gaussian_rung *opened;
    size_t done;   /* progress of all runs so far */
    size_t before; /* `done` before the last run */
};

enum { OUT = GRID_OWN, STATE, WANT, LARGEST };

/* Grids above LARGE voxels are checked at SAMPLES voxels. */
enum { SAMPLES = 1000, LARGE = 1 << 20 };

static void at_size(void *param, size_t size)
{
    *(struct gaussian_case *)param = (struct gaussian_case){ grid_at_size(size), { 1.5f, 1.5f, 1.5f }, false };
}

static void add(struct op_walk *walk, const size_t n[3], enum voxel_type type, enum field field, float sigma)
{
    walk->add(walk, &(struct gaussian_case){ { { n[0], n[1], n[2] }, type, field, 0 }, { sigma, sigma, sigma }, false });
}

/* A different sigma for each axis, in every order, so that mixing up axes is found. */
static void add_uneven(struct op_walk *walk)
{
    static const float sigmas[][3] = { { 0, 0.5f, 1.7f }, { 0.5f, 1.7f, 0 }, { 1.7f, 0, 0.5f }, { 0.3f, 1, 2.5f } };
    for (size_t i = 0; i < sizeof sigmas / sizeof sigmas[0]; i++) {
        struct gaussian_case one = { { { 17, 19, 23 }, VOXEL_UINT8, FIELD_BYTES, 0 }, { 0 }, false };
        memcpy(one.sigma, sigmas[i], sizeof one.sigma);
        walk->add(walk, &one);
    }
}

static void cases(struct op_walk *walk)
{
    /* clang-format off */
    static const size_t shapes[][3] = {
        { 1, 1, 1 }, { 2, 1, 3 }, { 7, 8, 9 }, { 9, 7, 8 }, { 8, 9, 7 }, /* smaller than the radius; around the tile of 8 */
        { 31, 3, 5 }, { 32, 5, 3 }, { 33, 8, 2 },                        /* around a warp */
        { 17, 19, 23 },                                                  /* primes */
        { 63, 3, 2 }, { 64, 2, 3 }, { 65, 4, 2 }, { 131, 3, 4 },         /* around the CPU's step of 64; three steps */
    };
    /* clang-format on */
    static const float sigmas[] = {
        0, 0.3f, 0.5f, 1, 1.7f, 2.5f
    }; /* radius 0, 1, 2, 3, 6, and 8: beyond the tile's limit */
    static const size_t small[3] = { 3, 4, 2 }, cube[3] = { 11, 11, 11 }, rows[3] = { 1, 65536 * 8 + 1, 1 };
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (size_t i = 0; i < sizeof sigmas / sizeof sigmas[0]; i++)
            add(walk, shapes[s], VOXEL_FLOAT32, FIELD_STEPS, sigmas[i]);
    for (int type = 0; type < VOXEL_TYPE_COUNT; type++)
        add(walk, shapes[2], (enum voxel_type)type, type == VOXEL_FLOAT32 ? FIELD_STEPS : FIELD_BYTES, 1);
    add(walk, small, VOXEL_UINT8, FIELD_BYTES, GAUSSIAN_MAX_SIGMA); /* the largest radius */
    add(walk, rows, VOXEL_UINT8, FIELD_BYTES, 0.3f);                /* more than 2^16 blocks of 8 rows */
    add(walk, cube, VOXEL_FLOAT32, FIELD_CONSTANT, 1.2f);           /* must stay constant */
    add(walk, cube, VOXEL_FLOAT32, FIELD_NAN, 1);                   /* the NaN must spread exactly as far as the radius */
    add_uneven(walk);
    if (walk->backend == BACKEND_CPU)
        walk->add(walk, &(struct gaussian_case){ { { 8, 8, 8 }, VOXEL_FLOAT32, FIELD_STEPS, 0 }, { 1, 1, 1 }, true });
}

static void plan(struct op_case *c)
{
    const struct gaussian_case *p = c->param;
    const size_t n = grid_count(&p->grid), checked = n > LARGE ? SAMPLES : n;
    grid_plan(c, &p->grid);
    op_name(c, ", sigma %g %g %g%s", (double)p->sigma[0], (double)p->sigma[1], (double)p->sigma[2],
            p->cancelled ? ", cancelled" : "");
    c->cancelled = p->cancelled;
    op_add(c, OUT, OP_OUTPUT, n, sizeof(float));
    op_add(c, STATE, OP_HOST, 1, sizeof(struct state));
    op_add(c, WANT, OP_HOST, checked, sizeof(double));
    op_add(c, LARGEST, OP_HOST, 1, sizeof(double));
    c->operations = n;
    c->bytes = n * (voxel_bytes(p->grid.type) + sizeof(float));
}

static size_t clamped(long i, size_t n) { return i < 0 ? 0 : (size_t)i < n ? (size_t)i : n - 1; }

struct weights { /* along an axis, in double */
    long radius;
    double w[GAUSSIAN_MAX_RADIUS + 1];
};

static struct weights weights_of(double sigma)
{
    struct weights of = { (long)ceil(3 * sigma), { 1 } };
    double sum = 1;
    for (long i = 1; i <= of.radius; i++) {
        of.w[i] = exp(-0.5 * (double)(i * i) / (sigma * sigma));
        sum += 2 * of.w[i];
    }
    for (long i = 0; i <= of.radius; i++) of.w[i] /= sum;
    return of;
}

/* One voxel in double, neighbour by neighbour. */
static double smoothed(const struct grid *g, size_t voxel, const struct weights along[3])
{
    const struct weights *wx = &along[0], *wy = &along[1], *wz = &along[2];
    const long x = (long)(voxel % g->nx), y = (long)(voxel / g->nx % g->ny), z = (long)(voxel / g->nx / g->ny);
    double sum = 0;
    for (long k = -wz->radius; k <= wz->radius; k++)
        for (long j = -wy->radius; j <= wy->radius; j++)
            for (long i = -wx->radius; i <= wx->radius; i++) {
                const size_t from = (clamped(z + k, g->nz) * g->ny + clamped(y + j, g->ny)) * g->nx + clamped(x + i, g->nx);
                sum += wx->w[labs(i)] * wy->w[labs(j)] * wz->w[labs(k)] * (double)grid_value(g, from);
            }
    return sum;
}

/* The k-th voxel to check. Samples are primes apart and fall on all planes. */
static size_t voxel_of(const struct op_case *c, size_t k)
{
    const size_t n = grid_count(&((const struct gaussian_case *)c->param)->grid);
    return c->array[WANT].bytes / sizeof(double) < n ? k * 7919 * 104729 % n : k;
}

static void fill(struct op_case *c)
{
    const struct gaussian_case *p = c->param;
    struct weights along[3];
    double *want = c->array[WANT].host, *largest = c->array[LARGEST].host;
    grid_fill(c, &p->grid);
    if (c->err.code) return;
    const struct grid g = grid_host(c, &p->grid);
    for (int a = 0; a < 3; a++) along[a] = weights_of((double)p->sigma[a]);
    for (size_t k = 0; k < c->array[WANT].bytes / sizeof *want; k++) want[k] = smoothed(&g, voxel_of(c, k), along);
    for (size_t i = 0; i < grid_voxels(&g); i++) *largest = fmax(*largest, fabs((double)grid_value(&g, i)));
    struct state *s = c->array[STATE].host;
    s->desc = (struct gaussian_desc){ .grid = grid_device(c, &p->grid), .out = c->array[OUT].device, .done = &s->done };
    memcpy(s->desc.sigma, p->sigma, sizeof s->desc.sigma);
}

static void close(struct op_case *c)
{
    struct state *s = c->array[STATE].host;
    if (s && s->opened && s->opened->close) s->opened->close(&s->desc);
    if (s) s->opened = NULL;
}

static int before(struct op_case *c, const struct rung *rung)
{
    struct state *s = c->array[STATE].host;
    const struct gaussian_rung *r = (const struct gaussian_rung *)rung;
    s->before = s->done;
    if (s->opened == r) return 0;
    close(c);
    const int code = r->open ? r->open(&s->desc, c->exec) : 0;
    if (!code) s->opened = r;
    return code;
}

OP_SCRATCH(gaussian, &((const struct state *)c->array[STATE].host)->desc)

static int run(struct op_case *c, const struct rung *rung)
{
    const struct state *s = c->array[STATE].host;
    return ((const struct gaussian_rung *)rung)->run(&s->desc, c->scratch, c->exec);
}

static bool check(struct op_case *c, const struct rung *rung)
{
    const struct gaussian_case *p = c->param;
    const struct state *s = c->array[STATE].host;
    const float *got = c->array[OUT].got;
    const double *want = c->array[WANT].host, largest = *(const double *)c->array[LARGEST].host;
    const float widest = fmaxf(p->sigma[0], fmaxf(p->sigma[1], p->sigma[2]));
    const double exact = p->grid.field == FIELD_CONSTANT ? 2e-6 : gaussian_tolerance((unsigned)ceilf(3 * widest));
    const double most = (exact + ((const struct gaussian_rung *)rung)->loose) * largest;
    if (p->cancelled)
        return s->done == s->before || op_wrong(c, "cancelled, it reports %zu parts of rows", s->done - s->before);
    if (c->exec->backend == BACKEND_CPU && s->done - s->before != GAUSSIAN_ROW * p->grid.n[1] * p->grid.n[2])
        return op_wrong(c, "it reports %zu parts of rows", s->done - s->before);
    for (size_t k = 0; k < c->array[WANT].bytes / sizeof *want; k++) {
        const double value = (double)got[voxel_of(c, k)];
        if (isnan(want[k]) ? !isnan(value) : !op_near(c, value, want[k], largest, most))
            return op_wrong(c, "voxel %zu is %g, not %g", voxel_of(c, k), value, want[k]);
    }
    return true;
}

OP_ANY_BLOCK(gaussian)

const struct op op_gaussian = {
    .op = "gaussian",
    OP_ON_GRID,
    .size = { 64, 512 },
    OP_TIMED,
    .scratch = scratch,
    .before = before,
    .close = close,
    .any_block = any_block,
};
