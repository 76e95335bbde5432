/* histogram on the CPU; contract in histogram.h.
 * Run: isoscope ladder histogram --bench --backend cpu */
#include "histogram.h"

#include "cpu_util.h"
#include "cpu_vectors.h"

#include <string.h>

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * Find the bin of each voxel, in one thread. Cost: a division for each. And where neighbours are alike, each addition
 * waits until the one before has updated the same counter. */

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
 * Types of 8 and 16 bits have few distinct values. Idea: count those, and find the bin of each value only once. Each
 * thread counts into its own table, for 8-bit types into four tables by turns: most volumes consist largely of one
 * value (air), and an addition to the same address would have to wait for the previous one. Floats are binned voxel by
 * voxel, into the thread's table.
 * Cost: a table per thread. */

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

/* ---- runs and avx2 -------------------------------------------------------------------------------------------------
 * values adds one voxel at a time, though most volumes are mostly air of a single value. Idea: detect RUN bytes that
 * are all alike by a comparison, and count them at once; only the others are added one by one. 16-bit words now use
 * several tables by turns, too. For floats, the bins of SOME voxels are first found without branches, so with vectors,
 * and then added by turns. AVX2 has the wider vectors for that.
 * Cost: up to four tables per thread. Noise has no runs and still pays for the comparisons, an eighth of its time. */

enum { RUN = 32, WORD_TURNS = 2, SOME = 256 };

/* Return whether RUN bytes are `first`, their first eight, again and again. */
ISO_FN bool is_run(const uint8_t *bytes, uint64_t first)
{
    uint64_t word[RUN / 8], differ = 0;
    memcpy(word, bytes, RUN);
    for (unsigned k = 0; k < RUN / 8; k++) differ |= word[k] ^ first;
    return !differ;
}

ISO_FN void count_bytes(const uint8_t *v, size_t n, uint64_t *table)
{
    size_t i = 0;
    for (; i + RUN <= n; i += RUN)
        if (is_run(v + i, v[i] * 0x0101010101010101u)) table[v[i]] += RUN;
        else
            for (unsigned k = 0; k < RUN; k += 8) {
                uint64_t eight;
                memcpy(&eight, v + i + k, 8);
                for (unsigned j = 0; j < 8; j++) table[j % TURNS * 256 + (eight >> 8 * j & 255)]++;
            }
    for (; i < n; i++) table[v[i]]++;
}

ISO_FN void count_words(const uint16_t *v, size_t n, uint64_t *table)
{
    enum { WORDS = RUN / 2 };
    size_t i = 0;
    for (; i + WORDS <= n; i += WORDS)
        if (is_run((const uint8_t *)(v + i), v[i] * 0x0001000100010001u)) table[v[i]] += WORDS;
        else
            for (unsigned k = 0; k < WORDS; k++) table[k % WORD_TURNS * TABLE + v[i + k]]++;
    for (; i < n; i++) table[v[i]]++;
}

/* As histogram_bin(), for n voxels, at most SOME. */
ISO_FN void bins_of(const float *v, unsigned *bin, size_t n, const struct histogram_desc *d)
{
    const float lo = d->lo, hi = d->hi, count = (float)d->bins, scale = histogram_scale(lo, hi);
    const unsigned bins = d->bins;
    for (size_t i = 0; i < n; i++) {
        const bool is_counted = v[i] >= lo && v[i] <= hi;
        const float part = (v[i] * scale - lo * scale) / (hi * scale - lo * scale) * count;
        const unsigned b = (unsigned)(int)(is_counted ? part : 0); /* vectors can convert only to int */
        bin[i] = !is_counted ? bins : b < bins ? b : bins - 1;
    }
}

ISO_FN void count_floats(const float *v, size_t n, const struct histogram_desc *d, uint64_t *table)
{
    const size_t bins = d->bins + 1; /* one for all that is not counted */
    unsigned bin[SOME];
    for (size_t at = 0; at < n; at += SOME) {
        const size_t some = min_size(SOME, n - at);
        bins_of(v + at, bin, some, d);
        for (size_t i = 0; i < some; i++) table[i % TURNS * bins + bin[i]]++;
    }
}

ISO_FN void count_any(const struct grid *g, const struct histogram_desc *d, uint64_t *table, size_t begin, size_t end)
{
    const char *at = (const char *)g->voxels + begin * voxel_bytes(g->type);
    if (voxel_bytes(g->type) == 1) count_bytes((const void *)at, end - begin, table);
    else if (voxel_bytes(g->type) == 2) count_words((const void *)at, end - begin, table);
    else count_floats((const void *)at, end - begin, d, table);
}

static void count_runs(const struct grid *g, const struct histogram_desc *d, uint64_t *table, size_t begin, size_t end)
{
    count_any(g, d, table, begin, end);
}

FOR_AVX2 static void count_avx2(const struct grid *g, const struct histogram_desc *d, uint64_t *table, size_t begin,
                                size_t end)
{
    count_any(g, d, table, begin, end);
}

/* Counters of a table: those of all turns. */
static size_t table_size(const struct grid *g, const struct histogram_desc *d)
{
    return voxel_bytes(g->type) == 1   ? TURNS * 256
           : voxel_bytes(g->type) == 2 ? WORD_TURNS * TABLE
                                       : (size_t)TURNS * ((size_t)d->bins + 1);
}

static void turns_to_counts(const struct grid *g, const struct histogram_desc *d, uint64_t *table)
{
    for (unsigned i = 0; i < TABLE && voxel_bytes(g->type) == 2; i++) table[i] += table[TABLE + i];
    if (g->type != VOXEL_FLOAT32) table_to_counts(d, g->type, table);
    else
        for (size_t turn = 0; turn < TURNS; turn++)
            for (size_t b = 0; b < d->bins; b++) d->counts[b] += table[turn * ((size_t)d->bins + 1) + b];
}

static int count_all(const struct grid *g, const struct histogram_desc *d, uint64_t *tables, struct exec *x,
                     void (*count)(const struct grid *g, const struct histogram_desc *d, uint64_t *table, size_t begin,
                                   size_t end))
{
    const size_t n = grid_voxels(g), size = table_size(g, d);
    memset(d->counts, 0, d->bins * sizeof d->counts[0]);
#pragma omp parallel for num_threads(x->threads) schedule(static, 1)
    for (int p = 0; p < x->threads; p++) {
        const size_t end = part_start(n, p + 1, x->threads);
        memset(tables + (size_t)p * size, 0, size * sizeof tables[0]);
        for (size_t at = part_start(n, p, x->threads); at < end && !exec_is_cancelled(x); at += PIECE)
            count(g, d, tables + (size_t)p * size, at, min_size(at + PIECE, end));
    }
    for (int p = 0; p < x->threads; p++) turns_to_counts(g, d, tables + (size_t)p * size);
    return 0;
}

static int runs(const struct grid *grid, const struct histogram_desc *desc, void *scratch, struct exec *x)
{
    return count_all(grid, desc, scratch, x, count_runs);
}

static int avx2(const struct grid *grid, const struct histogram_desc *desc, void *scratch, struct exec *x)
{
    return count_all(grid, desc, scratch, x, count_avx2);
}

static int simd(const struct grid *grid, const struct histogram_desc *desc, void *scratch, struct exec *x)
{
    return count_all(grid, desc, scratch, x, cpu_has_avx2() ? count_avx2 : count_runs);
}

static size_t turns_scratch(unsigned bins, const struct exec *x)
{
    const size_t floats = TURNS * ((size_t)bins + 1), words = (size_t)WORD_TURNS * TABLE;
    return (size_t)x->threads * (floats > words ? floats : words) * sizeof(uint64_t);
}

/* clang-format off */
const struct histogram_rung histogram_cpu[] = {
    { { "textbook", "the bin of each voxel in turn, one thread", false }, textbook, NULL },
    { { "values", "counts distinct values of 8- and 16-bit types, a table per thread", false }, values, values_scratch },
    { { "runs", "counts runs of equal voxels at once; finds the bins of floats before counting them", false },
      runs, turns_scratch },
    { { "avx2", "as runs, with vectors of 256 bits", false, cpu_lacks_avx2 }, avx2, turns_scratch },
    { { "simd", "the rung above with the widest vectors that the machine has", true }, simd, turns_scratch },
    { { NULL, NULL, false }, NULL, NULL },
};
/* clang-format on */
