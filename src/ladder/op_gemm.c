#include "op.h"

#include "kernels/gemm.h"
#include "synth.h"

#include <math.h>
#include <string.h>

struct gemm_case {
    size_t m, n, k;
    bool trans_a, trans_b;
    float alpha, beta;
    size_t gap;   /* floats between rows, all NaN: no sum may contain one */
    size_t shift; /* offset of the operands from 16-byte alignment, floats */
};

enum { A, B, C, WANT, SIZE }; /* SIZE: sums of magnitudes; the tolerance is relative to these */

/* Of products with more than LARGE operations, only ROWS rows are checked: all would take the host longer than the
 * rungs. */
enum { ROWS = 16, LARGE = 1 << 27 };

static void at_size(void *param, size_t size)
{
    *(struct gemm_case *)param = (struct gemm_case){ .m = size, .n = size, .k = size, .alpha = 1 };
}

static void at_shape(void *param, const uint64_t *shape)
{
    *(struct gemm_case *)param = (struct gemm_case){ .m = shape[0], .n = shape[1], .k = shape[2], .alpha = 1 };
}

static void cases(struct op_walk *walk)
{
    /* clang-format off */
    static const size_t shapes[][3] = {
        { 0, 5, 3 }, { 5, 0, 3 }, { 5, 3, 0 }, { 1, 1, 1 }, { 1, 7, 40 }, { 7, 1, 40 }, /* empty and thin */
        { 15, 16, 17 }, { 16, 17, 15 }, { 31, 32, 33 }, { 33, 31, 32 },  /* around the tiles of 16 and 32 */
        { 63, 65, 64 }, { 127, 129, 7 }, { 128, 128, 16 }, { 129, 127, 9 }, /* of 64 and 128, and depths of 8 and 16 */
        { 4, 8, 257 }, { 5, 9, 256 }, { 3, 513, 255 }, /* the CPU's tiles of 4 x 8, and blocks 256 deep and 512 wide */
        { 6, 16, 9 }, { 7, 17, 9 }, { 14, 32, 9 }, { 15, 33, 9 }, { 337, 33, 9 }, /* its wider tiles; 168 rows per block */
        { 256, 256, 64 },                                                /* whole tiles, several each way */
        { 131, 137, 139 },                                               /* primes */
    };
    static const struct gemm_case variants[] = {
        { 0, 0, 0, false, false, 1, 0, 0, 0 },        { 0, 0, 0, true, false, 1, 0, 0, 0 },
        { 0, 0, 0, false, true, 1, 0, 0, 0 },         { 0, 0, 0, true, true, 1, 0, 0, 0 },
        { 0, 0, 0, false, false, -1.5f, 0.5f, 4, 0 }, { 0, 0, 0, true, false, 2, -1, 3, 0 }, /* rows on 16 bytes, and not */
        { 0, 0, 0, false, true, 0.5f, 1, 4, 1 },      { 0, 0, 0, true, true, 1, 2, 1, 1 },
        { 0, 0, 0, false, false, 0, 3, 0, 0 },        { 0, 0, 0, true, true, 0, 0, 0, 0 }, /* A, B, then C not read */
    };
    /* clang-format on */
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
            struct gemm_case p = variants[v];
            p.m = shapes[s][0], p.n = shapes[s][1], p.k = shapes[s][2];
            walk->add(walk, &p);
        }
    if (walk->quick) return;
    walk->add(walk, &(struct gemm_case){ 1, 65536 * 64 + 1, 2, .alpha = 1 });       /* more than 2^16 tiles of 64 across */
    walk->add(walk, &(struct gemm_case){ 65536 * 32 + 1, 1, 2, true, .alpha = 1 }); /* more than 2^16 of 32 down */
}

static size_t pitch(const struct gemm_case *p, size_t columns) { return columns + p->gap ? columns + p->gap : 1; }

static struct gemm_desc desc_of(const struct op_case *c)
{
    const struct gemm_case *p = c->param;
    struct gemm_desc d = { .m = p->m,
                           .n = p->n,
                           .k = p->k,
                           .alpha = p->alpha,
                           .beta = p->beta,
                           .lda = pitch(p, p->trans_a ? p->m : p->k),
                           .ldb = pitch(p, p->trans_b ? p->k : p->n),
                           .ldc = pitch(p, p->n),
                           .trans_a = p->trans_a,
                           .trans_b = p->trans_b };
    if (!c->array[C].device) return d;
    d.a = (const float *)c->array[A].device + p->shift, d.b = (const float *)c->array[B].device + p->shift;
    d.c = (float *)c->array[C].device + p->shift;
    return d;
}

static void plan_matrix(struct op_case *c, int i, enum op_use use, size_t rows, size_t ld)
{
    const size_t floats = op_product(rows, ld), shift = ((const struct gemm_case *)c->param)->shift;
    op_add(c, i, use, floats < SIZE_MAX - shift ? floats + shift : SIZE_MAX, sizeof(float));
}

static size_t rows_checked(const struct gemm_case *p)
{
    return op_product(op_product(p->m, p->n), p->k) > LARGE / 2 && p->m > ROWS ? ROWS : p->m;
}

/* The r-th row to check; the first and the last row are included. */
static size_t row_of(const struct gemm_case *p, size_t r)
{
    const size_t rows = rows_checked(p);
    return rows > 1 ? r * (p->m - 1) / (rows - 1) : 0;
}

static void plan(struct op_case *c)
{
    const struct gemm_case *p = c->param;
    const struct gemm_desc d = desc_of(c);
    op_name(c, "%zux%zux%zu%s%s, alpha %g, beta %g, gap %zu, shift %zu", p->m, p->n, p->k, p->trans_a ? " A^T" : "",
            p->trans_b ? " B^T" : "", (double)p->alpha, (double)p->beta, p->gap, p->shift);
    plan_matrix(c, A, OP_INPUT, p->trans_a ? p->k : p->m, d.lda);
    plan_matrix(c, B, OP_INPUT, p->trans_b ? p->n : p->k, d.ldb);
    plan_matrix(c, C, OP_INOUT, p->m, d.ldc);
    for (int i = WANT; i <= SIZE; i++) op_add(c, i, OP_HOST, op_product(rows_checked(p), p->n), sizeof(double));
    c->operations = 2 * (uint64_t)p->m * p->n * p->k;
    c->bytes = (p->m * p->k + p->k * p->n + p->m * p->n) * sizeof(float);
}

/* The magnitude is at least 0.001, a normal number in FP16. */
static float random_unit(uint64_t *seed)
{
    const double size = 0.001 + 0.999 * synth_fraction(seed);
    return (float)(synth_random(seed) & 1 ? size : -size);
}

/* Fills with NaN if a rung must not read the matrix. */
static void fill_matrix(struct op_array *a, size_t shift, size_t columns, size_t ld, bool read, uint64_t *seed)
{
    float *x = a->host;
    const size_t floats = a->bytes / sizeof *x;
    for (size_t i = 0; i < floats; i++) x[i] = read && i >= shift && (i - shift) % ld < columns ? random_unit(seed) : NAN;
}

/* Computes checked row r in double. */
static void fill_row(struct op_case *c, const struct gemm_desc *d, size_t r)
{
    const struct gemm_case *p = c->param;
    const float *a = (const float *)c->array[A].host + p->shift, *b = (const float *)c->array[B].host + p->shift;
    const float *old = (const float *)c->array[C].host + p->shift + row_of(p, r) * d->ldc;
    double *want = (double *)c->array[WANT].host + r * d->n, *size = (double *)c->array[SIZE].host + r * d->n;
    for (size_t k = 0; k < gemm_depth(d); k++) {
        const double factor = a[d->trans_a ? k * d->lda + row_of(p, r) : row_of(p, r) * d->lda + k];
        for (size_t j = 0; j < d->n; j++) {
            const double product = factor * (double)b[d->trans_b ? j * d->ldb + k : k * d->ldb + j];
            want[j] += product, size[j] += fabs(product);
        }
    }
    for (size_t j = 0; j < d->n; j++) {
        want[j] *= d->alpha, size[j] *= fabs((double)d->alpha);
        if (d->beta != 0) want[j] += (double)d->beta * old[j], size[j] += fabs((double)d->beta * old[j]);
    }
}

static void fill(struct op_case *c)
{
    const struct gemm_case *p = c->param;
    const struct gemm_desc d = desc_of(c);
    uint64_t seed = 42;
    fill_matrix(&c->array[A], p->shift, p->trans_a ? p->m : p->k, d.lda, p->alpha != 0, &seed);
    fill_matrix(&c->array[B], p->shift, p->trans_b ? p->k : p->n, d.ldb, p->alpha != 0, &seed);
    fill_matrix(&c->array[C], p->shift, p->n, d.ldc, p->beta != 0, &seed);
    for (size_t r = 0; r < rows_checked(p); r++) fill_row(c, &d, r);
}

OP_ANY_BLOCK(gemm)
OP_BY_DESC(gemm)

static bool check_row(struct op_case *c, const struct gemm_desc *d, size_t r, double tolerance)
{
    const struct gemm_case *p = c->param;
    const size_t i = row_of(p, r), at = p->shift + i * d->ldc;
    const float *got = (const float *)c->array[C].got + at, *old = (const float *)c->array[C].host + at;
    const double *want = (const double *)c->array[WANT].host + r * d->n, *size = (double *)c->array[SIZE].host + r * d->n;
    for (size_t j = 0; j < d->n; j++)
        if (!op_near(c, (double)got[j], want[j], size[j], tolerance * size[j] + 1e-30))
            return op_wrong(c, "row %zu, column %zu is %g, not %g", i, j, (double)got[j], want[j]);
    return !memcmp(got + d->n, old + d->n, (d->ldc - d->n) * sizeof *got) ||
           op_wrong(c, "it wrote past the end of row %zu", i);
}

static bool check(struct op_case *c, const struct rung *rung)
{
    const struct gemm_desc d = desc_of(c);
    const double tolerance = gemm_tolerance((const struct gemm_rung *)rung, d.k);
    for (size_t r = 0; r < rows_checked(c->param); r++)
        if (!check_row(c, &d, r, tolerance)) return false;
    return true;
}

const struct op op_gemm = {
    .op = "gemm",
    .unit = "rows and columns",
    .size = { 512, 4096 },
    .operation = "flop",
    .arithmetic = true,
    OP_TIMED,
    .at_shape = at_shape,
    .axes = 3,
    .scratch = scratch,
    .any_block = any_block,
};
