/* Every op that is a ladder, in the order of the pipeline: the only list of them. rung.c, nocuda.c and
 * src/ladder/op_list.c expand it. A row is ROW(op, what the op does for the viewer, another name that commands take,
 * such as a former one, or NULL).
 *
 * To add an op X, touch eight places:
 *   1. kernels/X.h         its contract: struct X_rung, X_cpu and X_cuda
 *   2. kernels/X_cpu.c     its rungs on the CPU, with their table
 *   3. kernels/X_cuda.cu   its rungs on CUDA, with their table
 *   4. this file           the contract's include, and a row
 *   5. src/ladder/op_X.c   its description, struct op op_X: inputs, reference, tolerance, costs, sizes
 *   6. src/ladder/course.c its place in the course, and what it teaches
 *   7. CMakeLists.txt      the three source files
 *   8. tests/fake_backends.c  its line: the pretended GPU's rungs are the CPU's
 * To add a rung, touch one: a function and a row at the foot of kernels/X_cpu.c or X_cuda.cu. An op with one
 * implementation is no ladder, but a member of struct backend_ops. */
#ifndef ISO_LADDERS_H
#define ISO_LADDERS_H

#include "banks.h"
#include "branch.h"
#include "bricks.h"
#include "classify.h"
#include "compact.h"
#include "components.h"
#include "copy.h"
#include "draw.h"
#include "find_equal.h"
#include "fma_peak.h"
#include "fused.h"
#include "gaussian.h"
#include "gemm.h"
#include "gemv.h"
#include "generate.h"
#include "histogram.h"
#include "latency.h"
#include "lower_bound.h"
#include "marching_squares.h"
#include "pipeline.h"
#include "reduce.h"
#include "scan.h"
#include "sort.h"
#include "sum.h"
#include "transpose.h"
#include "triad.h"
#include "upload.h"

/* clang-format off */
#define LADDERS(ROW)                                                                              \
    ROW(bricks, "range of each brick, so that empty space is skipped", NULL)                      \
    ROW(classify, "which voxels are inside, how much each strip will own", NULL)                  \
    ROW(scan, "counts to output offsets", NULL)                                                   \
    ROW(compact, "list of the strips that own something", NULL)                                   \
    ROW(generate, "vertices and triangles", NULL)                                                 \
    ROW(fused, "all stages from classify on in one pass, brick by brick", NULL)                   \
    ROW(reduce, "minimum, maximum, mean, spread, NaN count", NULL)                                \
    ROW(histogram, "the curve under the value slider, percentiles, first value", NULL)            \
    ROW(copy, "the rate by which all others are measured; moves buffers", NULL)                   \
    ROW(upload, "volume to the GPU, with its byte order corrected", NULL)                         \
    ROW(pipeline, "copies to the GPU and back, while its kernels run", NULL)                      \
    ROW(transpose, "order of a volume's axes", NULL)                                              \
    ROW(banks, "what the 32 banks of shared memory deliver per cycle", NULL)                      \
    ROW(triad, "y = a x + b: the smallest op that computes", "add")                               \
    ROW(sum, "parallel reduction in its plainest form", NULL)                                     \
    ROW(fma_peak, "the arithmetic limit of the roofline: multiply-adds and nothing else", "peak") \
    ROW(latency, "what one step costs when everything else waits for it", NULL)                   \
    ROW(branch, "paths that depend on the data", NULL)                                            \
    ROW(gemm, "transforms of all vertices", NULL)                                                 \
    ROW(gemv, "view depth of triangles", NULL)                                                    \
    ROW(gaussian, "smooths a noisy volume", NULL)                                                 \
    ROW(sort, "back-to-front order of translucent triangles", NULL)                               \
    ROW(draw, "what is seen at each pixel of the picture", NULL)                                  \
    ROW(components, "connected parts of the surface, so that dust can be left out", NULL)         \
    ROW(lower_bound, "percentile to value", "search")                                             \
    ROW(find_equal, "where a value occurs", "find")                                               \
    ROW(marching_squares, "contour lines on slices", "squares")
/* clang-format on */

#endif
