#include "cuda_util.cuh"
#include "launches.h"

#include <stdlib.h>
#include <string.h>

static int attribute(enum cudaDeviceAttr which, int device)
{
    int value = 0;
    (void)clear_error(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

static struct launch_room room_of(int device)
{
    return (struct launch_room){
        .threads = (unsigned)attribute(cudaDevAttrMaxThreadsPerMultiProcessor, device),
        .blocks = (unsigned)attribute(cudaDevAttrMaxBlocksPerMultiprocessor, device),
        .registers = (unsigned)attribute(cudaDevAttrMaxRegistersPerMultiprocessor, device),
        .shared = (size_t)attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, device),
        .reserved = (size_t)attribute(cudaDevAttrReservedSharedMemoryPerBlock, device),
    };
}

static int describe(struct launch *launch, const struct cudaKernelNodeParams *node, const struct launch_room *room)
{
    struct cudaFuncAttributes f = { 0 };
    const char *symbol = NULL;
    int blocks = 0;
    const unsigned threads = node->blockDim.x * node->blockDim.y * node->blockDim.z;
    cudaError_t error = cudaFuncGetAttributes(&f, node->func);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, node->func, (int)threads,
                                                                       node->sharedMemBytes, cudaOccupancyDefault);
    if (error != cudaSuccess) return clear_error(error);
    if (clear_error(kernel_symbol(&symbol, node->func))) symbol = NULL;
    *launch = (struct launch){ .threads = threads,
                               .registers = (unsigned)f.numRegs,
                               .shared = f.sharedSizeBytes + node->sharedMemBytes,
                               .local = f.localSizeBytes,
                               .resident = (unsigned)blocks };
    launch_name(launch->kernel, symbol ? symbol : "?");
    launch->occupancy = room->threads ? 100.0 * blocks * threads / room->threads : 0;
    launch->limit = launch_limit_of(launch, room);
    return 0;
}

static bool is_new(const struct launches *list, const struct launch *launch)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct launch *l = &list->launch[i];
        if (!strcmp(l->kernel, launch->kernel) && l->threads == launch->threads && l->shared == launch->shared &&
            l->registers == launch->registers)
            return false;
    }
    return true;
}

/* Copies, fills and host functions are nodes, too, but launch no kernel of ours. */
static int add_node(struct launches *list, cudaGraphNode_t node, const struct launch_room *room)
{
    enum cudaGraphNodeType type;
    struct cudaKernelNodeParams params;
    struct launch launch;
    int code = clear_error(cudaGraphNodeGetType(node, &type));
    if (code || type != cudaGraphNodeTypeKernel) return code;
    code = clear_error(cudaGraphKernelNodeGetParams(node, &params));
    if (!code) code = describe(&launch, &params, room);
    if (!code && list->count < LAUNCHES && is_new(list, &launch)) list->launch[list->count++] = launch;
    return code;
}

static int list_graph(struct launches *list, cudaGraph_t graph, int device)
{
    const struct launch_room room = room_of(device);
    size_t count = 0;
    int code = clear_error(cudaGraphGetNodes(graph, NULL, &count));
    cudaGraphNode_t *nodes = calloc(count + 1, sizeof(cudaGraphNode_t));
    if (!nodes) return (int)cudaErrorMemoryAllocation;
    if (!code && count) code = clear_error(cudaGraphGetNodes(graph, nodes, &count));
    for (size_t i = 0; i < count && !code; i++) code = add_node(list, nodes[i], &room);
    free(nodes);
    return code;
}

int cuda_launches_begin(struct exec *x)
{
    return clear_error(cudaStreamBeginCapture(x->stream, cudaStreamCaptureModeRelaxed));
}

int cuda_launches_end(struct exec *x, struct launches *out)
{
    cudaGraph_t graph = NULL;
    out->count = 0;
    int code = clear_error(cudaStreamEndCapture(x->stream, &graph));
    if (!code && graph) code = list_graph(out, graph, x->device);
    if (graph) (void)clear_error(cudaGraphDestroy(graph));
    if (code) out->count = 0;
    return code;
}
