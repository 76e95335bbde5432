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
    if (cuda->memory) clear_error(cudaGraphicsUnmapResources(1, &cuda->resource, 0));
    if (cuda->resource) clear_error(cudaGraphicsUnregisterResource(cuda->resource));
    *cuda = (struct raster_cuda){ NULL };
}

int raster_cuda_map(struct raster_cuda *cuda, const struct exec *exec)
{
    size_t bytes;
    if (cuda->memory && cuda->stream == exec->stream) return 0;
    const int failed = cuda->memory ? raster_cuda_unmap(cuda, exec) : 0;
    if (failed) return failed;
    cudaError_t code = cudaGraphicsMapResources(1, &cuda->resource, exec->stream);
    if (code != cudaSuccess) return clear_error(code);
    code = cudaGraphicsResourceGetMappedPointer(&cuda->memory, &bytes, cuda->resource);
    cuda->stream = exec->stream;
    if (code == cudaSuccess) return 0;
    (void)raster_cuda_unmap(cuda, exec);
    return clear_error(code);
}

int raster_cuda_unmap(struct raster_cuda *cuda, const struct exec *exec)
{
    cuda->memory = NULL;
    return clear_error(cudaGraphicsUnmapResources(1, &cuda->resource, exec->stream));
}
