/* CUDA -> OpenGL. Shared buffers need OpenGL and CUDA on the same card. Otherwise (software OpenGL, a second card, WSL)
 * registering fails, and the mesh is copied through the host. */
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
    unsigned buffer[MESH_BUFFERS];                       /* OpenGL's names; borrowed */
    struct cudaGraphicsResource *resource[MESH_BUFFERS]; /* shared */
    unsigned flags;                                      /* map flags of all: how CUDA uses them */
    bool mapped, used, keeps;                            /* shared; used: between map and unmap */
    struct mesh_cuda *next;                              /* list of those that CUDA keeps */
    void *device[MESH_BUFFERS];                          /* staged; shared: only while mapped */
    void *pinned[2];                                     /* staged; one fills while OpenGL takes the other */
    cudaEvent_t filled[2];
};

/* The meshes that CUDA keeps. One list is enough, because a process has one OpenGL context. */
static struct mesh_cuda *kept;

int mesh_cuda_device(void)
{
    unsigned count = 0;
    int device = -1;
    const int code = clear_error(cudaGLGetDevices(&count, &device, 1, cudaGLDeviceListAll));
    return !code && count ? device : -1;
}

static int set_flags(struct mesh_cuda *cuda, unsigned flags)
{
    cudaError_t code = cudaSuccess;
    if (cuda->flags == flags) return 0;
    for (int i = 0; i < MESH_BUFFERS && code == cudaSuccess; i++)
        code = cudaGraphicsResourceSetMapFlags(cuda->resource[i], flags);
    if (code == cudaSuccess) cuda->flags = flags; /* else some may have the old ones: the next call sets them again */
    return clear_error(code);
}

static int attach_shared(struct mesh_cuda *cuda)
{
    for (int i = 0; i < MESH_BUFFERS; i++) {
        const cudaError_t code = cudaGraphicsGLRegisterBuffer(&cuda->resource[i], cuda->buffer[i],
                                                              cudaGraphicsRegisterFlagsNone);
        if (code != cudaSuccess) return clear_error(code);
    }
    return set_flags(cuda, cudaGraphicsMapFlagsWriteDiscard);
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

/* ---- shared -------------------------------------------------------------------------------------------------------- */

/* Buffers that CUDA keeps are written and read. Others are written for each value, and change flags only to be read. */
static int map_shared(struct mesh_cuda *cuda, unsigned flags)
{
    cudaError_t code;
    if (cuda->mapped) return 0;
    const int refused = set_flags(cuda, cuda->keeps ? (unsigned)cudaGraphicsMapFlagsNone : flags);
    if (refused) return refused;
    code = cudaGraphicsMapResources(MESH_BUFFERS, cuda->resource, cuda->stream);
    if (code != cudaSuccess) return clear_error(code);
    for (int i = 0; i < MESH_BUFFERS && code == cudaSuccess; i++) {
        size_t bytes;
        code = cudaGraphicsResourceGetMappedPointer(&cuda->device[i], &bytes, cuda->resource[i]);
    }
    if (code != cudaSuccess) (void)cudaGraphicsUnmapResources(MESH_BUFFERS, cuda->resource, cuda->stream);
    cuda->mapped = code == cudaSuccess;
    return clear_error(code);
}

static int unmap_shared(struct mesh_cuda *cuda)
{
    if (!cuda->mapped) return 0;
    cuda->mapped = false;
    return clear_error(cudaGraphicsUnmapResources(MESH_BUFFERS, cuda->resource, cuda->stream));
}

void mesh_cuda_keep(struct mesh_cuda *cuda)
{
    if (!cuda->shared || cuda->keeps) return;
    cuda->keeps = true;
    cuda->next = kept;
    kept = cuda;
}

/* Ignores errors: the next call reports them. */
static void let_go(struct mesh_cuda *cuda)
{
    struct mesh_cuda **at = &kept;
    while (*at != cuda) at = &(*at)->next;
    *at = cuda->next;
    cuda->keeps = false;
    if (!cuda->used) (void)unmap_shared(cuda);
}

void mesh_cuda_let_go(void)
{
    while (kept) let_go(kept);
}

/* ---- both ---------------------------------------------------------------------------------------------------------- */

/* If CUDA has broken down, all of this fails, which does no harm. */
void mesh_cuda_close(struct mesh_cuda *cuda)
{
    if (!cuda) return;
    cuda->used = false;
    if (cuda->keeps) let_go(cuda);
    for (int i = 0; i < MESH_BUFFERS; i++) {
        if (cuda->resource[i]) clear_error(cudaGraphicsUnregisterResource(cuda->resource[i]));
        if (!cuda->shared) clear_error(cudaFree(cuda->device[i]));
    }
    for (int i = 0; i < 2; i++) {
        if (cuda->pinned[i]) clear_error(cudaFreeHost(cuda->pinned[i]));
        if (cuda->filled[i]) clear_error(cudaEventDestroy(cuda->filled[i]));
    }
    free(cuda);
}

static int map(struct mesh_cuda *cuda, unsigned flags, void *memory[MESH_BUFFERS])
{
    const int code = cuda->shared ? map_shared(cuda, flags) : 0;
    cuda->used = !code;
    if (!code) memcpy(memory, cuda->device, sizeof cuda->device);
    return code;
}

int mesh_cuda_map(struct mesh_cuda *cuda, void *memory[MESH_BUFFERS])
{
    return map(cuda, cudaGraphicsMapFlagsWriteDiscard, memory);
}

int mesh_cuda_map_to_read(struct mesh_cuda *cuda, void *memory[MESH_BUFFERS])
{
    return map(cuda, cudaGraphicsMapFlagsReadOnly, memory);
}

/* Device buffer -> OpenGL buffer, one pinned piece at a time: while OpenGL takes one, CUDA fills the other. */
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
    cuda->used = false;
    if (cuda->shared) return cuda->keeps ? 0 : unmap_shared(cuda);
    for (int i = 0; i < MESH_BUFFERS && !code; i++) code = copy_through_host(cuda, i, bytes[i]);
    return code;
}

const char *mesh_cuda_explain(int code) { return cudaGetErrorString((cudaError_t)code); }

bool mesh_cuda_is_memory(int code) { return code == (int)cudaErrorMemoryAllocation; }
