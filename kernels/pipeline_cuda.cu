/* pipeline on CUDA: copies in, kernels and copies out at the same time. Contract in pipeline.h.
 * Run: isoscope ladder pipeline --bench --backend cuda
 *
 * Predictions are for an H200 and 2^25 numbers, 128 MiB each way in 32 chunks: 2.4 ms in and 2.4 ms out at 55 GB/s, and
 * 1.0 ms of kernels at 16.7 steps per ps (branch data). One after the other that is 5.9 ms; the bus alone needs 2.4.
 * Everything measured took a tenth to a sixth longer than predicted, in the same proportions: when both directions are
 * busy, the bus gives only 46 GB/s each, so 2.9 ms. */
#include "pipeline.h"
#include "cuda_util.cuh"

#include <cuda_runtime.h>
#include <pthread.h>

static __global__ void pipeline_work(uint32_t *data, size_t n)
{
    for (size_t i = thread_index(); i < n; i += thread_count()) data[i] = pipeline_result(data[i]);
}

/* ---- chunks --------------------------------------------------------------------------------------------------------
 * Each of these queues one thing and returns. Numbers of chunks past the end are allowed and count as empty. */

static size_t chunk_count(size_t n, size_t chunk)
{
    const size_t at = chunk * PIPELINE_CHUNK;
    return at >= n ? 0 : n - at < PIPELINE_CHUNK ? n - at : (size_t)PIPELINE_CHUNK;
}

static size_t chunks_of(size_t n) { return n / PIPELINE_CHUNK + (n % PIPELINE_CHUNK != 0); }

static cudaError_t queue_in(const struct pipeline_desc *d, size_t chunk, uint32_t *data, cudaStream_t stream)
{
    const size_t count = chunk_count(d->n, chunk);
    if (!count) return cudaSuccess;
    return cudaMemcpyAsync(data, d->from + chunk * PIPELINE_CHUNK, count * sizeof *data, cudaMemcpyHostToDevice, stream);
}

/* blocks: the most to launch; 0: as many as there is work for. */
static cudaError_t queue_work(const struct pipeline_desc *d, size_t chunk, uint32_t *data, unsigned blocks,
                              unsigned threads, cudaStream_t stream)
{
    const size_t count = chunk_count(d->n, chunk);
    const unsigned wanted = launch_blocks(count, threads), grid = blocks && blocks < wanted ? blocks : wanted;
    if (!count) return cudaSuccess;
    pipeline_work<<<grid, threads, 0, stream>>>(data, count);
    return cudaPeekAtLastError();
}

static cudaError_t queue_out(const struct pipeline_desc *d, size_t chunk, const uint32_t *data, cudaStream_t stream)
{
    const size_t count = chunk_count(d->n, chunk);
    if (!count) return cudaSuccess;
    return cudaMemcpyAsync(d->to + chunk * PIPELINE_CHUNK, data, count * sizeof *data, cudaMemcpyDeviceToHost, stream);
}

static cudaError_t queue_all(const struct pipeline_desc *d, size_t chunk, uint32_t *data, unsigned blocks, unsigned threads,
                             cudaStream_t stream)
{
    cudaError_t error = queue_in(d, chunk, data, stream);
    if (error == cudaSuccess) error = queue_work(d, chunk, data, blocks, threads, stream);
    return error == cudaSuccess ? queue_out(d, chunk, data, stream) : error;
}

/* ---- lanes ---------------------------------------------------------------------------------------------------------
 * Lanes begin when everything queued before is done. The exec's stream goes on when the lanes are done, even after an
 * error. */

static cudaError_t fork_lanes(const struct pipeline_desc *d, cudaStream_t *lane, unsigned lanes, struct exec *x)
{
    cudaError_t error = cudaEventRecord(d->lanes->begin, x->stream);
    for (unsigned i = 0; i < lanes && error == cudaSuccess; i++) error = cudaStreamWaitEvent(lane[i], d->lanes->begin, 0);
    return error;
}

static int join_lanes(cudaError_t first, const struct pipeline_desc *d, cudaStream_t *lane, unsigned lanes, struct exec *x)
{
    cudaError_t error = cudaGetLastError(); /* of the launches */
    for (unsigned i = 0; i < lanes; i++) {
        if (error == cudaSuccess) error = cudaEventRecord(d->lanes->end[i], lane[i]);
        if (error == cudaSuccess) error = cudaStreamWaitEvent(x->stream, d->lanes->end[i], 0);
    }
    return clear_error(first != cudaSuccess ? first : error);
}

static size_t scratch_whole(size_t n) { return scratch_round(n * sizeof(uint32_t)); }

/* ---- textbook ------------------------------------------------------------------------------------------------------
 * No stream is named, so everything goes to the null stream: copy in, kernel, copy out, then the next chunk. The copies
 * are asynchronous, but that helps the host, not the GPU: a stream is a queue, and two of the GPU's three parts are
 * idle at any time. Predicted: 5.9 ms. Measured: 6.60.
 *
 * Another trap: the null stream waits for every other stream, and they for it, except for streams made with
 * cudaStreamNonBlocking. */

static int run_textbook(const struct pipeline_desc *d, void *scratch, struct exec *x)
{
    uint32_t *data = (uint32_t *)scratch;
    cudaStream_t null = cudaStreamLegacy;
    cudaError_t error = fork_lanes(d, &null, 1, x);
    for (size_t c = 0; c < chunks_of(d->n) && error == cudaSuccess; c++)
        error = queue_all(d, c, data + c * PIPELINE_CHUNK, 0, THREADS, null);
    return join_lanes(error, d, &null, 1, x);
}

/* ---- depth2, depth4, depth8 ----------------------------------------------------------------------------------------
 * Idea: chunk c goes to stream c modulo LANES with all its three steps, then comes the next chunk (depth first). While
 * one chunk computes, the next comes in and the last goes out. Predicted: 3.1 ms with two streams, because a chunk
 * takes 0.19 ms from end to end and only two are in flight. 2.6 with four: the bus's 2.4, plus the time to fill and to
 * drain the pipe with a chunk. No less with eight. Measured: 3.63, 3.02 and 3.01.
 * Cost: a chunk must be large enough to be worth the 2 us of a copy, and small enough to fill the pipe quickly. */

template <unsigned LANES> static int run_depth(const struct pipeline_desc *d, void *scratch, struct exec *x)
{
    uint32_t *data = (uint32_t *)scratch;
    cudaError_t error = fork_lanes(d, d->lanes->lane, LANES, x);
    for (size_t c = 0; c < chunks_of(d->n) && error == cudaSuccess; c++)
        error = queue_all(d, c, data + c * PIPELINE_CHUNK, 0, THREADS, d->lanes->lane[c % LANES]);
    return join_lanes(error, d, d->lanes->lane, LANES, x);
}

/* ---- breadth2, breadth4, breadth8 ----------------------------------------------------------------------------------
 * The same streams, but queued breadth first: all copies in of a round, then its kernels, then its copies out. With one
 * hardware queue, up to Fermi, depth first made every kernel wait behind the copy out of the chunk before; breadth
 * first was the cure. Since Kepler, with 32 queues, the order of the calls matters only within a stream. Predicted: as
 * depth. Measured: 3.63, 3.02 and 3.00 ms. */

template <unsigned LANES> static int run_breadth(const struct pipeline_desc *d, void *scratch, struct exec *x)
{
    uint32_t *data = (uint32_t *)scratch;
    cudaStream_t *lane = d->lanes->lane;
    cudaError_t error = fork_lanes(d, lane, LANES, x);
    for (size_t round = 0; round < chunks_of(d->n) && error == cudaSuccess; round += LANES) {
        uint32_t *first = data + round * PIPELINE_CHUNK;
        for (unsigned i = 0; i < LANES && error == cudaSuccess; i++)
            error = queue_in(d, round + i, first + (size_t)i * PIPELINE_CHUNK, lane[i]);
        for (unsigned i = 0; i < LANES && error == cudaSuccess; i++)
            error = queue_work(d, round + i, first + (size_t)i * PIPELINE_CHUNK, 0, THREADS, lane[i]);
        for (unsigned i = 0; i < LANES && error == cudaSuccess; i++)
            error = queue_out(d, round + i, first + (size_t)i * PIPELINE_CHUNK, lane[i]);
    }
    return join_lanes(error, d, lane, LANES, x);
}

/* ---- order ---------------------------------------------------------------------------------------------------------
 * A wrong order, and what it costs. One stream for copies, one for kernels, and events between them: copies and kernels
 * should overlap. But the copy out of a chunk is queued before the copy in of the next one, and it has to wait there
 * for its kernel. So the next chunk waits behind it, although the bus is idle. The result is right, but all the trouble
 * is for nothing. Predicted: as the textbook. Measured: 6.61 ms. Queue what can start before what must wait, or give
 * each stage a stream of its own. */

enum { COPIES, KERNELS };

static int run_order(const struct pipeline_desc *d, void *scratch, struct exec *x)
{
    uint32_t *data = (uint32_t *)scratch;
    cudaStream_t *lane = d->lanes->lane;
    cudaEvent_t arrived = d->lanes->arrived[0], done = d->lanes->done[0];
    cudaError_t error = fork_lanes(d, lane, 2, x);
    for (size_t c = 0; c < chunks_of(d->n) && error == cudaSuccess; c++) {
        uint32_t *chunk = data + c * PIPELINE_CHUNK;
        error = queue_in(d, c, chunk, lane[COPIES]);
        if (error == cudaSuccess) error = cudaEventRecord(arrived, lane[COPIES]);
        if (error == cudaSuccess) error = cudaStreamWaitEvent(lane[KERNELS], arrived, 0);
        if (error == cudaSuccess) error = queue_work(d, c, chunk, 0, THREADS, lane[KERNELS]);
        if (error == cudaSuccess) error = cudaEventRecord(done, lane[KERNELS]);
        if (error == cudaSuccess) error = cudaStreamWaitEvent(lane[COPIES], done, 0);
        if (error == cudaSuccess) error = queue_out(d, c, chunk, lane[COPIES]);
    }
    return join_lanes(error, d, lane, 2, x);
}

/* ---- three ---------------------------------------------------------------------------------------------------------
 * Idea: a stream for each stage, and three slots in memory that are used in turn (like ping-pong, but with three). A
 * copy in waits until the last copy out of its slot has finished, a kernel until its slot has arrived, and a copy out
 * until its kernel is done. Predicted: 2.6 ms, as depth4. Measured: 2.90, the best of all. The real gain is memory:
 * three chunks, 12 MiB, for any n, where the other rungs hold all of the data.
 * Cost: three events per chunk, and each is needed. Streams know nothing of each other, so whatever nobody waits for
 * may not have happened yet. A run without the waits is just as fast, and is right or wrong by chance. */

static cudaError_t queue_stages(const struct pipeline_desc *d, size_t c, uint32_t *slot, unsigned blocks, unsigned threads)
{
    const struct pipeline_lanes *l = d->lanes;
    const size_t s = c % PIPELINE_SLOTS;
    cudaError_t error = c >= PIPELINE_SLOTS ? cudaStreamWaitEvent(l->lane[0], l->left[s], 0) : cudaSuccess;
    if (error == cudaSuccess) error = queue_in(d, c, slot, l->lane[0]);
    if (error == cudaSuccess) error = cudaEventRecord(l->arrived[s], l->lane[0]);
    if (error == cudaSuccess) error = cudaStreamWaitEvent(l->lane[1], l->arrived[s], 0);
    if (error == cudaSuccess) error = queue_work(d, c, slot, blocks, threads, l->lane[1]);
    if (error == cudaSuccess) error = cudaEventRecord(l->done[s], l->lane[1]);
    if (error == cudaSuccess) error = cudaStreamWaitEvent(l->lane[2], l->done[s], 0);
    if (error == cudaSuccess) error = queue_out(d, c, slot, l->lane[2]);
    return error == cudaSuccess ? cudaEventRecord(l->left[s], l->lane[2]) : error;
}

static size_t scratch_slots(size_t n)
{
    (void)n;
    return scratch_round((size_t)PIPELINE_SLOTS * PIPELINE_CHUNK * sizeof(uint32_t));
}

template <unsigned BLOCKS, unsigned BLOCK>
static int run_three(const struct pipeline_desc *d, void *scratch, struct exec *x)
{
    uint32_t *slots = (uint32_t *)scratch;
    cudaError_t error = fork_lanes(d, d->lanes->lane, 3, x);
    for (size_t c = 0; c < chunks_of(d->n) && error == cudaSuccess; c++)
        error = queue_stages(d, c, slots + c % PIPELINE_SLOTS * PIPELINE_CHUNK, BLOCKS, BLOCK);
    return join_lanes(error, d, d->lanes->lane, 3, x);
}

/* ---- small, concurrent ---------------------------------------------------------------------------------------------
 * small: the rung three, but with kernels of 33 blocks, like work that cannot be divided more finely. Only a quarter of
 * the 132 multiprocessors works, and each kernel takes four times as long, 0.13 ms. Predicted: 4.1 ms, for 32 kernels
 * in a row. Measured: 4.68. The bus waits for them.
 *
 * concurrent: kernels of different streams are allowed to run side by side. Idea: the same small kernels on eight
 * streams; four of them fill the GPU. Predicted: 2.7 ms, again the bus. Measured: 3.07.
 * Cost: none here. Kernels that fill the GPU by themselves gain nothing. */

enum { SMALL_BLOCKS = 33, SMALL_THREADS = 1024 };

static int run_concurrent(const struct pipeline_desc *d, void *scratch, struct exec *x)
{
    uint32_t *data = (uint32_t *)scratch;
    cudaStream_t *lane = d->lanes->lane;
    cudaError_t error = fork_lanes(d, lane, PIPELINE_LANES, x);
    for (size_t c = 0; c < chunks_of(d->n) && error == cudaSuccess; c++)
        error = queue_all(d, c, data + c * PIPELINE_CHUNK, SMALL_BLOCKS, SMALL_THREADS, lane[c % PIPELINE_LANES]);
    return join_lanes(error, d, lane, PIPELINE_LANES, x);
}

/* ---- threads -------------------------------------------------------------------------------------------------------
 * So far one host thread queues for all streams, at some 2 us per call. Idea: four host threads, each with a stream of
 * its own (the example for Hyper-Q, or a per-thread default stream). Predicted: 2.6 ms, as depth4, and 0.1 to start and
 * end the threads. Measured: 3.21, which is 0.2 more than depth4. There was nothing to gain: the 96 calls take 0.2 ms,
 * and were already hidden behind 2.4. It pays where a thread has something else to do between calls, such as reading
 * files.
 * Cost: the driver takes a lock in each call, and the other members of an exec belong to one thread only. */

enum { QUEUERS = 4 };

struct queuer {
    const struct pipeline_desc *desc;
    uint32_t *data;
    unsigned index;
    int device;
    cudaError_t error;
};

static void *queue_lane(void *argument)
{
    struct queuer *q = (struct queuer *)argument;
    q->error = cudaSetDevice(q->device); /* a new thread starts with device 0 */
    for (size_t c = q->index; c < chunks_of(q->desc->n) && q->error == cudaSuccess; c += QUEUERS)
        q->error = queue_all(q->desc, c, q->data + c * PIPELINE_CHUNK, 0, THREADS, q->desc->lanes->lane[q->index]);
    return NULL;
}

static int run_threads(const struct pipeline_desc *d, void *scratch, struct exec *x)
{
    struct queuer queuer[QUEUERS];
    pthread_t thread[QUEUERS];
    unsigned started = 0;
    cudaError_t error = fork_lanes(d, d->lanes->lane, QUEUERS, x);
    while (started < QUEUERS && error == cudaSuccess) {
        struct queuer *q = &queuer[started];
        *q = { d, (uint32_t *)scratch, started, x->device, cudaSuccess };
        if (pthread_create(&thread[started], NULL, queue_lane, q)) error = cudaErrorMemoryAllocation;
        else started++;
    }
    for (unsigned i = 0; i < started; i++) {
        pthread_join(thread[i], NULL);
        if (error == cudaSuccess) error = queuer[i].error;
    }
    return join_lanes(error, d, d->lanes->lane, QUEUERS, x);
}

/* ---- crowded, priority ---------------------------------------------------------------------------------------------
 * crowded: depth4 on a GPU that also does something else: a kernel of 1.0 ms that was queued before, with more blocks
 * than fit at once. Kernels of equal priority run in the order of their launches, so the first chunk waits 1.0 ms, and
 * the bus out is idle for that time. Predicted: 3.5 ms. Measured: 3.97.
 *
 * priority: the same, on streams of the highest priority. Whenever a block of any kernel ends, the next one to start is
 * theirs. The other kernel takes what they leave free, two thirds of the time. Predicted: 2.7 ms for both together.
 * Measured: 3.04, as without the other kernel.
 * Cost: none, but a running block is not interrupted, so long blocks keep everybody waiting. Copies have no priority. */

static __global__ void pipeline_other(uint32_t *spare, size_t n)
{
    for (size_t i = thread_index(); i < n; i += thread_count()) spare[i] = pipeline_result((uint32_t)i);
}

static size_t scratch_spare(size_t n) { return 2 * scratch_whole(n); }

template <bool URGENT> static int run_crowded(const struct pipeline_desc *d, void *scratch, struct exec *x)
{
    uint32_t *data = (uint32_t *)scratch, *spare = data + scratch_whole(d->n) / sizeof *data;
    cudaStream_t *lane = URGENT ? d->lanes->urgent : d->lanes->lane, other = d->lanes->lane[PIPELINE_LANES - 1];
    cudaStream_t all[] = { lane[0], lane[1], lane[2], lane[3], other };
    cudaError_t error = fork_lanes(d, all, 5, x);
    if (error == cudaSuccess) pipeline_other<<<launch_blocks(d->n, THREADS), THREADS, 0, other>>>(spare, d->n);
    for (size_t c = 0; c < chunks_of(d->n) && error == cudaSuccess; c++)
        error = queue_all(d, c, data + c * PIPELINE_CHUNK, 0, THREADS, lane[c % 4]);
    return join_lanes(error, d, all, 5, x);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* clang-format off */
const struct pipeline_rung pipeline_cuda[] = {
    { { "textbook", "the null stream: copy in, kernel, copy out, chunk after chunk", false }, run_textbook, scratch_whole },
    { { "depth2", "depth first: chunks in turn on two streams, all of a chunk before the next", false },
      run_depth<2>, scratch_whole },
    { { "depth4", "as depth2, on four streams", true }, run_depth<4>, scratch_whole },
    { { "depth8", "as depth2, on eight streams", false }, run_depth<8>, scratch_whole },
    { { "breadth2", "breadth first: two streams, all copies in of a round before its kernels", false },
      run_breadth<2>, scratch_whole },
    { { "breadth4", "as breadth2, on four streams", false }, run_breadth<4>, scratch_whole },
    { { "breadth8", "as breadth2, on eight streams", false }, run_breadth<8>, scratch_whole },
    { { "order", "a bad order: each copy out is queued before the next copy in", false }, run_order, scratch_whole },
    { { "three", "a stream per stage, three slots in turn", false }, run_three<0, THREADS>, scratch_slots },
    { { "small", "as three, with kernels that use a quarter of the GPU", false }, run_three<SMALL_BLOCKS, SMALL_THREADS>,
      scratch_slots },
    { { "concurrent", "the kernels of small, side by side on eight streams", false }, run_concurrent, scratch_whole },
    { { "threads", "a host thread for each of four streams", false }, run_threads, scratch_whole },
    { { "crowded", "as depth4, queued behind another kernel that fills the GPU", false },
      run_crowded<false>, scratch_spare },
    { { "priority", "as crowded, on streams of high priority, which overtake that kernel", false },
      run_crowded<true>, scratch_spare },
    {},
};
/* clang-format on */

/* ---- lanes for the caller ------------------------------------------------------------------------------------------ */

static cudaError_t open_events(cudaEvent_t *event, unsigned count)
{
    cudaError_t error = cudaSuccess;
    for (unsigned i = 0; i < count && error == cudaSuccess; i++)
        error = cudaEventCreateWithFlags(&event[i], cudaEventDisableTiming);
    return error;
}

int pipeline_cuda_open(struct pipeline_lanes *l)
{
    int lowest = 0, highest = 0;
    *l = {};
    cudaError_t error = cudaDeviceGetStreamPriorityRange(&lowest, &highest);
    for (int i = 0; i < PIPELINE_LANES && error == cudaSuccess; i++) {
        error = cudaStreamCreateWithPriority(&l->lane[i], cudaStreamNonBlocking, lowest);
        if (error == cudaSuccess) error = cudaStreamCreateWithPriority(&l->urgent[i], cudaStreamNonBlocking, highest);
    }
    if (error == cudaSuccess) error = open_events(&l->begin, 1);
    if (error == cudaSuccess) error = open_events(l->end, PIPELINE_LANES);
    if (error == cudaSuccess) error = open_events(l->arrived, PIPELINE_SLOTS);
    if (error == cudaSuccess) error = open_events(l->done, PIPELINE_SLOTS);
    if (error == cudaSuccess) error = open_events(l->left, PIPELINE_SLOTS);
    if (error != cudaSuccess) pipeline_cuda_close(l);
    return clear_error(error);
}

static void close_events(cudaEvent_t *event, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (event[i]) (void)clear_error(cudaEventDestroy(event[i]));
}

static void close_stream(cudaStream_t stream)
{
    if (!stream) return;
    (void)clear_error(cudaStreamSynchronize(stream)); /* its copies still use the caller's memory */
    (void)clear_error(cudaStreamDestroy(stream));
}

void pipeline_cuda_close(struct pipeline_lanes *l)
{
    for (int i = 0; i < PIPELINE_LANES; i++) close_stream(l->lane[i]), close_stream(l->urgent[i]);
    close_events(&l->begin, 1);
    close_events(l->end, PIPELINE_LANES);
    close_events(l->arrived, PIPELINE_SLOTS);
    close_events(l->done, PIPELINE_SLOTS);
    close_events(l->left, PIPELINE_SLOTS);
    *l = {};
}
