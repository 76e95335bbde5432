/* sum on the CPU; contract in sum.h.
 * Run: isoscope ladder sum --bench --backend cpu */
#include "sum.h"

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * One number at a time. Each addition waits four cycles for the previous one, and rounds the whole sum so far. Adding
 * ones, the sum stops growing at 2^24.
 *
 * Why: a float is a sign, 8 bits of exponent and 23 of mantissa; the first bit of the number, before these 23, is not
 * stored. That makes 24 bits, some 7 decimal digits; 9 are needed to write a float down without loss. (A double has 53
 * bits, and needs 17 digits.) Every operation gives the float nearest to the exact result, so whatever a small number
 * would add below the last bit of a large sum is lost.
 *
 * Ten million times 0.1 comes to 1087937 here. In doubles it comes to 1000000.0149, which to the last digit is ten
 * million times the float nearest to 0.1. So a precision is not good or bad by itself, but for a certain number of
 * additions. Below 2^-126, the first bit has to be stored as well (subnormal numbers), and precision fades out. GPUs
 * compute with subnormal numbers at full speed, CPUs often do not. */

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
 * The textbook loses a digit each time its sum grows tenfold. Idea (Kahan 1965): find what an addition rounded away by
 * subtracting back, and add it to the next number. The ten million times 0.1 are then 1000000.
 * Cost: four dependent additions per number instead of one. And a compiler that is allowed to reorder them
 * (-ffast-math, -fassociative-math) concludes that `lost` is always zero.
 *
 * The effect that helps here does harm elsewhere: the difference of two rounded numbers that are nearly equal is exact,
 * but consists mostly of their roundings (cancellation). x^2 - 1000 x + 1 = 0 has a root of 0.001000001. In floats,
 * (1000 - sqrt(1000^2 - 4)) / 2 gives 0.00100708, which is 0.7 % too large, while 2 / (1000 + sqrt(1000^2 - 4)) is
 * right. The cure is another formula, or double for this step alone. */

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
 * Kahan's chain is four additions long per number, the textbook's one. Idea: LANES independent sums. The compiler puts
 * them into vectors, and the core keeps several vectors in its pipeline. The chains are LANES times shorter, and so is
 * the error.
 * Cost: the order is another, and so the last digit is another. Floating-point addition is not associative: (a + b) + c
 * is not always a + (b + c). Two rungs that differ in the last digit are both right. What decides is a bound on the
 * number of roundings, which each rung states (sum.h). Products, minima and maxima are reduced in the same way; only
 * minima and maxima are the same in any order. */

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
 * One core cannot use all of the memory's bandwidth. Idea: threads sum chunks with lanes, and Kahan adds the chunks'
 * sums in order. The chunks do not depend on the number of threads, so every machine gives the same sum.
 * Cost: a float per chunk. */

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
    { { "kahan", "compensated: what one addition rounds away is passed on to the next", false },
      kahan, kahan_roundings, NULL },
    { { "lanes", "32 sums side by side, in vectors", false }, lanes, lanes_roundings, NULL },
    { { "threads", "chunks in lanes, one thread each; their sums added as in kahan, in order", true },
      threads, threads_roundings, threads_scratch },
    { { NULL, NULL, false }, NULL, NULL, NULL },
};
/* clang-format on */
