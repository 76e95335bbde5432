/* The box of a volume, with ticks in its unit: which lines are drawn, and where the numbers are. The edges in front of
 * the surface, usually three, are left out. */
#ifndef ISO_BOX_PLAN_H
#define ISO_BOX_PLAN_H

#include "camera.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BOX_TICKS_APART 60.0 /* pixels at scale 1, the usual value */

enum { BOX_EDGES = 12, BOX_TICKS = 40 }; /* most ticks along an axis */

struct box_line {
    float from[3], to[3]; /* voxel coordinates */
};

struct box_tick {
    int axis;            /* of the volume */
    int along;           /* the world axis whose coordinate `value` is; -1: value is the length from voxel 0, because */
    double value;        /* at least one axis of the volume is oblique */
    double at[3], to[3]; /* ends of the tick, on the edge and outside; voxel coordinates */
    bool last;           /* of its axis */
};

struct box_plan {
    struct box_line line[BOX_EDGES + 3 * BOX_TICKS]; /* edges, then ticks */
    struct box_tick tick[3 * BOX_TICKS];
    size_t lines, ticks;
};

/* Makes the plan. The picture has `height` pixels and aspect * height columns. Ticks are at least about `apart` pixels
 * apart. */
void box_lay_out(struct box_plan *plan, const struct camera *camera, const struct volume *volume, double aspect,
                 double height, double apart);

/* Fits the whole box into the picture, with room for its numbers. */
void box_fit(struct camera *camera, const struct volume *volume, double aspect);

/* Returns the largest of ..., 0.2, 0.5, 1, 2, 5, 10, 20, ... that is not above `most`, which must be positive. */
double box_round_length(double most);

/* Returns the smallest of these lengths that is not below `least`, which must be positive. */
double box_round_up(double least);

/* Returns the length of a scene unit in the world, in the volume's unit. */
double box_scene_unit(const struct camera *camera, const struct volume *volume);

#ifdef __cplusplus
}
#endif
#endif
