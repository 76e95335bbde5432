/* Between CUDA and OpenGL: an OpenGL buffer that CUDA fills with a picture (raster.h). Implemented by raster_cuda.c,
 * which knows both APIs, or by raster_nocuda.c in a build without CUDA. Functions return 0 or a CUDA error code.
 *
 * Such a picture switches the GPU from OpenGL to CUDA and back. An H200 needs 0.16 ms for each switch, whoever owns the
 * memory. For example, a kernel and a pass over 8 MB take 0.01 and 0.09 ms alone, but 0.42 ms together with a
 * registered buffer. They take as long with memory that CUDA made and OpenGL imported (cuMemExportToShareableHandle,
 * glImportMemoryFdEXT), where nothing is mapped. So there is no second way to share; raster_compute.h stays within
 * OpenGL. */
#ifndef ISO_RASTER_CUDA_H
#define ISO_RASTER_CUDA_H

#include "kernels/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cudaGraphicsResource;

struct raster_cuda { /* zero: no buffer */
    struct cudaGraphicsResource *resource;
    void *memory;       /* device pointer while it is mapped, else NULL */
    const void *stream; /* that waited for OpenGL when it was mapped */
};

/* Registers a buffer, whose name it borrows, with the device of the thread's exec. On error it stays zero. */
int raster_cuda_open(struct raster_cuda *cuda, unsigned buffer);
void raster_cuda_close(struct raster_cuda *cuda); /* before OpenGL's buffer is deleted; a zero one is fine */

/* Sets the device pointer, unless the buffer is mapped for that queue already. Earlier OpenGL commands finish before what
 * `exec` queues after map. What `exec` has queued before unmap finishes before later OpenGL commands. Neither call
 * waits. */
int raster_cuda_map(struct raster_cuda *cuda, const struct exec *exec);
int raster_cuda_unmap(struct raster_cuda *cuda, const struct exec *exec);

#ifdef __cplusplus
}
#endif
#endif
