/* raster_cuda.h without CUDA: no mesh is shared, so none is drawn this way. */
#include "raster_cuda.h"

int raster_cuda_open(struct raster_cuda *cuda, unsigned buffer)
{
    (void)cuda, (void)buffer;
    return 1;
}

void raster_cuda_close(struct raster_cuda *cuda) { (void)cuda; }

int raster_cuda_map(struct raster_cuda *cuda, const struct exec *exec)
{
    (void)cuda, (void)exec;
    return 1;
}

int raster_cuda_unmap(struct raster_cuda *cuda, const struct exec *exec)
{
    (void)cuda, (void)exec;
    return 1;
}
