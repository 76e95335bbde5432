#include "ops.h"

#include "kernels/lower_bound.h"
#include "synth.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const float p = *(const float *)a, q = *(const float *)b;
    return p < q ? -1 : p > q;
}

static float *sorted_make(size_t n, unsigned distinct)
{
    float *sorted = malloc((n + 1) * sizeof *sorted);
    uint64_t seed = 42;
    for (size_t i = 0; i < n; i++) sorted[i] = (float)(synth_random(&seed) % distinct) - (float)(distinct / 2);
    qsort(sorted, n, sizeof *sorted, compare);
    if (n > 4) sorted[0] = -INFINITY, sorted[n - 1] = INFINITY;
    return sorted;
}

/* Each element, both of its neighbours, the ends, and NaN. */
static float query_of(const float *sorted, size_t n, size_t q)
{
    static const float ends[] = { -INFINITY, INFINITY, NAN, 0.0f, -0.0f, 1e30f, -1e30f };
    enum { ENDS = sizeof ends / sizeof ends[0] };
    if (q < ENDS || !n) return ends[q % ENDS];
    const float value = sorted[q / 3 * 7919 % n];
    return q % 3 == 0 ? value : nextafterf(value, q % 3 == 1 ? INFINITY : -INFINITY);
}

/* The place is right if the element before it comes before the query, and the one at it does not. */
static void lower_bound_case(struct env *env, size_t n, size_t count, unsigned distinct)
{
    const struct lower_bound_rung *rung = (const struct lower_bound_rung *)env->rung;
    float *sorted = sorted_make(n, distinct), *queries = malloc((count + 1) * sizeof *queries);
    uint64_t *bounds = malloc((count + 1) * sizeof *bounds);
    for (size_t q = 0; q < count; q++) queries[q] = query_of(sorted, n, q);
    float *device_sorted = env_memory(env, sorted, n * sizeof *sorted);
    float *device_queries = env_memory(env, queries, count * sizeof *queries);
    const struct lower_bound_desc d = { device_sorted, n, device_queries, count,
                                        env_memory(env, NULL, count * sizeof *bounds) };
    const size_t scratch_bytes = rung->scratch ? rung->scratch(&d, &env->exec) : 0;
    void *scratch = env_memory(env, NULL, scratch_bytes);
    env_ran(env, rung->run(&d, scratch, &env->exec));
    env_take(env, d.bounds, bounds, count * sizeof *bounds);
    env_take(env, device_sorted, NULL, n * sizeof *sorted), env_take(env, device_queries, NULL, count * sizeof *queries);
    env_take(env, scratch, NULL, scratch_bytes);
    size_t wrong = 0;
    for (size_t q = 0; q < count; q++) {
        const uint64_t at = bounds[q];
        const bool fits = at <= n && (at == 0 || !(sorted[at - 1] >= queries[q])) && (at == n || sorted[at] >= queries[q]);
        wrong += !fits;
    }
    env_expect(env, wrong == 0, "%zu queries in %zu elements, %u distinct: %zu are wrong", count, n, distinct, wrong);
    free(sorted), free(queries), free(bounds);
}

void op_lower_bound(struct env *env)
{
    /* clang-format off */
    static const size_t sizes[] = {
        0, 1, 2, 3, 31, 32, 33, 34, 65,         /* round a warp's looks, and its 33 parts */
        1023, 1024, 1025, 1056, 1057, 1089,     /* round the pivots; 32 x 33 and 33 x 33 */
        2053, 40009,                            /* primes: pivots not evenly spaced */
    };
    /* clang-format on */
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        lower_bound_case(env, sizes[s], 257, 1u << 20); /* more queries than a block has threads */
        lower_bound_case(env, sizes[s], 257, 3);        /* long runs of equal elements */
    }
    lower_bound_case(env, 100, 0, 10);
    lower_bound_case(env, 31, 65536 * 256 / 32 + 1, 10); /* more than 2^16 blocks of 8 warps */
}
