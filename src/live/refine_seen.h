/* Where lines of sight first meet a surface in the voxels in memory. This estimates which part of a finer surface is
 * visible. */
#ifndef ISO_REFINE_SEEN_H
#define ISO_REFINE_SEEN_H

#include "error.h"
#include "levels.h"
#include "refine_view.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { REFINE_RAYS_APART = 4 /* pixels */ };

struct refine_seen { /* zero is an empty one */
    float (*at)[3];  /* in voxels in memory; NaN: the line meets nothing; owned */
    size_t count;
};

/* Follows lines of sight through the voxels in memory, `shown`, until they meet the surface at `value` (stored units).
 * There is one line per REFINE_RAYS_APART pixels along each side of the picture. Error: ERR_FAILED for memory; `seen`
 * is then empty. */
int refine_seen_make(struct refine_seen *seen, const struct refine_view *view, const struct grid *shown, float value,
                     int threads, struct err *err);
void refine_seen_free(struct refine_seen *seen);

/* Sets is_seen[number of a block (blocks_number)]: whether a line meets the surface in that block of the level, or
 * within two voxels in memory of it. The finer surface may deviate by so much. */
void refine_seen_mark(const struct refine_seen *seen, const struct level *level, bool *is_seen);

#ifdef __cplusplus
}
#endif
#endif
