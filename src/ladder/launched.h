/* What a rung launches on CUDA (kernels/launches.h), from one recorded run of a case. */
#ifndef ISO_LAUNCHED_H
#define ISO_LAUNCHED_H

#include "ladder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lists the launches of one run of an open case, without running it; scratch must be reserved. Leaves the list empty on the
 * CPU, and where the run cannot be recorded. */
void launched_list(struct launches *to, struct op_case *c, const struct rung *rung);

/* The same for the rungs of a stage that are right, by the first cases of its description that fit: the pipeline itself waits
 * between its stages. */
void launched_by_stage(struct ladder_result *result, struct iso *iso);

#ifdef __cplusplus
}
#endif
#endif
