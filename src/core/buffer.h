/* Buffers in backend memory. They are kept between runs and never shrink. */
#ifndef ISO_BUFFER_H
#define ISO_BUFFER_H

#include "error.h"
#include "kernels/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

struct buffer { /* zero is an empty one */
    void *memory;
    size_t bytes;
};

struct buffer_demand {
    struct buffer *buffer;
    uint64_t bytes;
};

/* Makes `buffer` hold at least `bytes`; growing loses its content. `what` names the purpose in the error. Error:
 * ERR_FAILED, with CAUSE_MEMORY if the backend has too little memory; the buffer is then unchanged or empty. */
int buffer_reserve(struct buffer *buffer, const struct backend_ops *ops, struct exec *exec, uint64_t bytes,
                   const char *what, struct err *err);

/* Like buffer_reserve for `n` buffers. Compares their sum with the free memory before allocating any of them. */
int buffer_reserve_all(const struct buffer_demand *demand, int n, const struct backend_ops *ops, struct exec *exec,
                       const char *what, struct err *err);

/* Frees the memory; the buffer is then empty. */
void buffer_release(struct buffer *buffer, const struct backend_ops *ops);

#ifdef __cplusplus
}
#endif
#endif
