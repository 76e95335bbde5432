#include "ops.h"

#include "kernels/gemm.h"
#include "synth.h"

#include <stdlib.h>
#include <string.h>

enum { SHIFT = 1 }; /* floats by which operands are moved off 16-byte alignment in some cases */

/* A row-major matrix with `gap` floats between rows, which hold NaN, so that none can get into a sum unnoticed. */
struct matrix {
    size_t rows, columns, ld, shift, floats;
    float *host, *device;
};

static float random_unit(uint64_t *seed)
{
    const double size = 0.001 + 0.999 * synth_fraction(seed); /* not below what FP16 holds in full */
    return (float)(synth_random(seed) & 1 ? size : -size);
}

static struct matrix matrix_make(struct env *env, size_t rows, size_t columns, size_t gap, size_t shift, uint64_t *seed)
{
    struct matrix x = { rows, columns, columns + gap ? columns + gap : 1, shift, 0, NULL, NULL };
    x.floats = rows * x.ld + shift;
    x.host = calloc(x.floats + 1, sizeof *x.host);
    for (size_t i = 0; i < x.floats; i++) x.host[i] = NAN;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; seed && j < columns; j++) x.host[shift + i * x.ld + j] = random_unit(seed);
    x.device = env_memory(env, x.host, x.floats * sizeof *x.host);
    return x;
}

static double matrix_at(const struct matrix *x, bool transposed, size_t i, size_t j)
{
    return x->host[x->shift + (transposed ? j * x->ld + i : i * x->ld + j)];
}

struct shape {
    size_t m, n, k;
};

struct variant {
    bool trans_a, trans_b;
    float alpha, beta;
    size_t gap, shift;
};

static void gemm_check(struct env *env, const struct gemm_desc *d, const struct matrix *a, const struct matrix *b,
                       const struct matrix *c, const float *got)
{
    const double tolerance = gemm_tolerance((const struct gemm_rung *)env->rung, d->k);
    size_t wrong = 0, outside = 0;
    double worst = 0;
    for (size_t i = 0; i < d->m; i++) {
        const float *row = got + c->shift + i * c->ld;
        for (size_t j = 0; j < d->n; j++) {
            double sum = 0, size = 0;
            for (size_t p = 0; p < d->k && d->alpha != 0; p++) {
                const double product = matrix_at(a, d->trans_a, i, p) * matrix_at(b, d->trans_b, p, j);
                sum += product, size += fabs(product);
            }
            sum *= d->alpha, size *= fabs((double)d->alpha);
            if (d->beta != 0) sum += d->beta * matrix_at(c, false, i, j), size += fabs(d->beta * matrix_at(c, false, i, j));
            const double error = fabs((double)row[j] - sum);
            wrong += !(error <= tolerance * size + 1e-30);
            if (!(error <= worst)) worst = error;
        }
        for (size_t j = d->n; j < c->ld; j++)
            outside += memcmp(&row[j], &c->host[c->shift + i * c->ld + j], sizeof *row) != 0;
    }
    env_expect(env, wrong == 0, "%zux%zux%zu%s%s alpha %g beta %g, gap %zu, shift %zu: %zu wrong, by up to %g", d->m, d->n,
               d->k, d->trans_a ? " A^T" : "", d->trans_b ? " B^T" : "", d->alpha, d->beta, c->ld - d->n, c->shift, wrong,
               worst);
    env_expect(env, outside == 0, "%zux%zux%zu: wrote %zu floats between the rows", d->m, d->n, d->k, outside);
}

static void gemm_case(struct env *env, struct shape s, struct variant v)
{
    const struct gemm_rung *rung = (const struct gemm_rung *)env->rung;
    uint64_t seed = 42;
    uint64_t *read_ab = v.alpha == 0 ? NULL : &seed, *read_c = v.beta == 0 ? NULL : &seed; /* NULL: all NaN */
    struct matrix a = matrix_make(env, v.trans_a ? s.k : s.m, v.trans_a ? s.m : s.k, v.gap, v.shift, read_ab);
    struct matrix b = matrix_make(env, v.trans_b ? s.n : s.k, v.trans_b ? s.k : s.n, v.gap, v.shift, read_ab);
    struct matrix c = matrix_make(env, s.m, s.n, v.gap, v.shift, read_c);
    const struct gemm_desc d = {
        s.m,  s.n,  s.k,  v.alpha,   v.beta,   a.device + a.shift, b.device + b.shift, c.device + c.shift,
        a.ld, b.ld, c.ld, v.trans_a, v.trans_b
    };
    const size_t bytes = rung->scratch ? rung->scratch(&d, &env->exec) : 0;
    void *scratch = env_memory(env, NULL, bytes);
    env_ran(env, rung->run(&d, scratch, &env->exec));
    float *got = malloc((c.floats + 1) * sizeof *got);
    env_take(env, c.device, got, c.floats * sizeof *got);
    env_take(env, scratch, NULL, bytes);
    env_take(env, a.device, NULL, a.floats * sizeof *got);
    env_take(env, b.device, NULL, b.floats * sizeof *got);
    gemm_check(env, &d, &a, &b, &c, got);
    free(got), free(a.host), free(b.host), free(c.host);
}

void op_gemm(struct env *env)
{
    /* clang-format off */
    static const struct shape shapes[] = {
        { 0, 5, 3 }, { 5, 0, 3 }, { 5, 3, 0 }, { 1, 1, 1 }, { 1, 7, 40 }, { 7, 1, 40 }, /* empty and thin */
        { 15, 16, 17 }, { 16, 17, 15 }, { 31, 32, 33 }, { 33, 31, 32 },  /* round the tiles of 16 and 32 */
        { 63, 65, 64 }, { 127, 129, 7 }, { 128, 128, 16 }, { 129, 127, 9 }, /* of 64 and 128, and depths of 8 and 16 */
        { 4, 8, 129 }, { 5, 9, 128 }, { 3, 513, 127 }, /* the CPU's blocks: 4 rows, 8 columns, 128 deep, 512 wide */
        { 256, 256, 64 },                                                /* whole tiles only, more than one each way */
        { 131, 137, 139 },                                               /* primes */
    };
    /* clang-format on */
    /* clang-format off */
    static const struct variant variants[] = {
        { false, false, 1, 0, 0, 0 },          { true, false, 1, 0, 0, 0 },
        { false, true, 1, 0, 0, 0 },           { true, true, 1, 0, 0, 0 },
        { false, false, -1.5f, 0.5f, 4, 0 },   { true, false, 2, -1, 3, 0 }, /* rows kept, and not kept, on 16 bytes */
        { false, true, 0.5f, 1, 4, SHIFT },    { true, true, 1, 2, 1, SHIFT },
        { false, false, 0, 3, 0, 0 },          { true, true, 0, 0, 0, 0 },   /* A and B are not read; nor is C */
    };
    /* clang-format on */
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) gemm_case(env, shapes[s], variants[v]);
    if (env->quick) return;
    gemm_case(env, (struct shape){ 1, 65536 * 64 + 1, 2 }, variants[0]); /* more than 2^16 tiles of 64 across */
    gemm_case(env, (struct shape){ 65536 * 32 + 1, 1, 2 }, variants[1]); /* more than 2^16 tiles of 32 down */
}
