#include "ops.h"

#include "kernels/gaussian.h"
#include "synth.h"

#include <stdlib.h>
#include <stdio.h>

static size_t clamped(size_t c, int step, size_t n)
{
    const ptrdiff_t to = (ptrdiff_t)c + step;
    return to < 0 ? 0 : to < (ptrdiff_t)n ? (size_t)to : n - 1;
}

/* One pass of the exact sum, in double, with weights of its own. */
static void exact_pass(const double *in, double *out, const size_t dims[3], unsigned axis, double sigma)
{
    const size_t step = axis == 0 ? 1 : axis == 1 ? dims[0] : dims[0] * dims[1], n = dims[0] * dims[1] * dims[2];
    const int radius = (int)ceil(3 * sigma);
    double all = 0;
    for (int i = -radius; i <= radius; i++) all += radius ? exp(-0.5 * i * i / (sigma * sigma)) : 1;
    for (size_t at = 0; at < n; at++) {
        const size_t c = at / step % dims[axis], start = at - c * step;
        double sum = 0;
        for (int i = -radius; i <= radius; i++)
            sum += (radius ? exp(-0.5 * i * i / (sigma * sigma)) : 1) / all * in[start + clamped(c, i, dims[axis]) * step];
        out[at] = sum;
    }
}

static double *exact(const struct grid *g, double sigma)
{
    const size_t n = grid_voxels(g), dims[3] = { g->nx, g->ny, g->nz };
    double *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b);
    for (size_t i = 0; i < n; i++) b[i] = grid_value(g, i);
    exact_pass(b, a, dims, 0, sigma);
    exact_pass(a, b, dims, 1, sigma);
    exact_pass(b, a, dims, 2, sigma);
    free(b);
    return a;
}

static float *smoothed(struct env *env, const struct sample *sample, float sigma)
{
    const struct gaussian_rung *rung = (const struct gaussian_rung *)env->rung;
    const size_t bytes = grid_voxels(&sample->grid) * sizeof(float);
    size_t done = 0;
    struct gaussian_desc d = { sample->device, env_memory(env, NULL, bytes), sigma, .done = &done };
    const size_t scratch_bytes = rung->scratch ? rung->scratch(&d, &env->exec) : 0;
    void *scratch = env_memory(env, NULL, scratch_bytes);
    float *got = malloc(bytes);
    if (rung->open) env_ran(env, rung->open(&d, &env->exec));
    env_ran(env, rung->run(&d, scratch, &env->exec));
    if (rung->close) rung->close(&d);
    env_expect(env, env->exec.backend != BACKEND_CPU || done == GAUSSIAN_ROW * sample->grid.ny * sample->grid.nz,
               "%s: told of %zu parts of rows", sample->name, done);
    env_take(env, d.out, got, bytes);
    env_take(env, scratch, NULL, scratch_bytes);
    return got;
}

static void gaussian_with(struct env *env, const struct sample *sample, float sigma)
{
    float *got = smoothed(env, sample, sigma);
    double *want = exact(&sample->grid, sigma), largest = 0;
    const size_t n = grid_voxels(&sample->grid);
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs((double)grid_value(&sample->grid, i)));
    for (size_t i = 0; i < n; i++)
        wrong += !(fabs(got[i] - want[i]) <= gaussian_tolerance((unsigned)ceilf(3 * sigma)) * largest);
    env_expect(env, wrong == 0, "%s, sigma %g: %zu of %zu are wrong", sample->name, sigma, wrong, n);
    free(got);
    free(want);
}

static struct sample sample_make(struct env *env, size_t nx, size_t ny, size_t nz, enum voxel_type type, const void *voxels)
{
    struct sample sample = { .grid = { voxels, type, nx, ny, nz }, .device = { NULL, type, nx, ny, nz } };
    snprintf(sample.name, sizeof sample.name, "%zux%zux%zu type %d", nx, ny, nz, (int)type);
    sample.device.voxels = env_memory(env, voxels, grid_voxels(&sample.grid) * voxel_bytes(type));
    return sample;
}

static void sample_free(struct env *env, struct sample *sample)
{
    env_take(env, (void *)sample->device.voxels, NULL, grid_voxels(&sample->grid) * voxel_bytes(sample->grid.type));
}

static void gaussian_random(struct env *env, const size_t dims[3], enum voxel_type type, float sigma)
{
    const size_t n = dims[0] * dims[1] * dims[2], bytes = n * voxel_bytes(type);
    unsigned char *voxels = malloc(bytes);
    uint64_t seed = 42;
    for (size_t i = 0; i < bytes; i++) voxels[i] = (unsigned char)synth_random(&seed);
    for (size_t i = 0; type == VOXEL_FLOAT32 && i < n; i++) ((float *)(void *)voxels)[i] = (float)(i * 7919 % 2003) - 1000;
    struct sample sample = sample_make(env, dims[0], dims[1], dims[2], type, voxels);
    gaussian_with(env, &sample, sigma);
    sample_free(env, &sample);
    free(voxels);
}

/* Smoothing must not invent a gradient: all the same stays all the same, and one NaN stays within its reach. */
static void gaussian_special(struct env *env)
{
    enum { N = 11, NAN_AT = 5 };
    static const float value = 1234.567f;
    float voxels[N * N * N];
    for (size_t i = 0; i < N * N * N; i++) voxels[i] = value;
    struct sample sample = sample_make(env, N, N, N, VOXEL_FLOAT32, voxels);
    float *got = smoothed(env, &sample, 1.2f);
    float worst = 0;
    for (size_t i = 0; i < N * N * N; i++)
        if (!(fabsf(got[i] - value) <= worst)) worst = fabsf(got[i] - value);
    env_expect(env, worst <= 2e-6f * value, "a constant volume of %g moves by %g", (double)value, (double)worst);
    sample_free(env, &sample);
    free(got);

    voxels[(NAN_AT * N + NAN_AT) * N + NAN_AT] = NAN;
    sample = sample_make(env, N, N, N, VOXEL_FLOAT32, voxels);
    got = smoothed(env, &sample, 1);
    size_t nan = 0;
    for (size_t i = 0; i < N * N * N; i++) nan += isnan(got[i]);
    env_expect(env, nan == 7 * 7 * 7, "one NaN, radius 3: %zu of 343 became NaN", nan);
    sample_free(env, &sample);
    free(got);
}

/* What is to stop is not begun. */
static void gaussian_cancelled(struct env *env)
{
    const struct gaussian_rung *rung = (const struct gaussian_rung *)env->rung;
    const bool cancel = true;
    float in[8 * 8 * 8] = { 0 }, out[8 * 8 * 8] = { 1, 2, 3 }, scratch[8 * 8 * 8 + 64 * 24];
    size_t done = 0;
    const struct gaussian_desc d = { { in, VOXEL_FLOAT32, 8, 8, 8 }, out, 1, .done = &done };
    const int threads = env->exec.threads;
    env->exec.cancel = &cancel;
    env->exec.threads = threads < 64 ? threads : 64;
    const int code = rung->run(&d, scratch, &env->exec);
    env_expect(env, !code && done == 0 && out[2] == 3 && env->ops->sync(&env->exec), "cancelled, and told of %zu", done);
    env->exec.cancel = NULL;
    env->exec.threads = threads;
}

void op_gaussian(struct env *env)
{
    /* clang-format off */
    static const size_t shapes[][3] = {
        { 1, 1, 1 }, { 2, 1, 3 }, { 7, 8, 9 }, { 9, 7, 8 }, { 8, 9, 7 }, /* smaller than the radius; round the tile of 8 */
        { 31, 3, 5 }, { 32, 5, 3 }, { 33, 8, 2 },                        /* round a warp */
        { 17, 19, 23 },                                                  /* primes */
    };
    /* clang-format on */
    static const float sigmas[] = { 0, 0.3f, 0.5f, 1, 1.7f, 2.5f }; /* radius 0, 1, 2, 3, 6, and 8: past the tile's limit */
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (size_t i = 0; i < sizeof sigmas / sizeof sigmas[0]; i++)
            gaussian_random(env, shapes[s], VOXEL_FLOAT32, sigmas[i]);
    for (int type = 0; type < VOXEL_TYPE_COUNT; type++) gaussian_random(env, shapes[2], (enum voxel_type)type, 1);
    gaussian_random(env, (size_t[3]){ 3, 4, 2 }, VOXEL_UINT8, GAUSSIAN_MAX_SIGMA); /* the largest radius */
    gaussian_random(env, (size_t[3]){ 1, 65536 * 8 + 1, 1 }, VOXEL_UINT8, 0.3f);   /* more than 2^16 blocks of 8 rows */
    gaussian_special(env);
    if (env->exec.backend == BACKEND_CPU) gaussian_cancelled(env);
}
