/* The view of a surface, as far as its refinement depends on it. */
#ifndef ISO_REFINE_VIEW_H
#define ISO_REFINE_VIEW_H

#include <stdbool.h>
#include <string.h>

struct refine_view {
    float clip_from_voxel[16]; /* of the volume in memory; column-major, as in camera.h */
    int width, height;         /* of the picture, pixels; 0: there is none */
    bool hides;                /* nothing is cut away, so near parts hide what is behind them */
};

static inline bool refine_view_is_same(const struct refine_view *a, const struct refine_view *b)
{
    return a->width == b->width && a->height == b->height && a->hides == b->hides &&
           !memcmp(a->clip_from_voxel, b->clip_from_voxel, sizeof a->clip_from_voxel);
}

#endif
