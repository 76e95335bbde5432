#include "roof.h"

#include <math.h>
#include <string.h>

struct claim {
    const char *op;
    enum backend backend;
    const char *rung;
    double moves, peak;         /* as in struct roof; 0: nothing is claimed */
    double (*passes)(double n); /* NULL: one; `moves` is for each pass */
};

/* Passes over all n items, as the comments in kernels/sort_cuda.cu and sort_cpu.c count them. */
static double sizes(double n) { return ceil(log2(fmax(n, 2))); }
static double above(double n, double tile) { return fmax(sizes(n) - tile, 0); } /* doublings of 2^tile items */
static double bitonic(double n) { return sizes(n) * (sizes(n) + 1) / 2; }
static double tiled(double n, double tile) { return above(n, tile) * (above(n, tile) + 1) / 2 + above(n, tile) + 1; }
static double shared(double n) { return tiled(n, 11); }
static double split(double n) { return tiled(n, 12); }
static double merge(double n) { return above(n, 11) + 1; }

#define CPU BACKEND_CPU
#define CUDA BACKEND_CUDA

/* An item of sort has 8 bytes, which a pass reads and writes: 16 bytes. Only 12 must be moved: key and index in, index
 * out. */
#define ITEM (16. / 12)

/* clang-format off */
static const struct claim claims[] = {
    { "copy", CUDA, "textbook", 1, 0, NULL },
    { "copy", CUDA, "stride2", 1, 0, NULL },
    { "copy", CUDA, "stride8", 1, 0, NULL },
    { "copy", CUDA, "stride32", 1, 0, NULL },
    { "copy", CUDA, "offset1", 1, 0, NULL },
    { "copy", CUDA, "random", 8, 0, NULL }, /* a 32-byte sector for each 4-byte number */
    { "copy", CUDA, "aos", 1, 0, NULL },
    { "copy", CUDA, "soa", 1, 0, NULL },
    { "copy", CUDA, "aos-one", 4, 0, NULL }, /* each member's launch reads and writes all sectors */
    { "copy", CUDA, "soa-one", 1, 0, NULL },
    { "copy", CUDA, "rows", 1, 0, NULL },
    { "copy", CUDA, "pitched", 1, 0, NULL },
    { "copy", CUDA, "shared", 1, 0, NULL },
    { "copy", CUDA, "batch", 1, 0, NULL },
    { "copy", CUDA, "batch-shared", 1, 0, NULL },
    { "copy", CUDA, "rolling", 1, 0, NULL },
    { "copy", CUDA, "rolling4", 1, 0, NULL },
    { "copy", CUDA, "vector", 1, 0, NULL },
    { "copy", CUDA, "async", 1, 0, NULL },
    { "copy", CUDA, "tma", 1, 0, NULL },
    { "copy", CPU, "threads", 1, 0, NULL },
    { "triad", CUDA, "textbook", 1, 0, NULL },
    { "triad", CUDA, "rows", 1, 0, NULL },
    { "triad", CUDA, "stride", 1, 0, NULL },
    { "triad", CUDA, "vector", 1, 0, NULL },
    { "triad", CPU, "threads", 16. / 12, 0, NULL }, /* the line of y is read before it is written */
    { "triad", CPU, "past", 1, 0, NULL },
    { "transpose", CUDA, "tile", 1, 0, NULL },
    { "transpose", CUDA, "padded", 1, 0, NULL },
    { "transpose", CUDA, "vector", 1, 0, NULL },
    { "transpose", CPU, "textbook", 16.5, 0, NULL }, /* per element: 4 bytes in, a 64-byte line in and out */
    { "transpose", CPU, "past", 1, 0, NULL },
    { "sum", CUDA, "textbook", 3, 0, NULL }, /* n + n/2 + n/4 + .. read, n/2 + n/4 + .. written */
    { "sum", CUDA, "neighbours", 1, 0, NULL },
    { "sum", CUDA, "interleaved", 1, 0, NULL },
    { "sum", CUDA, "sequential", 1, 0, NULL },
    { "sum", CUDA, "first", 1, 0, NULL },
    { "sum", CUDA, "lastwarp", 1, 0, NULL },
    { "sum", CUDA, "unrolled", 1, 0, NULL },
    { "sum", CUDA, "stride", 1, 0, NULL },
    { "sum", CUDA, "vector", 1, 0, NULL },
    { "sum", CUDA, "shuffle", 1, 0, NULL },
    { "sum", CUDA, "double", 1, 0, NULL },
    { "sum", CUDA, "kahan", 1, 0, NULL },
    { "sum", CUDA, "host", 1, 0, NULL },
    { "sum", CUDA, "grid", 1, 0, NULL },
    { "sum", CUDA, "once", 1, 0, NULL },
    { "sum", CPU, "threads", 1, 0, NULL },
    { "reduce", CUDA, "integer", 1, 0, NULL },
    { "reduce", CPU, "simd", 1, 0, NULL },
    { "histogram", CUDA, "lanes", 1, 0, NULL },
    { "histogram", CUDA, "runs", 1, 0, NULL },
    { "histogram", CPU, "simd", 1, 0, NULL },
    { "scan", CUDA, "textbook", 2, 0, NULL }, /* `out` is written, read and written again */
    { "scan", CUDA, "blelloch", 2, 0, NULL },
    { "scan", CUDA, "padded", 2, 0, NULL },
    { "scan", CUDA, "inclusive", 2, 0, NULL },
    { "scan", CUDA, "lookback", 1, 0, NULL },
    { "scan", CPU, "threads", 1.5, 0, NULL }, /* reads the input twice */
    { "sort", CUDA, "bitonic", ITEM, 0, bitonic },
    { "sort", CUDA, "shared", ITEM, 0, shared },
    { "sort", CUDA, "split", ITEM, 0, split },
    { "sort", CUDA, "merge", ITEM, 0, merge },
    { "sort", CUDA, "radix", 96. / 12, 0, NULL }, /* four passes, each item read twice and written once */
    { "sort", CUDA, "onesweep", 64. / 12, 0, NULL }, /* keys counted; three sweeps of 16, the first without payload */
    { "sort", CPU, "merge", ITEM, 0, sizes },
    { "find_equal", CUDA, "atomic", 1, 0, NULL },
    { "find_equal", CUDA, "warp", 1, 0, NULL },
    { "find_equal", CUDA, "ordered", 2, 0, NULL }, /* tiles with matches are read twice; here all have matches */
    { "find_equal", CPU, "words", 1, 0, NULL },
    { "gaussian", CUDA, "separable", 21. / 5, 0, NULL }, /* 1 + 4, 4 + 4 and 4 + 4 bytes a voxel */
    { "gaussian", CUDA, "planes", 1, 1 / 140., NULL }, /* 70 instructions a voxel, each worth a multiply-add */
    { "gaussian", CPU, "separable", 21. / 5, 0, NULL },
    { "gaussian", CPU, "simd", 17. / 5, 0, NULL }, /* 1 + 8, as a line is read before it is written, then 4 + 4 */
    { "gemv", CUDA, "warp", 1, 0, NULL },
    { "gemv", CUDA, "vector", 1, 0, NULL },
    { "gemv", CUDA, "block", 1, 0, NULL },
    { "gemv", CUDA, "group", 1, 0, NULL },
    /* A step is one operation on each of two pipes. Each pipe handles half as many lanes per cycle as multiply-adds count
     * flops. */
    { "branch", CUDA, "textbook", 0, 0.5 / 32, NULL },
    { "branch", CUDA, "four", 0, 0.5 / 4, NULL },
    { "branch", CUDA, "two", 0, 0.5 / 2, NULL },
    { "branch", CUDA, "aligned", 0, 0.5, NULL },
    { "branch", CUDA, "same", 0, 0.5, NULL },
    { "branch", CUDA, "predicated", 0, 0.5 / 32, NULL },
    { "branch", CUDA, "vote", 0, 0.5 / 4, NULL },
    { "branch", CUDA, "sorted", 0, 0.5, NULL },
    { "branch", CUDA, "data", 0, 0.5, NULL },
    /* A multiprocessor reads one line of L1 or of shared memory per cycle. In that cycle it could compute the products of
     * four warps. */
    { "gemm", CUDA, "naive", 0, 1 / (4 * 33.), NULL }, /* per product, 32 lines of A and one of B */
    { "gemm", CUDA, "restrict", 0, 1 / (4 * 33.), NULL },
    { "gemm", CUDA, "coalesced", 0, 1 / (4 * 2.), NULL },
    { "gemm", CUDA, "tiled8", 0, 1 / (4 * 2.), NULL },
    { "gemm", CUDA, "tiled16", 0, 1 / (4 * 2.), NULL },
    { "gemm", CUDA, "tiled32", 0, 1 / (4 * 2.), NULL },
    { "gemm", CUDA, "padded", 0, 1 / (4 * 2.), NULL },
    { "gemm", CUDA, "unrolled", 0, 1 / (4 * 2.), NULL },
    { "gemm", CUDA, "column", 0, 8 / (4 * 9.), NULL }, /* 9 reads for 8 products */
};
/* clang-format on */

enum { CLAIMS = sizeof claims / sizeof claims[0] };

struct roof roof_of(const char *op, enum backend backend, const struct rung *rung, double n)
{
    for (int i = 0; i < CLAIMS; i++) {
        const struct claim *c = &claims[i];
        if (c->backend != backend || strcmp(c->op, op) != 0 || strcmp(c->rung, rung->name) != 0) continue;
        return (struct roof){ c->moves > 0 ? c->moves * (c->passes ? c->passes(n) : 1) : NAN, c->peak > 0 ? c->peak : NAN };
    }
    return (struct roof){ NAN, NAN };
}

void roof_each(void (*each)(void *context, const char *op, enum backend backend, const char *rung), void *context)
{
    for (int i = 0; i < CLAIMS; i++) each(context, claims[i].op, claims[i].backend, claims[i].rung);
}
