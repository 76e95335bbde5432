#include "ops.h"

#include "kernels/transpose.h"

#include <stdlib.h>
#include <string.h>

struct shape {
    size_t rows, columns, gap;
}; /* gap: elements between rows, on either side */

static size_t wrong_elements(const struct transpose_desc *d, const unsigned char *in, const unsigned char *out)
{
    size_t wrong = 0;
    for (size_t r = 0; r < d->rows; r++)
        for (size_t c = 0; c < d->columns; c++)
            wrong += memcmp(out + (c * d->to_pitch + r) * d->bytes, in + (r * d->from_pitch + c) * d->bytes, d->bytes) != 0;
    for (size_t c = 0; c < d->columns; c++) /* what lies between the rows is still poison */
        for (size_t i = d->rows * d->bytes; i < d->to_pitch * d->bytes; i++)
            wrong += out[c * d->to_pitch * d->bytes + i] != 0xff;
    return wrong;
}

static void transpose_case(struct env *env, struct shape s, unsigned bytes)
{
    const struct transpose_rung *rung = (const struct transpose_rung *)env->rung;
    struct transpose_desc d = { NULL, NULL, s.rows, s.columns, s.columns + s.gap, s.rows + s.gap, bytes };
    const size_t size_in = d.rows * d.from_pitch * bytes, size_out = d.columns * d.to_pitch * bytes;
    unsigned char *in = malloc(size_in + 1), *out = malloc(size_out + 1);
    for (size_t i = 0; i < size_in; i++) in[i] = (unsigned char)(i * 2654435761u >> 13);
    void *from = env_memory(env, in, size_in);
    d.from = from, d.to = env_memory(env, NULL, size_out);
    env_ran(env, rung->run(&d, &env->exec));
    env_take(env, from, NULL, size_in);
    env_take(env, d.to, out, size_out);
    const size_t wrong = wrong_elements(&d, in, out);
    env_expect(env, wrong == 0, "%zu x %zu of %u bytes, %zu between rows: %zu are wrong", s.rows, s.columns, bytes, s.gap,
               wrong);
    free(in);
    free(out);
}

void op_transpose(struct env *env)
{
    /* clang-format off */
    static const size_t sides[] = {
        0, 1, 2, 3, 4, 5,       /* round a 16-byte load */
        15, 16, 17, 31, 32, 33, /* round the tiles in use, and the CPU's blocks of 4 and 2 bytes */
        36,                     /* a multiple of 4 that leaves part of a tile */
        63, 64, 65, 97,         /* two tiles, the CPU's blocks of bytes, and a prime */
    };
    /* clang-format on */
    static const size_t gaps[] = { 0, 1, 4 }; /* rows that are not, and that are, on 16 bytes */
    const size_t n = sizeof sides / sizeof sides[0];
    for (unsigned bytes = env->exec.backend == BACKEND_CPU ? 1 : 4; bytes <= 4; bytes *= 2)
        for (size_t i = 0; i < n * n; i++)
            transpose_case(env, (struct shape){ sides[i / n], sides[i % n], gaps[i % 3] }, bytes);
    for (size_t i = 0; i < n * n; i++) transpose_case(env, (struct shape){ sides[i / n], sides[i % n], 0 }, 4);
    transpose_case(env, (struct shape){ 65536 * 32 + 1, 3, 0 }, 4); /* more than 2^16 tiles one above the other */
    transpose_case(env, (struct shape){ 4, 65536 * 32 + 4, 0 }, 4); /* and side by side, in vectors */
}
