#include "ops.h"

#include "synth.h"

#include <stdlib.h>

static void scan_case(struct env *env, size_t n, uint32_t most)
{
    const struct scan_rung *rung = (const struct scan_rung *)env->rung;
    uint32_t *in = malloc((n + 1) * sizeof *in), *out = malloc((n + 1) * sizeof *out);
    uint64_t sum = 0, total = 0, seed = 42;
    for (size_t i = 0; i < n; i++) in[i] = (uint32_t)(synth_random(&seed) % ((uint64_t)most + 1));
    const size_t scratch_bytes = rung->scratch ? rung->scratch(n, &env->exec) : 0;
    uint32_t *device_in = env_memory(env, in, n * sizeof *in), *device_out = env_memory(env, NULL, n * sizeof *out);
    uint64_t *device_total = env_memory(env, NULL, sizeof total);
    void *scratch = env_memory(env, NULL, scratch_bytes);
    env_ran(env, rung->run(device_in, device_out, device_total, n, scratch, &env->exec));
    env_take(env, device_in, NULL, n * sizeof *in);
    env_take(env, device_out, out, n * sizeof *out);
    env_take(env, device_total, &total, sizeof total);
    env_take(env, scratch, NULL, scratch_bytes);
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        wrong += out[i] != (uint32_t)sum; /* past 32 bits it wraps; the total does not */
        sum += in[i];
    }
    env_expect(env, wrong == 0, "n %zu: %zu sums are wrong", n, wrong);
    env_expect(env, total == sum, "n %zu: total %llu, not %llu", n, (unsigned long long)total, (unsigned long long)sum);
    free(in);
    free(out);
}

void op_scan(struct env *env)
{
    /* clang-format off */
    static const size_t sizes[] = {
        0, 1, 2, 31, 32, 33, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, /* round every block size in use */
        4095, 4096, 4097,     /* round the tile of look-back */
        4099,                 /* a prime of a few blocks */
        131072, 135169,       /* 32 tiles of 4096, which a warp looks at at once; 33 and one number */
        1048577,              /* a third level, if blocks are of 1024 */
        65536 * 256 + 1,      /* more than 2^16 blocks of 256; last: left out when quick */
    };
    /* clang-format on */
    const size_t count = sizeof sizes / sizeof sizes[0] - env->quick;
    for (size_t i = 0; i < count; i++) scan_case(env, sizes[i], 5);
    scan_case(env, 4099, UINT32_MAX);   /* the total leaves 32 bits */
    scan_case(env, 262145, UINT32_MAX); /* and in every tile's sums, over more tiles than a warp looks at at once */
    scan_case(env, 4099, 0);
}
