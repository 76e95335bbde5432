/* fma_peak on CUDA. Contract in fma_peak.h. fmaf() is one instruction, whatever the compiler contracts elsewhere.
 * Run: isoscope ladder fma_peak --bench --backend cuda
 *
 * Rates: H200, 2^24 numbers; 132 multiprocessors of 128 lanes at 1.98 GHz could do 66.9 TFLOPS. */
#include "fma_peak.h"
#include "cuda_util.cuh"

#include <cuda_fp16.h>
#include <cuda_runtime.h>

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * This rung shows what too few warps look like. Blocks request 48 KiB of shared memory and use none of it, so only two
 * to four blocks fit a multiprocessor, and each of its four schedulers gets as many warps. A step takes four cycles, so
 * four warps per scheduler would just be enough if they never missed a turn; but they miss some. 38.4 TFLOPS.
 * fmaf() multiplies and adds in one instruction, which counts as two operations and rounds once. For a = 1 + 2^-12, a *
 * a - (1 + 2^-11) is 2^-24 with fmaf(), and 0 with two roundings. Where the compiler may choose (contraction), results
 * depend on how much it optimises, so a debug build and a release may differ. This project forbids contraction and asks
 * for fmaf() by name. */

template <unsigned CHAINS> static __device__ __forceinline__ void multiply(float *out, size_t n, float a)
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

template <unsigned CHAINS> static __global__ void multiply_add(float *out, size_t n, float a)
{
    multiply<CHAINS>(out, n, a);
}

enum { GREEDY_BYTES = 48 * 1024, GREEDY_THREADS = 128 };

static int run_textbook(float *out, size_t n, float a, struct exec *x)
{
    multiply_add<1><<<launch_blocks(n, GREEDY_THREADS), GREEDY_THREADS, GREEDY_BYTES, x->stream>>>(out, n, a);
    return cudaGetLastError();
}

/* ---- warps ---------------------------------------------------------------------------------------------------------
 * A scheduler with four warps often has to wait for their steps: 38.4 TFLOPS. Idea: let more warps in, so that one is
 * always ready. This is how GPUs hide latency; CPUs do it by out-of-order execution. 47.8 TFLOPS.
 * Cost: registers for all of the warps. */

static int run_warps(float *out, size_t n, float a, struct exec *x)
{
    const unsigned threads = block_threads(x);
    multiply_add<1><<<launch_blocks(n, threads), threads, 0, x->stream>>>(out, n, a);
    return cudaGetLastError();
}

/* ---- chains --------------------------------------------------------------------------------------------------------
 * warps also spends issue slots on the loop counter and on starting 2^16 blocks: 47.8 TFLOPS. Idea: eight independent
 * numbers per thread. They share the instructions of the loop, and now even a few warps keep a scheduler busy. 56.9
 * TFLOPS; the last 15 % are unexplained (the clock may drop under such load).
 * Cost: eight times the registers. */

enum { CHAINS = 8 };

static int run_chains(float *out, size_t n, float a, struct exec *x)
{
    const unsigned threads = block_threads(x);
    multiply_add<CHAINS><<<launch_blocks(n, threads * CHAINS), threads, 0, x->stream>>>(out, n, a);
    return cudaGetLastError();
}

/* ---- limited -------------------------------------------------------------------------------------------------------
 * What shared memory does to the textbook, registers can do as well. 32 independent numbers per thread need 40
 * registers or more. With 1024 threads per block, a multiprocessor of 65536 registers holds only one block. Predicted
 * and measured: 56 TFLOPS, as chains: there are only half as many threads, but each has 32 independent things to do.
 * So occupancy is a means, not an end. It is the number of warps that a multiprocessor holds, as a share of the most
 * that it could hold. Blocks are added until one of four resources is used up; on an H200 these are 2048 threads, 32
 * blocks, 65536 registers and 228 KiB of shared memory. The column `limit` says which one it is. */

enum { MANY_CHAINS = 32, FULL_BLOCK = 1024 };

static __global__ void __launch_bounds__(FULL_BLOCK, 1) multiply_limited(float *out, size_t n, float a)
{
    multiply<MANY_CHAINS>(out, n, a);
}

static int run_limited(float *out, size_t n, float a, struct exec *x)
{
    multiply_limited<<<launch_blocks(n, FULL_BLOCK * MANY_CHAINS), FULL_BLOCK, 0, x->stream>>>(out, n, a);
    return cudaGetLastError();
}

/* ---- spilled -------------------------------------------------------------------------------------------------------
 * The same as limited, but the compiler is told to let two such blocks in. That leaves 32 registers per thread, and 32
 * numbers do not fit. The compiler keeps the rest in local memory, which is the thread's own part of the device's
 * memory, behind L1. Predicted: 15 TFLOPS. Measured: 6.9: a load and a store for every second multiply-add.
 * Cost: the column `local B` shows it. This is what twice the occupancy was bought with. */

static __global__ void __maxnreg__(32) multiply_spilled(float *out, size_t n, float a) { multiply<MANY_CHAINS>(out, n, a); }

static int run_spilled(float *out, size_t n, float a, struct exec *x)
{
    multiply_spilled<<<launch_blocks(n, FULL_BLOCK * MANY_CHAINS), FULL_BLOCK, 0, x->stream>>>(out, n, a);
    return cudaGetLastError();
}

/* ---- fp64 ----------------------------------------------------------------------------------------------------------
 * chains in double. Predicted: 28 TFLOPS on an H200 (measured: 31), which has half as many lanes for doubles as for
 * floats, and 0.9 on a GPU for games, which has 1/64.
 * Cost: two registers per number. */

static __global__ void multiply_fp64(float *out, size_t n, double a)
{
    for (size_t first = (size_t)blockIdx.x * THREADS * CHAINS + threadIdx.x; first < n;
         first += (size_t)gridDim.x * THREADS * CHAINS) {
        double v[CHAINS];
#pragma unroll
        for (unsigned c = 0; c < CHAINS; c++) v[c] = (double)((first + c * THREADS) % 16);
#pragma unroll 16
        for (unsigned t = 0; t < FMA_PEAK_TURNS; t++)
#pragma unroll
            for (unsigned c = 0; c < CHAINS; c++) v[c] = fma(v[c], a, 1.0);
#pragma unroll
        for (unsigned c = 0; c < CHAINS; c++)
            if (first + c * THREADS < n) out[first + c * THREADS] = (float)v[c];
    }
}

static int run_fp64(float *out, size_t n, float a, struct exec *x)
{
    multiply_fp64<<<launch_blocks(n, THREADS * CHAINS), THREADS, 0, x->stream>>>(out, n, (double)a);
    return cudaGetLastError();
}

/* ---- fp16 ----------------------------------------------------------------------------------------------------------
 * chains in half precision, with two numbers per register, for which there is an instruction. Predicted: 110 TFLOPS,
 * twice chains, because as many instructions each do twice the work. Measured: 60; why is unexplained. Tensor cores do
 * ten times that, in gemm.
 * Cost: only 11 bits: whole numbers are exact up to 2048, and these end at 271. */

static __global__ void multiply_fp16(float *out, size_t n, float a)
{
    const half2 factor = __float2half2_rn(a), one = __float2half2_rn(1.0f);
    for (size_t first = (size_t)blockIdx.x * THREADS * 2 * CHAINS + threadIdx.x; first < n;
         first += (size_t)gridDim.x * THREADS * 2 * CHAINS) {
        half2 v[CHAINS];
#pragma unroll
        for (unsigned c = 0; c < CHAINS; c++) {
            const size_t i = first + 2 * c * THREADS;
            v[c] = __floats2half2_rn((float)(i % 16), (float)((i + THREADS) % 16));
        }
#pragma unroll 16
        for (unsigned t = 0; t < FMA_PEAK_TURNS; t++)
#pragma unroll
            for (unsigned c = 0; c < CHAINS; c++) v[c] = __hfma2(v[c], factor, one);
#pragma unroll
        for (unsigned c = 0; c < CHAINS; c++) {
            const size_t i = first + 2 * c * THREADS;
            if (i < n) out[i] = __low2float(v[c]);
            if (i + THREADS < n) out[i + THREADS] = __high2float(v[c]);
        }
    }
}

static int run_fp16(float *out, size_t n, float a, struct exec *x)
{
    multiply_fp16<<<launch_blocks(n, THREADS * 2 * CHAINS), THREADS, 0, x->stream>>>(out, n, a);
    return cudaGetLastError();
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* clang-format off */
const struct fma_peak_rung fma_peak_cuda[] = {
    { { "textbook", "few warps at a time: each step waits for the one before", false }, run_textbook },
    { { "warps", "as many warps as fit, of which one is always ready", false }, run_warps, false, true },
    { { "chains", "eight independent numbers per thread", true }, run_chains, false, true },
    { { "limited", "32 numbers per thread: registers allow half as many warps, at no loss", false }, run_limited },
    { { "spilled", "as limited, with all warps: numbers that fit no register spill to local memory", false }, run_spilled },
    { { "fp64", "chains in double precision", false }, run_fp64, true },
    { { "fp16", "chains in half precision, two numbers per instruction", false }, run_fp16, true },
    {},
};
/* clang-format on */
