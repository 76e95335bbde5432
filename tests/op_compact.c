#include "ops.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void compact_case(struct env *env, const struct sample *sample)
{
    const struct compact_rung *rung = (const struct compact_rung *)env->rung;
    struct truth truth = truth_of(env, sample);
    for (unsigned width = 1; width <= 32; width += 31) {
        struct strips_sample s = strips_of(env, sample, &truth, width);
        const size_t n = s.strips.count, scratch_bytes = rung->scratch ? rung->scratch(n, &env->exec) : 0;
        uint32_t *list = env_memory(env, NULL, n * sizeof *list), *got = malloc(n * sizeof *got),
                 *want = malloc(n * sizeof *want);
        uint64_t *count = env_memory(env, NULL, sizeof *count), found;
        void *scratch = env_memory(env, NULL, scratch_bytes);
        env_ran(env, rung->run(&s.strips, list, count, scratch, &env->exec));
        env_take(env, list, got, n * sizeof *got);
        env_take(env, count, &found, sizeof found);
        env_take(env, scratch, NULL, scratch_bytes);
        env->ops->download(want, s.list, n * sizeof *want, &env->exec);
        if (rung->any_order && found <= n) qsort(got, (size_t)found, sizeof *got, compare);
        env_expect(env, found == s.active && !memcmp(got, want, s.active * sizeof *want),
                   "%s, width %u: %llu strips, not %llu, or not these", sample->name, width, (unsigned long long)found,
                   (unsigned long long)s.active);
        free(got);
        free(want);
        strips_free(env, &s);
    }
    truth_free(&truth);
}

void op_compact(struct env *env)
{
    each_sample(env, compact_case);
    each_thin_sample(env, compact_case);
}
