#include "own_block.h"

#include <stddef.h>
#include <string.h>

struct reason {
    const char *op, *rung; /* rung NULL: all other rungs of the op */
    const char *why;
};

static const char LIBRARY[] = "the library chooses its blocks",
                  STAGE[] = "the pipeline's other stages would get the same blocks",
                  COMPILED[] = "a thread's numbers lie 256 apart, which is compiled in";

/* clang-format off */
static const struct reason reasons[] = {
    { "bricks", NULL, STAGE },
    { "classify", NULL, STAGE },
    { "scan", "cub", LIBRARY },
    { "scan", NULL, "a tile in shared memory is as large as its block" },
    { "compact", NULL, STAGE },
    { "generate", NULL, STAGE },
    { "fused", NULL, STAGE },
    { "reduce", NULL, "threads of a block merge by halves, down from 256" },
    { "histogram", "racy", "it is wrong with any" },
    { "histogram", "lanes", "a table is as large as what its lanes share allows" },
    { "histogram", "runs", "a table is as large as what its lanes share allows" },
    { "histogram", "large", "one block takes all shared memory, so it is as large as can be" },
    { "histogram", "cluster", "eight blocks share one table, an eighth in each" },
    { "histogram", "cub", LIBRARY },
    { "copy", "rows", "a block covers 32 x 8 places of a picture" },
    { "copy", "pitched", "a block covers 32 x 8 places of a picture" },
    { "copy", "tma", "one thread asks for all, the others would wait" },
    { "copy", "memcpy", LIBRARY },
    { "upload", NULL, "copies over the bus take the time, and not the kernel behind them" },
    { "pipeline", NULL, "what may overlap depends on how many blocks its kernel has" },
    { "transpose", "vector", "a tile of 64 x 64 is 256 threads times 16 numbers" },
    { "banks", NULL, "one block of 32 warps is what is measured" },
    { "triad", "columns", "the shape of its blocks is its lesson" },
    { "triad", "rows", "the shape of its blocks is its lesson" },
    { "triad", "rows64x16", "the shape of its blocks is its lesson" },
    { "triad", "rows32x32", "the shape of its blocks is its lesson" },
    { "triad", "rows16x64", "the shape of its blocks is its lesson" },
    { "triad", "rows8x32", "the shape of its blocks is its lesson" },
    { "sum", "block", "one block of 1024 is its lesson" },
    { "sum", "cub", LIBRARY },
    { "sum", NULL, "threads of a block add by halves, down from 256" },
    { "fma_peak", "textbook", "how few of its blocks fit is its lesson" },
    { "fma_peak", "limited", "blocks of 1024 are its lesson" },
    { "fma_peak", "spilled", "blocks of 1024 are its lesson" },
    { "fma_peak", "fp64", COMPILED },
    { "fma_peak", "fp16", COMPILED },
    { "latency", NULL, "a step of one thread, or of one block, is what is measured" },
    { "branch", "same", "a block takes 256 items of one kind" },
    { "gemm", "cublas", LIBRARY },
    { "gemm", "cublas-tf32", LIBRARY },
    { "gemm", NULL, "a block computes a tile of C, and both have one shape" },
    { "gemv", "block", "sums of eight warps meet in shared memory" },
    { "gemv", "cublas", LIBRARY },
    { "gaussian", "tile", "a block has a thread for each voxel of its tile" },
    { "gaussian", "planes", "a block has a thread for every four voxels of its plane" },
    { "sort", "cub", LIBRARY },
    { "sort", NULL, "a tile in shared memory is sorted by as many threads as its size wants" },
    { "draw", NULL, "how threads share triangles and tiles is its lesson" },
    { "components", NULL, "searches are compiled for the registers that 256 threads leave each other" },
    { "find_equal", "ordered", "warps of a block count in turns of 256 values" },
    { "marching_squares", "scan", "most of it is a scan, and its tiles are as large as its blocks" },
};
/* clang-format on */

enum { REASONS = sizeof reasons / sizeof reasons[0] };

const char *own_block(const char *op, const char *rung)
{
    const char *others = NULL;
    for (int i = 0; i < REASONS; i++) {
        const struct reason *r = &reasons[i];
        if (strcmp(r->op, op) != 0) continue;
        if (!r->rung) others = r->why;
        else if (rung && !strcmp(r->rung, rung)) return r->why;
    }
    return others;
}

void own_block_each(void (*each)(void *context, const char *op, const char *rung), void *context)
{
    for (int i = 0; i < REASONS; i++) each(context, reasons[i].op, reasons[i].rung);
}
