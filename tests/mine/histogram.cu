#include "histogram.h"
extern "C" __global__ void histogram_mine(struct grid g, struct histogram_desc d)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= grid_voxels(&g)) return;
    const unsigned bin = histogram_bin(grid_value(&g, i), d.lo, d.hi, d.bins);
    if (bin < d.bins) atomicAdd((unsigned long long *)&d.counts[bin], 1ull);
}
