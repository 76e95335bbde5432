#include "lower_bound.h"
extern "C" __global__ void lower_bound_mine(struct lower_bound_desc d)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < d.count) d.bounds[i] = lower_bound_within(d.sorted, 0, d.n, d.queries[i]);
}
