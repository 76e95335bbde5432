/* fma_peak on the CPU, as far as the compiler's vectors go; contract in fma_peak.h.
 * Run: isoscope ladder fma_peak --bench --backend cpu */
#include "fma_peak.h"

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * One number at a time: each step waits for a multiplication and an addition, some eight cycles, in one lane of a
 * vector. */

static int textbook(float *out, size_t n, float a, struct exec *x)
{
    (void)x;
    for (size_t i = 0; i < n; i++) {
        float v = (float)(i % 16);
        for (unsigned t = 0; t < FMA_PEAK_TURNS; t++) v = v * a + 1;
        out[i] = v;
    }
    return 0;
}

/* ---- lanes ---------------------------------------------------------------------------------------------------------
 * The textbook waits in every step. Idea: LANES independent numbers, in several vectors: the steps of one hide the
 * latency of another. Cost: registers; many more lanes would spill. */

enum { LANES = 32 };

static void lanes_part(float *out, size_t first, size_t count, float a)
{
    float v[LANES];
    for (unsigned l = 0; l < LANES; l++) v[l] = (float)((first + l) % 16);
    for (unsigned t = 0; t < FMA_PEAK_TURNS; t++)
        for (unsigned l = 0; l < LANES; l++) v[l] = v[l] * a + 1;
    for (unsigned l = 0; l < count; l++) out[first + l] = v[l];
}

static int lanes(float *out, size_t n, float a, struct exec *x)
{
    (void)x;
    for (size_t i = 0; i < n; i += LANES) lanes_part(out, i, n - i < LANES ? n - i : LANES, a);
    return 0;
}

/* ---- threads -------------------------------------------------------------------------------------------------------
 * lanes uses one core. Idea: all of them. Cost: none. */

static int threads(float *out, size_t n, float a, struct exec *x)
{
#pragma omp parallel for num_threads(x->threads) schedule(static)
    for (size_t i = 0; i < n; i += LANES) lanes_part(out, i, n - i < LANES ? n - i : LANES, a);
    return 0;
}

const struct fma_peak_rung fma_peak_cpu[] = {
    { { "textbook", "number by number, each step waits for the last", false }, textbook, false },
    { { "lanes", "32 numbers side by side, in vectors", false }, lanes, false },
    { { "threads", "on all cores", true }, threads, false },
    { { NULL, NULL, false }, NULL, false },
};
