#include "rung.h"

#include "bricks.h"
#include "classify.h"
#include "compact.h"
#include "copy.h"
#include "find_equal.h"
#include "fma_peak.h"
#include "fused.h"
#include "gaussian.h"
#include "gemm.h"
#include "gemv.h"
#include "generate.h"
#include "histogram.h"
#include "lower_bound.h"
#include "marching_squares.h"
#include "order.h"
#include "reduce.h"
#include "scan.h"
#include "sort.h"
#include "sum.h"
#include "tally.h"
#include "transpose.h"
#include "upload.h"

#include <string.h>

/* To add an op: its contract X.h, X_cpu.c, X_cuda.cu, a line in nocuda.c, the CMake lists, a case file in tests/,
 * and one row here. */
/* clang-format off */
const struct ladder ladders[] = {
    { "bricks", "range of each brick, so that empty space is skipped", { bricks_cpu, bricks_cuda }, sizeof bricks_cpu[0] },
    { "classify", "which voxels are inside, how much each strip will own", { classify_cpu, classify_cuda },
      sizeof classify_cpu[0] },
    { "scan", "counts to output offsets", { scan_cpu, scan_cuda }, sizeof scan_cpu[0] },
    { "compact", "list of the strips that own something", { compact_cpu, compact_cuda }, sizeof compact_cpu[0] },
    { "generate", "vertices and triangles", { generate_cpu, generate_cuda }, sizeof generate_cpu[0] },
    { "fused", "all stages from classify on in one go, brick by brick", { fused_cpu, fused_cuda }, sizeof fused_cpu[0] },
    { "tally", "voxels inside and active cells, for reports", { tally_cpu, tally_cuda }, sizeof tally_cpu[0] },
    { "reduce", "minimum, maximum, mean, spread, NaN count", { reduce_cpu, reduce_cuda }, sizeof reduce_cpu[0] },
    { "histogram", "the curve under the value slider, percentiles, first value", { histogram_cpu, histogram_cuda },
      sizeof histogram_cpu[0] },
    { "copy", "the rate that all others are measured by; moving buffers", { copy_cpu, copy_cuda }, sizeof copy_cpu[0] },
    { "upload", "volume to the GPU, byte order put right on the way", { upload_cpu, upload_cuda }, sizeof upload_cpu[0] },
    { "transpose", "order of a volume's axes", { transpose_cpu, transpose_cuda }, sizeof transpose_cpu[0] },
    { "sum", "reduction in its plainest form, which reduce builds on", { sum_cpu, sum_cuda }, sizeof sum_cpu[0] },
    { "fma_peak", "the flat roof of the roofline: multiply-adds and nothing else", { fma_peak_cpu, fma_peak_cuda },
      sizeof fma_peak_cpu[0], "peak" },
    { "gemm", "transforms of all vertices", { gemm_cpu, gemm_cuda }, sizeof gemm_cpu[0] },
    { "gemv", "view depth of triangles", { gemv_cpu, gemv_cuda }, sizeof gemv_cpu[0] },
    { "gaussian", "smooths a noisy volume", { gaussian_cpu, gaussian_cuda }, sizeof gaussian_cpu[0] },
    { "sort", "back-to-front order of translucent triangles", { sort_cpu, sort_cuda }, sizeof sort_cpu[0] },
    { "order", "triangles in the order that was sorted", { order_cpu, order_cuda }, sizeof order_cpu[0] },
    { "lower_bound", "percentile to value", { lower_bound_cpu, lower_bound_cuda }, sizeof lower_bound_cpu[0],
      "search" },
    { "find_equal", "where a value occurs", { find_equal_cpu, find_equal_cuda }, sizeof find_equal_cpu[0], "find" },
    { "marching_squares", "contour lines on slices", { marching_squares_cpu, marching_squares_cuda },
      sizeof marching_squares_cpu[0], "squares" },
    { .op = NULL },
};
/* clang-format on */

const struct rung *ladder_rung(const struct ladder *ladder, enum backend backend, size_t i)
{
    const struct rung *rung = (const struct rung *)((const char *)ladder->table[backend] + i * ladder->row_bytes);
    return rung->name ? rung : NULL;
}

const struct rung *ladder_find(const struct ladder *ladder, enum backend backend, const char *name)
{
    const struct rung *rung;
    for (size_t i = 0; (rung = ladder_rung(ladder, backend, i)); i++)
        if (name ? !strcmp(rung->name, name) : rung->is_default) return rung;
    return NULL;
}

const struct ladder *ladder_of(const char *op)
{
    for (const struct ladder *ladder = ladders; ladder->op; ladder++)
        if (!strcmp(ladder->op, op) || (ladder->alias && !strcmp(ladder->alias, op))) return ladder;
    return NULL;
}
