#include "gemm.h"
extern "C" __global__ void gemm_mine(struct gemm_desc d)
{
    const size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= d.m * d.n) return;
    const struct gemm_view a = gemm_view_a(&d), b = gemm_view_b(&d);
    const size_t i = e / d.n, j = e % d.n;
    float sum = 0, *c = d.c + i * d.ldc + j;
    for (size_t p = 0; p < d.k; p++) sum += a.at[i * a.row + p * a.column] * b.at[p * b.row + j * b.column];
    *c = d.beta == 0 ? d.alpha * sum : d.alpha * sum + d.beta * *c;
}
