/* sum on the CPU; contract in sum.h.
 * Run: isoscope ladder sum --bench --backend cpu */
#include "sum.h"

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * One number at a time: each addition waits four cycles for the previous one, and rounds the whole sum so far. Past
 * 2^24 ones the sum stands still.
 * Why: a float is a sign, 8 bits of exponent and 23 of mantissa, and the first bit of the number before them is not
 * stored: 24 bits, some 7 digits, and 9 to write it down without loss (a double: 53 bits, 17). Every operation gives the
 * nearest float to the exact result, so what a small number adds to a large sum ends where that sum's bits end. Ten
 * million times 0.1 comes to 1087937 here; in doubles to 1000000.0149, which is ten million times the float nearest to
 * 0.1, to the last digit: a precision is enough or not for a number of additions, not by itself. Below 2^-126 the first
 * bit has to be stored too (subnormal numbers), and precision fades out; GPUs compute with those at full speed, CPUs
 * often not. */

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
 * by subtracting back, and pass it to the next. The ten million times 0.1 are then 1000000. Cost: four dependent
 * additions per number instead of one; and a compiler that may reorder them (-ffast-math, -fassociative-math) finds that
 * `lost` is always zero.
 * What helps here hurts elsewhere: a difference of two rounded numbers that are nearly equal is exact, and made of their
 * roundings (cancellation). x^2 - 1000 x + 1 = 0 has a root of 0.001000001; in floats (1000 - sqrt(1000^2 - 4)) / 2 is
 * 0.00100708, 0.7 % too large, while 2 / (1000 + sqrt(1000^2 - 4)) is right. The cure is another formula, or double for
 * this step alone. */

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
 * vectors and the core into its pipeline; chains are LANES times shorter, and so is the error. Cost: another order, and
 * so another last digit: floating-point addition is not associative, (a + b) + c is not a + (b + c). Two rungs that
 * differ there are both right; what decides is a bound on the roundings, which each rung states (sum.h). Products, minima
 * and maxima are reduced the same way; only the latter two give the same result in any order. */

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
