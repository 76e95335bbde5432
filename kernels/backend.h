/* A backend is where ops run: memory, copies, order and time behind a dozen function pointers.
 *
 * One pipeline runs wholly in one backend. Ops (classify.h, scan.h, ...) get a `struct exec` and do nothing
 * but launch: they never allocate and never wait. The caller allocates, waits and reads back through the
 * functions here. Ops with one implementation per backend are members too. Every function returns 0 or a code of the backend's own, which explain() turns into words. */
#ifndef ISO_BACKEND_H
#define ISO_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum backend { BACKEND_CPU, BACKEND_CUDA, BACKEND_COUNT };

#define EXEC_MARKS 16 /* time marks that can be pending at once */
#define MAILBOX_BYTES 256

/* The multiple of 256 that holds `bytes`: what lies behind in one buffer stays aligned for any type. */
static inline size_t scratch_round(size_t bytes) { return (bytes + 255) / 256 * 256; }

struct cell_counts;
struct strips;
struct vertex;
struct CUstream_st;
struct CUevent_st;
struct cublas;

struct exec { /* where and how an op runs; filled by open(), handed to every op */
    enum backend backend;
    int threads;                          /* CPU: worker threads, at least 1 */
    const bool *cancel;                   /* CPU: another thread may set it to stop what runs; NULL: nobody will */
    int device;                           /* CUDA: device ordinal; use the exec on the thread that opened it */
    unsigned block;                       /* CUDA: threads per block of the rungs that take any; 0: their own */
    struct CUstream_st *stream;           /* CUDA: all work is queued here, in order */
    struct CUevent_st *event[EXEC_MARKS]; /* CUDA: one per mark */
    double mark_ms[EXEC_MARKS];           /* CPU: monotonic time at each mark, ms */
    void *mailbox;                        /* MAILBOX_BYTES where ops leave what the host reads after sync() */
    struct cublas *cublas;                /* CUDA: the library, once a rung has used it (cublas.h) */
};

/* Whether what runs is to be stopped. An op that asks may leave its work half done: mark() and sync() then answer with an
 * error, so that nobody takes it for a result. */
static inline bool exec_is_cancelled(const struct exec *x)
{
    return x->cancel && __atomic_load_n(x->cancel, __ATOMIC_RELAXED);
}

struct backend_ops {
    const char *name; /* what --backend takes and the panel shows */

    /* True if open(device -1) can work. `text` gets the device's name, or one clause on why not. */
    bool (*available)(char *text, size_t size);
    /* device: ordinal, or -1 for the backend's own choice. threads: 0 for one per core. */
    int (*open)(struct exec *x, int device, int threads);
    void (*close)(struct exec *x);

    int (*alloc)(void **memory, size_t bytes); /* uninitialised; bytes 0 gives NULL */
    void (*free)(void *memory);                /* NULL is allowed */
    size_t (*memory_free)(void);               /* bytes that alloc could still give, a guess; SIZE_MAX: not known */

    /* All four are queued in order with the ops. `download` and `upload` are done with host memory when they return. */
    int (*upload)(void *memory, const void *host, size_t bytes, struct exec *x);
    int (*download)(void *host, const void *memory, size_t bytes, struct exec *x);
    int (*copy)(void *to, const void *from, size_t bytes, struct exec *x);
    int (*fill)(void *memory, int byte, size_t bytes, struct exec *x);

    int (*sync)(struct exec *x);           /* waits for everything queued, reports what failed in it */
    int (*mark)(struct exec *x, int slot); /* notes the time at this point of the queue */
    int (*elapsed)(struct exec *x, int from, int to, double *ms); /* after sync: time between two marks */

    const char *(*explain)(int code);

    /* Ops without alternatives, queued like every op: count_cells.h, triangles.h. */
    int (*count_cells)(const struct strips *strips, struct cell_counts *out, struct exec *x);
    int (*corner_sums)(const struct vertex *vertices, const uint32_t *indices, float *sums, size_t n, struct exec *x);
    int (*gather_triangles)(const uint32_t *indices, const uint32_t *order, uint32_t *out, size_t n, struct exec *x);
};

extern const struct backend_ops backend_cpu, backend_cuda;
extern const struct backend_ops *const backends[BACKEND_COUNT];

#ifdef __cplusplus
}
#endif
#endif
