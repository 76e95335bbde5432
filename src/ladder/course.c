#include "course.h"

#include <stddef.h>

/* clang-format off */
const struct lecture course[] = {
    { "Moving numbers", "copy", "the rate of memory: coalesced, strided, wide and asynchronous access" },
    { NULL, "triad", "which thread does which number: chunks, rows and columns, grid-stride loops" },
    { NULL, "upload", "the way to the GPU: pinned memory, streams, copies that overlap with kernels" },
    { NULL, "pipeline", "streams and events: both ways of the bus and kernels at once, priorities, a wrong order" },
    { NULL, "transpose", "reading rows and writing columns: tiles in shared memory, bank conflicts" },
    { NULL, "banks", "bank conflicts alone, in cycles: strides, broadcast, padding, xor" },

    { "Many numbers to one", "sum", "the tree: divergence, conflicts, shuffles, one launch instead of many" },
    { NULL, "reduce", "several results in one pass, and a mean that stays right" },
    { NULL, "histogram", "atomics: private copies, aggregation, when many threads want one counter" },

    { "Where to write", "scan", "from counts to places: work against depth, blocks that look back" },
    { NULL, "compact", "keep some: scan at work, ballots of a warp, what order costs" },

    { "Finding and sorting", "lower_bound", "binary search by many threads: divergent reads, the caches" },
    { NULL, "find_equal", "early exit, and what it costs a parallel machine" },
    { NULL, "sort", "networks, merges and radix digits" },

    { "Neighbours", "gaussian", "stencils: constant memory, shared tiles with a rim, separable filters" },
    { NULL, "marching_squares", "the surface's method in a plane, small enough to read whole" },

    { "The surface", "classify", "a sign bit per voxel, 32 to a word; loads shared by neighbours" },
    { NULL, "generate", "irregular output: who writes which vertex, once" },
    { NULL, "bricks", "work that is not done: the range of a block of voxels" },
    { NULL, "fused", "all stages brick by brick: what never goes through memory" },
    { NULL, "draw", "rasterisation: edge functions, tiles, small triangles by vectors" },
    { NULL, "components", "label propagation and union-find without locks" },

    { "Arithmetic", "fma_peak", "the flat roof: latency hidden by independent work" },
    { NULL, "branch", "divergence: lanes that part ways, warps that do not; guesses of a CPU" },
    { NULL, "latency", "from a register to memory and back; barriers, atomics, launches, waiting" },
    { NULL, "gemv", "a product that memory limits" },
    { NULL, "gemm", "a product that arithmetic limits: tiles, registers, double buffers, tensor cores" },
    { NULL, NULL, NULL },
};
/* clang-format on */
