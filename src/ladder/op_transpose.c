#include "op.h"

#include "kernels/transpose.h"

#include <string.h>

struct transpose_case {
    size_t rows, columns;
    size_t gap;     /* elements between rows, in input and output */
    unsigned bytes; /* of an element */
};

enum { FROM, TO };

static void at_size(void *param, size_t size)
{
    *(struct transpose_case *)param = (struct transpose_case){ size, size, 0, sizeof(uint32_t) };
}

static void cases(struct op_walk *walk)
{
    /* clang-format off */
    static const size_t sides[] = {
        0, 1, 2, 3, 4, 5,       /* around a 16-byte load */
        15, 16, 17, 31, 32, 33, /* around the tiles, and the CPU's blocks of 4 and 2 bytes */
        36,                     /* a multiple of 4 that leaves part of a tile */
        63, 64, 65, 97,         /* two tiles, the CPU's blocks of bytes, and a prime */
        129,                    /* the CPU's bands of bytes */
    };
    /* clang-format on */
    static const size_t gaps[] = { 0, 1, 4 }; /* unaligned and aligned rows */
    const size_t n = sizeof sides / sizeof sides[0];
    for (unsigned bytes = walk->backend == BACKEND_CPU ? 1 : 4; bytes <= 4; bytes *= 2) {
        for (size_t i = 0; i < n * n; i++)
            walk->add(walk, &(struct transpose_case){ sides[i / n], sides[i % n], gaps[i % 3], bytes });
        walk->add(walk, &(struct transpose_case){ 2048, 1091, 0, bytes }); /* rows of the result are whole cache lines */
    }
    for (size_t i = 0; i < n * n; i++) walk->add(walk, &(struct transpose_case){ sides[i / n], sides[i % n], 0, 4 });
    walk->add(walk, &(struct transpose_case){ 65536 * 32 + 1, 3, 0, 4 }); /* more than 2^16 tiles down */
    walk->add(walk, &(struct transpose_case){ 4, 65536 * 32 + 4, 0, 4 }); /* and across, in vectors */
}

static struct transpose_desc desc_of(const struct op_case *c)
{
    const struct transpose_case *p = c->param;
    return (struct transpose_desc){ c->array[FROM].device, c->array[TO].device, p->rows, p->columns,
                                    p->columns + p->gap,   p->rows + p->gap,    p->bytes };
}

static void plan(struct op_case *c)
{
    const struct transpose_case *p = c->param;
    const struct transpose_desc d = desc_of(c);
    op_name(c, "%zu x %zu of %u bytes, %zu between rows", p->rows, p->columns, p->bytes, p->gap);
    op_add(c, FROM, OP_INPUT, op_product(d.rows, d.from_pitch), d.bytes);
    op_add(c, TO, OP_OUTPUT, op_product(d.columns, d.to_pitch), d.bytes);
    c->operations = d.rows * d.columns;
    c->bytes = 2 * d.rows * d.columns * d.bytes;
}

static void fill(struct op_case *c)
{
    unsigned char *from = c->array[FROM].host;
    for (size_t i = 0; i < c->array[FROM].bytes; i++) from[i] = (unsigned char)(i * 2654435761u >> 13);
}

OP_ANY_BLOCK(transpose)

static int run(struct op_case *c, const struct rung *rung)
{
    const struct transpose_desc d = desc_of(c);
    return ((const struct transpose_rung *)rung)->run(&d, c->exec);
}

static bool check(struct op_case *c, const struct rung *rung)
{
    const struct transpose_desc d = desc_of(c);
    const unsigned char *in = c->array[FROM].host, *out = c->array[TO].got;
    (void)rung;
    for (size_t i = 0; i < d.columns; i++) {
        const unsigned char *row = out + i * d.to_pitch * d.bytes;
        for (size_t j = 0; j < d.rows; j++)
            if (memcmp(row + j * d.bytes, in + (j * d.from_pitch + i) * d.bytes, d.bytes) != 0)
                return op_wrong(c, "row %zu, column %zu is wrong", i, j);
        for (size_t b = d.rows * d.bytes; b < d.to_pitch * d.bytes; b++) /* gaps keep their poison */
            if (row[b] != 0xff) return op_wrong(c, "it wrote past the end of row %zu", i);
    }
    return true;
}

const struct op op_transpose = {
    .op = "transpose",
    .unit = "rows and columns",
    .size = { 4096, 8192 },
    .operation = "element",
    OP_TIMED,
    .any_block = any_block,
};
