/* CUDA -> OpenGL. Shared buffers need OpenGL and CUDA to run on the same card; where they do not (software OpenGL, a
 * second card, WSL), registering fails and the mesh is copied through the host instead. */
#include "mesh_cuda.h"

#include "kernels/cuda_util.cuh"

#include <GL/glew.h>

#include <cuda_runtime_api.h>
#include <cuda_gl_interop.h>

#include <stdlib.h>
#include <string.h>

#define PINNED_BYTES ((size_t)16 << 20) /* one of two: large enough for full PCIe speed, small enough to pin at once */

struct mesh_cuda {
    cudaStream_t stream;
    bool shared;
    bool reads;                                          /* what is mapped is read */
    unsigned buffer[MESH_BUFFERS];                       /* OpenGL's names; borrowed */
    struct cudaGraphicsResource *resource[MESH_BUFFERS]; /* shared */
    void *device[MESH_BUFFERS];                          /* staged */
    void *pinned[2];                                     /* staged; one fills while OpenGL takes the other */
    cudaEvent_t filled[2];
};

int mesh_cuda_device(void)
{
    unsigned count = 0;
    int device = -1;
    const int code = clear_error(cudaGLGetDevices(&count, &device, 1, cudaGLDeviceListAll));
    return !code && count ? device : -1;
}

static int attach_shared(struct mesh_cuda *cuda)
{
    for (int i = 0; i < MESH_BUFFERS; i++) {
        cudaError_t code = cudaGraphicsGLRegisterBuffer(&cuda->resource[i], cuda->buffer[i], cudaGraphicsRegisterFlagsNone);
        if (code == cudaSuccess)
            code = cudaGraphicsResourceSetMapFlags(cuda->resource[i], cudaGraphicsMapFlagsWriteDiscard);
        if (code != cudaSuccess) return clear_error(code);
    }
    return 0;
}

static int attach_staged(struct mesh_cuda *cuda, const uint64_t bytes[MESH_BUFFERS])
{
    cudaError_t code = cudaSuccess;
    for (int i = 0; i < MESH_BUFFERS && code == cudaSuccess; i++) code = cudaMalloc(&cuda->device[i], bytes[i]);
    for (int i = 0; i < 2 && code == cudaSuccess; i++) {
        code = cudaHostAlloc(&cuda->pinned[i], PINNED_BYTES, cudaHostAllocDefault);
        if (code == cudaSuccess) code = cudaEventCreateWithFlags(&cuda->filled[i], cudaEventDisableTiming);
    }
    return clear_error(code);
}

int mesh_cuda_open(struct mesh_cuda **cuda, const struct exec *exec, bool shared, const unsigned buffer[MESH_BUFFERS],
                   const uint64_t bytes[MESH_BUFFERS])
{
    struct mesh_cuda *made = calloc(1, sizeof *made);
    *cuda = NULL;
    if (!made) return (int)cudaErrorMemoryAllocation;
    made->stream = exec->stream;
    made->shared = shared;
    memcpy(made->buffer, buffer, sizeof made->buffer);
    const int code = shared ? attach_shared(made) : attach_staged(made, bytes);
    if (code) {
        mesh_cuda_close(made);
        return code;
    }
    *cuda = made;
    return 0;
}

/* After CUDA has broken down all of this fails, and is none the worse for it. */
void mesh_cuda_close(struct mesh_cuda *cuda)
{
    if (!cuda) return;
    for (int i = 0; i < MESH_BUFFERS; i++) {
        if (cuda->resource[i]) clear_error(cudaGraphicsUnregisterResource(cuda->resource[i]));
        clear_error(cudaFree(cuda->device[i]));
    }
    for (int i = 0; i < 2; i++) {
        if (cuda->pinned[i]) clear_error(cudaFreeHost(cuda->pinned[i]));
        if (cuda->filled[i]) clear_error(cudaEventDestroy(cuda->filled[i]));
    }
    free(cuda);
}

int mesh_cuda_map(struct mesh_cuda *cuda, void *memory[MESH_BUFFERS])
{
    if (!cuda->shared) {
        memcpy(memory, cuda->device, sizeof cuda->device);
        return 0;
    }
    cudaError_t code = cudaGraphicsMapResources(MESH_BUFFERS, cuda->resource, cuda->stream);
    if (code != cudaSuccess) return clear_error(code);
    for (int i = 0; i < MESH_BUFFERS && code == cudaSuccess; i++) {
        size_t bytes;
        code = cudaGraphicsResourceGetMappedPointer(&memory[i], &bytes, cuda->resource[i]);
    }
    if (code != cudaSuccess) cudaGraphicsUnmapResources(MESH_BUFFERS, cuda->resource, cuda->stream);
    return clear_error(code);
}

/* What is registered is mapped to be written, as a rule: each value does that, and so pays for no other call. */
static int expect(struct mesh_cuda *cuda, unsigned flags)
{
    cudaError_t code = cudaSuccess;
    for (int i = 0; i < MESH_BUFFERS && code == cudaSuccess; i++)
        code = cudaGraphicsResourceSetMapFlags(cuda->resource[i], flags);
    return clear_error(code);
}

int mesh_cuda_map_to_read(struct mesh_cuda *cuda, void *memory[MESH_BUFFERS])
{
    if (!cuda->shared) return mesh_cuda_map(cuda, memory);
    int code = expect(cuda, cudaGraphicsMapFlagsReadOnly);
    if (!code) code = mesh_cuda_map(cuda, memory);
    if (code) (void)expect(cuda, cudaGraphicsMapFlagsWriteDiscard); /* the next one may be to write */
    cuda->reads = !code;
    return code;
}

/* Device buffer -> OpenGL buffer, a pinned piece at a time: while OpenGL takes one, CUDA fills the other. */
static int copy_through_host(struct mesh_cuda *cuda, int which, uint64_t bytes)
{
    const uint64_t pieces = (bytes + PINNED_BYTES - 1) / PINNED_BYTES;
    cudaError_t code = cudaSuccess;
    for (uint64_t piece = 0; piece <= pieces && code == cudaSuccess; piece++) {
        if (piece < pieces) {
            const uint64_t at = piece * PINNED_BYTES, size = bytes - at < PINNED_BYTES ? bytes - at : PINNED_BYTES;
            code = cudaMemcpyAsync(cuda->pinned[piece % 2], (const char *)cuda->device[which] + at, size,
                                   cudaMemcpyDeviceToHost, cuda->stream);
            if (code == cudaSuccess) code = cudaEventRecord(cuda->filled[piece % 2], cuda->stream);
        }
        if (piece > 0 && code == cudaSuccess) {
            const uint64_t last = piece - 1, at = last * PINNED_BYTES;
            const uint64_t size = bytes - at < PINNED_BYTES ? bytes - at : PINNED_BYTES;
            code = cudaEventSynchronize(cuda->filled[last % 2]);
            if (code == cudaSuccess)
                glNamedBufferSubData(cuda->buffer[which], (GLintptr)at, (GLsizeiptr)size, cuda->pinned[last % 2]);
        }
    }
    return clear_error(code);
}

int mesh_cuda_unmap(struct mesh_cuda *cuda, const uint64_t bytes[MESH_BUFFERS])
{
    int code = 0;
    if (cuda->shared) {
        code = clear_error(cudaGraphicsUnmapResources(MESH_BUFFERS, cuda->resource, cuda->stream));
        if (cuda->reads && !code) code = expect(cuda, cudaGraphicsMapFlagsWriteDiscard);
        cuda->reads = false;
        return code;
    }
    for (int i = 0; i < MESH_BUFFERS && !code; i++) code = copy_through_host(cuda, i, bytes[i]);
    return code;
}

const char *mesh_cuda_explain(int code) { return cudaGetErrorString((cudaError_t)code); }

bool mesh_cuda_is_memory(int code) { return code == (int)cudaErrorMemoryAllocation; }
