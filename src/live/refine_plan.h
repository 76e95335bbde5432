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
    uint64_t lacks; /* bytes of the seen blocks of a finer level that is worth it but exceeds the budget; or 0 */

    /* Blocks in view that may hold surface; owned. First the seen ones, then the other likely ones (blocks_is_likely),
     * then the rest. Each group is in rows along x, the row with the nearest block first. */
    struct block_key *block;
    size_t seen, likely, count;   /* the first `seen` are seen, the first `likely` likely; equal if little is hidden */
    uint64_t bytes, likely_bytes; /* of the voxels of the seen blocks, and of the likely ones */
};

/* Plans for the surface at `value` (stored units). Chooses the coarsest level whose voxels are about a pixel or less
 * wherever they are seen, or the finest level whose seen blocks fit the budget of `blocks`. seen: lines of sight in
 * that view; NULL: nothing hides anything. A likely block also counts as seen if coarser voxels have no surface there.
 * Error: ERR_FAILED for memory; the plan is empty. */
int refine_plan_make(struct refine_plan *plan, const struct blocks *blocks, const struct refine_view *view,
                     const struct refine_seen *seen, float value, struct err *err);
void refine_plan_free(struct refine_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
