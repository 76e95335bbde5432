/* fma_peak on CUDA. Contract in fma_peak.h. fmaf() is one instruction, whatever the compiler contracts elsewhere.
 * Run: isoscope ladder fma_peak --bench --backend cuda
 * Rates: H200, 2^24 numbers; 132 multiprocessors of 128 lanes at 1.98 GHz could do 66.9 TFLOPS. */
#include "fma_peak.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * Blocks request 48 KiB of shared memory and use none: two to four fit a multiprocessor, and each of its four
 * schedulers gets as many warps. A step takes four cycles, so four warps that never miss a turn would just do; these
 * miss some: 38.4 TFLOPS. This is what too few warps look like. */

template <unsigned CHAINS> static __global__ void multiply_add(float *out, size_t n, float a)
{
    for (size_t first = (size_t)blockIdx.x * blockDim.x * CHAINS + threadIdx.x; first < n;
         first += (size_t)gridDim.x * blockDim.x * CHAINS) {
        float v[CHAINS];
#pragma unroll
        for (unsigned c = 0; c < CHAINS; c++) v[c] = (float)((first + (size_t)c * blockDim.x) % 16);
#pragma unroll 16
        for (unsigned t = 0; t < FMA_PEAK_TURNS; t++)
#pragma unroll
            for (unsigned c = 0; c < CHAINS; c++) v[c] = fmaf(v[c], a, 1.0f);
#pragma unroll
        for (unsigned c = 0; c < CHAINS; c++)
            if (first + (size_t)c * blockDim.x < n) out[first + (size_t)c * blockDim.x] = v[c];
    }
}

enum { GREEDY_BYTES = 48 * 1024, GREEDY_THREADS = 128 };

static int run_textbook(float *out, size_t n, float a, struct exec *x)
{
    multiply_add<1><<<launch_blocks(n, GREEDY_THREADS), GREEDY_THREADS, GREEDY_BYTES, x->stream>>>(out, n, a);
    return cudaGetLastError();
}

/* ---- warps ---------------------------------------------------------------------------------------------------------
 * A scheduler with four warps waits for their steps: 38.4 TFLOPS. Idea: let more warps in, and one is always ready.
 * GPUs hide latency this way, CPUs by out-of-order execution. 47.8 TFLOPS. Cost: registers for all of them. */

static int run_warps(float *out, size_t n, float a, struct exec *x)
{
    multiply_add<1><<<launch_blocks(n, THREADS), THREADS, 0, x->stream>>>(out, n, a);
    return cudaGetLastError();
}

/* ---- chains --------------------------------------------------------------------------------------------------------
 * warps also spends issue slots on the loop counter and on starting 2^16 blocks: 47.8 TFLOPS. Idea: eight independent
 * numbers per thread, which share the loop's instructions; even a few warps now keep a scheduler busy. 56.9 TFLOPS; the
 * last 15 % are unexplained (the clock may drop under such load). Cost: eight times the registers. */

enum { CHAINS = 8 };

static int run_chains(float *out, size_t n, float a, struct exec *x)
{
    multiply_add<CHAINS><<<launch_blocks(n, THREADS * CHAINS), THREADS, 0, x->stream>>>(out, n, a);
    return cudaGetLastError();
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

const struct fma_peak_rung fma_peak_cuda[] = {
    { { "textbook", "few warps at a time, each step waits for the last", false }, run_textbook },
    { { "warps", "as many warps as fit, of which one is always ready", false }, run_warps },
    { { "chains", "eight numbers per thread that do not wait for each other", true }, run_chains },
    {},
};
