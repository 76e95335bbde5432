#include "course.h"

#include <stddef.h>

/* clang-format off */
const struct lecture course[] = {
    { "Moving data", "copy", "memory bandwidth: coalesced, strided, wide and asynchronous access" },
    { NULL, "triad", "which thread computes which number: chunks, rows and columns, grid-stride loops" },
    { NULL, "upload", "transfers to the GPU: pinned memory, streams, copies that overlap with kernels" },
    { NULL, "pipeline", "streams and events: copies in both directions beside kernels, priorities, a bad order" },
    { NULL, "transpose", "reading rows and writing columns: tiles in shared memory, bank conflicts" },
    { NULL, "banks", "bank conflicts by themselves, in cycles: strides, broadcast, padding, XOR swizzle" },

    { "Reductions", "sum", "the tree: divergence, bank conflicts, shuffles, one launch instead of many" },
    { NULL, "reduce", "several results in one pass, and a mean without lost digits" },
    { NULL, "histogram", "atomics when many threads want one counter: private copies, aggregation" },

    { "Scan and compaction", "scan", "from counts to offsets: work against depth, decoupled look-back" },
    { NULL, "compact", "a use of scan: keeping some items, warp ballots, what order costs" },

    { "Searching and sorting", "lower_bound", "binary search by many threads: scattered reads, caches" },
    { NULL, "find_equal", "early exit, and what it costs a parallel machine" },
    { NULL, "sort", "sorting networks, merge sort and radix sort" },

    { "Neighbours", "gaussian", "stencils: constant memory, textures, tiles with a halo, separable filters" },
    { NULL, "marching_squares", "marching cubes in two dimensions, small enough to read as a whole" },

    { "The surface", "classify", "one bit per voxel, 32 to a word; loads that neighbours share" },
    { NULL, "generate", "irregular output: which thread writes which vertex, each one once" },
    { NULL, "bricks", "empty-space skipping by the range of each block of voxels" },
    { NULL, "fused", "kernel fusion: all stages brick by brick, with less traffic to memory" },
    { NULL, "draw", "rasterisation: edge functions, tiles, one small triangle per lane" },
    { NULL, "components", "label propagation, and union-find without locks" },

    { "Arithmetic and latency", "fma_peak", "the arithmetic peak: latency hidden by independent work" },
    { NULL, "branch", "divergence within warps and between them; branch prediction on a CPU" },
    { NULL, "latency", "the time of one step: registers, caches, memory, barriers, atomics, launches" },
    { NULL, "gemv", "a matrix-vector product, limited by memory" },
    { NULL, "gemm", "a matrix product, limited by arithmetic: tiles, registers, double buffering, tensor cores" },
    { NULL, NULL, NULL },
};
/* clang-format on */
