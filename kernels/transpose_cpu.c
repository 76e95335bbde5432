/* transpose on the CPU; contract in transpose.h.
 * Run: isoscope ladder transpose --bench --backend cpu */
#include "transpose.h"

#include "grid.h"

enum { LINE = 64 }; /* bytes of a cache line */

/* ---- a part of the matrix, by the size of an element --------------------------------------------------------------- */

struct part {
    size_t r0, r1, c0, c1;
}; /* rows and columns of `from` */

/* Move along rows of `from`, or of `to`. restrict: else a one-byte store might alias the description. */
/* NOLINTBEGIN(bugprone-macro-parentheses): types */
#define PART(name, type)                                                                                \
    static void name##_along_from(const struct transpose_desc *restrict d, struct part p)               \
    {                                                                                                   \
        const type *restrict from = d->from;                                                            \
        type *restrict to = d->to;                                                                      \
        for (size_t r = p.r0; r < p.r1; r++)                                                            \
            for (size_t c = p.c0; c < p.c1; c++) to[c * d->to_pitch + r] = from[r * d->from_pitch + c]; \
    }                                                                                                   \
    static void name##_along_to(const struct transpose_desc *restrict d, struct part p)                 \
    {                                                                                                   \
        const type *restrict from = d->from;                                                            \
        type *restrict to = d->to;                                                                      \
        for (size_t c = p.c0; c < p.c1; c++)                                                            \
            for (size_t r = p.r0; r < p.r1; r++) to[c * d->to_pitch + r] = from[r * d->from_pitch + c]; \
    }
/* NOLINTEND(bugprone-macro-parentheses) */
PART(bytes1, uint8_t)
PART(bytes2, uint16_t)
PART(bytes4, uint32_t)
#undef PART

typedef void (*part_mover)(const struct transpose_desc *d, struct part p);

static const part_mover along_from[] = { [1] = bytes1_along_from, [2] = bytes2_along_from, [4] = bytes4_along_from };
static const part_mover along_to[] = { [1] = bytes1_along_to, [2] = bytes2_along_to, [4] = bytes4_along_to };

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * Reads in order; each write goes to another row of the result, so a 64-byte line is fetched for every element. */

static int textbook(const struct transpose_desc *d, struct exec *x)
{
    (void)x;
    along_from[d->bytes](d, (struct part){ 0, d->rows, 0, d->columns });
    return 0;
}

/* ---- blocks --------------------------------------------------------------------------------------------------------
 * When the textbook returns to a line, it has left the cache. Idea: square blocks with sides of one line (16 elements
 * of 4 bytes, 64 of one), whose lines on both sides stay in L1 until they are full. Cost: four loops, and edges. */

/* Transpose the column of blocks that starts at column c. */
static void column_of_blocks(const struct transpose_desc *d, size_t c)
{
    const size_t side = LINE / d->bytes, end = min_size(c + side, d->columns);
    for (size_t r = 0; r < d->rows; r += side)
        along_to[d->bytes](d, (struct part){ r, min_size(r + side, d->rows), c, end });
}

static int blocks(const struct transpose_desc *d, struct exec *x)
{
    (void)x;
    for (size_t c = 0; c < d->columns; c += LINE / d->bytes) column_of_blocks(d, c);
    return 0;
}

/* ---- threads -------------------------------------------------------------------------------------------------------
 * One core does not fill the memory's bandwidth. Idea: deal columns of blocks to threads; no two write the same row. */

static int threads(const struct transpose_desc *d, struct exec *x)
{
    const size_t side = LINE / d->bytes, count = (d->columns + side - 1) / side;
#pragma omp parallel for num_threads(x->threads) schedule(static)
    for (size_t b = 0; b < count; b++) column_of_blocks(d, b * side);
    return 0;
}

const struct transpose_rung transpose_cpu[] = {
    { { "textbook", "row by row, one line touched per element written", false }, textbook },
    { { "blocks", "squares a line wide, whose lines stay in the cache until they are full", false }, blocks },
    { { "threads", "columns of blocks dealt to threads", true }, threads },
    { { NULL, NULL, false }, NULL },
};
