#include "ops.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 256, GUARD_BYTE = 0xa5, POISON = 0xff, SKIPPED = 77 };

static const struct {
    const char *op;
    void (*test)(struct env *env);
} tests[] = {
    { "bricks", op_bricks },
    { "classify", op_classify },
    { "scan", op_scan },
    { "compact", op_compact },
    { "generate", op_generate },
    { "tally", op_tally },
    { "reduce", op_reduce },
    { "histogram", op_histogram },
    { "fused", op_fused },
    { "copy", op_copy },
    { "upload", op_upload },
    { "transpose", op_transpose },
    { "sum", op_sum },
    { "fma_peak", op_fma_peak },
    { "gemm", op_gemm },
    { "gemv", op_gemv },
    { "gaussian", op_gaussian },
    { "sort", op_sort },
    { "order", op_order },
    { "lower_bound", op_lower_bound },
    { "find_equal", op_find_equal },
    { "marching_squares", op_marching_squares },
};

/* ---- memory -------------------------------------------------------------------------------------------------------- */

static void must(const struct env *env, int code, const char *what)
{
    if (!code) return;
    printf("%s failed: %s\n", what, env->ops->explain(code));
    exit(1);
}

void *env_memory(struct env *env, const void *from, size_t bytes)
{
    void *whole;
    must(env, env->ops->alloc(&whole, bytes + 2 * GUARD), "alloc");
    char *body = (char *)whole + GUARD;
    must(env, env->ops->fill(whole, GUARD_BYTE, bytes + 2 * GUARD, &env->exec), "fill");
    if (from) must(env, env->ops->upload(body, from, bytes, &env->exec), "upload");
    else must(env, env->ops->fill(body, POISON, bytes, &env->exec), "fill");
    return body;
}

void env_take(struct env *env, void *memory, void *to, size_t bytes)
{
    unsigned char guard[2 * GUARD];
    char *body = memory;
    must(env, env->ops->download(guard, body - GUARD, GUARD, &env->exec), "download");
    must(env, env->ops->download(guard + GUARD, body + bytes, GUARD, &env->exec), "download");
    if (to) must(env, env->ops->download(to, body, bytes, &env->exec), "download");
    must(env, env->ops->sync(&env->exec), "sync");
    bool whole = true;
    for (int i = 0; i < 2 * GUARD; i++) whole = whole && guard[i] == GUARD_BYTE;
    env_expect(env, whole, "wrote outside its buffer of %zu bytes", bytes);
    env->ops->free(body - GUARD);
}

void env_ran(struct env *env, int code)
{
    env->cases++;
    if (!code) code = env->ops->sync(&env->exec);
    must(env, code, env->rung->name);
}

void env_expect(struct env *env, bool good, const char *format, ...)
{
    if (good || ++env->failures > 5) return; /* five say enough */
    va_list args;
    va_start(args, format);
    printf("    FAILED ");
    vprintf(format, args);
    printf("\n");
    va_end(args);
}

/* ---- main ---------------------------------------------------------------------------------------------------------- */

static bool one_default(const struct ladder *ladder, enum backend backend)
{
    unsigned defaults = 0, rows = 0;
    const struct rung *rung;
    for (; (rung = ladder_rung(ladder, backend, rows)); rows++) defaults += rung->is_default;
    if (defaults == (rows > 0)) return true; /* not every op has rungs on every backend */
    printf("%s: %u rungs, %u of them the default\n", ladder->op, rows, defaults);
    return false;
}

int main(int argc, char **argv)
{
    struct env env = { .cases = 0 };
    enum backend backend = argc > 1 && !strcmp(argv[1], "cuda") ? BACKEND_CUDA : BACKEND_CPU;
    const char *only = NULL, *only_rung = NULL;
    unsigned passed = 0, failed = 0, skipped = 0;
    char text[256];
    for (int i = 2; i < argc; i++)
        if (!strcmp(argv[i], "quick")) env.quick = true;
        else *(only ? &only_rung : &only) = argv[i];
    env.ops = backends[backend];
    if (!env.ops->available(text, sizeof text)) {
        printf("skipped: no %s backend: %s\n", env.ops->name, text);
        return SKIPPED;
    }
    printf("%s: %s\n", env.ops->name, text);
    must(&env, env.ops->open(&env.exec, -1, 3), "open"); /* 3 threads: more than one, and not a divisor of the sizes */
    mc_tables_build(&env.tables);
    env.device_tables = env_memory(&env, &env.tables, sizeof env.tables);

    for (size_t t = 0; t < sizeof tests / sizeof tests[0]; t++) {
        const struct ladder *ladder = ladder_of(tests[t].op);
        if (only && strcmp(only, tests[t].op)) continue;
        failed += !one_default(ladder, backend);
        for (size_t i = 0; (env.rung = ladder_rung(ladder, backend, i)); i++) {
            if (only_rung && strcmp(only_rung, env.rung->name)) continue;
            const char *why = rung_unavailable(env.rung, &env.exec);
            env.cases = env.failures = 0;
            if (!why) tests[t].test(&env);
            if (why) printf("%-10s %-12s skipped: %s\n", ladder->op, env.rung->name, why);
            else printf("%-10s %-12s %5u cases%s\n", ladder->op, env.rung->name, env.cases, env.failures ? " FAILED" : "");
            *(why ? &skipped : env.failures ? &failed : &passed) += 1;
            fflush(stdout);
        }
    }
    env_take(&env, env.device_tables, NULL, sizeof env.tables);
    env.ops->close(&env.exec);
    printf("%u passed, %u failed, %u skipped\n", passed, failed, skipped);
    return failed != 0;
}
