#include "ops.h"

#include "kernels/copy.h"

#include <stdlib.h>
#include <string.h>

static void copy_case(struct env *env, size_t n)
{
    const struct copy_rung *rung = (const struct copy_rung *)env->rung;
    const size_t bytes = n * sizeof(uint32_t);
    uint32_t *in = malloc(bytes + 1), *out = malloc(bytes + 1);
    for (size_t i = 0; i < n; i++) in[i] = (uint32_t)i * 2654435761u;
    uint32_t *from = env_memory(env, in, bytes), *to = env_memory(env, NULL, bytes);
    env_ran(env, rung->run(from, to, n, &env->exec));
    env_take(env, to, out, bytes);
    env_expect(env, !memcmp(out, in, bytes), "n %zu, blocks of %u: numbers differ", n, env->exec.block);
    env_take(env, from, out, bytes);
    env_expect(env, !memcmp(out, in, bytes), "n %zu: the input has changed", n);
    free(in);
    free(out);
}

void op_copy(struct env *env)
{
    /* clang-format off */
    static const size_t sizes[] = {
        0, 1, 2, 3, 4, 5,                /* round a 16-byte load */
        31, 32, 33, 63, 64, 65,          /* round a warp, and the tile of stride 2 */
        255, 256, 257, 1023, 1024, 1025, /* round a block, and the tile of stride 32 */
        2047, 2048, 2049,                /* round a batch */
        4099,                            /* a prime */
        4096 * 256 + 77,                 /* more than the blocks of rolling do at once */
        65536 * 256 + 1,                 /* more than 2^16 blocks of 256 */
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) copy_case(env, sizes[i]);
    if (!((const struct copy_rung *)env->rung)->any_block) return;
    for (env->exec.block = 32; env->exec.block <= 1024; env->exec.block *= 2) copy_case(env, 4099);
    env->exec.block = 0;
}
