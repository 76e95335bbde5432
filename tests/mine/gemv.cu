#include "gemv.h"
extern "C" __global__ void gemv_mine(struct gemv_desc d)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, depth = gemv_depth(&d);
    if (i >= gemv_rows(&d)) return;
    float sum = 0;
    for (size_t p = 0; p < depth; p++) sum += d.a[d.trans ? p * d.lda + i : i * d.lda + p] * d.x[p];
    d.y[i] = d.beta == 0 ? d.alpha * sum : d.alpha * sum + d.beta * d.y[i];
}
