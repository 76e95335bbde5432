#include "ops.h"

#include "kernels/sum.h"

#include <stdlib.h>

static void sum_case(struct env *env, size_t n, const char *what, float (*value)(size_t i))
{
    const struct sum_rung *rung = (const struct sum_rung *)env->rung;
    const size_t bytes = n * sizeof(float), scratch_bytes = rung->scratch ? rung->scratch(n, &env->exec) : 0;
    float *in = malloc(bytes + 1), got;
    long double want = 0, magnitude = 0;
    bool whole = true;
    for (size_t i = 0; i < n; i++) {
        in[i] = value(i);
        want += in[i], magnitude += fabsf(in[i]);
        whole = whole && in[i] == floorf(in[i]);
    }
    /* Whole numbers whose magnitudes stay below 2^24 are exact in any order, so that a number missed or doubled shows. */
    const double most = whole && magnitude < 0x1p24 ? 0 : 0x1p-24 * (double)magnitude * rung->roundings(n, &env->exec);
    float *from = env_memory(env, in, bytes), *to = env_memory(env, NULL, sizeof got);
    void *scratch = env_memory(env, NULL, scratch_bytes);
    env_ran(env, rung->run(from, to, n, scratch, &env->exec));
    env_take(env, from, NULL, bytes);
    env_take(env, scratch, NULL, scratch_bytes);
    env_take(env, to, &got, sizeof got);
    env_expect(env, fabs(got - (double)want) <= most, "n %zu of %s: %.9g, not %.9g within %g", n, what, (double)got,
               (double)want, most);
    free(in);
}

static uint32_t mixed(size_t i)
{
    uint32_t x = (uint32_t)i * 2654435761u;
    return x ^ x >> 15;
}

static float of_ones(size_t i) { return (float)(mixed(i) % 2); }
static float of_small(size_t i) { return (float)(mixed(i) % 2001) - 1000; }
static float of_thirds(size_t i) { return (float)(mixed(i) % 1000) / 3; }
static float of_nan(size_t i) { return i == 4000 ? NAN : 1; }

void op_sum(struct env *env)
{
    /* clang-format off */
    static const size_t sizes[] = {
        0, 1, 2, 3, 4, 5, 31, 32, 33, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, /* round warps, blocks, loads */
        4099,                 /* a prime */
        65535, 65536, 65537,  /* round 256 blocks of 256, and a chunk of the CPU's */
        2048 * 1024 + 5,      /* more than the bounded grids take at once */
        65536 * 256 + 1,      /* more than 2^16 blocks of 256 */
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        sum_case(env, sizes[i], "ones and zeros", of_ones);
        if (sizes[i] < 16384) sum_case(env, sizes[i], "whole numbers", of_small);
        sum_case(env, sizes[i], "thirds", of_thirds);
    }

    /* A NaN anywhere is in the sum, and not lost in a comparison. */
    const struct sum_rung *rung = (const struct sum_rung *)env->rung;
    float in[4099], got;
    for (size_t i = 0; i < 4099; i++) in[i] = of_nan(i);
    const size_t scratch_bytes = rung->scratch ? rung->scratch(4099, &env->exec) : 0;
    float *from = env_memory(env, in, sizeof in), *to = env_memory(env, NULL, sizeof got);
    void *scratch = env_memory(env, NULL, scratch_bytes);
    const float zero = 0; /* since poison is a NaN as well */
    env->ops->upload(to, &zero, sizeof zero, &env->exec);
    env_ran(env, rung->run(from, to, 4099, scratch, &env->exec));
    env_take(env, from, NULL, sizeof in);
    env_take(env, scratch, NULL, scratch_bytes);
    env_take(env, to, &got, sizeof got);
    env_expect(env, isnan(got), "a NaN is lost: %g", (double)got);
}
