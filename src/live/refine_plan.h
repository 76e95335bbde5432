/* Which blocks of which level (blocks.h) are worth making for a view: a pure function of what is known. */
#ifndef ISO_REFINE_PLAN_H
#define ISO_REFINE_PLAN_H

#include "blocks.h"
#include "refine_view.h"

#ifdef __cplusplus
extern "C" {
#endif

struct refine_plan {
    int level;      /* of levels.level; -1: no finer one is worth it */
    uint64_t lacks; /* bytes of the likely blocks of a finer one, which is, but they exceed the budget; 0: there is none */
    struct block_key
        *block; /* those in view that may hold surface: first the likely ones (blocks_is_likely), of either the rows along x
                              * with the nearest block first; owned */
    size_t count, likely;
    uint64_t bytes; /* of the voxels of the likely ones */
};

/* Plans for the surface at `value` (stored units): the coarsest level whose voxels are about a pixel, wherever they are in view, or the
 * finest whose likely blocks do not exceed the budget of `blocks` together: the others are looked at one by one. Error: ERR_FAILED for memory; the plan is empty. */
int refine_plan_make(struct refine_plan *plan, const struct blocks *blocks, const struct refine_view *view, float value,
                     struct err *err);
void refine_plan_free(struct refine_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
