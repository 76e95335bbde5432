#include "ops.h"

#include <stdlib.h>

static void reduce_case(struct env *env, const struct sample *sample)
{
    const struct reduce_rung *rung = (const struct reduce_rung *)env->rung;
    const size_t n = grid_voxels(&sample->grid), scratch_bytes = rung->scratch ? rung->scratch(n, &env->exec) : 0;
    struct summary got, *out = env_memory(env, NULL, sizeof *out);
    void *scratch = env_memory(env, NULL, scratch_bytes);
    env_ran(env, rung->run(&sample->device, out, scratch, &env->exec));
    env_take(env, out, &got, sizeof got);
    env_take(env, scratch, NULL, scratch_bytes);

    struct summary want = summary_empty();
    long double sum = 0, square = 0;
    for (size_t i = 0; i < n; i++) {
        const double v = grid_value(&sample->grid, i);
        if (isnan(v)) want.nan++;
        else if (isinf(v)) want.infinite++;
        else want.count++, sum += v, want.min = fmin(want.min, v), want.max = fmax(want.max, v);
    }
    const long double mean = want.count ? sum / (long double)want.count : 0;
    for (size_t i = 0; i < n; i++) {
        const long double d = grid_value(&sample->grid, i) - mean;
        if (isfinite(grid_value(&sample->grid, i))) square += d * d;
    }
    env_expect(env, got.min == want.min && got.max == want.max, "%s: %g..%g, not %g..%g", sample->name, got.min, got.max,
               want.min, want.max);
    env_expect(env, got.count == want.count && got.nan == want.nan && got.infinite == want.infinite,
               "%s: %llu finite, %llu NaN, %llu infinite", sample->name, (unsigned long long)got.count,
               (unsigned long long)got.nan, (unsigned long long)got.infinite);
    /* Relative to the spread: a mean near zero between huge values of both signs has no digits of its own. */
    const double spread = fmax(fabs(want.min), fabs(want.max));
    env_expect(env, fabs(got.mean - (double)mean) <= 1e-12 * spread, "%s: mean %.17g, not %.17g", sample->name, got.mean,
               (double)mean);
    env_expect(env, fabs(got.m2 - (double)square) <= 1e-10 * (double)square, "%s: m2 %.17g, not %.17g", sample->name,
               got.m2, (double)square);
}

/* A mean far from zero beside a small spread: a plain sum of squares would lose it all. */
static void reduce_far_case(struct env *env)
{
    enum { N = 100003 }; /* a prime larger than the chunks in use */
    float *voxels = malloc(N * sizeof *voxels);
    for (size_t i = 0; i < N; i++) voxels[i] = 1e6f + (float)(i % 2);
    struct sample sample = { .grid = { voxels, VOXEL_FLOAT32, N, 1, 1 }, .name = "far from zero" };
    sample.device = sample.grid;
    sample.device.voxels = env_memory(env, voxels, N * sizeof *voxels);
    reduce_case(env, &sample);
    env_take(env, (void *)sample.device.voxels, NULL, N * sizeof *voxels);
    free(voxels);
}

void op_reduce(struct env *env)
{
    each_sample(env, reduce_case);
    reduce_far_case(env);
}
