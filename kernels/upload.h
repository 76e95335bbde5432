/* upload: copy bytes from the host to the backend's memory, and swap the bytes of each word if the file's byte order is
 * not the backend's. The backend does the swapping; this gives copies some work to overlap with.
 *
 * Ops never allocate: the caller provides host memory of the kind that the rung wants, and for CUDA the lanes, extra
 * streams to copy on. Work queued later on the exec's stream waits for the bytes. So that frames need not wait, a
 * viewer uploads on a separate exec: lanes have the lowest priority and an exec's stream has the highest, so the
 * frame's kernels run before those that swap. (Copies have no priority: one that a frame needs waits until the chunk on
 * the bus has passed.) */
#ifndef ISO_UPLOAD_H
#define ISO_UPLOAD_H

#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

enum upload_memory {
    UPLOAD_PAGEABLE,
    UPLOAD_PINNED,
    UPLOAD_MANAGED,
    UPLOAD_COMBINED, /* pinned, write-combined: the host must not read it, 0.1 us per byte */
    UPLOAD_ADVISED,  /* managed, at home on the host and mapped by the GPU */
    UPLOAD_MEMORIES
};
enum { UPLOAD_LANES = 4, UPLOAD_CHUNK = 8 << 20 }; /* bytes: 0.15 ms of a bus of 55 GB/s */

struct upload_lane { /* private to CUDA, as the other lanes */
    struct CUstream_st *stream;
    struct CUevent_st *end;
    void *pinned;                        /* UPLOAD_CHUNK bytes */
    const char *from;                    /* of the running upload, with the four below */
    size_t bytes, stride, fetched, told; /* the lane's next chunk to fetch, to report */
    size_t *done;
};

struct upload_lanes {
    struct upload_lane lane[UPLOAD_LANES];
    struct CUevent_st *begin;
    size_t unread; /* bytes not yet reported, for rungs without a reader thread */
};

struct upload_desc {
    const void *from;           /* host memory of the rung's kind; must stay unchanged until the stream is done */
    void *to;                   /* backend memory; must not overlap. Both are aligned to 16 bytes */
    size_t bytes;               /* a multiple of `word` */
    unsigned word;              /* bytes to reverse together: 2 or 4; 1: none */
    struct upload_lanes *lanes; /* for one upload at a time; CPU: unused */
    /* Grows by the bytes that have arrived and been swapped, per chunk if the rung has chunks, else once at the end.
     * Starts at the caller's value, so several uploads can add up. Any thread may read it at any time by
     * upload_arrived(). It never shrinks, and has grown by `bytes` when the stream is done, except after failure or
     * cancellation. It measures progress; it does not permit other streams to read what has arrived. Must live until
     * the stream is done. May be NULL. */
    size_t *done;
};

/* The CPU checks x->cancel before each chunk. On CUDA, run() only queues, and queued work completes: to be able to
 * cancel, upload in several calls. After an error, close the lanes before freeing `from`, `to` or `done`. */
struct upload_rung {
    struct rung rung;
    int (*run)(const struct upload_desc *desc, struct exec *x);
    enum upload_memory memory; /* the kind that `from` must be; the CPU takes any */
};

extern const struct upload_rung upload_cpu[], upload_cuda[];

static inline size_t upload_arrived(const size_t *done) { return __atomic_load_n(done, __ATOMIC_RELAXED); }

/* Add `bytes` to *done; chunks end on several threads. */
static inline void upload_tell(size_t *done, size_t bytes) { __atomic_fetch_add(done, bytes, __ATOMIC_RELAXED); }

/* Return the bytes of the chunk at `at`; 0 past the end. */
static inline size_t upload_chunk(size_t at, size_t bytes)
{
    return at >= bytes ? 0 : bytes - at < UPLOAD_CHUNK ? bytes - at : (size_t)UPLOAD_CHUNK;
}

/* Host memory and lanes for the CUDA rungs; the caller owns them. Return the CUDA backend's codes. */
int upload_cuda_alloc(void **memory, size_t bytes, enum upload_memory kind);
void upload_cuda_free(void *memory, enum upload_memory kind);
int upload_cuda_open(struct upload_lanes *lanes);
void upload_cuda_close(struct upload_lanes *lanes); /* waits for their queued work */
/* Move managed memory back to the host, as before a first upload. */
int upload_cuda_evict(void *managed, size_t bytes, struct exec *x);

static inline uint32_t upload_swapped(uint32_t word)
{
    return word << 24 | (word & 0xff00u) << 8 | (word >> 8 & 0xff00u) | word >> 24;
}

#ifdef __cplusplus
}
#endif
#endif
