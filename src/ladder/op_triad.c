#include "op.h"

#include "kernels/triad.h"

#include <string.h>

struct triad_case {
    size_t n;
    unsigned block; /* 0: the rung's own */
    float a;
};

enum { X, B, Y, WANT };

static void at_size(void *param, size_t size) { *(struct triad_case *)param = (struct triad_case){ size, 0, 3 }; }

static void cases(struct op_walk *walk)
{
    /* clang-format off */
    static const size_t sizes[] = {
        0, 1, 2, 3, 4, 5,                /* around a 16-byte load */
        31, 32, 33, 63, 64, 65,          /* around a warp, and a thread's chunk */
        255, 256, 257, 1023, 1024, 1025, /* around a block, and one of vectors */
        4095, 4096, 4097,                /* around a row of the two-dimensional rungs */
        8191, 8193,                      /* around a block of chunks */
        8 * 4096 - 1, 32 * 4096 + 1,     /* around their tiles */
        64 * 4096 + 4097,                /* of 64 rows, and a part of one */
        2112 * 256 + 77,                 /* more than the bounded grid of stride covers at once */
        65536 * 256 + 1,                 /* more than 2^16 blocks of 256 */
    };
    /* clang-format on */
    static const float factors[] = { 3, -0.1f, 0 };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        walk->add(walk, &(struct triad_case){ sizes[i], 0, factors[i % 3] });
    for (unsigned block = 32; block <= 1024 && walk->backend == BACKEND_CUDA; block *= 2)
        walk->add(walk, &(struct triad_case){ 4099, block, 0.7f });
}

static void plan(struct op_case *c)
{
    const struct triad_case *p = c->param;
    op_name(c, "%zu numbers, factor %g, blocks of %u", p->n, (double)p->a, p->block);
    op_add(c, X, OP_INPUT, p->n, sizeof(float));
    op_add(c, B, OP_INPUT, p->n, sizeof(float));
    op_add(c, Y, OP_OUTPUT, p->n, sizeof(float));
    op_add(c, WANT, OP_HOST, p->n, sizeof(float));
    c->block = p->block;
    c->operations = 2 * p->n;
    c->bytes = 3 * p->n * sizeof(float);
}

static void fill(struct op_case *c)
{
    const struct triad_case *p = c->param;
    float *x = c->array[X].host, *b = c->array[B].host, *want = c->array[WANT].host;
    op_random(x, p->n);
    for (size_t i = 0; i < p->n; i++) {
        b[i] = (float)(i % 1021) / 3; /* 1021 is a prime, so that no stride repeats values */
        want[i] = p->a * x[i] + b[i];
    }
}

static bool any_block(const struct rung *rung) { return ((const struct triad_rung *)rung)->any_block; }

static int run(struct op_case *c, const struct rung *rung)
{
    const struct triad_case *p = c->param;
    const struct triad_desc d = { c->array[X].device, c->array[B].device, c->array[Y].device, p->a, p->n };
    return ((const struct triad_rung *)rung)->run(&d, c->exec);
}

static bool check(struct op_case *c, const struct rung *rung)
{
    const float *got = c->array[Y].got, *want = c->array[WANT].host;
    (void)rung;
    for (size_t i = 0; i < ((const struct triad_case *)c->param)->n; i++)
        if (memcmp(&got[i], &want[i], sizeof *got) != 0)
            return op_wrong(c, "number %zu is %.9g, not %.9g", i, (double)got[i], (double)want[i]);
    return true;
}

const struct op op_triad = {
    .op = "triad",
    .unit = "floats",
    .size = { 1 << 24, 1 << 26 },
    .operation = "flop",
    OP_TIMED,
    .any_block = any_block,
};
