/* upload on CUDA: how host memory gets to the GPU, and how work can hide behind the copy. Contract in upload.h.
 * Run: isoscope ladder upload --bench --backend cuda
 *
 * The copy engines read host memory by physical address, so a page must not move while they do.
 * Times: H200, 2^26 words, 256 MiB. */
#include "upload.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>

/* Swap bytes; `from` may be `to`. order: the selector of __byte_perm, which says which byte of four comes first,
 * second, ... */
static __global__ void turn_words(const char *from, char *to, size_t bytes, unsigned order)
{
    const uint32_t *from4 = (const uint32_t *)from;
    uint32_t *to4 = (uint32_t *)to;
    const size_t n = bytes / 4;
    for (size_t i = thread_index(); i < n; i += thread_count()) to4[i] = __byte_perm(from4[i], 0, order);
    if (bytes % 4 == 0 || thread_index() > 0) return;
    uint32_t last = 0; /* up to three bytes, of whole words */
    for (unsigned i = 0; i < bytes % 4; i++) last |= (uint32_t)(unsigned char)from[4 * n + i] << 8 * i;
    last = __byte_perm(last, 0, order);
    for (unsigned i = 0; i < bytes % 4; i++) to[4 * n + i] = (char)(last >> 8 * i);
}

static void queue_turn(const char *from, char *to, size_t bytes, unsigned word, cudaStream_t stream)
{
    const unsigned order = word == 4 ? 0x0123 : word == 2 ? 0x2301 : 0x3210;
    if (!bytes || (word == 1 && from == to)) return;
    turn_words<<<launch_blocks(bytes / 4 + 1, THREADS), THREADS, 0, stream>>>(from, to, bytes, order);
}

static cudaError_t queue_copy(const char *from, char *to, size_t bytes, cudaStream_t stream)
{
    return bytes ? cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream) : cudaSuccess;
}

/* ---- progress ------------------------------------------------------------------------------------------------------
 * Host functions wait in the streams, as kernels do; a thread of the driver calls each when all work before it is done.
 * Their arguments must outlive the op that queues them, so they are in the lanes. */

static void CUDART_CB tell_all(void *argument)
{
    const struct upload_lane *lane = (const struct upload_lane *)argument;
    upload_tell(lane->done, lane->bytes);
}

static void CUDART_CB tell_chunk(void *argument)
{
    struct upload_lane *lane = (struct upload_lane *)argument;
    upload_tell(lane->done, upload_chunk(lane->told, lane->bytes));
    lane->told += lane->stride;
}

/* For rungs without chunks. */
static cudaError_t queue_tell_all(const struct upload_desc *d, struct exec *x)
{
    struct upload_lane *lane = &d->lanes->lane[0];
    if (!d->done) return cudaSuccess;
    lane->done = d->done;
    lane->bytes = d->bytes;
    return cudaLaunchHostFunc(x->stream, tell_all, lane);
}

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * Memory from malloc. Its pages may move, so the driver copies piece by piece into a pinned buffer of its own, and from
 * there to the GPU. Cost: every byte is copied twice, once by a core of the host, and the call waits meanwhile. 26.0
 * ms, of which the swap takes 0.2; 10.3 GB/s. */

static int run_whole(const struct upload_desc *d, struct exec *x)
{
    char *to = (char *)d->to;
    cudaError_t error = queue_copy((const char *)d->from, to, d->bytes, x->stream);
    if (error != cudaSuccess) return clear_error(error);
    queue_turn(to, to, d->bytes, d->word, x->stream);
    error = queue_tell_all(d, x);
    const cudaError_t last = cudaGetLastError();
    return error != cudaSuccess ? error : last;
}

/* ---- pinned --------------------------------------------------------------------------------------------------------
 * In the textbook, the copy by a core of the host is the limit, 10.3 GB/s. Idea: memory whose pages cannot move
 * (cudaMallocHost). The engine reads them itself at the rate of the bus, and the call returns at once. 5.05 ms, 53
 * GB/s.
 * Cost: pinning is slow, and takes the memory away from everyone else, so it pays only for buffers that are kept. The
 * code is the textbook's; only the memory differs. */

/* ---- combined ------------------------------------------------------------------------------------------------------
 * When the engine reads pinned memory, the processor's caches are asked each time whether they hold something newer.
 * Idea: write-combined memory, which no cache holds: the processor collects what it writes in a line, and sends off the
 * line. Predicted and measured: 5.05 ms, as pinned, because the bus is the limit. It helps where the processor's own
 * memory is the limit.
 * Cost: the host must not read this memory: each access takes a tenth of a microsecond. The code is the textbook's;
 * only the memory differs. */

/* ---- pieces --------------------------------------------------------------------------------------------------------
 * pinned with a separate copy for every 64 KiB, like a program that sends rows or small buffers one by one. Predicted:
 * 13 ms instead of 5.05. Measured: 15.6: each of the 4096 copies takes 1.2 us on the bus, and 3 us to start. That is
 * the cost of a loop around an asynchronous call. Collect the pieces first, or use one copy with a pitch
 * (cudaMemcpy2D). */

enum { PIECE = 64 << 10 };

static int run_pieces(const struct upload_desc *d, struct exec *x)
{
    char *to = (char *)d->to;
    cudaError_t error = cudaSuccess;
    for (size_t at = 0; at < d->bytes && error == cudaSuccess; at += PIECE)
        error = queue_copy((const char *)d->from + at, to + at, min(d->bytes - at, (size_t)PIECE), x->stream);
    if (error != cudaSuccess) return clear_error(error);
    queue_turn(to, to, d->bytes, d->word, x->stream);
    error = queue_tell_all(d, x);
    const cudaError_t last = cudaGetLastError();
    return error != cudaSuccess ? error : last;
}

/* ---- depth2, depth4, breadth4 --------------------------------------------------------------------------------------
 * So far the swap waits for the last byte, and while it runs, 0.2 of 5.05 ms, the bus is idle. Idea: send chunks on
 * several streams, so that one chunk is swapped while the next is copied.
 *
 * The chunks can be queued in two orders. Depth first: copy and swap of one chunk, then the next chunk. Breadth first:
 * all copies of a round, then its swaps. With a single hardware queue, up to Fermi, only one of the two orders
 * overlapped. Since Kepler, with 32 queues, they should not differ, and do not: 5.17 and 5.16 ms.
 * Cost: a launch per chunk. Chunks must be large enough to use the bus well and small enough to overlap. There is no
 * gain here: at most the 0.2 ms of the swap could be hidden, and starting 32 copies costs as much. It pays if the work
 * on a chunk takes as long as its copy, as with a longer kernel or a faster bus. */

static cudaError_t fork_lanes(const struct upload_desc *d, unsigned lanes, struct exec *x)
{
    cudaError_t error = cudaEventRecord(d->lanes->begin, x->stream);
    for (unsigned i = 0; i < lanes && error == cudaSuccess; i++) {
        struct upload_lane *lane = &d->lanes->lane[i];
        lane->from = (const char *)d->from;
        lane->bytes = d->bytes;
        lane->stride = (size_t)lanes * UPLOAD_CHUNK;
        lane->fetched = lane->told = (size_t)i * UPLOAD_CHUNK;
        lane->done = d->done;
        error = cudaStreamWaitEvent(lane->stream, d->lanes->begin, 0);
    }
    return error;
}

/* Make the exec's stream wait for the lanes, even after an error. Return `first`, or if that is no error, the first
 * error here. */
static int join_lanes(cudaError_t first, const struct upload_lanes *l, unsigned lanes, struct exec *x)
{
    cudaError_t error = cudaGetLastError(); /* of the launches */
    for (unsigned i = 0; i < lanes; i++) {
        if (error == cudaSuccess) error = cudaEventRecord(l->lane[i].end, l->lane[i].stream);
        if (error == cudaSuccess) error = cudaStreamWaitEvent(x->stream, l->lane[i].end, 0);
    }
    return clear_error(first != cudaSuccess ? first : error);
}

/* Queue the rest of the work on a chunk that has arrived. */
static cudaError_t queue_rest(const struct upload_desc *d, size_t at, struct upload_lane *lane)
{
    const size_t bytes = upload_chunk(at, d->bytes);
    char *to = (char *)d->to + at;
    queue_turn(to, to, bytes, d->word, lane->stream);
    return bytes && d->done ? cudaLaunchHostFunc(lane->stream, tell_chunk, lane) : cudaSuccess;
}

template <unsigned LANES> static int run_depth(const struct upload_desc *d, struct exec *x)
{
    cudaError_t error = fork_lanes(d, LANES, x);
    unsigned i = 0;
    for (size_t at = 0; at < d->bytes && error == cudaSuccess; at += UPLOAD_CHUNK, i = (i + 1) % LANES) {
        struct upload_lane *lane = &d->lanes->lane[i];
        error = queue_copy((const char *)d->from + at, (char *)d->to + at, upload_chunk(at, d->bytes), lane->stream);
        if (error == cudaSuccess) error = queue_rest(d, at, lane);
    }
    return join_lanes(error, d->lanes, LANES, x);
}

template <unsigned LANES> static int run_breadth(const struct upload_desc *d, struct exec *x)
{
    struct upload_lane *lane = d->lanes->lane;
    cudaError_t error = fork_lanes(d, LANES, x);
    for (size_t round = 0; round < d->bytes && error == cudaSuccess; round += (size_t)LANES * UPLOAD_CHUNK) {
        for (unsigned i = 0; i < LANES && error == cudaSuccess; i++) {
            const size_t at = round + (size_t)i * UPLOAD_CHUNK, bytes = upload_chunk(at, d->bytes);
            error = queue_copy((const char *)d->from + at, (char *)d->to + at, bytes, lane[i].stream);
        }
        for (unsigned i = 0; i < LANES && error == cudaSuccess; i++)
            error = queue_rest(d, round + (size_t)i * UPLOAD_CHUNK, &lane[i]);
    }
    return join_lanes(error, d->lanes, LANES, x);
}

/* ---- callback ------------------------------------------------------------------------------------------------------
 * depth4 with a progress reader: a host function after each chunk. It is queued even if nobody reads the progress, so
 * that its cost can be compared with depth4. Idea: the stream itself reports each arrival, so a progress bar needs no
 * waiting thread. (Events can be polled, too, but that takes an event per chunk and someone who polls.)
 * Cost: the stream continues only after the function has returned, and getting to a thread of the driver and back takes
 * longer than a launch: 5.36 ms against 5.16 of depth4, although the other three lanes go on copying. */

static int run_callback(const struct upload_desc *d, struct exec *x)
{
    struct upload_desc asked = *d;
    if (!asked.done) asked.done = &d->lanes->unread;
    return run_depth<4>(&asked, x);
}

/* ---- staged --------------------------------------------------------------------------------------------------------
 * The chunked rungs so far need pinned memory, but a volume read from a file is in memory from malloc. The textbook
 * takes that, but blocks its caller to the last byte. Idea: do openly what the driver does. A host function copies a
 * chunk into the lane's pinned buffer; while the engine reads that, the next lane's function copies the next chunk. The
 * call returns at once, and chunks are reported as they arrive.
 * Cost: the copy by one core is the limit, as for the textbook: 27.8 ms against its 26.7 in the same run. And each lane
 * takes 8 MiB of pinned memory. */

static void CUDART_CB fetch_chunk(void *argument)
{
    struct upload_lane *lane = (struct upload_lane *)argument;
    memcpy(lane->pinned, lane->from + lane->fetched, upload_chunk(lane->fetched, lane->bytes));
    lane->fetched += lane->stride;
}

static int run_staged(const struct upload_desc *d, struct exec *x)
{
    cudaError_t error = fork_lanes(d, UPLOAD_LANES, x);
    unsigned i = 0;
    for (size_t at = 0; at < d->bytes && error == cudaSuccess; at += UPLOAD_CHUNK, i = (i + 1) % UPLOAD_LANES) {
        struct upload_lane *lane = &d->lanes->lane[i]; /* the buffer is free once the previous chunk has gone */
        const char *pinned = (const char *)lane->pinned;
        error = cudaLaunchHostFunc(lane->stream, fetch_chunk, lane);
        if (error == cudaSuccess) error = queue_copy(pinned, (char *)d->to + at, upload_chunk(at, d->bytes), lane->stream);
        if (error == cudaSuccess) error = queue_rest(d, at, lane);
    }
    return join_lanes(error, d->lanes, UPLOAD_LANES, x);
}

/* ---- managed -------------------------------------------------------------------------------------------------------
 * No copy in the code at all: the kernel reads memory that both sides share, and each page moves when it is first
 * touched. Cost: a page fault per group of pages, and the warps wait for it. 25.9 ms, no better than the textbook's
 * 26.0. */

static int run_managed(const struct upload_desc *d, struct exec *x)
{
    queue_turn((const char *)d->from, (char *)d->to, d->bytes, d->word, x->stream);
    const cudaError_t error = queue_tell_all(d, x), last = cudaGetLastError();
    return error != cudaSuccess ? error : last;
}

static const char *managed_unavailable(const struct exec *x)
{
    int concurrent = 0;
    (void)clear_error(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, x->device));
    return concurrent ? NULL : "this GPU or system cannot move managed pages one by one";
}

/* ---- advise --------------------------------------------------------------------------------------------------------
 * managed moves each page when it is first touched, although every page is read only once. Idea: tell the driver so
 * (cudaMemAdvise). The pages stay at home on the host, and the GPU gets them into its page table without moving them.
 * The kernel then reads across the bus, line by line, without a fault. Predicted: 6 ms, 45 GB/s. Measured: 5.24, 51
 * GB/s: with so many threads, the bus stays busy.
 * Cost: whatever is read twice crosses the bus twice. (Two other kinds of advice: ReadMostly allows a copy on each
 * side, and PreferredLocation on the GPU one copy there.) The code is that of managed; only the memory differs. */

/* ---- prefetch ------------------------------------------------------------------------------------------------------
 * managed is limited by its page faults, to 10.4 GB/s. Idea: announce that the GPU will need the pages. They move as
 * one copy, and the kernel finds them there. 5.71 ms, 47 GB/s.
 * Cost: the caller must know when, and the memory is occupied on both sides. */

static int run_prefetch(const struct upload_desc *d, struct exec *x)
{
    const cudaError_t error = d->bytes ? prefetch(d->from, d->bytes, x->device, x->stream) : cudaSuccess;
    return error != cudaSuccess ? clear_error(error) : run_managed(d, x);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* clang-format off */
const struct upload_rung upload_cuda[] = {
    { { "textbook", "pageable memory, one copy, then the byte swap", false }, run_whole, UPLOAD_PAGEABLE },
    { { "managed", "managed memory, no copy: pages move when the kernel touches them", false, managed_unavailable },
      run_managed, UPLOAD_MANAGED },
    { { "advise", "managed pages that stay on the host: the kernel reads across the bus", false, managed_unavailable },
      run_managed, UPLOAD_ADVISED },
    { { "prefetch", "managed pages sent ahead of the kernel", false, managed_unavailable }, run_prefetch, UPLOAD_MANAGED },
    { { "pinned", "pinned memory: the copy engine reads it directly", false }, run_whole, UPLOAD_PINNED },
    { { "combined", "pinned, write-combined memory, which the host does not cache", false }, run_whole, UPLOAD_COMBINED },
    { { "pieces", "pinned memory, one copy per 64 KiB", false }, run_pieces, UPLOAD_PINNED },
    { { "depth2", "chunks on two streams: one is swapped while the next is copied", false }, run_depth<2>, UPLOAD_PINNED },
    { { "depth4", "as depth2, on four streams", true }, run_depth<4>, UPLOAD_PINNED },
    { { "breadth4", "breadth first: four streams, all copies of a round before its swaps", false },
      run_breadth<4>, UPLOAD_PINNED },
    { { "callback", "as depth4; a host function reports progress after each chunk", false }, run_callback,
      UPLOAD_PINNED },
    { { "staged", "pageable memory, through pinned buffers that host functions fill", false }, run_staged,
      UPLOAD_PAGEABLE },
    {},
};
/* clang-format on */

/* ---- memory and lanes for the caller ------------------------------------------------------------------------------- */

/* Where managed pages cannot be advised, the memory is only managed, and the rung is unavailable. */
static int alloc_advised(void **memory, size_t bytes)
{
    int device = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaMallocManaged(memory, bytes);
    if (error != cudaSuccess) return clear_error(error);
    (void)clear_error(cudaMemAdvise(*memory, bytes, cudaMemAdviseSetPreferredLocation, place_of(cudaCpuDeviceId)));
    (void)clear_error(cudaMemAdvise(*memory, bytes, cudaMemAdviseSetAccessedBy, place_of(device)));
    return 0;
}

int upload_cuda_alloc(void **memory, size_t bytes, enum upload_memory kind)
{
    *memory = NULL;
    if (!bytes) return 0;
    if (kind == UPLOAD_MANAGED) return clear_error(cudaMallocManaged(memory, bytes));
    if (kind == UPLOAD_PINNED) return clear_error(cudaMallocHost(memory, bytes));
    if (kind == UPLOAD_COMBINED) return clear_error(cudaHostAlloc(memory, bytes, cudaHostAllocWriteCombined));
    if (kind == UPLOAD_ADVISED) return alloc_advised(memory, bytes);
    *memory = malloc(bytes);
    return *memory ? 0 : cudaErrorMemoryAllocation;
}

void upload_cuda_free(void *memory, enum upload_memory kind)
{
    if (kind == UPLOAD_MANAGED || kind == UPLOAD_ADVISED) (void)clear_error(cudaFree(memory));
    else if (kind == UPLOAD_PINNED || kind == UPLOAD_COMBINED) (void)clear_error(cudaFreeHost(memory));
    else free(memory);
}

/* Open a lane with the lowest priority: a frame on an exec's stream overtakes it. */
static cudaError_t open_lane(struct upload_lane *lane, int priority)
{
    cudaError_t error = cudaStreamCreateWithPriority(&lane->stream, cudaStreamNonBlocking, priority);
    if (error == cudaSuccess) error = cudaEventCreateWithFlags(&lane->end, cudaEventDisableTiming);
    if (error == cudaSuccess) error = cudaMallocHost(&lane->pinned, UPLOAD_CHUNK);
    return error;
}

int upload_cuda_open(struct upload_lanes *lanes)
{
    int lowest = 0, highest = 0;
    *lanes = {};
    cudaError_t error = cudaDeviceGetStreamPriorityRange(&lowest, &highest);
    if (error == cudaSuccess) error = cudaEventCreateWithFlags(&lanes->begin, cudaEventDisableTiming);
    for (int i = 0; i < UPLOAD_LANES && error == cudaSuccess; i++) error = open_lane(&lanes->lane[i], lowest);
    (void)clear_error(error);
    if (error != cudaSuccess) upload_cuda_close(lanes);
    return error;
}

void upload_cuda_close(struct upload_lanes *lanes)
{
    for (int i = 0; i < UPLOAD_LANES; i++) {
        const struct upload_lane *lane = &lanes->lane[i];
        if (lane->stream)
            (void)clear_error(cudaStreamSynchronize(lane->stream)); /* its host functions still read what is freed below */
        if (lane->stream) (void)clear_error(cudaStreamDestroy(lane->stream));
        if (lane->end) (void)clear_error(cudaEventDestroy(lane->end));
        if (lane->pinned) (void)clear_error(cudaFreeHost(lane->pinned));
    }
    if (lanes->begin) (void)clear_error(cudaEventDestroy(lanes->begin));
    *lanes = {};
}

int upload_cuda_evict(void *managed, size_t bytes, struct exec *x)
{
    if (!bytes) return 0;
    const cudaError_t error = prefetch(managed, bytes, cudaCpuDeviceId, x->stream);
    return clear_error(error != cudaSuccess ? error : cudaStreamSynchronize(x->stream));
}
