/* The three axes of the world in the corner of a picture: where their ends are, and what these are called. */
#ifndef ISO_AXES_H
#define ISO_AXES_H

#include "camera.h"
#include "volume.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { AXES_ENDS = 6 };

struct axes_end {
    int axis, sign;     /* of the world; 1 or -1 */
    double x, y;        /* of its middle: framebuffer pixels, y downwards */
    double towards;     /* the viewer, -1 to 1 */
    const char *letter; /* L, R, ... in a patient's world, else x, y, z at the positive ends; "": none */
};

struct axes {
    double x, y, arm, radius;       /* its middle and the length of an axis, radius of an end: framebuffer pixels */
    struct axes_end end[AXES_ENDS]; /* from back to front */
};

/* Lays them out in the corner of a picture whose right and lower sides are given, of width and height `size`: pixels, y
 * downwards; unit: pixels at scale 1. False: it is too small. */
bool axes_lay_out(struct axes *axes, const struct camera *camera, enum volume_world world, double right, double foot,
                  const double size[2], double unit);

#ifdef __cplusplus
}
#endif
#endif
