/* The CUDA backend: memory, order and time over the CUDA runtime, in C.
 *
 * All work goes to one stream of our own, created non-blocking: it takes no part in the implicit waits of the default
 * stream, and OpenGL buffers are mapped and unmapped on it by passing x->stream, which orders the two. It has the highest
 * priority, so that a frame overtakes what runs beside it (upload.h).
 * The runtime is linked statically, so the program starts on a machine without a driver and available() says so.
 * Current device and last error belong to the calling thread: use an exec from the thread that opened it.
 * Deliberately absent: several devices at once, memory pools, managed memory. */
#include "backend.h"
#include "count_cells.h"
#include "cublas.h"
#include "cuda_util.cuh"
#include "triangles.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

/* A refused call (out of memory, say) stays behind as the thread's last error, and the next launch would be blamed
 * for it. So every failure is taken away here before it is returned. */
static int settle(cudaError_t error)
{
    if (error != cudaSuccess) (void)cudaGetLastError();
    return (int)error;
}

static int device_name(int device, char *text, size_t size)
{
    struct cudaDeviceProp prop;
    const cudaError_t error = cudaGetDeviceProperties(&prop, device);
    if (error == cudaSuccess) snprintf(text, size, "%s", prop.name);
    return settle(error);
}

static bool cuda_available(char *text, size_t size)
{
    int count = 0, major = 0, minor = 0, current = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0)) {
        snprintf(text, size, "no CUDA device");
    } else if (error == cudaErrorInsufficientDriver) {
        snprintf(text, size, "no CUDA driver, or one too old: %s", cudaGetErrorString(error));
    } else if (error != cudaSuccess) {
        snprintf(text, size, "no usable CUDA driver: %s", cudaGetErrorString(error));
    } else if ((error = cudaGetDevice(&current)) != cudaSuccess || (error = cudaSetDevice(0)) != cudaSuccess) {
        snprintf(text, size, "CUDA device 0 cannot be used: %s", cudaGetErrorString(error));
    } else if ((error = (cudaError_t)cuda_kernels_probe()) == cudaErrorNoKernelImageForDevice) {
        (void)cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
        (void)cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
        snprintf(text, size, "kernels were not built for compute capability %d.%d", major, minor);
    } else if (error != cudaSuccess) {
        snprintf(text, size, "CUDA device 0 cannot be used: %s", cudaGetErrorString(error));
    } else if ((error = (cudaError_t)device_name(0, text, size)) != cudaSuccess) {
        snprintf(text, size, "CUDA device 0 cannot be read: %s", cudaGetErrorString(error));
    }
    if (current != 0) (void)settle(cudaSetDevice(current)); /* asking must not move an exec that is open elsewhere */
    return settle(error) == 0 && count > 0;
}

static void cuda_close(struct exec *x)
{
    cublas_close(x);
    for (int i = 0; i < EXEC_MARKS; i++)
        if (x->event[i]) (void)settle(cudaEventDestroy(x->event[i]));
    if (x->mailbox) (void)settle(cudaFreeHost(x->mailbox));
    if (x->stream) (void)settle(cudaStreamDestroy(x->stream));
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
    if (error == cudaSuccess) error = cudaDeviceGetStreamPriorityRange(&lowest, &highest);
    if (error == cudaSuccess) error = cudaStreamCreateWithPriority(&x->stream, cudaStreamNonBlocking, highest);
    for (int i = 0; i < EXEC_MARKS && error == cudaSuccess; i++) error = cudaEventCreate(&x->event[i]);
    if (error == cudaSuccess) error = cudaHostAlloc(&x->mailbox, MAILBOX_BYTES, cudaHostAllocDefault);
    if (error != cudaSuccess) cuda_close(x);
    return settle(error);
}

static int cuda_alloc(void **memory, size_t bytes)
{
    *memory = NULL;
    return bytes ? settle(cudaMalloc(memory, bytes)) : 0;
}

static void cuda_free(void *memory) { (void)settle(cudaFree(memory)); }

static size_t cuda_memory_free(void)
{
    size_t unused = 0, total = 0;
    return settle(cudaMemGetInfo(&unused, &total)) ? SIZE_MAX : unused; /* not known: alloc will tell */
}

/* The wait is what keeps the promise that host memory may be reused: a copy of pinned memory would still be running. */
static int copy_and_wait(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, struct exec *x)
{
    if (!bytes) return 0;
    cudaError_t error = cudaMemcpyAsync(to, from, bytes, kind, x->stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(x->stream);
    return settle(error);
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
    return bytes ? settle(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, x->stream)) : 0;
}

static int cuda_fill(void *memory, int byte, size_t bytes, struct exec *x)
{
    return bytes ? settle(cudaMemsetAsync(memory, byte, bytes, x->stream)) : 0;
}

static int cuda_sync(struct exec *x) { return settle(cudaStreamSynchronize(x->stream)); }

static int cuda_mark(struct exec *x, int slot) { return settle(cudaEventRecord(x->event[slot], x->stream)); }

static int cuda_elapsed(struct exec *x, int from, int to, double *ms)
{
    float between = 0;
    const int code = settle(cudaEventElapsedTime(&between, x->event[from], x->event[to]));
    *ms = between;
    return code;
}

static const char *cuda_explain(int code)
{
    static _Thread_local char text[256];
    snprintf(text, sizeof text, "%s (%s)", cudaGetErrorString((cudaError_t)code), cudaGetErrorName((cudaError_t)code));
    return text;
}

const struct backend_ops backend_cuda = {
    .name = "cuda",
    .available = cuda_available,
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
};
