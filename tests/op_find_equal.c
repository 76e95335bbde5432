#include "ops.h"

#include "kernels/find_equal.h"
#include "synth.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    return p < q ? -1 : p > q;
}

static void find_check(struct env *env, const struct find_equal_desc *d, const float *values, const uint64_t *list,
                       uint64_t count)
{
    size_t wrong = 0, found = 0;
    for (size_t i = 0; i < d->n; i++)
        if (values[i] == d->value) {
            wrong += found >= count || list[found] != i;
            found++;
        }
    env_expect(env, found == count && wrong == 0, "%g in %zu values: %llu found, not %zu, %zu places wrong",
               (double)d->value, d->n, (unsigned long long)count, found, wrong);
}

static void find_equal_run(struct env *env, const float *values, size_t n, float value, bool all)
{
    const struct find_equal_rung *rung = (const struct find_equal_rung *)env->rung;
    uint64_t *list = malloc((n + 1) * sizeof *list), first = 0, count = 0, want = 0;
    float *device_values = env_memory(env, values, n * sizeof *values);
    const struct find_equal_desc d = { device_values,
                                       n,
                                       value,
                                       env_memory(env, NULL, sizeof first),
                                       all ? env_memory(env, NULL, n * sizeof *list) : NULL,
                                       all ? env_memory(env, NULL, sizeof count) : NULL };
    const size_t scratch_bytes = rung->scratch ? rung->scratch(&d, &env->exec) : 0;
    void *scratch = env_memory(env, NULL, scratch_bytes);
    env_ran(env, rung->run(&d, scratch, &env->exec));
    env_take(env, d.first, &first, sizeof first);
    env_take(env, device_values, NULL, n * sizeof *values), env_take(env, scratch, NULL, scratch_bytes);
    while (want < n && values[want] != value) want++;
    env_expect(env, first == want, "%g in %zu values: first at %llu, not %llu", (double)value, n, (unsigned long long)first,
               (unsigned long long)want);
    if (all) {
        env_take(env, d.list, list, n * sizeof *list), env_take(env, d.count, &count, sizeof count);
        if (!rung->ordered && count <= n) qsort(list, count, sizeof *list, compare);
        find_check(env, &d, values, list, count);
    }
    free(list);
}

/* every: one in so many values is 1, the others 2, NaN and both zeros. */
static void find_equal_case(struct env *env, size_t n, size_t every)
{
    static const float others[] = { 2, NAN, 0.0f, -0.0f };
    float *values = calloc(n + 1, sizeof *values);
    uint64_t seed = 42;
    for (size_t i = 0; i < n; i++) {
        const uint64_t random = synth_random(&seed);
        values[i] = (random >> 20) % every == 0 ? 1 : others[random >> 60 & 3];
    }
    for (int all = 0; all < 2; all++) {
        find_equal_run(env, values, n, 1, all);
        find_equal_run(env, values, n, -0.0f, all); /* finds both zeros */
        find_equal_run(env, values, n, NAN, all);   /* finds nothing */
        find_equal_run(env, values, n, 7, all);
    }
    free(values);
}

void op_find_equal(struct env *env)
{
    /* clang-format off */
    static const size_t sizes[] = {
        0, 1, 31, 32, 33, 255, 256, 257, /* round a warp and a block */
        4095, 4096, 4097, 10007,         /* round a tile; a prime */
        1024 * 256 + 1,                  /* more than all walkers look at in one step */
    };
    /* clang-format on */
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        find_equal_case(env, sizes[s], 3);
        find_equal_case(env, sizes[s], 5000); /* most tiles have none */
    }
    find_equal_case(env, 65536 * 64 + 1, 1000); /* tiles for the block that sums up to walk twice */
    if (env->exec.backend == BACKEND_CUDA) find_equal_case(env, 65536 * 256 + 1, 100000); /* more than 2^16 blocks of 256 */
}
