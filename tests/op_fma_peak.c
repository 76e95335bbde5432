#include "ops.h"

#include "kernels/fma_peak.h"

#include <stdlib.h>

static void fma_peak_case(struct env *env, size_t n, float a)
{
    const struct fma_peak_rung *rung = (const struct fma_peak_rung *)env->rung;
    const size_t bytes = n * sizeof(float);
    float *got = malloc(bytes + 1), *out = env_memory(env, NULL, bytes);
    env_ran(env, rung->run(out, n, a, &env->exec));
    env_take(env, out, got, bytes);
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        float want = (float)(i % 16);
        for (unsigned t = 0; t < FMA_PEAK_TURNS; t++) want = want * a + 1; /* exact for the factors below, fused or not */
        wrong += got[i] != want;
    }
    env_expect(env, wrong == 0, "n %zu, factor %g: %zu numbers are wrong", n, (double)a, wrong);
    free(got);
}

void op_fma_peak(struct env *env)
{
    static const size_t sizes[] = { 0,   1, 31, 32, 33, 127, 128, 129, 255, 256, 257, 2047, 2048, 2049, /* round blocks */
                                    4099 };                                                             /* a prime */
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        fma_peak_case(env, sizes[i], 1);
        fma_peak_case(env, sizes[i], 0);
        fma_peak_case(env, sizes[i], -1);
    }
}
