#include "ops.h"

#include "kernels/gemv.h"
#include "synth.h"

#include <stdlib.h>

struct variant {
    bool trans;
    float alpha, beta;
    size_t gap, shift;
};

/* rows x ld floats after `shift`, NaN but for the first `columns` of each row; all NaN where they must not be read. */
static float *floats_make(size_t rows, size_t columns, size_t ld, size_t shift, bool read, uint64_t *seed)
{
    float *x = calloc(rows * ld + shift + 1, sizeof *x);
    for (size_t i = 0; i < rows * ld + shift; i++) x[i] = NAN;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; read && j < columns; j++) x[shift + i * ld + j] = (float)(2 * synth_fraction(seed) - 1);
    return x;
}

static void gemv_check(struct env *env, const struct gemv_desc *d, const float *a, const float *x, const float *y,
                       const float *got)
{
    size_t wrong = 0;
    double worst = 0;
    for (size_t i = 0; i < gemv_rows(d); i++) {
        double sum = 0, size = 0;
        for (size_t p = 0; p < gemv_depth(d); p++) {
            const double product = (double)a[d->trans ? p * d->lda + i : i * d->lda + p] * x[p];
            sum += product, size += fabs(product);
        }
        sum *= d->alpha, size *= fabs((double)d->alpha);
        if (d->beta != 0) sum += (double)d->beta * y[i], size += fabs((double)d->beta * y[i]);
        const double error = fabs(got[i] - sum);
        wrong += !(error <= gemv_tolerance(gemv_depth(d)) * size + 1e-30);
        if (!(error <= worst)) worst = error;
    }
    env_expect(env, wrong == 0, "%zux%zu%s alpha %g beta %g, rows %zu apart: %zu wrong, by up to %g", d->m, d->n,
               d->trans ? " transposed" : "", d->alpha, d->beta, d->lda, wrong, worst);
}

static void gemv_case(struct env *env, size_t m, size_t n, struct variant v)
{
    const struct gemv_rung *rung = (const struct gemv_rung *)env->rung;
    struct gemv_desc d = { m, n, v.alpha, v.beta, NULL, NULL, NULL, n + v.gap ? n + v.gap : 1, v.trans };
    const size_t rows = gemv_rows(&d), columns = v.trans ? m : n, shift = v.shift;
    uint64_t seed = 42;
    float *a = floats_make(m, n, d.lda, shift, v.alpha != 0, &seed);
    float *x = floats_make(1, columns, columns, shift, v.alpha != 0, &seed);
    float *y = floats_make(1, rows, rows, shift, v.beta != 0, &seed), *got = malloc((rows + shift + 1) * sizeof *got);
    const size_t bytes_a = (m * d.lda + shift) * sizeof *a, bytes_x = (columns + shift) * sizeof *x;
    const size_t bytes_y = (rows + shift) * sizeof *y;
    float *at_a = env_memory(env, a, bytes_a), *at_x = env_memory(env, x, bytes_x), *at_y = env_memory(env, y, bytes_y);
    d.a = at_a + shift, d.x = at_x + shift, d.y = at_y + shift;
    const size_t bytes = rung->scratch ? rung->scratch(&d, &env->exec) : 0;
    void *scratch = env_memory(env, NULL, bytes);
    env_ran(env, rung->run(&d, scratch, &env->exec));
    env_take(env, at_y, got, bytes_y);
    env_take(env, at_a, NULL, bytes_a), env_take(env, at_x, NULL, bytes_x), env_take(env, scratch, NULL, bytes);
    gemv_check(env, &d, a + shift, x + shift, y + shift, got + shift);
    free(a), free(x), free(y), free(got);
}

void op_gemv(struct env *env)
{
    /* clang-format off */
    static const size_t shapes[][2] = {
        { 0, 5 }, { 5, 0 }, { 1, 1 }, { 1, 3 }, { 3, 1 },      /* empty, single */
        { 7, 31 }, { 8, 32 }, { 9, 33 }, { 33, 8 }, { 5, 128 }, /* round a warp, the 8 of a block, the CPU's lanes */
        { 17, 127 }, { 16, 129 }, { 3, 255 }, { 2, 257 },      /* round 4 floats a lane, the CPU's columns, a block */
        { 257, 131 }, { 131, 1031 },                           /* primes, several blocks */
    };
    /* clang-format on */
    /* clang-format off */
    static const struct variant variants[] = {
        { false, 1, 0, 0, 0 },  { true, 1, 0, 0, 0 },  { false, -2, 0.5f, 4, 0 }, { true, 2, -1, 4, 0 },
        { false, 1, 1, 3, 1 },  { true, 1, 1, 3, 1 }, /* not on 16 bytes */
        { false, 0, 0, 0, 0 },  { true, 0, 3, 0, 0 }, /* A and x are not read */
    };
    /* clang-format on */
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++)
            gemv_case(env, shapes[s][0], shapes[s][1], variants[v]);
    if (env->quick) return;
    gemv_case(env, 65536 * 8 + 1, 3, variants[0]);  /* more than 2^16 blocks of 8 rows */
    gemv_case(env, 1, 65536 * 32 + 1, variants[1]); /* of 32 columns */
}
