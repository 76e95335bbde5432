/* Kernels as a CUDA graph; contract in launch_chain.h. */
#include "launch_chain.h"

#include "cuda_util.cuh"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The graph for one number of links. */
struct launch_chain {
    bool tried;            /* to make the graph */
    cudaGraph_t graph;     /* kept, because updates of `ready` refer to its nodes */
    cudaGraphExec_t ready; /* NULL: there can be none */
    cudaGraphNode_t node[CHAIN_LINKS];
    struct chain_link link[CHAIN_LINKS]; /* that `ready` has */
    char argument[CHAIN_BYTES];
    size_t bytes; /* of it; 0: unknown */
};

/* Whether the GPU lets a kernel begin before the previous one has ended. */
static bool begins_early(const struct exec *x) { return x->capability >= 90; }

/* ---- one by one ------------------------------------------------------------------------------------------------------ */

static cudaError_t launch_one(const struct chain_link *link, void *argument, bool early, const struct exec *x)
{
    void *arguments[] = { argument };
    const dim3 blocks = { link->blocks, 1, 1 }, threads = { link->threads, 1, 1 };
    if (!early) return cudaLaunchKernel(link->kernel, blocks, threads, arguments, 0, x->stream); /* every driver has it */
    cudaLaunchAttribute attribute = { .id = cudaLaunchAttributeProgrammaticStreamSerialization };
    attribute.val.programmaticStreamSerializationAllowed = 1;
    const cudaLaunchConfig_t config = {
        .gridDim = blocks, .blockDim = threads, .stream = x->stream, .attrs = &attribute, .numAttrs = 1
    };
    return cudaLaunchKernelExC(&config, link->kernel, arguments);
}

static cudaError_t launch_each(const struct chain_link *link, unsigned links, void *argument, const struct exec *x)
{
    cudaError_t error = cudaSuccess;
    for (unsigned i = 0; i < links && error == cudaSuccess; i++)
        error = launch_one(&link[i], argument, i > 0 && begins_early(x), x);
    return error;
}

/* ---- as a graph ------------------------------------------------------------------------------------------------------ */

static struct cudaKernelNodeParams params_of(const struct chain_link *link, void **arguments)
{
    return (struct cudaKernelNodeParams){ .func = (void *)link->kernel,
                                          .gridDim = { link->blocks, 1, 1 },
                                          .blockDim = { link->threads, 1, 1 },
                                          .kernelParams = arguments };
}

static cudaError_t add_nodes(struct launch_chain *c, const struct chain_link *link, unsigned links, void *argument,
                             bool early)
{
    cudaError_t error = cudaGraphCreate(&c->graph, 0);
    for (unsigned i = 0; i < links && error == cudaSuccess; i++) {
        const struct cudaKernelNodeParams params = params_of(&link[i], (void *[]){ argument });
        error = cudaGraphAddKernelNode(&c->node[i], c->graph, NULL, 0, &params);
        if (i && error == cudaSuccess) error = graph_order(c->graph, c->node[i - 1], c->node[i], early);
    }
    return error;
}

/* If the graph cannot be made, that is no error: the GPU may have no memory left for it, or the driver may be older
 * than the toolkit. */
static void make_once(struct launch_chain *c, const struct chain_link *link, unsigned links, void *argument,
                      const struct exec *x)
{
    if (c->tried) return;
    c->tried = true;
    cudaError_t error = add_nodes(c, link, links, argument, begins_early(x));
    if (error == cudaSuccess) error = cudaGraphInstantiateWithFlags(&c->ready, c->graph, 0);
    if (clear_error(error)) c->ready = NULL;
}

/* Whether calls are being recorded instead of run; then the kernels must be visible one by one. */
static bool is_recorded(const struct exec *x)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    return clear_error(cudaStreamIsCapturing(x->stream, &status)) || status != cudaStreamCaptureStatusNone;
}

/* Sets whatever differs from the previous call. */
static cudaError_t update(struct launch_chain *c, const struct chain_link *link, unsigned links, void *argument,
                          size_t bytes)
{
    const bool same = c->bytes == bytes && !memcmp(c->argument, argument, bytes);
    if (same && !memcmp(c->link, link, links * sizeof *link)) return cudaSuccess;
    cudaError_t error = cudaSuccess;
    for (unsigned i = 0; i < links && error == cudaSuccess; i++) {
        const struct cudaKernelNodeParams params = params_of(&link[i], (void *[]){ argument });
        error = cudaGraphExecKernelNodeSetParams(c->ready, c->node[i], &params);
    }
    memcpy(c->link, link, links * sizeof *link);
    memcpy(c->argument, argument, bytes);
    c->bytes = error == cudaSuccess ? bytes : 0; /* after an error, some nodes may have changed */
    return error;
}

/* Returns the graph for a number of links; NULL if there can be none. */
static struct launch_chain *chain_of(const struct chain_link *link, unsigned links, void *argument, struct exec *x)
{
    if (!x->chain && !(x->chain = calloc(CHAIN_LINKS, sizeof *x->chain))) return NULL;
    struct launch_chain *c = &x->chain[links - 1];
    make_once(c, link, links, argument, x);
    return c->ready ? c : NULL;
}

int launch_chain_run(const struct chain_link *link, unsigned links, void *argument, size_t bytes, struct exec *x)
{
    assert(links && links <= CHAIN_LINKS && bytes && bytes <= CHAIN_BYTES);
    const bool graphs = CUDA_GRAPHS_BEGIN_EARLY && !is_recorded(x);
    struct launch_chain *c = graphs ? chain_of(link, links, argument, x) : NULL;
    if (!c) return clear_error(launch_each(link, links, argument, x));
    const cudaError_t error = update(c, link, links, argument, bytes);
    return clear_error(error == cudaSuccess ? cudaGraphLaunch(c->ready, x->stream) : error);
}

void launch_chain_close(struct exec *x)
{
    if (!x->chain) return;
    for (struct launch_chain *c = x->chain; c < x->chain + CHAIN_LINKS; c++) {
        if (c->ready) (void)clear_error(cudaGraphExecDestroy(c->ready));
        if (c->graph) (void)clear_error(cudaGraphDestroy(c->graph));
    }
    free(x->chain);
    x->chain = NULL;
}
