/* The CUDA backend: memory, a queue and timestamps over the CUDA runtime, in C.
 *
 * All work goes to one non-blocking stream, which takes no part in the implicit synchronisation of the default stream.
 * OpenGL buffers are mapped and unmapped on x->stream, which puts both in order with the work. The stream has the
 * highest priority, so a frame overtakes uploads (upload.h).
 * The runtime is linked statically, so the program starts even without a driver, and available() reports that.
 * The current device and the last error belong to a thread: use an exec only on the thread that opened it.
 * Left out on purpose: several devices at once, memory pools, managed memory. */
#include "backend.h"
#include "count_cells.h"
#include "cublas.h"
#include "cuda_util.cuh"
#include "launch_chain.h"
#include "parts.h"
#include "triangles.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

static int device_name(int device, char *text, size_t size)
{
    struct cudaDeviceProp prop;
    const cudaError_t error = cudaGetDeviceProperties(&prop, device);
    if (error == cudaSuccess) snprintf(text, size, "%s", prop.name);
    return clear_error(error);
}

static bool cuda_available(char *text, size_t size)
{
    int count = 0, major = 0, minor = 0, current = 0, capability;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0)) {
        snprintf(text, size, "no CUDA device");
    } else if (error == cudaErrorInsufficientDriver) {
        snprintf(text, size, "no CUDA driver, or one too old: %s", cudaGetErrorString(error));
    } else if (error != cudaSuccess) {
        snprintf(text, size, "no usable CUDA driver: %s", cudaGetErrorString(error));
    } else if ((error = cudaGetDevice(&current)) != cudaSuccess || (error = cudaSetDevice(0)) != cudaSuccess) {
        snprintf(text, size, "CUDA device 0 cannot be used: %s", cudaGetErrorString(error));
    } else if ((error = (cudaError_t)cuda_kernels_probe(&capability)) == cudaErrorNoKernelImageForDevice) {
        (void)cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
        (void)cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
        snprintf(text, size, "kernels were not built for compute capability %d.%d", major, minor);
    } else if (error != cudaSuccess) {
        snprintf(text, size, "CUDA device 0 cannot be used: %s", cudaGetErrorString(error));
    } else if ((error = (cudaError_t)device_name(0, text, size)) != cudaSuccess) {
        snprintf(text, size, "CUDA device 0 cannot be read: %s", cudaGetErrorString(error));
    }
    if (current != 0) (void)clear_error(cudaSetDevice(current)); /* a query must not change the device of an open exec */
    return clear_error(error) == 0 && count > 0;
}

static int cuda_device_count(void)
{
    int count = 0;
    return clear_error(cudaGetDeviceCount(&count)) ? 0 : count;
}

static void cuda_close(struct exec *x)
{
    cublas_close(x);
    launch_chain_close(x);
    for (int i = 0; i < EXEC_MARKS; i++)
        if (x->event[i]) (void)clear_error(cudaEventDestroy(x->event[i]));
    if (x->result) (void)clear_error(cudaFreeHost(x->result));
    if (x->stream) (void)clear_error(cudaStreamDestroy(x->stream));
    memset(x, 0, sizeof *x);
}

static int cuda_open(struct exec *x, int device, int threads)
{
    (void)threads;
    memset(x, 0, sizeof *x);
    x->backend = BACKEND_CUDA;
    x->threads = 1;
    x->device = device < 0 ? 0 : device;

    int lowest = 0, highest = 0;
    cudaError_t error = cudaSetDevice(x->device);
    if (error == cudaSuccess) error = (cudaError_t)cuda_kernels_probe(&x->capability);
    if (error == cudaSuccess) error = cudaDeviceGetStreamPriorityRange(&lowest, &highest);
    if (error == cudaSuccess) error = cudaStreamCreateWithPriority(&x->stream, cudaStreamNonBlocking, highest);
    for (int i = 0; i < EXEC_MARKS && error == cudaSuccess; i++) error = cudaEventCreate(&x->event[i]);
    if (error == cudaSuccess) error = cudaHostAlloc(&x->result, RESULT_BYTES, cudaHostAllocDefault);
    if (error != cudaSuccess) cuda_close(x);
    return clear_error(error);
}

static int cuda_alloc(void **memory, size_t bytes)
{
    *memory = NULL;
    return bytes ? clear_error(cudaMalloc(memory, bytes)) : 0;
}

static void cuda_free(void *memory) { (void)clear_error(cudaFree(memory)); }

static size_t cuda_memory_free(void)
{
    size_t unused = 0, total = 0;
    return clear_error(cudaMemGetInfo(&unused, &total)) ? SIZE_MAX : unused; /* unknown; alloc will find out */
}

/* Copy and wait. An asynchronous copy from pinned memory might still be reading it when the caller reuses it. */
static int copy_and_wait(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, struct exec *x)
{
    if (!bytes) return 0;
    cudaError_t error = cudaMemcpyAsync(to, from, bytes, kind, x->stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(x->stream);
    return clear_error(error);
}

static int cuda_upload(void *memory, const void *host, size_t bytes, struct exec *x)
{
    return copy_and_wait(memory, host, bytes, cudaMemcpyHostToDevice, x);
}

static int cuda_download(void *host, const void *memory, size_t bytes, struct exec *x)
{
    return copy_and_wait(host, memory, bytes, cudaMemcpyDeviceToHost, x);
}

static int cuda_copy(void *to, const void *from, size_t bytes, struct exec *x)
{
    return bytes ? clear_error(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, x->stream)) : 0;
}

static int cuda_fill(void *memory, int byte, size_t bytes, struct exec *x)
{
    return bytes ? clear_error(cudaMemsetAsync(memory, byte, bytes, x->stream)) : 0;
}

static int cuda_sync(struct exec *x) { return clear_error(cudaStreamSynchronize(x->stream)); }

static int cuda_mark(struct exec *x, int slot) { return clear_error(cudaEventRecord(x->event[slot], x->stream)); }

static int cuda_elapsed(struct exec *x, int from, int to, double *ms)
{
    float between = 0;
    const int code = clear_error(cudaEventElapsedTime(&between, x->event[from], x->event[to]));
    *ms = between;
    return code;
}

static const char *cuda_explain(int code)
{
    static _Thread_local char text[256];
    snprintf(text, sizeof text, "%s (%s)", cudaGetErrorString((cudaError_t)code), cudaGetErrorName((cudaError_t)code));
    return text;
}

const int cuda_toolkit = CUDART_VERSION;

const struct backend_ops backend_cuda = {
    .name = "cuda",
    .available = cuda_available,
    .device_count = cuda_device_count,
    .open = cuda_open,
    .close = cuda_close,
    .alloc = cuda_alloc,
    .free = cuda_free,
    .memory_free = cuda_memory_free,
    .upload = cuda_upload,
    .download = cuda_download,
    .copy = cuda_copy,
    .fill = cuda_fill,
    .sync = cuda_sync,
    .mark = cuda_mark,
    .elapsed = cuda_elapsed,
    .explain = cuda_explain,
    .count_cells = count_cells_cuda,
    .corner_sums = corner_sums_cuda,
    .gather_triangles = gather_triangles_cuda,
    .shift_indices = shift_indices_cuda,
    .parts = &parts_cuda,
};
