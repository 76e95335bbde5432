/* histogram on the CPU; contract in histogram.h.
 * Run: isoscope ladder histogram --bench --backend cpu */
#include "histogram.h"

#include "cpu_util.h"

#include <string.h>

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * The bin of each voxel, one thread. Cost: a division for each, and where neighbours are alike, each addition waits for the
 * one before to reach the same counter. */

ISO_FN void bin_body(const struct grid *g, const struct histogram_desc *d, uint64_t *counts, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        const unsigned bin = histogram_bin(grid_value(g, i), d->lo, d->hi, d->bins);
        if (bin < d->bins) counts[bin]++;
    }
}

static int textbook(const struct grid *grid, const struct histogram_desc *desc, void *scratch, struct exec *x)
{
    (void)scratch, (void)x;
    memset(desc->counts, 0, desc->bins * sizeof desc->counts[0]);
    GRID_TYPED(grid, bin_body(&GRID, desc, desc->counts, 0, grid_voxels(grid)))
    return 0;
}

/* ---- values --------------------------------------------------------------------------------------------------------
 * 8- and 16-bit types have few distinct values. Idea: count those, and find the bin of each value once. Each thread
 * counts in its own table, 8-bit types in four by turns: most volumes are largely one value (air), and adding to one
 * address waits for the previous addition. Floats are binned voxel by voxel, into the thread's table. Cost: a table per
 * thread. */

enum { TABLE = 1 << 16, TURNS = 4, PIECE = 1 << 20 }; /* voxels between two checks of cancel: a millisecond */

ISO_FN void values_body(const struct grid *g, uint64_t *table, size_t begin, size_t end)
{
    const uint8_t *bytes = g->voxels;
    const uint16_t *words = g->voxels;
    if (voxel_bytes(g->type) == 1)
        for (size_t i = begin; i < end; i++) table[(i % TURNS) * 256 + bytes[i]]++;
    else
        for (size_t i = begin; i < end; i++) table[words[i]]++;
}

/* Add the counts of all stored values of a type to their bins. */
static void table_to_counts(const struct histogram_desc *d, enum voxel_type type, const uint64_t *table)
{
    const size_t n = voxel_bytes(type) == 1 ? 256 : TABLE;
    for (size_t i = 0; i < n; i++) {
        uint64_t count = table[i];
        if (n == 256) count += table[256 + i] + table[512 + i] + table[768 + i];
        const float value = type == VOXEL_INT8 ? (float)(int8_t)i : type == VOXEL_INT16 ? (float)(int16_t)i : (float)i;
        const unsigned bin = histogram_bin(value, d->lo, d->hi, d->bins);
        if (bin < d->bins) d->counts[bin] += count;
    }
}

static int values(const struct grid *grid, const struct histogram_desc *desc, void *scratch, struct exec *x)
{
    uint64_t *tables = scratch;
    const size_t n = grid_voxels(grid), table = desc->bins > TABLE ? desc->bins : TABLE;
    memset(desc->counts, 0, desc->bins * sizeof desc->counts[0]);
#pragma omp parallel for num_threads(x->threads) schedule(static, 1)
    for (int p = 0; p < x->threads; p++) {
        uint64_t *mine = tables + (size_t)p * table;
        const size_t begin = part_start(n, p, x->threads), end = part_start(n, p + 1, x->threads);
        memset(mine, 0, table * sizeof mine[0]);
        for (size_t at = begin; at < end && !exec_is_cancelled(x); at += PIECE) {
            const size_t piece_end = end - at < PIECE ? end : at + PIECE;
            if (grid->type == VOXEL_FLOAT32) GRID_TYPED(grid, bin_body(&GRID, desc, mine, at, piece_end))
            else GRID_TYPED(grid, values_body(&GRID, mine, at, piece_end))
        }
    }
    for (int p = 0; p < x->threads; p++) {
        const uint64_t *one = tables + (size_t)p * table;
        if (grid->type == VOXEL_FLOAT32)
            for (unsigned b = 0; b < desc->bins; b++) desc->counts[b] += one[b];
        else table_to_counts(desc, grid->type, one);
    }
    return 0;
}

static size_t values_scratch(unsigned bins, const struct exec *x)
{
    return (size_t)x->threads * (bins > TABLE ? bins : TABLE) * sizeof(uint64_t);
}

const struct histogram_rung histogram_cpu[] = {
    { { "textbook", "the bin of each voxel in turn, one thread", false }, textbook, NULL },
    { { "values", "counts distinct values of 8- and 16-bit types, a table per thread", true }, values, values_scratch },
    { { NULL, NULL, false }, NULL, NULL },
};
