#include "copy.h"
extern "C" __global__ void copy_mine(const uint32_t *from, uint32_t *to, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}
