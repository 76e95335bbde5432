#include "axes.h"

#include <stdlib.h>

/* Pixels at scale 1. */
#define ARM 38.0
#define RADIUS 9.0
#define CORNER 68.0 /* from the centre to the sides of the scene: room for an axis with its name in each direction */
#define LEAST 200.0 /* width and height of the scene */

static const char *const letters[3][2] = { { "L", "R" }, { "P", "A" }, { "S", "I" } }; /* of a patient: sign 1, -1 */

static const char *letter_of(enum volume_world world, int axis, int sign)
{
    static const char *const names[3] = { "x", "y", "z" };
    if (world == WORLD_LPS) return letters[axis][sign < 0];
    return sign > 0 ? names[axis] : "";
}

static int by_depth(const void *a, const void *b)
{
    const struct axes_end *one = a, *other = b;
    return (one->towards > other->towards) - (one->towards < other->towards);
}

bool axes_lay_out(struct axes *axes, const struct camera *camera, enum volume_world world, double right, double foot,
                  const double size[2], double unit)
{
    double along[3][3];
    if (size[0] < LEAST * unit || size[1] < LEAST * unit) return false;
    *axes = (struct axes){
        .x = right - CORNER * unit, .y = foot - CORNER * unit, .arm = ARM * unit, .radius = RADIUS * unit
    };
    camera_axes(camera, along);
    for (int i = 0; i < AXES_ENDS; i++) {
        const int axis = i / 2, sign = i % 2 ? -1 : 1;
        axes->end[i] = (struct axes_end){ .axis = axis,
                                          .sign = sign,
                                          .x = axes->x + sign * along[axis][0] * axes->arm,
                                          .y = axes->y - sign * along[axis][1] * axes->arm,
                                          .towards = sign * along[axis][2],
                                          .letter = letter_of(world, axis, sign) };
    }
    qsort(axes->end, AXES_ENDS, sizeof *axes->end, by_depth);
    return true;
}
