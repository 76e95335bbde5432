/* What the laboratory can measure: the adaptors of the ops, and the stages of the pipeline. */
#include "lab.h"

#include <string.h>

extern const struct lab_op lab_scan, lab_tally, lab_reduce, lab_histogram; /* of the pipeline, and its reports */
extern const struct lab_op lab_copy, lab_upload, lab_transpose, lab_sum, lab_fma_peak;
extern const struct lab_op lab_gemm, lab_gemv, lab_gaussian, lab_sort, lab_order, lab_lower_bound, lab_find_equal,
    lab_marching_squares;

#define STAGE(name)                                                                               \
    static const struct lab_op lab_##name = {                                                     \
        .op = #name, .unit = "voxels along each axis", .size = { 128, 512 }, .operation = "voxel" \
    };
STAGE(bricks)
STAGE(classify)
STAGE(compact)
STAGE(generate)
STAGE(fused)
#undef STAGE

/* clang-format off */
const struct lab_op *const lab_ops[] = {
    &lab_bricks,
    &lab_classify,
    &lab_scan,
    &lab_compact,
    &lab_generate,
    &lab_fused,
    &lab_tally,
    &lab_reduce,
    &lab_histogram,
    &lab_copy,
    &lab_upload,
    &lab_transpose,
    &lab_sum,
    &lab_fma_peak,
    &lab_gemm,
    &lab_gemv,
    &lab_gaussian,
    &lab_sort,
    &lab_order,
    &lab_lower_bound,
    &lab_find_equal,
    &lab_marching_squares,
    NULL,
};
/* clang-format on */

const struct lab_op *lab_op_of(const char *op)
{
    for (const struct lab_op *const *o = lab_ops; *o; o++)
        if (ladder_of((*o)->op) == ladder_of(op)) return *o;
    return NULL;
}
