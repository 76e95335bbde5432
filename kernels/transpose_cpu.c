/* transpose on the CPU; the contract is in transpose.h. */
#include "transpose.h"

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * Reads in order; each write goes to another row of the result, so a line of 64 bytes is fetched for every 4 written. */

static int textbook(const uint32_t *from, uint32_t *to, size_t rows, size_t columns, struct exec *x)
{
    (void)x;
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++) to[c * rows + r] = from[r * columns + c];
    return 0;
}

/* ---- blocks --------------------------------------------------------------------------------------------------------
 * By the time the textbook comes back to a line, it has left the cache. Idea: blocks of 16 x 16, whose 16 lines on either
 * side stay in L1 until they are full. Cost: four loops, and edges. */

enum { SIDE = 16 }; /* elements: a line of 64 bytes */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void one_block(const uint32_t *from, uint32_t *to, size_t rows, size_t columns, size_t r0, size_t c0)
{
    const size_t r1 = least(r0 + SIDE, rows), c1 = least(c0 + SIDE, columns);
    for (size_t c = c0; c < c1; c++)
        for (size_t r = r0; r < r1; r++) to[c * rows + r] = from[r * columns + c];
}

static int blocks(const uint32_t *from, uint32_t *to, size_t rows, size_t columns, struct exec *x)
{
    (void)x;
    for (size_t r = 0; r < rows; r += SIDE)
        for (size_t c = 0; c < columns; c += SIDE) one_block(from, to, rows, columns, r, c);
    return 0;
}

/* ---- threads -------------------------------------------------------------------------------------------------------
 * One core does not fill the memory's bandwidth. Columns of blocks are dealt to threads, so that no two write one line. */

static int threads(const uint32_t *from, uint32_t *to, size_t rows, size_t columns, struct exec *x)
{
    const size_t count = (columns + SIDE - 1) / SIDE;
#pragma omp parallel for num_threads(x->threads) schedule(static)
    for (size_t b = 0; b < count; b++)
        for (size_t r = 0; r < rows; r += SIDE) one_block(from, to, rows, columns, r, b * SIDE);
    return 0;
}

const struct transpose_rung transpose_cpu[] = {
    { { "textbook", "row by row, one line touched per element written", false }, textbook },
    { { "blocks", "16 x 16 at a time, whose lines stay in the cache until they are full", false }, blocks },
    { { "threads", "columns of blocks dealt to threads", true }, threads },
    { { NULL, NULL, false }, NULL },
};
