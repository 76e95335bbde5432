/* find_equal on the CPU; contract in find_equal.h.
 * Run: isoscope ladder find_equal --bench --backend cpu */
#include "find_equal.h"

#include "cpu_util.h"

#include <string.h>

/* Write the positions in [begin, end) to `list` unless it is NULL; return how many there are. */
static size_t find_part(const struct find_equal_desc *d, size_t begin, size_t end, uint64_t *list)
{
    size_t count = 0;
    for (size_t i = begin; i < end; i++)
        if (d->values[i] == d->value) {
            if (list) list[count] = i;
            count++;
        }
    return count;
}

/* Return the first position in [begin, end), or n. */
static size_t first_of_part(const struct find_equal_desc *d, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        if (d->values[i] == d->value) return i;
    return d->n;
}

/* ---- linear --------------------------------------------------------------------------------------------------------
 * One value at a time; it stops at the first match if only that is wanted.
 * Cost: one core cannot use all of the memory's bandwidth. */

static int run_linear(const struct find_equal_desc *d, void *scratch, struct exec *x)
{
    (void)scratch, (void)x;
    *d->first = first_of_part(d, 0, d->n);
    if (d->list) *d->count = find_part(d, *d->first, d->n, d->list);
    return 0;
}

/* ---- threads -------------------------------------------------------------------------------------------------------
 * linear leaves all cores but one idle. Idea: each thread counts the matches in its part, the counts become starts, and
 * each thread writes from its own start on, so the list ascends.
 * Cost: all values are read twice, those before the first match even three times. Finding only the first match takes as
 * long as the slowest of the parts that have one. */

static int run_threads(const struct find_equal_desc *d, void *scratch, struct exec *x)
{
    uint64_t *found = scratch; /* per part: the first, then the count, then the start */
    *d->first = d->n;
#pragma omp parallel for num_threads(x->threads) schedule(static, 1)
    for (int p = 0; p < x->threads; p++)
        found[p] = first_of_part(d, part_start(d->n, p, x->threads), part_start(d->n, p + 1, x->threads));
    for (int p = x->threads - 1; p >= 0; p--)
        if (found[p] < d->n) *d->first = found[p];
    if (!d->list) return 0;
#pragma omp parallel for num_threads(x->threads) schedule(static, 1)
    for (int p = 0; p < x->threads; p++)
        found[p] = find_part(d, part_start(d->n, p, x->threads), part_start(d->n, p + 1, x->threads), NULL);
    *d->count = counts_to_starts(found, x->threads);
#pragma omp parallel for num_threads(x->threads) schedule(static, 1)
    for (int p = 0; p < x->threads; p++)
        (void)find_part(d, part_start(d->n, p, x->threads), part_start(d->n, p + 1, x->threads), d->list + found[p]);
    return 0;
}

static size_t scratch_threads(const struct find_equal_desc *d, const struct exec *x)
{
    (void)d;
    return (size_t)x->threads * sizeof(uint64_t);
}

/* ---- words ---------------------------------------------------------------------------------------------------------
 * threads tests value by value, with a branch each time, and reads everything twice. Idea: compare WORD values side by
 * side, in vectors, and pack the answers into a word of bits; if the word is 0, it is done. One reading is enough
 * because the list has a place for every value: each part writes its matches from the place of its own first value on,
 * and at the end the pieces are moved together.
 *
 * Predicted: the time to read, 2.2 ms for 2^24 values. But with one match in 100, as here, every other word has one,
 * unpredictably, so there is one misprediction for each of those. A core takes 7 ms with vectors of any width, where
 * threads takes 54; AVX-512 gains a fifth, AVX2 nothing.
 * Cost: one thread moves the pieces, but only what was found. */

enum { WORD = 64 };

/* Return a bit for each of WORD values: whether it equals `value`. */
ISO_FN uint64_t equal_word(const float *values, float value)
{
    uint8_t flag[WORD];
    for (unsigned i = 0; i < WORD; i++) flag[i] = values[i] == value;
    return (uint64_t)pack_flags(flag + WORD / 2) << (WORD / 2) | pack_flags(flag);
}

/* Write the positions in [begin, end) to `list`; return how many there are. */
static size_t list_words(const struct find_equal_desc *d, size_t begin, size_t end, uint64_t *list)
{
    size_t count = 0, i = begin;
    for (; i + WORD <= end; i += WORD)
        for (uint64_t word = equal_word(d->values + i, d->value); word; word &= word - 1)
            list[count++] = i + (size_t)__builtin_ctzll(word);
    return count + find_part(d, i, end, list + count);
}

/* Return the first position in [begin, end), or n. */
static size_t first_of_words(const struct find_equal_desc *d, size_t begin, size_t end)
{
    size_t i = begin;
    while (i + WORD <= end && !equal_word(d->values + i, d->value)) i += WORD;
    return first_of_part(d, i, end);
}

static int run_words(const struct find_equal_desc *d, void *scratch, struct exec *x)
{
    uint64_t *found = scratch; /* per part: the first, or the count */
    *d->first = d->n;
#pragma omp parallel for num_threads(x->threads) schedule(static, 1)
    for (int p = 0; p < x->threads; p++) {
        const size_t begin = part_start(d->n, p, x->threads), end = part_start(d->n, p + 1, x->threads);
        found[p] = d->list ? list_words(d, begin, end, d->list + begin) : first_of_words(d, begin, end);
    }
    size_t count = 0;
    for (int p = 0; p < x->threads; p++)
        if (d->list) {
            memmove(d->list + count, d->list + part_start(d->n, p, x->threads), found[p] * sizeof *d->list);
            count += found[p];
        } else if (found[p] < *d->first) *d->first = found[p];
    if (!d->list) return 0;
    *d->count = count;
    if (count) *d->first = d->list[0];
    return 0;
}

/* clang-format off */
const struct find_equal_rung find_equal_cpu[] = {
    { { "linear", "one value after the other", false }, run_linear, NULL, true },
    { { "threads", "counts per part, then each part writes from its own start", false }, run_threads, scratch_threads,
      true },
    { { "words", "64 values compared at once; each part writes its own list, then the lists are joined", true }, run_words,
      scratch_threads, true },
    { { NULL, NULL, false }, NULL, NULL, false },
};
/* clang-format on */
