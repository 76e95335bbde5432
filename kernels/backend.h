/* A backend runs ops: memory, copies, a queue and timestamps behind a dozen function pointers.
 *
 * One pipeline runs in one backend. An op (classify.h, scan.h, ...) gets a `struct exec` and only launches work: it
 * never allocates or waits. The caller allocates, waits and reads back, through the functions here. Each returns 0 or a
 * code of the backend; explain() gives its text. Ops with one implementation per backend are members, too. */
#ifndef ISO_BACKEND_H
#define ISO_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum backend { BACKEND_CPU, BACKEND_CUDA, BACKEND_COUNT };

#define EXEC_MARKS 16     /* timestamps that can be pending at once */
#define RESULT_BYTES 8448 /* 2048 sums, and what belongs to them */

/* Round `bytes` up to a multiple of 256, to align whatever follows in the same buffer. */
static inline size_t scratch_round(size_t bytes) { return (bytes + 255) / 256 * 256; }

struct cell_counts;
struct part_ops;
struct strips;
struct vertex;
struct CUstream_st;
struct CUevent_st;
struct cublas;
struct launch_chain;

struct exec { /* where and how an op runs; filled by open(), passed to every op */
    enum backend backend;
    int threads;                          /* CPU: worker threads, at least 1 */
    const bool *cancel;                   /* CPU: set by another thread to stop the running op; NULL: cannot be cancelled */
    int device;                           /* CUDA: device ordinal; use the exec on the thread that opened it */
    int capability;                       /* CUDA: compute capability that the kernels in use were built for, 90: 9.0 */
    unsigned block;                       /* CUDA: threads per block for rungs that accept any; 0: the rung's own */
    struct CUstream_st *stream;           /* CUDA: all work is queued here, in order */
    struct CUevent_st *event[EXEC_MARKS]; /* CUDA: one per timestamp */
    double mark_ms[EXEC_MARKS];           /* CPU: monotonic time of each timestamp, ms */
    void *result;                         /* RESULT_BYTES that the host can read after sync() */
    struct cublas *cublas;                /* CUDA: the library, once a rung has opened it (cublas.h) */
    struct launch_chain *chain;           /* CUDA: the launches of fused as graphs, once they ran (launch_chain.h) */
};

/* Return true if another thread has cancelled `x`. The op may then leave its work half done: mark() and sync() return
 * an error. */
static inline bool exec_is_cancelled(const struct exec *x)
{
    return x->cancel && __atomic_load_n(x->cancel, __ATOMIC_RELAXED);
}

struct backend_ops {
    const char *name; /* as in --backend and the panel */

    /* Return true if open(device -1) can work. Write the device's name, or one clause on why not, to `text`. */
    bool (*available)(char *text, size_t size);
    int (*device_count)(void); /* 0: none can be used, as `available` explains */
    /* device: ordinal, or -1 for the default. threads: 0 for OMP_NUM_THREADS, or one per core. */
    int (*open)(struct exec *x, int device, int threads);
    void (*close)(struct exec *x);

    int (*alloc)(void **memory, size_t bytes); /* uninitialised, at a multiple of 256; bytes 0 gives NULL */
    void (*free)(void *memory);                /* NULL is allowed */
    size_t (*memory_free)(void);               /* estimate of the bytes that alloc can still give; SIZE_MAX: unknown */

    /* All four are queued in order with the ops. `upload` and `download` return when they have finished with host
     * memory. */
    int (*upload)(void *memory, const void *host, size_t bytes, struct exec *x);
    int (*download)(void *host, const void *memory, size_t bytes, struct exec *x);
    int (*copy)(void *to, const void *from, size_t bytes, struct exec *x);
    int (*fill)(void *memory, int byte, size_t bytes, struct exec *x);

    int (*sync)(struct exec *x);                                  /* waits for the queue and returns its first error */
    int (*mark)(struct exec *x, int slot);                        /* records a timestamp at this point of the queue */
    int (*elapsed)(struct exec *x, int from, int to, double *ms); /* after sync: time between two timestamps */

    const char *(*explain)(int code);

    /* Ops without alternatives, queued like every op: count_cells.h, triangles.h. */
    int (*count_cells)(const struct strips *strips, struct cell_counts *out, struct exec *x);
    int (*corner_sums)(const struct vertex *vertices, const uint32_t *indices, float *sums, size_t n, struct exec *x);
    int (*gather_triangles)(const uint32_t *indices, const uint32_t *order, uint32_t *out, size_t n, struct exec *x);
    int (*shift_indices)(const uint32_t *indices, uint32_t by, uint32_t *out, size_t n, struct exec *x);
    const struct part_ops *parts; /* parts.h */
};

extern const int cuda_toolkit; /* of the build; 11080: CUDA 11.8, 0: built without */
extern const struct backend_ops backend_cpu, backend_cuda;
extern const struct backend_ops *const backends[BACKEND_COUNT];

#ifdef __cplusplus
}
#endif
#endif
