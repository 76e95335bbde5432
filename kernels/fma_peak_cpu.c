/* fma_peak on the CPU; contract in fma_peak.h.
 * Run: isoscope ladder fma_peak --bench --backend cpu */
#include "fma_peak.h"

#include "cpu_vectors.h"

#include <string.h>

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * One number at a time: each step waits for a multiplication and an addition, some eight cycles, and uses only one lane
 * of a vector. */

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
 * The textbook waits in every step. Idea: LANES independent numbers in several vectors, so that the steps of one vector
 * hide the latency of another.
 * Cost: registers; with many more lanes they would spill. */

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
 * lanes uses one core. Idea: use all of them.
 * Cost: none. */

static int threads(float *out, size_t n, float a, struct exec *x)
{
#pragma omp parallel for num_threads(x->threads) schedule(static)
    for (size_t i = 0; i < n; i += LANES) lanes_part(out, i, n - i < LANES ? n - i : LANES, a);
    return 0;
}

enum { VECTORS = 12 };

/* Deal parts of VECTORS vectors each to threads. */
static int parts(float *out, size_t n, float a, struct exec *x, void (*part)(float *out, size_t count, float a),
                 size_t vector_bytes)
{
    const size_t each = VECTORS * vector_bytes / sizeof *out;
#pragma omp parallel for num_threads(x->threads) schedule(static)
    for (size_t i = 0; i < n; i += each) part(out + i, n - i < each ? n - i : each, a);
    return 0;
}

/* ---- avx2 ----------------------------------------------------------------------------------------------------------
 * threads is built for any x86-64: 4 floats to a vector, and a multiplication and an addition are two instructions.
 * Idea: vectors of 8, and both operations in one instruction (FMA). It rounds only once, so no compiler may create it
 * from the two without being asked. A core starts two FMAs per cycle and each takes four cycles, so with 8 vectors in
 * turn none has to wait; 12 leave some room. Predicted: 2 times 8 times 2 operations per cycle, 32, where threads does
 * 12 at most. On a core of a Xeon that is 116 GFLOP/s where threads does 34.
 * Cost: other processors need other code. */

#define PART part_avx2
#define TARGET FOR_FMA
#define VECTOR floats8
#define ALL ALL8
#define FMA FMA8
#include "fma_peak_cpu_part.inc"

static int avx2(float *out, size_t n, float a, struct exec *x) { return parts(out, n, a, x, part_avx2, sizeof(floats8)); }

/* ---- avx512 --------------------------------------------------------------------------------------------------------
 * Idea: vectors of 16. Predicted: twice avx2, 64 operations per cycle, if the core has two units of that width and
 * keeps its clock. On desktops, two units of half the width often work as one, which gains nothing. 236 GFLOP/s on a
 * core of that Xeon. */

#define PART part_avx512
#define TARGET FOR_AVX512
#define VECTOR floats16
#define ALL ALL16
#define FMA FMA16
#include "fma_peak_cpu_part.inc"

static int avx512(float *out, size_t n, float a, struct exec *x)
{
    return parts(out, n, a, x, part_avx512, sizeof(floats16));
}

/* ---- simd ----------------------------------------------------------------------------------------------------------
 * The roof of this machine: the widest vectors that it has. */

static int simd(float *out, size_t n, float a, struct exec *x)
{
    return (cpu_has_avx512() ? avx512 : cpu_has_fma() ? avx2 : threads)(out, n, a, x);
}

const struct fma_peak_rung fma_peak_cpu[] = {
    { { "textbook", "one number at a time: each step waits for the one before", false }, textbook, false },
    { { "lanes", "32 numbers side by side, in vectors", false }, lanes, false },
    { { "threads", "as lanes, on all cores", false }, threads, false },
    { { "avx2", "vectors of 256 bits, multiplied and added in one instruction (FMA)", false, cpu_lacks_fma }, avx2, false },
    { { "avx512", "as avx2, with vectors of 512 bits", false, cpu_lacks_avx512 }, avx512, false },
    { { "simd", "the rung above with the widest vectors that the machine has", true }, simd, false },
    { { NULL, NULL, false }, NULL, false },
};
