/* upload on CUDA: how host memory gets to the GPU, and how work hides behind it. Contract in upload.h.
 *
 * The copy engines read host memory by physical address, so a page must not move while they do.
 * Times: H200, 2^26 words, 256 MiB. */
#include "upload.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>
#include <stdlib.h>

static __global__ void swap_words(const uint32_t *from, uint32_t *to, size_t n) /* in place where they are the same */
{
    for (size_t i = thread_index(); i < n; i += thread_count()) to[i] = __byte_perm(from[i], 0, 0x0123);
}

static void queue_swap(const uint32_t *from, uint32_t *to, size_t n, cudaStream_t stream)
{
    if (n) swap_words<<<launch_blocks(n, THREADS), THREADS, 0, stream>>>(from, to, n);
}

static cudaError_t queue_copy(const uint32_t *from, uint32_t *to, size_t n, cudaStream_t stream)
{
    return n ? cudaMemcpyAsync(to, from, n * sizeof *to, cudaMemcpyHostToDevice, stream) : cudaSuccess;
}

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * Memory from malloc: its pages may move, so the driver copies piece by piece into a pinned buffer of its own, and from
 * there to the GPU. Cost: every byte is copied twice, once by a core of the host, and the call waits meanwhile: 26.0 ms, of
 * which the swap is 0.2; 10.3 GB/s. */

static int run_whole(const struct upload_desc *d, struct exec *x)
{
    const cudaError_t error = queue_copy(d->from, d->to, d->n, x->stream);
    if (error != cudaSuccess) return error;
    queue_swap(d->to, d->to, d->n, x->stream);
    return cudaGetLastError();
}

/* ---- pinned --------------------------------------------------------------------------------------------------------
 * The textbook is bound by a core's copy, 10.3 GB/s. Idea: pages that cannot move (cudaMallocHost); the engine reads them
 * itself, at the rate of the bus, and the call returns at once. 5.05 ms, 53 GB/s. Cost: pinning is slow and takes memory
 * from everyone else, so it pays for buffers that are kept. The code is the textbook's; only the memory differs. */

/* ---- depth2, depth4, breadth4 --------------------------------------------------------------------------------------
 * The swap waits for the last byte, and the bus lies idle while it runs, for 0.2 of 5.05 ms. Idea: chunks on several
 * streams, so that the swap of one runs beside the copy of the next. Depth first queues copy and swap of a chunk, then
 * the next chunk; breadth first all copies of a round, then its swaps. With a single hardware queue, up to Fermi, only
 * one of the two orders overlapped; since Kepler's 32 queues they should not differ, and do not: 5.17 and 5.16 ms.
 * Cost: a launch per chunk, and chunks must be large enough for the bus and small enough to overlap. Here nothing is
 * gained: at most the 0.2 ms of the swap could be hidden, and 32 starts of a copy cost as much. It pays where the work on
 * a chunk takes as long as its copy, as with a longer kernel or a faster bus. */

enum { CHUNK = 1 << 21 }; /* words: 8 MiB, 0.15 ms of a bus of 55 GB/s */

static cudaError_t fork_lanes(const struct upload_lanes *l, unsigned lanes, struct exec *x)
{
    cudaError_t error = cudaEventRecord(l->begin, x->stream);
    for (unsigned i = 0; i < lanes && error == cudaSuccess; i++) error = cudaStreamWaitEvent(l->stream[i], l->begin, 0);
    return error;
}

static cudaError_t join_lanes(const struct upload_lanes *l, unsigned lanes, struct exec *x)
{
    cudaError_t error = cudaGetLastError(); /* of the launches */
    for (unsigned i = 0; i < lanes && error == cudaSuccess; i++) {
        error = cudaEventRecord(l->end[i], l->stream[i]);
        if (error == cudaSuccess) error = cudaStreamWaitEvent(x->stream, l->end[i], 0);
    }
    return error;
}

static size_t chunk_words(const struct upload_desc *d, size_t first)
{
    return first >= d->n ? 0 : d->n - first < CHUNK ? d->n - first : (size_t)CHUNK;
}

template <unsigned LANES>
static int run_depth(const struct upload_desc *d, struct exec *x)
{
    cudaError_t error = fork_lanes(d->lanes, LANES, x);
    unsigned lane = 0;
    for (size_t at = 0; at < d->n && error == cudaSuccess; at += CHUNK, lane = (lane + 1) % LANES) {
        const size_t words = chunk_words(d, at);
        error = queue_copy(d->from + at, d->to + at, words, d->lanes->stream[lane]);
        queue_swap(d->to + at, d->to + at, words, d->lanes->stream[lane]);
    }
    return error != cudaSuccess ? error : join_lanes(d->lanes, LANES, x);
}

template <unsigned LANES>
static int run_breadth(const struct upload_desc *d, struct exec *x)
{
    cudaError_t error = fork_lanes(d->lanes, LANES, x);
    for (size_t round = 0; round < d->n && error == cudaSuccess; round += (size_t)LANES * CHUNK) {
        for (unsigned i = 0; i < LANES && error == cudaSuccess; i++) {
            const size_t at = round + (size_t)i * CHUNK;
            error = queue_copy(d->from + at, d->to + at, chunk_words(d, at), d->lanes->stream[i]);
        }
        for (unsigned i = 0; i < LANES && error == cudaSuccess; i++) {
            const size_t at = round + (size_t)i * CHUNK;
            queue_swap(d->to + at, d->to + at, chunk_words(d, at), d->lanes->stream[i]);
        }
    }
    return error != cudaSuccess ? error : join_lanes(d->lanes, LANES, x);
}

/* ---- managed -------------------------------------------------------------------------------------------------------
 * No copy in the code at all: the kernel reads memory that both sides share, and each page moves when it is first
 * touched. Cost: a fault per group of pages, for which warps wait: 25.9 ms, no better than the textbook's 26.0. */

static int run_managed(const struct upload_desc *d, struct exec *x)
{
    queue_swap(d->from, d->to, d->n, x->stream);
    return cudaGetLastError();
}

static const char *managed_unavailable(const struct exec *x)
{
    int concurrent = 0;
    (void)cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, x->device);
    return concurrent ? NULL : "this GPU or system cannot move managed pages one by one";
}

/* ---- prefetch ------------------------------------------------------------------------------------------------------
 * Managed memory is bound by its faults, at 10.4 GB/s. Idea: say beforehand that the pages will be wanted on the GPU; they
 * move as one copy, and the kernel finds them there. 5.71 ms, 47 GB/s. Cost: one must know when; and the memory is taken on
 * both sides. */

static int run_prefetch(const struct upload_desc *d, struct exec *x)
{
    const struct cudaMemLocation there = { cudaMemLocationTypeDevice, x->device };
    const cudaError_t error =
        d->n ? cudaMemPrefetchAsync(d->from, d->n * sizeof *d->from, there, 0, x->stream) : cudaSuccess;
    return error != cudaSuccess ? error : run_managed(d, x);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

const struct upload_rung upload_cuda[] = {
    { { "textbook", "pageable memory, one copy, then the swap", false }, run_whole, UPLOAD_PAGEABLE },
    { { "managed", "no copy: pages move as the kernel touches them", false, managed_unavailable }, run_managed,
      UPLOAD_MANAGED },
    { { "prefetch", "managed pages sent ahead of the kernel", false, managed_unavailable }, run_prefetch, UPLOAD_MANAGED },
    { { "pinned", "pinned memory: the engine reads it without a detour", false }, run_whole, UPLOAD_PINNED },
    { { "depth2", "chunks on two streams: a swap runs beside the next copy", false }, run_depth<2>, UPLOAD_PINNED },
    { { "depth4", "the same on four, chunk by chunk", true }, run_depth<4>, UPLOAD_PINNED },
    { { "breadth4", "on four, all copies of a round before its swaps", false }, run_breadth<4>, UPLOAD_PINNED },
    {},
};

/* ---- what the rungs are handed ------------------------------------------------------------------------------------- */

static int settle(cudaError_t error)
{
    if (error != cudaSuccess) (void)cudaGetLastError();
    return error;
}

int upload_cuda_alloc(void **memory, size_t bytes, enum upload_memory kind)
{
    *memory = NULL;
    if (!bytes) return 0;
    if (kind == UPLOAD_MANAGED) return settle(cudaMallocManaged(memory, bytes));
    if (kind == UPLOAD_PINNED) return settle(cudaMallocHost(memory, bytes));
    *memory = malloc(bytes);
    return *memory ? 0 : cudaErrorMemoryAllocation;
}

void upload_cuda_free(void *memory, enum upload_memory kind)
{
    if (kind == UPLOAD_MANAGED) (void)settle(cudaFree(memory));
    else if (kind == UPLOAD_PINNED) (void)settle(cudaFreeHost(memory));
    else free(memory);
}

int upload_cuda_open(struct upload_lanes *lanes)
{
    *lanes = {};
    cudaError_t error = cudaEventCreateWithFlags(&lanes->begin, cudaEventDisableTiming);
    for (int i = 0; i < UPLOAD_LANES && error == cudaSuccess; i++) {
        error = cudaStreamCreateWithFlags(&lanes->stream[i], cudaStreamNonBlocking);
        if (error == cudaSuccess) error = cudaEventCreateWithFlags(&lanes->end[i], cudaEventDisableTiming);
    }
    if (error != cudaSuccess) upload_cuda_close(lanes);
    return settle(error);
}

void upload_cuda_close(struct upload_lanes *lanes)
{
    for (int i = 0; i < UPLOAD_LANES; i++) {
        if (lanes->stream[i]) (void)settle(cudaStreamDestroy(lanes->stream[i]));
        if (lanes->end[i]) (void)settle(cudaEventDestroy(lanes->end[i]));
    }
    if (lanes->begin) (void)settle(cudaEventDestroy(lanes->begin));
    *lanes = {};
}

int upload_cuda_evict(void *managed, size_t bytes, struct exec *x)
{
    const struct cudaMemLocation host = { cudaMemLocationTypeHost, 0 };
    if (!bytes) return 0;
    const cudaError_t error = cudaMemPrefetchAsync(managed, bytes, host, 0, x->stream);
    return settle(error != cudaSuccess ? error : cudaStreamSynchronize(x->stream));
}
