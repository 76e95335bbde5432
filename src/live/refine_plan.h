/* Which blocks of which level (blocks.h) are worth making for a view: a pure function of what is known. */
#ifndef ISO_REFINE_PLAN_H
#define ISO_REFINE_PLAN_H

#include "blocks.h"
#include "refine_seen.h"

#ifdef __cplusplus
extern "C" {
#endif

struct refine_plan {
    int level;      /* of levels.level; -1: no finer one is worth it */
    uint64_t lacks; /* bytes of the seen blocks of a finer one, which is, but they exceed the budget; 0: there is none */

    /* Those in view that may hold surface: the seen ones, then the other likely ones (blocks_is_likely), then the rest; of
     * each the rows along x with the nearest block first; owned. */
    struct block_key *block;
    size_t seen, likely, count;   /* the first so many; where little is hidden, seen is likely */
    uint64_t bytes, likely_bytes; /* of the voxels of the seen ones, and the likely ones */
};

/* Plans for the surface at `value` (stored units): the coarsest level whose voxels are about a pixel, wherever they are
 * seen, or the finest whose seen blocks do not exceed the budget of `blocks` together. seen: lines of sight in that view;
 * NULL: nothing hides another thing. A likely block counts as seen, too, if coarser voxels have no surface there. Error:
 * ERR_FAILED for memory; the plan is empty. */
int refine_plan_make(struct refine_plan *plan, const struct blocks *blocks, const struct refine_view *view,
                     const struct refine_seen *seen, float value, struct err *err);
void refine_plan_free(struct refine_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
