/* upload: bytes from the host to the backend's memory; those of each word are turned round, where the file's order is not
 * the backend's. The backend turns them, so that there is work which copies can hide.
 *
 * Ops never allocate, so the caller hands in host memory of the kind that the rung wants, and for CUDA the lanes: streams
 * to copy on beside the exec's own. The bytes have arrived when the exec's stream has; what is queued on that later waits
 * for them. So that a frame does not, a viewer uploads on an exec of its own: the lanes have the lowest priority and an
 * exec's stream the highest, so that blocks of the frame's kernels go before those that turn words. (Copies have no
 * priority: those of a frame wait for the chunk that is on the bus.) */
#ifndef ISO_UPLOAD_H
#define ISO_UPLOAD_H

#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

enum upload_memory { UPLOAD_PAGEABLE, UPLOAD_PINNED, UPLOAD_MANAGED, UPLOAD_MEMORIES };
enum { UPLOAD_LANES = 4, UPLOAD_CHUNK = 8 << 20 }; /* bytes: 0.15 ms of a bus of 55 GB/s */

struct upload_lane { /* CUDA's own, as the rest of the lanes */
    struct CUstream_st *stream;
    struct CUevent_st *end;
    void *pinned;                        /* UPLOAD_CHUNK bytes */
    const char *from;                    /* of the upload that runs, with the four below */
    size_t bytes, stride, fetched, told; /* where the lane's next chunk begins that is to be fetched, to be told of */
    size_t *done;
};

struct upload_lanes {
    struct upload_lane lane[UPLOAD_LANES];
    struct CUevent_st *begin;
    size_t unread; /* where a rung tells how far it is if nobody asks */
};

struct upload_desc {
    const void *from; /* host memory of the kind that the rung wants; must stay as it is until the stream is done */
    void *to;         /* backend memory; does not overlap. Both are aligned to 16 bytes */
    size_t bytes;     /* a multiple of `word` */
    unsigned word;    /* bytes that are turned round together: 2 or 4; 1: nothing to turn */
    struct upload_lanes *lanes; /* of one upload at a time; CPU: not used */
    /* Grows by the bytes that have arrived and been turned, chunk by chunk where the rung goes by chunks, else once, at the
     * end; from what the caller has set it to, so that several uploads can count on. Any thread may read it at any time,
     * by upload_arrived(); it never shrinks, and has grown by `bytes` when the stream is done, unless that failed or was
     * cancelled. It says how far the upload is, not that another stream may read what has arrived. It must live until the
     * stream is done. NULL: nobody asks. */
    size_t *done;
};

/* The CPU looks at exec.cancel before each chunk. On CUDA, run() only queues, and what is queued is done: who wants to
 * cancel uploads in several goes. After an error, close the lanes before `from`, `to` or `done` go. */
struct upload_rung {
    struct rung rung;
    int (*run)(const struct upload_desc *desc, struct exec *x);
    enum upload_memory memory; /* that `from` has to be; the CPU takes any */
};

extern const struct upload_rung upload_cpu[], upload_cuda[];

static inline size_t upload_arrived(const size_t *done) { return __atomic_load_n(done, __ATOMIC_RELAXED); }

/* For the rungs, whose chunks end on several threads. */
static inline void upload_tell(size_t *done, size_t bytes) { __atomic_fetch_add(done, bytes, __ATOMIC_RELAXED); }

/* Bytes of the chunk that begins at `at`; 0 past the end. */
static inline size_t upload_chunk(size_t at, size_t bytes)
{
    return at >= bytes ? 0 : bytes - at < UPLOAD_CHUNK ? bytes - at : (size_t)UPLOAD_CHUNK;
}

/* Host memory and lanes for the CUDA rungs, from and for the caller. Return the CUDA backend's codes. */
int upload_cuda_alloc(void **memory, size_t bytes, enum upload_memory kind);
void upload_cuda_free(void *memory, enum upload_memory kind);
int upload_cuda_open(struct upload_lanes *lanes);
void upload_cuda_close(struct upload_lanes *lanes); /* waits for what is queued in them */
/* Sends managed memory back to the host, as before a first upload. */
int upload_cuda_evict(void *managed, size_t bytes, struct exec *x);

static inline uint32_t upload_swapped(uint32_t word)
{
    return word << 24 | (word & 0xff00u) << 8 | (word >> 8 & 0xff00u) | word >> 24;
}

#ifdef __cplusplus
}
#endif
#endif
