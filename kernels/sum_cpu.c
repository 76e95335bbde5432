/* sum on the CPU; contract in sum.h.
 * Run: isoscope ladder sum --bench --backend cpu */
#include "sum.h"

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * One number at a time: each addition waits four cycles for the previous one, and rounds the whole sum so far. Past
 * 2^24 ones the sum stands still. */

static int textbook(const float *in, float *out, size_t n, void *scratch, struct exec *x)
{
    (void)scratch, (void)x;
    float sum = 0;
    for (size_t i = 0; i < n; i++) sum += in[i];
    *out = sum;
    return 0;
}

static double chain_roundings(size_t n, const struct exec *x)
{
    (void)x;
    return (double)n;
}

/* ---- kahan ---------------------------------------------------------------------------------------------------------
 * The textbook loses a digit each time its sum grows tenfold. Idea (Kahan 1965): recover what an addition rounded away
 * by subtracting back, and pass it to the next. Cost: four dependent additions per number instead of one. */

static float kahan_of(const float *in, size_t n)
{
    float sum = 0, lost = 0;
    for (size_t i = 0; i < n; i++) {
        const float next = in[i] - lost, grown = sum + next;
        lost = (grown - sum) - next;
        sum = grown;
    }
    return sum;
}

static int kahan(const float *in, float *out, size_t n, void *scratch, struct exec *x)
{
    (void)scratch, (void)x;
    *out = kahan_of(in, n);
    return 0;
}

static double kahan_roundings(size_t n, const struct exec *x)
{
    (void)x;
    return 2 + (double)n * 0x1p-24;
}

/* ---- lanes ---------------------------------------------------------------------------------------------------------
 * Kahan's chain is four additions long, the textbook's one. Idea: LANES independent sums, which the compiler puts in
 * vectors and the core into its pipeline; chains are LANES times shorter, and so is the error. Cost: another order. */

enum { LANES = 32 };

static float lanes_of(const float *in, size_t n)
{
    float lane[LANES] = { 0 }, sum = 0;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (unsigned l = 0; l < LANES; l++) lane[l] += in[i + l];
    for (; i < n; i++) lane[i % LANES] += in[i];
    for (unsigned l = 0; l < LANES; l++) sum += lane[l];
    return sum;
}

static int lanes(const float *in, float *out, size_t n, void *scratch, struct exec *x)
{
    (void)scratch, (void)x;
    *out = lanes_of(in, n);
    return 0;
}

static double lanes_roundings(size_t n, const struct exec *x)
{
    (void)x;
    return (double)n / LANES + LANES + 1;
}

/* ---- threads -------------------------------------------------------------------------------------------------------
 * One core does not fill the memory's bandwidth. Idea: threads sum chunks in lanes, and Kahan adds the chunks' sums in
 * order. Chunks do not depend on the number of threads: every machine gives the same sum. Cost: a float per chunk. */

enum { CHUNK = 1 << 16 };

static int threads(const float *in, float *out, size_t n, void *scratch, struct exec *x)
{
    float *part = scratch;
    const size_t count = (n + CHUNK - 1) / CHUNK;
#pragma omp parallel for num_threads(x->threads) schedule(static)
    for (size_t c = 0; c < count; c++) part[c] = lanes_of(in + c * CHUNK, c + 1 < count ? CHUNK : n - c * CHUNK);
    *out = kahan_of(part, count);
    return 0;
}

static double threads_roundings(size_t n, const struct exec *x)
{
    return lanes_roundings(n < CHUNK ? n : CHUNK, x) + kahan_roundings(n / CHUNK, x);
}

static size_t threads_scratch(size_t n, const struct exec *x)
{
    (void)x;
    return (n + CHUNK - 1) / CHUNK * sizeof(float);
}

/* clang-format off */
const struct sum_rung sum_cpu[] = {
    { { "textbook", "one number after the other", false }, textbook, chain_roundings, NULL },
    { { "kahan", "what each addition rounds away is given to the next", false }, kahan, kahan_roundings, NULL },
    { { "lanes", "32 sums side by side, in vectors", false }, lanes, lanes_roundings, NULL },
    { { "threads", "chunks in lanes, a thread each; their sums by Kahan, in order", true }, threads, threads_roundings,
      threads_scratch },
    { { NULL, NULL, false }, NULL, NULL, NULL },
};
/* clang-format on */
