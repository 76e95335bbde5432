#include "own_block.h"

#include <stddef.h>
#include <string.h>

struct reason {
    const char *op, *rung; /* rung NULL: all other rungs of the op */
    const char *why;
};

static const char LIBRARY[] = "the library chooses the size",
                  STAGE[] = "the other stages of the pipeline would get the same size",
                  COMPILED[] = "the numbers of a thread lie 256 apart, a constant of the kernel";

/* clang-format off */
static const struct reason reasons[] = {
    { "bricks", NULL, STAGE },
    { "classify", NULL, STAGE },
    { "scan", "cub", LIBRARY },
    { "scan", NULL, "its tiles in shared memory are compiled for one block size" },
    { "compact", NULL, STAGE },
    { "generate", NULL, STAGE },
    { "fused", NULL, STAGE },
    { "reduce", NULL, "its reduction within a block is compiled for 256 threads" },
    { "histogram", "racy", "it is wrong with every block size" },
    { "histogram", "lanes", "it is compiled for 512 threads, which share one table" },
    { "histogram", "runs", "it is compiled for 512 threads, which share one table" },
    { "histogram", "large", "one block takes all shared memory, so it has as many threads as possible" },
    { "histogram", "cluster", "its clusters of eight blocks are compiled for 256 threads each" },
    { "histogram", "cub", LIBRARY },
    { "copy", "rows", "its blocks have 32 x 8 threads, along the rows" },
    { "copy", "pitched", "its blocks have 32 x 8 threads, along the rows" },
    { "copy", "tma", "one thread requests all copies, and more threads would only wait" },
    { "copy", "memcpy", LIBRARY },
    { "upload", NULL, "copies over the bus take the time, not the kernel after them" },
    { "pipeline", NULL, "what can overlap depends on how many blocks its kernel has" },
    { "transpose", "vector", "a tile of 64 x 64 is 16 numbers for each of 256 threads" },
    { "banks", NULL, "it measures one block of 32 warps" },
    { "triad", "columns", "the shape of its blocks is its lesson" },
    { "triad", "rows", "the shape of its blocks is its lesson" },
    { "triad", "rows64x16", "the shape of its blocks is its lesson" },
    { "triad", "rows32x32", "the shape of its blocks is its lesson" },
    { "triad", "rows16x64", "the shape of its blocks is its lesson" },
    { "triad", "rows8x32", "the shape of its blocks is its lesson" },
    { "sum", "block", "one block of 1024 threads is its lesson" },
    { "sum", "cub", LIBRARY },
    { "sum", NULL, "its reduction within a block is compiled for 256 threads" },
    { "fma_peak", "textbook", "its lesson is how few of its blocks fit on a multiprocessor" },
    { "fma_peak", "limited", "blocks of 1024 threads are its lesson" },
    { "fma_peak", "spilled", "blocks of 1024 threads are its lesson" },
    { "fma_peak", "fp64", COMPILED },
    { "fma_peak", "fp16", COMPILED },
    { "latency", NULL, "it measures a step of one thread or of one block" },
    { "branch", "same", "a block takes 256 items of one kind" },
    { "gemm", "cublas", LIBRARY },
    { "gemm", "cublas-tf32", LIBRARY },
    { "gemm", NULL, "each block computes a tile of C, whose shape is compiled in" },
    { "gemv", "block", "it adds up the sums of eight warps in shared memory" },
    { "gemv", "cublas", LIBRARY },
    { "gaussian", "tile", "a block has a thread for each voxel of its tile" },
    { "gaussian", "planes", "a block has a thread for every four voxels of its plane" },
    { "sort", "cub", LIBRARY },
    { "sort", NULL, "the size of its tiles in shared memory sets the number of threads" },
    { "draw", NULL, "how threads share the triangles is its lesson" },
    { "components", NULL, "its searches are compiled for the registers that each of 256 threads gets" },
    { "find_equal", "ordered", "its tiles are compiled for 256 threads" },
    { "marching_squares", "scan", "most of it is a scan, whose tiles are compiled for one block size" },
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
