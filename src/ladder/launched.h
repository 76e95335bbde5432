/* What a rung launches on CUDA (kernels/launches.h), from one recorded run of a case. */
#ifndef ISO_LAUNCHED_H
#define ISO_LAUNCHED_H

#include "op.h"
#include "kernels/launches.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lists the launches of one run of an open case, without running it. Scratch must be reserved. The list stays empty on
 * the CPU, and if the run cannot be recorded. */
void launched_list(struct launches *to, struct op_case *c, const struct rung *rung);

/* The same for the rows of a pipeline stage that are right; launches[i] belongs to rows[i]. Records the first cases of
 * the stage's description that fit, because the pipeline waits between its stages and so cannot be recorded. */
void launched_by_stage(struct launches *launches, const struct rung_row *rows, size_t count, const struct op *op,
                       struct iso *iso);

#ifdef __cplusplus
}
#endif
#endif
