#include "op.h"

#include "kernels/gemv.h"
#include "synth.h"

#include <math.h>

struct gemv_case {
    size_t m, n;
    bool trans;
    float alpha, beta;
    size_t gap;   /* floats between rows; they hold NaN */
    size_t shift; /* offset of the operands from 16-byte alignment, floats */
};

enum { A, X, Y, WANT, SIZE }; /* SIZE: sums of magnitudes; the tolerance is relative to these */

static void at_size(void *param, size_t size)
{
    *(struct gemv_case *)param = (struct gemv_case){ .m = size, .n = size, .alpha = 1 };
}

static void at_shape(void *param, const uint64_t *shape)
{
    *(struct gemv_case *)param = (struct gemv_case){ .m = shape[0], .n = shape[1], .alpha = 1 };
}

static void cases(struct op_walk *walk)
{
    /* clang-format off */
    static const size_t shapes[][2] = {
        { 0, 5 }, { 5, 0 }, { 1, 1 }, { 1, 3 }, { 3, 1 },      /* empty, single */
        { 7, 31 }, { 8, 32 }, { 9, 33 }, { 33, 8 }, { 5, 128 }, /* around a warp, the 8 of a block, the CPU's lanes */
        { 17, 127 }, { 16, 129 }, { 3, 255 }, { 2, 257 },      /* around 4 floats a lane, the CPU's columns, a block */
        { 257, 131 }, { 131, 1031 },                           /* primes, several blocks */
    };
    static const struct gemv_case variants[] = {
        { 0, 0, false, 1, 0, 0, 0 },  { 0, 0, true, 1, 0, 0, 0 },  { 0, 0, false, -2, 0.5f, 4, 0 },
        { 0, 0, true, 2, -1, 4, 0 },
        { 0, 0, false, 1, 1, 3, 1 },  { 0, 0, true, 1, 1, 3, 1 }, /* unaligned */
        { 0, 0, false, 0, 0, 0, 0 },  { 0, 0, true, 0, 3, 0, 0 }, /* A and x are not read */
    };
    /* clang-format on */
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
            struct gemv_case p = variants[v];
            p.m = shapes[s][0], p.n = shapes[s][1];
            walk->add(walk, &p);
        }
    if (walk->quick) return;
    walk->add(walk, &(struct gemv_case){ 65536 * 8 + 1, 3, false, 1, 0, 0, 0 }); /* more than 2^16 blocks of 8 rows */
    walk->add(walk, &(struct gemv_case){ 1, 65536 * 32 + 1, true, 1, 0, 0, 0 }); /* of 32 columns */
}

static struct gemv_desc desc_of(const struct op_case *c)
{
    const struct gemv_case *p = c->param;
    float *a = c->array[A].device, *x = c->array[X].device, *y = c->array[Y].device;
    struct gemv_desc d = { p->m, p->n, p->alpha, p->beta, NULL, NULL, NULL, p->n + p->gap ? p->n + p->gap : 1, p->trans };
    if (a && x && y) d.a = a + p->shift, d.x = x + p->shift, d.y = y + p->shift;
    return d;
}

static void plan(struct op_case *c)
{
    const struct gemv_case *p = c->param;
    const struct gemv_desc d = desc_of(c);
    const size_t floats = op_product(p->m, d.lda);
    op_name(c, "%zux%zu%s, alpha %g, beta %g, rows %zu apart", p->m, p->n, p->trans ? " transposed" : "", (double)p->alpha,
            (double)p->beta, d.lda);
    op_add(c, A, OP_INPUT, floats < SIZE_MAX - p->shift ? floats + p->shift : SIZE_MAX, sizeof(float));
    op_add(c, X, OP_INPUT, (p->trans ? p->m : p->n) + p->shift, sizeof(float));
    op_add(c, Y, OP_INOUT, gemv_rows(&d) + p->shift, sizeof(float));
    for (int i = WANT; i <= SIZE; i++) op_add(c, i, OP_HOST, gemv_rows(&d), sizeof(double));
    c->operations = 2 * (uint64_t)p->m * p->n;
    c->bytes = (p->m * p->n + p->m + p->n) * sizeof(float);
}

/* Fills the first `columns` floats of each row, the others with NaN; all with NaN unless `read`. */
static void fill_floats(struct op_array *a, size_t shift, size_t rows, size_t columns, size_t ld, bool read, uint64_t *seed)
{
    float *x = a->host;
    for (size_t i = 0; i < a->bytes / sizeof *x; i++) x[i] = NAN;
    for (size_t i = 0; i < rows && read; i++)
        for (size_t j = 0; j < columns; j++) x[shift + i * ld + j] = (float)(2 * synth_fraction(seed) - 1);
}

static void fill_wanted(struct op_case *c, const struct gemv_desc *d)
{
    const size_t shift = ((const struct gemv_case *)c->param)->shift;
    const float *a = (const float *)c->array[A].host + shift, *x = (const float *)c->array[X].host + shift;
    const float *y = (const float *)c->array[Y].host + shift;
    double *want = c->array[WANT].host, *size = c->array[SIZE].host;
    for (size_t i = 0; i < gemv_rows(d); i++) {
        for (size_t k = 0; k < gemv_depth(d); k++) {
            const double product = (double)a[d->trans ? k * d->lda + i : i * d->lda + k] * x[k];
            want[i] += product, size[i] += fabs(product);
        }
        want[i] *= d->alpha, size[i] *= fabs((double)d->alpha);
        if (d->beta != 0) want[i] += (double)d->beta * y[i], size[i] += fabs((double)d->beta * y[i]);
    }
}

static void fill(struct op_case *c)
{
    const struct gemv_case *p = c->param;
    const struct gemv_desc d = desc_of(c);
    const size_t columns = p->trans ? p->m : p->n, rows = gemv_rows(&d);
    uint64_t seed = 42;
    fill_floats(&c->array[A], p->shift, p->m, p->n, d.lda, p->alpha != 0, &seed);
    fill_floats(&c->array[X], p->shift, 1, columns, columns, p->alpha != 0, &seed);
    fill_floats(&c->array[Y], p->shift, 1, rows, rows, p->beta != 0, &seed);
    fill_wanted(c, &d);
}

OP_ANY_BLOCK(gemv)
OP_BY_DESC(gemv)

static bool check(struct op_case *c, const struct rung *rung)
{
    const struct gemv_desc d = desc_of(c);
    const float *got = (const float *)c->array[Y].got + ((const struct gemv_case *)c->param)->shift;
    const double *want = c->array[WANT].host, *size = c->array[SIZE].host;
    (void)rung;
    for (size_t i = 0; i < gemv_rows(&d); i++)
        if (!op_near(c, (double)got[i], want[i], size[i], gemv_tolerance(gemv_depth(&d)) * size[i] + 1e-30))
            return op_wrong(c, "number %zu is %g, not %g", i, (double)got[i], want[i]);
    return true;
}

const struct op op_gemv = {
    .op = "gemv",
    .unit = "rows and columns",
    .size = { 4096, 8192 },
    .operation = "flop",
    OP_TIMED,
    .at_shape = at_shape,
    .axes = 2,
    .scratch = scratch,
    .any_block = any_block,
};
