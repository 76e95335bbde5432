#include "ops.h"

#include "../kernels/transpose.h"

#include <stdlib.h>

static void transpose_case(struct env *env, size_t rows, size_t columns)
{
    const struct transpose_rung *rung = (const struct transpose_rung *)env->rung;
    const size_t n = rows * columns, bytes = n * sizeof(uint32_t);
    uint32_t *in = malloc(bytes + 1), *out = malloc(bytes + 1);
    for (size_t i = 0; i < n; i++) in[i] = (uint32_t)i * 2654435761u;
    uint32_t *from = env_memory(env, in, bytes), *to = env_memory(env, NULL, bytes);
    env_ran(env, rung->run(from, to, rows, columns, &env->exec));
    env_take(env, from, NULL, bytes);
    env_take(env, to, out, bytes);
    size_t wrong = 0;
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++) wrong += out[c * rows + r] != in[r * columns + c];
    env_expect(env, wrong == 0, "%zu x %zu: %zu elements are wrong", rows, columns, wrong);
    free(in);
    free(out);
}

void op_transpose(struct env *env)
{
    static const size_t sides[] = {
        0, 1, 2, 3, 4, 5,       /* round a 16-byte load */
        15, 16, 17, 31, 32, 33, /* round the tiles in use */
        36,                     /* a multiple of 4 that leaves part of a tile */
        63, 64, 65, 97,         /* two tiles, and a prime */
    };
    const size_t n = sizeof sides / sizeof sides[0];
    for (size_t i = 0; i < n * n; i++) transpose_case(env, sides[i / n], sides[i % n]);
    transpose_case(env, 65536 * 32 + 1, 3); /* more than 2^16 tiles one above the other */
    transpose_case(env, 4, 65536 * 32 + 4); /* and side by side, in vectors */
}
