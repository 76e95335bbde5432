#include "ops.h"

#include "kernels/sort.h"
#include "synth.h"

#include <stdlib.h>

enum fill { FILL_BITS, FILL_FEW, FILL_SAME, FILL_UP, FILL_DOWN, FILL_COUNT };

static const char *const fill_name[FILL_COUNT] = { "any bits", "7 keys", "one key", "sorted", "sorted backwards" };

/* As floats, any bits are NaN of both signs, infinities and both zeros too. */
static uint32_t *keys_make(size_t n, enum fill fill)
{
    uint32_t *keys = malloc((n + 1) * sizeof *keys);
    uint64_t seed = 42;
    for (size_t i = 0; i < n; i++) {
        const uint32_t bits = (uint32_t)synth_random(&seed);
        keys[i] = fill == FILL_BITS   ? bits
                  : fill == FILL_FEW  ? bits % 7 << 29
                  : fill == FILL_SAME ? 0x3f800000u
                  : fill == FILL_UP   ? (uint32_t)i
                                      : (uint32_t)(n - i);
    }
    if (fill == FILL_BITS && n > 8) keys[1] = 0x80000000u, keys[3] = 0, keys[5] = 0xff800000u, keys[7] = 0x7fc00000u;
    return keys;
}

/* The order asked for, by what IEEE's total order says of sign and magnitude. */
static bool comes_before(const struct sort_desc *d, uint32_t a, uint32_t b)
{
    const bool is_float = d->key == SORT_FLOAT32;
    const int64_t p = is_float && a >> 31 ? -1 - (int64_t)(a & 0x7fffffffu) : a;
    const int64_t q = is_float && b >> 31 ? -1 - (int64_t)(b & 0x7fffffffu) : b;
    return d->descending ? p > q : p < q;
}

static const uint32_t STRIDE = 2654435761u; /* odd, so that position times it is another number for each position */

static uint32_t inverse(uint32_t odd)
{
    uint32_t x = odd;
    for (int i = 0; i < 5; i++) x *= 2 - odd * x; /* Newton: twice the right bits each time */
    return x;
}

/* Every position must come once, with its key, each after the one before: by the key, or, if equal, by the position. That
 * is one result only, and needs no other sort to compare with. */
static void sort_check(struct env *env, const struct sort_desc *d, const uint32_t *in, const uint32_t *keys,
                       const uint32_t *values, enum fill fill)
{
    const uint32_t back = inverse(STRIDE);
    size_t wrong = 0, disorder = 0;
    uint32_t last = 0;
    for (size_t i = 0; i < d->n; i++) {
        const uint32_t at = d->values_in ? values[i] * back : values[i];
        if (at >= d->n || in[at] != keys[i]) {
            wrong++;
            continue;
        }
        if (i && !(comes_before(d, keys[i - 1], keys[i]) || (keys[i - 1] == keys[i] && last < at))) disorder++;
        last = at;
    }
    env_expect(env, wrong == 0 && disorder == 0, "n %zu, %s, %s%s%s: %zu without their payload, %zu out of order", d->n,
               fill_name[fill], d->key == SORT_FLOAT32 ? "float" : "uint", d->descending ? ", descending" : "",
               d->values_in ? ", values" : "", wrong, disorder);
}

static void sort_case(struct env *env, size_t n, enum fill fill, enum sort_key key, bool descending, bool payload)
{
    const struct sort_rung *rung = (const struct sort_rung *)env->rung;
    const size_t bytes = n * sizeof(uint32_t);
    uint32_t *in = keys_make(n, fill), *keys = malloc(bytes + 4), *values = malloc(bytes + 4);
    for (size_t i = 0; i < n; i++) values[i] = (uint32_t)i * STRIDE;
    uint32_t *device_in = env_memory(env, in, bytes), *device_values = env_memory(env, values, bytes);
    struct sort_desc d = { n,
                           key,
                           descending,
                           device_in,
                           env_memory(env, NULL, bytes),
                           payload ? device_values : NULL,
                           env_memory(env, NULL, bytes) };
    const size_t scratch_bytes = rung->scratch ? rung->scratch(&d, &env->exec) : 0;
    void *scratch = env_memory(env, NULL, scratch_bytes);
    env_ran(env, rung->run(&d, scratch, &env->exec));
    env_take(env, d.keys_out, keys, bytes), env_take(env, d.values_out, values, bytes);
    env_take(env, device_in, NULL, bytes), env_take(env, device_values, NULL, bytes);
    env_take(env, scratch, NULL, scratch_bytes);
    sort_check(env, &d, in, keys, values, fill);
    free(in), free(keys), free(values);
}

void op_sort(struct env *env)
{
    /* clang-format off */
    static const size_t sizes[] = {
        0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 255, 256, 257, /* round a run of 8, a warp, a block */
        2047, 2048, 2049, 4095, 4096, 4097,             /* round the tiles */
        10007, 131071,                                  /* primes: several tiles, several levels of merging */
    };
    /* clang-format on */
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int fill = 0; fill < FILL_COUNT; fill++)
            sort_case(env, sizes[s], (enum fill)fill, SORT_FLOAT32, s % 2, fill % 2);
    sort_case(env, 10007, FILL_BITS, SORT_UINT32, false, true);
    sort_case(env, 10007, FILL_FEW, SORT_UINT32, true, false);
    if (env->exec.backend == BACKEND_CUDA &&
        !env->quick) /* more than 2^16 blocks of 256: no matter on a CPU, but seconds */
        sort_case(env, 65536 * 256 + 1, FILL_BITS, SORT_FLOAT32, false, false);
}
