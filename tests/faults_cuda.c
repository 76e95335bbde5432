/* Links in front of the CUDA runtime, for isoscope_faults. */
#include "faults.h"

#include <cuda_runtime_api.h>
#include <cuda_gl_interop.h>

#include <string.h>

static _Thread_local cudaError_t last; /* that this file made up, for cudaGetLastError */

/* What a call of the function is to return; cudaSuccess: what it does. */
static cudaError_t fault_of(const char *name)
{
    bool onward = false;
    const bool due = fault_due(FAULT_CUDA), allocates = !strcmp(name, "cudaMalloc") || !strcmp(name, "cudaHostAlloc");
    const long lost = fault_asked("lost", ':', &onward), always = fault_asked(name, '=', &onward);
    if (lost && fault_calls(FAULT_CUDA) >= lost) last = cudaErrorLaunchFailure;
    else if (always) last = (cudaError_t)always;
    else if (due) last = allocates ? cudaErrorMemoryAllocation : cudaErrorUnknown;
    else return cudaSuccess;
    return last;
}

#define STAND_IN(name, parameters, arguments)            \
    cudaError_t __wrap_##name parameters;                \
    cudaError_t __wrap_##name parameters                 \
    {                                                    \
        const cudaError_t code = fault_of(#name);        \
        return code != cudaSuccess ? code : name arguments; \
    }

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream);

STAND_IN(__cudaLaunchKernel, (cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream),
         (kernel, grid, block, args, shared, stream))
STAND_IN(cudaDeviceGetAttribute, (int *value, enum cudaDeviceAttr attr, int device), (value, attr, device))
STAND_IN(cudaEventCreate, (cudaEvent_t *event), (event))
STAND_IN(cudaEventCreateWithFlags, (cudaEvent_t *event, unsigned flags), (event, flags))
STAND_IN(cudaEventDestroy, (cudaEvent_t event), (event))
STAND_IN(cudaEventElapsedTime, (float *ms, cudaEvent_t from, cudaEvent_t to), (ms, from, to))
STAND_IN(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
STAND_IN(cudaEventSynchronize, (cudaEvent_t event), (event))
STAND_IN(cudaFree, (void *memory), (memory))
STAND_IN(cudaFreeHost, (void *memory), (memory))
STAND_IN(cudaFuncGetAttributes, (struct cudaFuncAttributes *attr, const void *function), (attr, function))
STAND_IN(cudaGetDevice, (int *device), (device))
STAND_IN(cudaGetDeviceCount, (int *count), (count))
STAND_IN(cudaGetDeviceProperties, (struct cudaDeviceProp *prop, int device), (prop, device))
STAND_IN(cudaHostAlloc, (void **memory, size_t bytes, unsigned flags), (memory, bytes, flags))
STAND_IN(cudaMalloc, (void **memory, size_t bytes), (memory, bytes))
STAND_IN(cudaMemGetInfo, (size_t *unused, size_t *total), (unused, total))
STAND_IN(cudaMemcpyAsync, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream),
         (to, from, bytes, kind, stream))
STAND_IN(cudaMemsetAsync, (void *memory, int byte, size_t bytes, cudaStream_t stream), (memory, byte, bytes, stream))
STAND_IN(cudaSetDevice, (int device), (device))
STAND_IN(cudaStreamCreateWithFlags, (cudaStream_t *stream, unsigned flags), (stream, flags))
STAND_IN(cudaStreamDestroy, (cudaStream_t stream), (stream))
STAND_IN(cudaStreamSynchronize, (cudaStream_t stream), (stream))

STAND_IN(cudaGLGetDevices, (unsigned *count, int *devices, unsigned room, enum cudaGLDeviceList list),
         (count, devices, room, list))
STAND_IN(cudaGraphicsGLRegisterBuffer, (struct cudaGraphicsResource **resource, GLuint buffer, unsigned flags),
         (resource, buffer, flags))
STAND_IN(cudaGraphicsMapResources, (int count, cudaGraphicsResource_t *resource, cudaStream_t stream),
         (count, resource, stream))
STAND_IN(cudaGraphicsResourceGetMappedPointer, (void **memory, size_t *bytes, cudaGraphicsResource_t resource),
         (memory, bytes, resource))
STAND_IN(cudaGraphicsUnmapResources, (int count, cudaGraphicsResource_t *resource, cudaStream_t stream),
         (count, resource, stream))
STAND_IN(cudaGraphicsUnregisterResource, (cudaGraphicsResource_t resource), (resource))

cudaError_t __wrap_cudaGetLastError(void);
cudaError_t __wrap_cudaPeekAtLastError(void);

cudaError_t __wrap_cudaGetLastError(void)
{
    const cudaError_t code = __wrap_cudaPeekAtLastError();
    (void)cudaGetLastError();
    last = cudaSuccess;
    return code;
}

cudaError_t __wrap_cudaPeekAtLastError(void)
{
    bool onward;
    const long lost = fault_asked("lost", ':', &onward);
    if (lost && fault_calls(FAULT_CUDA) >= lost) return cudaErrorLaunchFailure; /* it sticks */
    return last != cudaSuccess ? last : cudaPeekAtLastError();
}
