/* triad on the CPU; contract in triad.h.
 * Run: isoscope ladder triad --bench --backend cpu */
#include "triad.h"

#include "cpu_util.h"

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * One number at a time; volatile, because compilers would turn the plain loop into the next rung. Each number takes two
 * loads and a store. A core does two or three loads and one or two stores per cycle, so it moves at most 12 bytes per
 * cycle. */

static int textbook(const struct triad_desc *d, struct exec *x)
{
    (void)x;
    const volatile float *from = d->x;
    for (size_t i = 0; i < d->n; i++) d->y[i] = d->a * from[i] + d->b[i];
    return 0;
}

/* ---- vectors -------------------------------------------------------------------------------------------------------
 * Four bytes per instruction leave most of a core's width unused. Idea: tell the compiler that the iterations are
 * independent. It then handles four (SSE) to sixteen (AVX-512) numbers per instruction. Predicted: four times the
 * textbook while the data are in the caches, and little gain beyond them, where the loads that one core can have in
 * flight are the limit.
 * Cost: none. */

static void part(const struct triad_desc *d, size_t begin, size_t end)
{
    const float *restrict from = d->x, *restrict b = d->b;
    float *restrict y = d->y;
    const float a = d->a;
#pragma omp simd
    for (size_t i = begin; i < end; i++) y[i] = a * from[i] + b[i];
}

static int vectors(const struct triad_desc *d, struct exec *x)
{
    (void)x;
    part(d, 0, d->n);
    return 0;
}

/* ---- threads -------------------------------------------------------------------------------------------------------
 * One core cannot keep enough loads in flight to use all of the memory's bandwidth. Idea: each thread does a part.
 * Predicted: 3/4 of the copy rate. Only 12 bytes per number must move but 16 do, because a line of y is read before it
 * is written. */

static int threads(const struct triad_desc *d, struct exec *x)
{
#pragma omp parallel for num_threads(x->threads) schedule(static, 1)
    for (int p = 0; p < x->threads; p++) part(d, part_start(d->n, p, x->threads), part_start(d->n, p + 1, x->threads));
    return 0;
}

/* ---- past ----------------------------------------------------------------------------------------------------------
 * threads reads y only to overwrite it; that is a quarter of its traffic. Idea: stores that go past the caches
 * (MOVNTPS) write whole lines without reading them. Predicted: 4/3 of threads. Measured: 32.5 GB/s against 24.7 (EPYC,
 * 2 cores, 2^26 numbers).
 * Cost: afterwards y is in no cache, so whoever needs it next reads it from memory. Small arrays lose. */

#ifdef __SSE2__
#include <emmintrin.h>

static void part_past(const struct triad_desc *d, size_t begin, size_t end)
{
    const __m128 a = _mm_set1_ps(d->a);
    for (size_t i = begin; i < end; i += 4)
        _mm_stream_ps(d->y + i, _mm_add_ps(_mm_mul_ps(a, _mm_loadu_ps(d->x + i)), _mm_loadu_ps(d->b + i)));
    _mm_sfence(); /* nothing else orders such stores */
}

static const char *past_unavailable(const struct exec *x) { return (void)x, NULL; }
#else
static void part_past(const struct triad_desc *d, size_t begin, size_t end) { part(d, begin, end); }

static const char *past_unavailable(const struct exec *x) { return (void)x, "needs x86-64"; }
#endif

static int past(const struct triad_desc *d, struct exec *x)
{
    const size_t fours = d->n / 4; /* a store of 16 bytes is aligned to 16 */
#pragma omp parallel for num_threads(x->threads) schedule(static, 1)
    for (int p = 0; p < x->threads; p++)
        part_past(d, 4 * part_start(fours, p, x->threads), 4 * part_start(fours, p + 1, x->threads));
    part(d, 4 * fours, d->n);
    return 0;
}

const struct triad_rung triad_cpu[] = {
    { { "textbook", "one number after the other", false }, textbook, false },
    { { "vectors", "several numbers per instruction", false }, vectors, false },
    { { "threads", "a part per thread, so that more loads are in flight", true }, threads, false },
    { { "past", "stores that bypass the caches, so that no line is read before it is written", false, past_unavailable },
      past,
      false },
    { { NULL, NULL, false }, NULL, false },
};
