/* latency on CUDA: what one step takes, from a register to the host. Contract in latency.h.
 * Run: isoscope ladder latency --bench --backend cuda
 *
 * A GPU hides these times behind other warps; here there is only one thread, and nothing to hide behind. The rungs of
 * the first half walk; those of the second half do things that programs do between their steps. Predictions are for an
 * H200 at 1.98 GHz, from the cycles that Luo et al. (arXiv 2402.13499, 2024) found on its predecessor, the H100. */
#include "latency.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>

enum { SECTOR = 32 }; /* bytes */

/* Fills the whole sector of each entry. Of a sector that is only partly written, L2 would have to fetch the rest from
 * memory. */
static __global__ void latency_make(char *ring, uint32_t places)
{
    for (size_t i = thread_index(); i < places; i += thread_count())
        for (unsigned k = 0; k < SECTOR / sizeof(char *); k++)
            ((char **)(ring + i * LATENCY_LINE))[k] = ring + (size_t)latency_next((uint32_t)i, places) * LATENCY_LINE;
}

/* Makes the ring, if there is one, or else a counter at 0. */
static int make_ring(struct latency_desc *d, const struct latency_rung *rung, struct exec *x)
{
    cudaError_t error = cudaSuccess;
    if (rung->where == LATENCY_COUNTS) error = cudaMemsetAsync(d->out, 0, sizeof *d->out, x->stream);
    if (error == cudaSuccess && latency_ring_bytes(rung)) {
        latency_make<<<launch_blocks(rung->places, THREADS), THREADS, 0, x->stream>>>((char *)d->ring, rung->places);
        error = cudaGetLastError();
    }
    return clear_error(error != cudaSuccess ? error : cudaStreamSynchronize(x->stream));
}

/* ---- register ------------------------------------------------------------------------------------------------------
 * The walk by arithmetic: a multiply-add (IMAD) that waits for the last one. Predicted: 4 cycles, 2.0 ns. Measured:
 * 2.4, with the loop and the launch. So to issue one such instruction per cycle, a scheduler needs four warps, or four
 * independent instructions from one warp (chains of fma_peak).
 *
 * The next rungs go to memory that is farther away and visible to more threads. A register belongs to one thread. So
 * does local memory, which takes what does not fit the registers and lies in the device's memory (spilled of fma_peak).
 * Shared memory belongs to a block and ends with it. L1 belongs to a multiprocessor. L2 and the device's memory belong
 * to everybody, and the contents of the latter stay when kernels end. */

enum { PLACES = 1 << 16 };

static __global__ void latency_register(uint64_t *out, size_t steps)
{
    const uint32_t a = latency_next(1, 0) - latency_next(0, 0), c = latency_next(0, 0); /* modulo 2^32 */
    uint32_t place = 0;
#pragma unroll 16
    for (size_t s = 0; s < steps; s++) /* volatile: otherwise the compiler merges steps */
        asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(place) : "r"(a), "r"(c));
    out[0] = place % PLACES;
}

static int run_register(const struct latency_desc *d, struct exec *x)
{
    latency_register<<<1, 1, 0, x->stream>>>(d->out, d->steps);
    return cudaGetLastError();
}

/* ---- shared --------------------------------------------------------------------------------------------------------
 * The ring in shared memory; each entry is the address of the next. Predicted: 29 cycles, 15 ns. Measured: 11.8 ns, 23
 * cycles, as long as six multiply-adds. It is near, but it is memory. */

enum { SHARED_PLACES = 1024 };

static __global__ void latency_shared(uint64_t *out, size_t steps)
{
    __shared__ uint32_t ring[SHARED_PLACES];
    const uint32_t base = (uint32_t)__cvta_generic_to_shared(ring);
    for (uint32_t i = threadIdx.x; i < SHARED_PLACES; i += blockDim.x)
        ring[i] = base + latency_next(i, SHARED_PLACES) * (uint32_t)sizeof *ring;
    __syncthreads();
    if (threadIdx.x) return;
    uint32_t at = base;
#pragma unroll 16
    for (size_t s = 0; s < steps; s++) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
    out[0] = (at - base) / sizeof *ring;
}

static int run_shared(const struct latency_desc *d, struct exec *x)
{
    latency_shared<<<1, WARP, 0, x->stream>>>(d->out, d->steps);
    return cudaGetLastError();
}

/* ---- l1, l2, memory, host ------------------------------------------------------------------------------------------
 * The ring in global memory; its size decides where it lies.
 *
 * l1: 16 KiB. Predicted: 41 cycles, 21 ns. Measured: 17.1. L1 and shared memory are the same memory; the additional
 * time of L1 goes into looking up where things lie.
 *
 * l2: 4 MiB, with loads that bypass L1 (ld.cg). Predicted: 263 cycles, 133 ns, across the chip and back. This L2 has
 * two halves; what lies in the other half takes longer, and this is the mean.
 *
 * memory: 512 MiB, ten times L2. Predicted: 480 cycles, 240 ns, and a little more for pages that the TLBs do not hold.
 * Measured: 330. To keep a memory of 4.8 TB/s busy, 1.6 MB must be in flight during that time (Little's law): 12 KiB on
 * each multiprocessor. This is what the rungs of copy are about.
 *
 * host: pinned memory of the host, which the GPU reads through PCIe, 8 bytes at a time. Predicted: 800 ns, there and
 * back. Measured: 1090. Data with pointers belong where they are walked. */

enum load { LOAD_CA, LOAD_CG, LOAD_VOLATILE };

template <enum load LOAD> static __global__ void latency_walk(const char *ring, uint64_t *out, size_t steps)
{
    uint64_t at = (uint64_t)__cvta_generic_to_global(ring);
    const uint64_t base = at;
#pragma unroll 16
    for (size_t s = 0; s < steps; s++) {
        if (LOAD == LOAD_CA) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)::"memory");
        if (LOAD == LOAD_CG) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
        if (LOAD == LOAD_VOLATILE) asm volatile("ld.volatile.global.u64 %0, [%0];" : "+l"(at)::"memory");
    }
    out[0] = (at - base) / LATENCY_LINE;
}

template <enum load LOAD> static int run_walk(const struct latency_desc *d, struct exec *x)
{
    latency_walk<LOAD><<<1, 1, 0, x->stream>>>((const char *)d->ring, d->out, d->steps);
    return cudaGetLastError();
}

/* ---- barrier -------------------------------------------------------------------------------------------------------
 * __syncthreads() by a block of 256 threads: eight warps that have nothing to wait for but each other. Predicted: 25
 * cycles, 13 ns. Measured: 19.3. It takes longer where warps arrive at different times, which is the rule and the real
 * cost. All threads of the block must arrive, or none: in a branch that some of them skip, the others wait forever. */

static __global__ void __launch_bounds__(THREADS) latency_barrier(uint64_t *out, size_t steps)
{
    uint64_t count = 0;
#pragma unroll 1
    for (size_t s = 0; s < steps; s++) {
        __syncthreads();
        count++;
    }
    if (threadIdx.x == 0) out[0] = count;
}

static int run_barrier(const struct latency_desc *d, struct exec *x)
{
    latency_barrier<<<1, THREADS, 0, x->stream>>>(d->out, d->steps);
    return cudaGetLastError();
}

/* ---- atomic-shared, atomic -----------------------------------------------------------------------------------------
 * An addition that no other thread can interrupt, whose answer the next one needs. In shared memory (ATOMS), predicted:
 * 60 cycles, 30 ns, as a load and a store. Measured: 22.6. In global memory (ATOM), L2 does it, so predicted: a little
 * more than a load from L2, 140 ns. Measured: 144. If nobody needs the answer, the compiler uses RED instead, which
 * waits for nothing: 1.2 ns each, as fast as L2 can do them. */

template <bool SHARED> static __global__ void latency_atomic(uint64_t *out, size_t steps)
{
    __shared__ uint32_t near;
    near = 0;
    uint32_t *counter = SHARED ? &near : (uint32_t *)out, last = 0; /* the low half of out[0], which is 0 */
#pragma unroll 4
    for (size_t s = 0; s < steps; s++) last = atomicAdd(counter, 1 + (last >> 31)); /* adds 1, unknown to the compiler */
    if (SHARED) out[0] = near;
}

template <bool SHARED> static int run_atomic(const struct latency_desc *d, struct exec *x)
{
    latency_atomic<SHARED><<<1, 1, 0, x->stream>>>(d->out, d->steps);
    return cudaGetLastError();
}

/* ---- fence ---------------------------------------------------------------------------------------------------------
 * A store, and then __threadfence(), which waits until every thread of the GPU would see the store, that is, until it
 * is in L2. Predicted: the way there and back, 133 ns. Measured: 211. Blocks that hand results to each other pay this
 * once per result (lookback of scan, once of sum). */

static __global__ void latency_fence(volatile uint64_t *out, size_t steps)
{
#pragma unroll 1
    for (size_t s = 0; s < steps; s++) {
        out[0] = s + 1;
        __threadfence();
    }
}

static int run_fence(const struct latency_desc *d, struct exec *x)
{
    latency_fence<<<1, 1, 0, x->stream>>>(d->out, d->steps);
    return cudaGetLastError();
}

/* ---- launch --------------------------------------------------------------------------------------------------------
 * Kernels of one thread, one after the other in a stream, without waiting for any. Predicted: 2000 ns, the time that
 * the driver needs to write a launch. Measured: 3540 on the host at hand; the GPU would be faster (see graph). Ops of a
 * few microseconds consist mostly of this, which is why fused launches once. */

static __global__ void latency_count(uint64_t *out) { out[0]++; }

static int run_launch(const struct latency_desc *d, struct exec *x)
{
    for (size_t s = 0; s < d->steps; s++) latency_count<<<1, 1, 0, x->stream>>>(d->out);
    return cudaGetLastError();
}

/* ---- graph ---------------------------------------------------------------------------------------------------------
 * In launch, the driver is the limit. Idea: hand it all launches at once as a graph, made beforehand, and start that
 * with one call. Predicted: 1000 ns per kernel, which is what the GPU needs from the end of one kernel to the start of
 * the next. Measured: 733.
 * Cost: making the graph takes time, and its arguments are fixed. */

static cudaError_t add_counts(cudaGraph_t graph, const struct latency_desc *d)
{
    uint64_t *out = d->out;
    void *arguments[] = { &out };
    struct cudaKernelNodeParams params = {};
    params.func = (void *)latency_count;
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = arguments;
    cudaGraphNode_t last = NULL;
    cudaError_t error = cudaSuccess;
    for (size_t s = 0; s < d->steps && error == cudaSuccess; s++) {
        cudaGraphNode_t node;
        error = cudaGraphAddKernelNode(&node, graph, s ? &last : NULL, s ? 1 : 0, &params);
        last = node;
    }
    return error;
}

static int make_graph(struct latency_desc *d, const struct latency_rung *rung, struct exec *x)
{
    cudaGraph_t graph = NULL;
    const int code = make_ring(d, rung, x);
    if (code || d->graph) return code;
    cudaError_t error = cudaGraphCreate(&graph, 0);
    if (error == cudaSuccess) error = add_counts(graph, d);
    if (error == cudaSuccess) error = cudaGraphInstantiateWithFlags(&d->graph, graph, 0);
    if (graph) (void)clear_error(cudaGraphDestroy(graph));
    return clear_error(error);
}

static int run_graph(const struct latency_desc *d, struct exec *x)
{
    return clear_error(cudaGraphLaunch(d->graph, x->stream));
}

void latency_cuda_close(struct latency_desc *d)
{
    if (d->graph) (void)clear_error(cudaGraphExecDestroy(d->graph));
    d->graph = NULL;
}

/* ---- spin, yield, block --------------------------------------------------------------------------------------------
 * A kernel, then cudaStreamSynchronize() before the next one: what it costs to look at every result. How the host waits
 * is set by a flag of the device.
 *
 * spin reads a word in a loop, and notices a change at once. Predicted: 6000 ns, for the launch, the way to the GPU,
 * and the way back. Measured: 8820. yield gives the core to others between two looks, which is the same if there are no
 * others: 8980. block sleeps until an interrupt. Predicted: 20000 ns. Measured: 21500, but the core is free in the
 * meantime.
 *
 * Loops that wait in this way are the first thing to look for in a timeline. A host that has something else to do
 * should ask and go on: cudaStreamQuery() and cudaEventQuery() answer at once whether everything before them is done. */

template <unsigned FLAG> static int run_waiting(const struct latency_desc *d, struct exec *x)
{
    cudaError_t error = cudaSetDeviceFlags(FLAG);
    for (size_t s = 0; s < d->steps && error == cudaSuccess; s++) {
        latency_count<<<1, 1, 0, x->stream>>>(d->out);
        error = cudaStreamSynchronize(x->stream);
    }
    const cudaError_t last = cudaGetLastError(), reset = cudaSetDeviceFlags(cudaDeviceScheduleAuto);
    return clear_error(error != cudaSuccess ? error : last != cudaSuccess ? last : reset);
}

static const char *flags_unavailable(const struct exec *x)
{
    (void)x;
    return CUDA_CHANGES_FLAGS ? NULL : "before CUDA 12 a device's flags cannot be changed while it is in use";
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* clang-format off */
const struct latency_rung latency_cuda[] = {
    { { "register", "a chain of dependent multiply-adds in registers", true },
      run_register, make_ring, LATENCY_WALKS, PLACES, 1, 2 },
    { { "shared", "pointer chasing in shared memory", false },
      run_shared, make_ring, LATENCY_WALKS, SHARED_PLACES, 1, 15 },
    { { "l1", "pointer chasing in 16 KiB, which L1 holds", false },
      run_walk<LOAD_CA>, make_ring, LATENCY_BACKEND, 1 << 7, 1, 21 },
    { { "l2", "pointer chasing in 4 MiB, past L1", false },
      run_walk<LOAD_CG>, make_ring, LATENCY_BACKEND, 1 << 15, 4, 133 },
    { { "memory", "pointer chasing in 512 MiB, which no cache holds", false },
      run_walk<LOAD_CG>, make_ring, LATENCY_BACKEND, 1 << 22, 4, 240 },
    { { "host", "pointer chasing in the host's memory, across PCIe", false },
      run_walk<LOAD_VOLATILE>, make_ring, LATENCY_HOST, 1 << 13, 64, 800 },
    { { "barrier", "__syncthreads of eight warps", false }, run_barrier, make_ring, LATENCY_COUNTS, 0, 1, 13 },
    { { "atomic-shared", "an atomic in shared memory, whose result is needed", false },
      run_atomic<true>, make_ring, LATENCY_COUNTS, 0, 1, 30 },
    { { "atomic", "an atomic in global memory, whose result is needed", false },
      run_atomic<false>, make_ring, LATENCY_COUNTS, 0, 4, 140 },
    { { "fence", "a store and a fence, until all threads see the store", false },
      run_fence, make_ring, LATENCY_COUNTS, 0, 4, 133 },
    { { "launch", "one kernel launch after another", false }, run_launch, make_ring, LATENCY_COUNTS, 0, 64, 2000 },
    { { "graph", "the kernels of launch as a graph, started by one call", false },
      run_graph, make_graph, LATENCY_COUNTS, 0, 64, 1000 },
    { { "spin", "a kernel, which the host polls until it is done", false, flags_unavailable },
      run_waiting<cudaDeviceScheduleSpin>, make_ring, LATENCY_COUNTS, 0, 256, 6000 },
    { { "yield", "as spin, but the host yields its core between polls", false, flags_unavailable },
      run_waiting<cudaDeviceScheduleYield>, make_ring, LATENCY_COUNTS, 0, 256, 6000 },
    { { "block", "as spin, but the host sleeps until an interrupt", false, flags_unavailable },
      run_waiting<cudaDeviceScheduleBlockingSync>, make_ring, LATENCY_COUNTS, 0, 256, 20000 },
    {},
};
/* clang-format on */
