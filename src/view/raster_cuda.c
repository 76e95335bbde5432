#include "raster_cuda.h"

#include "kernels/cuda_util.cuh"

#include <GL/glew.h>

#include <cuda_runtime_api.h>
#include <cuda_gl_interop.h>

/* Mapping must not discard the contents, because a second layer reads the depths of the first. */
int raster_cuda_open(struct raster_cuda *cuda, unsigned buffer)
{
    const int code = clear_error(cudaGraphicsGLRegisterBuffer(&cuda->resource, buffer, cudaGraphicsRegisterFlagsNone));
    if (code) cuda->resource = NULL;
    return code;
}

void raster_cuda_close(struct raster_cuda *cuda)
{
    if (cuda->resource) clear_error(cudaGraphicsUnregisterResource(cuda->resource));
    cuda->resource = NULL;
}

int raster_cuda_map(struct raster_cuda *cuda, const struct exec *exec, void **memory)
{
    size_t bytes;
    cudaError_t code = cudaGraphicsMapResources(1, &cuda->resource, exec->stream);
    if (code != cudaSuccess) return clear_error(code);
    code = cudaGraphicsResourceGetMappedPointer(memory, &bytes, cuda->resource);
    if (code != cudaSuccess) (void)cudaGraphicsUnmapResources(1, &cuda->resource, exec->stream);
    return clear_error(code);
}

int raster_cuda_unmap(struct raster_cuda *cuda, const struct exec *exec)
{
    return clear_error(cudaGraphicsUnmapResources(1, &cuda->resource, exec->stream));
}
