/* Replacements for the two backends, to be linked before the kernels. `backend_cpu` is the real one for the CPU.
 * `backend_cuda` simulates a GPU with the CPU's memory and kernels. Both count their memory and fail on demand. */
#ifndef ISO_FAKE_BACKENDS_H
#define ISO_FAKE_BACKENDS_H

#include <stdbool.h>
#include <stddef.h>

struct fake_backends {
    long blocks;       /* of backend memory that were not freed */
    long execs;        /* that are open */
    long fail_alloc;   /* the n-th alloc from now on fails; 0: none */
    size_t free_bytes; /* what memory_free answers; 0: plenty */
    bool lost;         /* every call to the GPU fails, until this is reset */
};

extern struct fake_backends fake_backends; /* changed while no job runs */

#endif
