/* Which blocks of which level (blocks.h) are worth making for a view: a pure function of what is known. */
#ifndef ISO_REFINE_PLAN_H
#define ISO_REFINE_PLAN_H

#include "blocks.h"
#include "refine_view.h"

#ifdef __cplusplus
extern "C" {
#endif

struct refine_plan {
    int level;               /* of levels.level; -1: no finer one is worth it */
    bool limited;            /* a finer one is, but its blocks would exceed the budget */
    struct block_key *block; /* those in view that may hold surface, the nearest first; owned */
    size_t count;
    uint64_t bytes; /* of their voxels */
};

/* Plans for the surface at `value` (stored units): the coarsest level whose voxels are no larger than a pixel, wherever they are in
 * view, or the finest whose blocks do not exceed the budget of `blocks` together. Error: ERR_FAILED for memory; the plan is empty. */
int refine_plan_make(struct refine_plan *plan, const struct blocks *blocks, const struct refine_view *view, float value,
                     struct err *err);
void refine_plan_free(struct refine_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
