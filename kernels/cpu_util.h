/* What the CPU rungs share: how threads split n elements and look whether they are to stop, and 32 voxels of a row compared
 * at once. */
#ifndef ISO_CPU_UTIL_H
#define ISO_CPU_UTIL_H

#include "bricks.h"

/* Return the first of n elements that belongs to `part`. Parts are contiguous, and their sizes differ by at most one. */
static inline size_t part_start(size_t n, int part, int parts)
{
    const size_t each = n / (size_t)parts, extra = n % (size_t)parts, p = (size_t)part;
    return each * p + (p < extra ? p : extra);
}

enum { CPU_PIECE = 1 << 14 }; /* elements: some 0.1 ms of them */

/* Return where the piece that begins at `first` ends, or `first` if x is cancelled. */
static inline size_t cpu_piece_end(const struct exec *x, size_t first, size_t end)
{
    if (exec_is_cancelled(x)) return first;
    return end - first < CPU_PIECE ? end : first + CPU_PIECE;
}

/* Do `...` for i from 0 to n - 1, by the threads of x, which look for each piece whether x is cancelled. A pass that goes
 * on with what others have made must look so before it reads: where they stopped, there may be no indices. */
/* clang-format off */
#define CPU_EACH(x, i, n, ...)                                                                     \
    {                                                                                              \
        const int cpu_threads = (x)->threads;                                                      \
        const size_t cpu_end = (n);                                                                \
        _Pragma("omp parallel for num_threads(cpu_threads) schedule(static)")                      \
        for (size_t cpu_first = 0; cpu_first < cpu_end; cpu_first += CPU_PIECE) {                  \
            const size_t cpu_last = cpu_piece_end(x, cpu_first, cpu_end);                          \
            for (size_t i = cpu_first; i < cpu_last; i++) __VA_ARGS__                              \
        }                                                                                          \
    }

/* The same by one thread, for the elements that belong to part p of as many as x has threads. */
#define CPU_PART(x, i, n, p, ...)                                                                          \
    for (size_t cpu_first = part_start((n), (p), (x)->threads),                                            \
                cpu_end = part_start((n), (p) + 1, (x)->threads), cpu_last;                                \
         (cpu_last = cpu_piece_end((x), cpu_first, cpu_end)) > cpu_first; cpu_first = cpu_last)            \
        for (size_t i = cpu_first; i < cpu_last; i++) __VA_ARGS__
/* clang-format on */

/* Replace the count of each part by the sum of the counts before it; return the sum of all. */
static inline uint64_t counts_to_starts(uint64_t *counts, int parts)
{
    uint64_t sum = 0;
    for (int p = 0; p < parts; p++) {
        const uint64_t count = counts[p];
        counts[p] = sum;
        sum += count;
    }
    return sum;
}

/* Pack one byte per flag into one bit per flag. One multiplication moves eight flags at once, each to its bit of the
 * product's top byte. */
ISO_FN uint32_t pack_flags(const uint8_t flag[BRICK_X])
{
    uint32_t word = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t eight = 0;
        for (unsigned j = 0; j < 8; j++) eight |= (uint64_t)flag[8 * i + j] << (8 * j);
        word |= (uint32_t)(eight * 0x0102040810204080u >> 56) << (8 * i);
    }
    return word;
}

/* Return the inside word of n voxels of a row, at most BRICK_X: bit i is set if voxel first + i is inside. Compilers
 * vectorise the comparison. */
ISO_FN uint32_t row_word(const struct grid *g, float iso, size_t first, size_t n)
{
    uint8_t flag[BRICK_X] = { 0 };
    if (n == BRICK_X)
        for (size_t i = 0; i < BRICK_X; i++) flag[i] = grid_value(g, first + i) >= iso;
    else
        for (size_t i = 0; i < n; i++) flag[i] = grid_value(g, first + i) >= iso;
    return pack_flags(flag);
}

#endif
