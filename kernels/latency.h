/* latency: steps that each need the result of the one before, so that nothing can overlap. This measures how long one
 * operation takes, not how many can be done in a second.
 *
 * Most rungs walk: from place i of `places` they go to place (a i + c) modulo `places`, an order that visits every
 * place once before it repeats (Knuth, volume 2, 3.2.1.2). `register` computes the next place. The others read it from
 * a ring: entries LATENCY_LINE bytes apart, each with the address of the next. No prefetcher can guess the order, and
 * no two entries share a line. Rungs that do not walk repeat one operation, such as a barrier or a launch, and count
 * how often.
 *
 * Rungs that measure how the host waits do wait, unlike all other ops.
 *
 * out[0] is the place where a walk from place 0 ends, or the number of steps. */
#ifndef ISO_LATENCY_H
#define ISO_LATENCY_H

#include "rung.h"

#include "grid.h"

#ifdef __cplusplus
extern "C" {
#endif

struct CUgraphExec_st;

enum { LATENCY_LINE = 128 }; /* bytes */

enum latency_where {
    LATENCY_COUNTS,  /* no walk: the result is the number of steps */
    LATENCY_WALKS,   /* without a ring in backend memory */
    LATENCY_BACKEND, /* with a ring there */
    LATENCY_HOST     /* with a ring in pinned memory of the host */
};

struct latency_desc {
    void *ring;    /* of latency_ring_bytes(); aligned to 256 bytes */
    uint64_t *out; /* backend memory */
    size_t steps;  /* that the rung is to do */
    struct CUgraphExec_st
        *graph; /* CUDA: kept by a rung's prepare() between runs of as many steps; see latency_cuda_close */
};

struct latency_rung {
    struct rung rung;
    int (*run)(const struct latency_desc *desc, struct exec *x);
    int (*prepare)(struct latency_desc *desc, const struct latency_rung *rung, struct exec *x); /* before each run; waits */
    enum latency_where where;
    uint32_t places; /* a power of two; 0: no walk */
    unsigned part;   /* the rung does n / part of the n steps asked for, so that slow ones take no longer */
    double ns;       /* of a step, as its comment predicts for the GPU named there; 0: no prediction */
};

extern const struct latency_rung latency_cpu[], latency_cuda[];

ISO_FN uint32_t latency_next(uint32_t place, uint32_t places) { return (place * 0x2545f491u + 0x3c6ef373u) & (places - 1); }

static inline size_t latency_ring_bytes(const struct latency_rung *rung)
{
    return rung->where >= LATENCY_BACKEND ? (size_t)rung->places * LATENCY_LINE : 0;
}

/* Free what prepare() kept; nothing of it may be running. */
void latency_cuda_close(struct latency_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
