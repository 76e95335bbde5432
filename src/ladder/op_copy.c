#include "op.h"

#include "kernels/copy.h"

struct copy_case {
    size_t n;
    unsigned block; /* 0: the rung's own */
};

enum { FROM, TO };

static void at_size(void *param, size_t size) { *(struct copy_case *)param = (struct copy_case){ size, 0 }; }

static void cases(struct op_walk *walk)
{
    /* clang-format off */
    static const size_t sizes[] = {
        0, 1, 2, 3, 4, 5,                /* around a 16-byte load */
        31, 32, 33, 63, 64, 65,          /* around a warp, and the tile of stride 2 */
        255, 256, 257, 1023, 1024, 1025, /* around a block, and the tile of stride 32 */
        2047, 2048, 2049,                /* around a batch */
        4099,                            /* a prime */
        4096 * 256 + 77,                 /* more than the grid of rolling covers at once */
        65536 * 256 + 1,                 /* more than 2^16 blocks of 256 */
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) walk->add(walk, &(struct copy_case){ sizes[i], 0 });
    for (unsigned block = 32; block <= 1024 && walk->backend == BACKEND_CUDA; block *= 2)
        walk->add(walk, &(struct copy_case){ 4099, block });
}

static void plan(struct op_case *c)
{
    const struct copy_case *p = c->param;
    op_name(c, "%zu numbers, blocks of %u", p->n, p->block);
    op_add(c, FROM, OP_INPUT, p->n, sizeof(uint32_t));
    op_add(c, TO, OP_OUTPUT, p->n, sizeof(uint32_t));
    c->block = p->block;
    c->operations = p->n;
    c->bytes = 2 * p->n * sizeof(uint32_t);
}

static void fill(struct op_case *c)
{
    uint32_t *from = c->array[FROM].host;
    for (size_t i = 0; i < ((const struct copy_case *)c->param)->n; i++) from[i] = (uint32_t)i * 2654435761u;
}

OP_ANY_BLOCK(copy)

static int run(struct op_case *c, const struct rung *rung)
{
    const size_t n = ((const struct copy_case *)c->param)->n;
    return ((const struct copy_rung *)rung)->run(c->array[FROM].device, c->array[TO].device, n, c->exec);
}

static bool check(struct op_case *c, const struct rung *rung)
{
    (void)rung;
    return op_same(c, "number", c->array[TO].got, c->array[FROM].host, c->array[TO].bytes / sizeof(uint32_t));
}

const struct op op_copy = {
    .op = "copy",
    .unit = "numbers of 32 bits",
    .size = { 1 << 24, 1 << 26 },
    .operation = "number",
    OP_TIMED,
    .any_block = any_block,
};
