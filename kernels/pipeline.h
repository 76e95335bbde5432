/* pipeline: n numbers from the host's memory to the GPU, through PIPELINE_TURNS steps of arithmetic there, and back.
 * CUDA only: a CPU needs no copies to reach its numbers.
 *
 * A GPU has three parts that can work at the same time: one copy engine for each direction of the bus, and the
 * multiprocessors. They do so only if the GPU knows which pieces of work are independent. Work on one stream runs in
 * order; streams wait for each other only through events. All rungs queue the same copies and kernels, in pieces of
 * PIPELINE_CHUNK numbers. They differ in which stream gets what, and in which order.
 *
 * Ops never allocate, so the caller provides the lanes and pinned host memory; without pinned memory a copy cannot run
 * beside other work. At the end, the exec's stream waits for all lanes. */
#ifndef ISO_PIPELINE_H
#define ISO_PIPELINE_H

#include "rung.h"

#include "grid.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PIPELINE_TURNS = 512,     /* so that the kernel takes about half as long as a copy */
    PIPELINE_CHUNK = 1 << 20, /* numbers: 4 MiB, 0.08 ms of a bus of 55 GB/s */
    PIPELINE_LANES = 8,
    PIPELINE_SLOTS = 3, /* chunks that the rung `three` has in backend memory */
};

struct pipeline_lanes {
    struct CUstream_st *lane[PIPELINE_LANES], *urgent[PIPELINE_LANES]; /* of the lowest and the highest priority */
    struct CUevent_st *begin, *end[PIPELINE_LANES];
    struct CUevent_st *arrived[PIPELINE_SLOTS], *done[PIPELINE_SLOTS], *left[PIPELINE_SLOTS];
};

struct pipeline_desc {
    const uint32_t *from; /* pinned, as `to`; both must stay until the stream is done, and do not overlap */
    uint32_t *to;
    size_t n;
    struct pipeline_lanes *lanes; /* for one run at a time */
};

struct pipeline_rung {
    struct rung rung;
    int (*run)(const struct pipeline_desc *desc, void *scratch, struct exec *x);
    size_t (*scratch)(size_t n); /* bytes, 256-byte aligned */
};

extern const struct pipeline_rung pipeline_cpu[], pipeline_cuda[];

/* Return the CUDA backend's codes. */
int pipeline_cuda_open(struct pipeline_lanes *lanes);
void pipeline_cuda_close(struct pipeline_lanes *lanes); /* waits for their queued work */

ISO_FN uint32_t pipeline_result(uint32_t v)
{
    for (unsigned t = 0; t < PIPELINE_TURNS; t++) v = (v ^ 0x9e3779b9u) * 0x2545f491u;
    return v;
}

#ifdef __cplusplus
}
#endif
#endif
