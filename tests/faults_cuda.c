/* Wraps the CUDA runtime for isoscope_faults. pretended=KIB in ISO_FAULT simulates a GPU, to test its errors on any
 * machine. */
#include "faults.h"

#include "kernels/fused.h"
#include "kernels/reduce.h"

#include <cuda_runtime_api.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Thread_local cudaError_t last; /* injected error, for cudaGetLastError */

/* ---- a device that is not there: memory is the host's, kernels do nothing, and all surfaces have one triangle ------ */

static size_t pretended_bytes(void)
{
    bool onward;
    return (size_t)fault_asked("pretended", '=', &onward) << 10;
}

static bool is_pretended(void) { return pretended_bytes() != 0; }

static _Atomic size_t taken; /* of them */

static cudaError_t pretend_malloc(void **memory, size_t bytes)
{
    if (bytes > pretended_bytes() - taken) return last = cudaErrorMemoryAllocation;
    size_t *block = calloc(1, bytes + 64); /* the size, then the memory of the caller */
    *block = bytes;
    *memory = (char *)block + 64;
    taken += bytes;
    return cudaSuccess;
}

static void pretend_free(void *memory)
{
    if (!memory) return;
    size_t *block = (size_t *)((char *)memory - 64);
    taken -= *block;
    free(block);
}

/* Device to host: the results of the few kernels that return any. */
static void pretend_copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    static const uint64_t counts[3] = { 3, 1, 1 }; /* vertices, triangles, strips or bricks */
    static const struct summary summary = { .min = 0, .max = 255, .mean = 20, .m2 = 1e7, .count = 32768 };
    enum { BYTE_VALUES = 256, COUNTED = 128 }; /* the histogram of 8 bits, each value so often */
    bool onward;
    if (bytes >= 1 << 20) usleep((useconds_t)(1000 * fault_asked("slow", '=', &onward)));
    memcpy(to, from, bytes);
    if (kind == cudaMemcpyDeviceToHost && bytes == sizeof counts) memcpy(to, counts, bytes);
    if (kind == cudaMemcpyDeviceToHost && bytes == sizeof summary) memcpy(to, &summary, bytes);
    if (kind == cudaMemcpyDeviceToHost && bytes == BYTE_VALUES * sizeof(uint64_t))
        for (size_t i = 0; i < BYTE_VALUES; i++) ((uint64_t *)to)[i] = COUNTED;
}

static void pretend_device(struct cudaDeviceProp *prop)
{
    memset(prop, 0, sizeof *prop);
    strcpy(prop->name, "a pretended GPU");
}

static void pretend_function(struct cudaFuncAttributes *attr)
{
    memset(attr, 0, sizeof *attr);
    attr->ptxVersion = attr->binaryVersion = 90;
}

static char pretended_buffer[1 << 20]; /* an OpenGL buffer mapped by CUDA */

/* ---- the runtime ---------------------------------------------------------------------------------------------------- */

/* Waits for queued work. A lost GPU starts no more host functions, and a wait that fails has still waited:
 * afterwards the program frees what those functions use. */
static void end_queued(bool lost, const char *name)
{
    if (!is_pretended() && (lost || strstr(name, "Synchronize"))) (void)cudaDeviceSynchronize();
}

/* The code that a call must return; cudaSuccess: the real one. */
static cudaError_t fault_of(const char *name)
{
    bool onward = false;
    const bool due = fault_due(FAULT_CUDA), allocates = strstr(name, "Malloc") || strstr(name, "HostAlloc");
    const long lost = fault_asked("lost", ':', &onward), always = fault_asked(name, '=', &onward);
    if (lost && fault_calls(FAULT_CUDA) >= lost) last = cudaErrorLaunchFailure;
    else if (always) last = (cudaError_t)always;
    else if (due) last = allocates ? cudaErrorMemoryAllocation : cudaErrorUnknown;
    else return cudaSuccess;
    end_queued(last == cudaErrorLaunchFailure, name);
    return last;
}

/* effect: the action of the simulated device. Twice, because headers of CUDA 12 rename some functions by macros. */
#define STAND_IN(name, parameters, arguments, effect) STAND_IN_NAMED(name, parameters, arguments, effect)
#define STAND_IN_NAMED(name, parameters, arguments, effect) \
    cudaError_t __wrap_##name parameters;                   \
    cudaError_t __wrap_##name parameters                    \
    {                                                       \
        const cudaError_t code = fault_of(#name);           \
        if (code != cudaSuccess) return code;               \
        if (!is_pretended()) return name arguments;         \
        effect;                                             \
        return cudaSuccess;                                 \
    }

/* What the compiler makes of <<<>>>; before CUDA 12 it is cudaLaunchKernel. */
__attribute__((weak)) cudaError_t __cudaLaunchKernel(void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                                                     cudaStream_t stream);

/* The arguments of a launch, or arguments with an illegal address. */
static void **launch_args(void **args)
{
    static _Atomic long launches;
    static char nonsense[1024];
    static void *astray[16];
    bool onward;
    if (++launches != fault_asked("astray", ':', &onward)) return args;
    memset(nonsense, 0x7f, sizeof nonsense);
    for (int i = 0; i < 16; i++) astray[i] = nonsense;
    return astray;
}

STAND_IN(__cudaLaunchKernel, (void *kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream),
         (kernel, grid, block, launch_args(args), shared, stream), )
STAND_IN(cudaLaunchKernel, (const void *kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream),
         (kernel, grid, block, launch_args(args), shared, stream), )
STAND_IN(cudaCreateTextureObject,
         (cudaTextureObject_t * texture, const struct cudaResourceDesc *resource, const struct cudaTextureDesc *how,
          const struct cudaResourceViewDesc *view),
         (texture, resource, how, view), *texture = 1)
STAND_IN(cudaDestroyTextureObject, (cudaTextureObject_t texture), (texture), )
STAND_IN(cudaDeviceGetAttribute, (int *value, enum cudaDeviceAttr attr, int device), (value, attr, device), *value = 9)
STAND_IN(cudaDeviceGetStreamPriorityRange, (int *lowest, int *highest), (lowest, highest), *lowest = *highest = 0)
STAND_IN(cudaDriverGetVersion, (int *version), (version), *version = CUDART_VERSION)
STAND_IN(cudaEventCreate, (cudaEvent_t * event), (event), *event = malloc(1))
STAND_IN(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), (event, flags), *event = malloc(1))
STAND_IN(cudaEventDestroy, (cudaEvent_t event), (event), free(event))
STAND_IN(cudaEventElapsedTime, (float *ms, cudaEvent_t from, cudaEvent_t to), (ms, from, to), *ms = 1)
STAND_IN(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream), )
STAND_IN(cudaEventSynchronize, (cudaEvent_t event), (event), )
/* Launches of the fused rung, which writes its counts to host memory without a copy. */
static void pretend_fused(void **args)
{
    const struct fused_desc *desc = args[0];
    *desc->counts = (struct fused_counts){ 3, 1, 1, { 3, 1, 1 } }; /* the stages get the same, see pretend_copy() */
}

STAND_IN(cudaLaunchKernelExC, (const cudaLaunchConfig_t *config, const void *kernel, void **args),
         (config, kernel, launch_args(args)), pretend_fused(args))
STAND_IN(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t function, void *argument), (stream, function, argument),
         function(argument))
STAND_IN(cudaFree, (void *memory), (memory), pretend_free(memory))
STAND_IN(cudaFreeArray, (cudaArray_t array), (array), free(array))
STAND_IN(cudaFreeHost, (void *memory), (memory), free(memory))
STAND_IN(cudaFuncGetAttributes, (struct cudaFuncAttributes * attr, const void *function), (attr, function),
         pretend_function(attr))
#if CUDART_VERSION >= 12030
STAND_IN(cudaFuncGetName, (const char **name, const void *function), (name, function), *name = "_Z7pretendPf")
#endif
STAND_IN(cudaFuncSetAttribute, (const void *function, enum cudaFuncAttribute attr, int value), (function, attr, value), )
STAND_IN(cudaGetDevice, (int *device), (device), *device = 0)
STAND_IN(cudaGetDeviceCount, (int *count), (count), *count = 1)
STAND_IN(cudaGetDeviceProperties, (struct cudaDeviceProp * prop, int device), (prop, device), pretend_device(prop))
/* A recorded graph, of one kernel. */
static void pretend_node(struct cudaKernelNodeParams *params)
{
    memset(params, 0, sizeof *params);
    params->blockDim = (dim3){ 64, 2, 1 };
}

/* What the launches of fused in a graph get. */
static const struct fused_desc *graph_desc(const struct cudaKernelNodeParams *params)
{
    static struct fused_desc desc;
    if (params) desc = *(const struct fused_desc *)params->kernelParams[0];
    return &desc;
}

/* That of `latency` has none of them. */
static void pretend_graph(void)
{
    const struct fused_desc *const desc = graph_desc(NULL);
    if (desc->counts) pretend_fused((void *[]){ (void *)desc });
}

#if CUDART_VERSION >= 13000
STAND_IN(cudaGraphAddDependencies,
         (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
          size_t count),
         (graph, from, to, edges, count), )
#elif CUDART_VERSION >= 12030
STAND_IN(cudaGraphAddDependencies_v2,
         (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
          size_t count),
         (graph, from, to, edges, count), )
#else
STAND_IN(cudaGraphAddDependencies,
         (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count),
         (graph, from, to, count), )
#endif
STAND_IN(cudaGraphAddKernelNode,
         (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
          const struct cudaKernelNodeParams *params),
         (node, graph, after, count, params), *node = NULL)
STAND_IN(cudaGraphCreate, (cudaGraph_t * graph, unsigned flags), (graph, flags), *graph = malloc(1))
STAND_IN(cudaGraphDestroy, (cudaGraph_t graph), (graph), free(graph))
STAND_IN(cudaGraphExecDestroy, (cudaGraphExec_t graph), (graph), free(graph))
STAND_IN(cudaGraphExecKernelNodeSetParams,
         (cudaGraphExec_t graph, cudaGraphNode_t node, const struct cudaKernelNodeParams *params), (graph, node, params),
         (void)graph_desc(params))
STAND_IN(cudaGraphGetNodes, (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count), (graph, nodes, count), *count = 1;
         if (nodes) nodes[0] = NULL)
STAND_IN(cudaGraphInstantiateWithFlags, (cudaGraphExec_t * executable, cudaGraph_t graph, unsigned long long flags),
         (executable, graph, flags), *executable = malloc(1))
STAND_IN(cudaGraphKernelNodeGetParams, (cudaGraphNode_t node, struct cudaKernelNodeParams *params), (node, params),
         pretend_node(params))
STAND_IN(cudaGraphLaunch, (cudaGraphExec_t graph, cudaStream_t stream), (graph, stream), pretend_graph())
STAND_IN(cudaGraphNodeGetType, (cudaGraphNode_t node, enum cudaGraphNodeType *type), (node, type),
         *type = cudaGraphNodeTypeKernel)
STAND_IN(cudaHostAlloc, (void **memory, size_t bytes, unsigned flags), (memory, bytes, flags), *memory = calloc(1, bytes))
STAND_IN(cudaMalloc, (void **memory, size_t bytes), (memory, bytes), return pretend_malloc(memory, bytes))
STAND_IN(cudaMallocHost, (void **memory, size_t bytes), (memory, bytes), *memory = calloc(1, bytes))
STAND_IN(cudaMalloc3DArray,
         (cudaArray_t * array, const struct cudaChannelFormatDesc *format, struct cudaExtent size, unsigned flags),
         (array, format, size, flags), *array = malloc(1))
STAND_IN(cudaMallocManaged, (void **memory, size_t bytes, unsigned flags), (memory, bytes, flags),
         return pretend_malloc(memory, bytes))
STAND_IN(cudaMemGetInfo, (size_t * unused, size_t *total), (unused, total), *total = pretended_bytes();
         *unused = *total - taken)
STAND_IN(cudaMemcpyAsync, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream),
         (to, from, bytes, kind, stream), pretend_copy(to, from, bytes, kind))
#if CUDART_VERSION >= 13000
STAND_IN(cudaMemAdvise, (const void *memory, size_t bytes, enum cudaMemoryAdvise advice, struct cudaMemLocation place),
         (memory, bytes, advice, place), )
STAND_IN(cudaMemPrefetchAsync,
         (const void *memory, size_t bytes, struct cudaMemLocation to, unsigned flags, cudaStream_t stream),
         (memory, bytes, to, flags, stream), )
#else
STAND_IN(cudaMemAdvise, (const void *memory, size_t bytes, enum cudaMemoryAdvise advice, int place),
         (memory, bytes, advice, place), )
STAND_IN(cudaMemPrefetchAsync, (const void *memory, size_t bytes, int to, cudaStream_t stream),
         (memory, bytes, to, stream), )
#endif
STAND_IN(cudaMemcpyToSymbolAsync,
         (const void *symbol, const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream),
         (symbol, from, bytes, offset, kind, stream), )
STAND_IN(cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *copy, cudaStream_t stream), (copy, stream), )
STAND_IN(cudaMemsetAsync, (void *memory, int byte, size_t bytes, cudaStream_t stream), (memory, byte, bytes, stream),
         memset(memory, byte, bytes))
STAND_IN(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
         (int *blocks, const void *function, int threads, size_t shared, unsigned flags),
         (blocks, function, threads, shared, flags), *blocks = 1)
STAND_IN(cudaSetDevice, (int device), (device), )
STAND_IN(cudaSetDeviceFlags, (unsigned flags), (flags), )
STAND_IN(cudaStreamBeginCapture, (cudaStream_t stream, enum cudaStreamCaptureMode mode), (stream, mode), )
STAND_IN(cudaStreamCreateWithPriority, (cudaStream_t * stream, unsigned flags, int priority), (stream, flags, priority),
         *stream = malloc(1))
STAND_IN(cudaStreamDestroy, (cudaStream_t stream), (stream), free(stream))
STAND_IN(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t *graph), (stream, graph), *graph = malloc(1))
STAND_IN(cudaStreamIsCapturing, (cudaStream_t stream, enum cudaStreamCaptureStatus *status), (stream, status),
         *status = cudaStreamCaptureStatusNone)
STAND_IN(cudaStreamSynchronize, (cudaStream_t stream), (stream), )
STAND_IN(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags), (stream, event, flags), )

/* Declared here, because their header needs OpenGL's, which a build without the window may lack. */
cudaError_t cudaGLGetDevices(unsigned *count, int *devices, unsigned capacity, unsigned list);
cudaError_t cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource **resource, unsigned buffer, unsigned flags);

STAND_IN(cudaGLGetDevices, (unsigned *count, int *devices, unsigned capacity, unsigned list),
         (count, devices, capacity, list), *count = 1;
         *devices = 0)
STAND_IN(cudaGraphicsGLRegisterBuffer, (struct cudaGraphicsResource * *resource, unsigned buffer, unsigned flags),
         (resource, buffer, flags), *resource = malloc(1))
STAND_IN(cudaGraphicsMapResources, (int count, cudaGraphicsResource_t *resource, cudaStream_t stream),
         (count, resource, stream), )
STAND_IN(cudaGraphicsResourceGetMappedPointer, (void **memory, size_t *bytes, cudaGraphicsResource_t resource),
         (memory, bytes, resource), *memory = pretended_buffer;
         *bytes = sizeof pretended_buffer)
STAND_IN(cudaGraphicsResourceSetMapFlags, (cudaGraphicsResource_t resource, unsigned flags), (resource, flags), )
STAND_IN(cudaGraphicsUnmapResources, (int count, cudaGraphicsResource_t *resource, cudaStream_t stream),
         (count, resource, stream), )
STAND_IN(cudaGraphicsUnregisterResource, (cudaGraphicsResource_t resource), (resource), free(resource))

cudaError_t __wrap_cudaGetLastError(void);
cudaError_t __wrap_cudaPeekAtLastError(void);

cudaError_t __wrap_cudaGetLastError(void)
{
    const cudaError_t code = __wrap_cudaPeekAtLastError();
    if (!is_pretended()) (void)cudaGetLastError();
    last = cudaSuccess;
    return code;
}

cudaError_t __wrap_cudaPeekAtLastError(void)
{
    bool onward;
    const long lost = fault_asked("lost", ':', &onward);
    if (lost && fault_calls(FAULT_CUDA) >= lost) return cudaErrorLaunchFailure; /* permanent, as on a real GPU */
    return last != cudaSuccess || is_pretended() ? last : cudaPeekAtLastError();
}
