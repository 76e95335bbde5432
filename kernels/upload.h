/* upload: n 32-bit words from the host to the backend's memory, the bytes of each swapped: a file of the other byte order
 * on its way to the GPU. The swap is done by the backend, so that there is work which copies can hide.
 *
 * Ops never allocate, so the caller hands in host memory of the kind that the rung wants, and where the rung wants lanes,
 * streams to copy on beside the exec's own. The words have arrived when the exec's stream has. */
#ifndef ISO_UPLOAD_H
#define ISO_UPLOAD_H

#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

enum upload_memory { UPLOAD_PAGEABLE, UPLOAD_PINNED, UPLOAD_MANAGED, UPLOAD_MEMORIES };
enum { UPLOAD_LANES = 4 };

struct upload_lanes {
    struct CUstream_st *stream[UPLOAD_LANES];
    struct CUevent_st *begin, *end[UPLOAD_LANES];
};

struct upload_desc {
    const uint32_t *from; /* host memory of the kind that the rung wants; must stay as it is until the stream is done */
    uint32_t *to;         /* backend memory; does not overlap */
    size_t n;
    const struct upload_lanes *lanes;
};

struct upload_rung {
    struct rung rung;
    int (*run)(const struct upload_desc *desc, struct exec *x);
    enum upload_memory memory; /* that `from` has to be; the CPU takes any */
};

extern const struct upload_rung upload_cpu[], upload_cuda[];

/* Host memory and lanes for the CUDA rungs, from and for the caller. Return the CUDA backend's codes. */
int upload_cuda_alloc(void **memory, size_t bytes, enum upload_memory kind);
void upload_cuda_free(void *memory, enum upload_memory kind);
int upload_cuda_open(struct upload_lanes *lanes);
void upload_cuda_close(struct upload_lanes *lanes);
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
