/* What a run launches on CUDA, and what each kernel takes from a multiprocessor: registers, shared memory, and how many
 * blocks fit at once.
 *
 * Between cuda_launches_begin() and cuda_launches_end() the queue of `x` is not run but recorded as a graph (stream
 * capture). Kernels and launches need no extra code for that. It works for any op that neither allocates nor waits, and
 * ops must not. */
#ifndef ISO_LAUNCHES_H
#define ISO_LAUNCHES_H

#include "backend.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LAUNCHES = 8, LAUNCH_NAME = 48 };

enum launch_limit { LIMIT_THREADS, LIMIT_BLOCKS, LIMIT_REGISTERS, LIMIT_SHARED, LIMIT_COUNT };

struct launch {               /* a kernel with one size of block */
    char kernel[LAUNCH_NAME]; /* its name in the source; "?" if unknown */
    unsigned threads;         /* per block */
    unsigned registers;       /* per thread */
    size_t shared;            /* bytes per block, static and dynamic */
    size_t local;             /* bytes per thread in local memory: spilled registers, arrays with computed indices */
    unsigned resident;        /* blocks that a multiprocessor holds at once */
    double occupancy;         /* percent of the threads that a multiprocessor can hold */
    enum launch_limit limit;  /* what keeps it from holding another block */
};

struct launches {
    size_t count; /* 0: unknown, or nothing is launched */
    struct launch launch[LAUNCHES];
};

extern const char *const launch_limit_name[LIMIT_COUNT]; /* threads, blocks, registers, shared */

/* What a block may be made of on one multiprocessor. */
struct launch_room {
    unsigned threads, blocks, registers; /* at most, at once */
    size_t shared, reserved;             /* bytes; of each block, the driver's own part */
};

/* What runs out first as blocks of this launch fill a multiprocessor. If two do at once, it is the one that comes first
 * in the enum. */
enum launch_limit launch_limit_of(const struct launch *launch, const struct launch_room *room);

/* Writes the kernel's name from a mangled symbol, without namespaces and arguments: _Z11copy_strideILj8EEvPKjPjm gives
 * copy_stride. Any other text is copied. */
void launch_name(char to[LAUNCH_NAME], const char *symbol);

/* Begins recording on the stream of `x`. Returns the backend's code; without CUDA, always an error. */
int cuda_launches_begin(struct exec *x);

/* Ends the recording, whatever happened, and lists the different launches in their order. Returns the backend's code.
 * An error leaves the list empty: the run did something that cannot be recorded. */
int cuda_launches_end(struct exec *x, struct launches *out);

#ifdef __cplusplus
}
#endif
#endif
