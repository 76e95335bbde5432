/* The three axes of the world in the corner of a picture: where their ends are, and their names. */
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
    double towards;     /* how much it points at the viewer, -1 to 1 */
    const char *letter; /* L, R, ... in a patient's world; else x, y, z at the positive ends; "": none */
};

struct axes {
    double x, y, arm, radius;       /* centre, length of an axis, radius of an end: framebuffer pixels */
    struct axes_end end[AXES_ENDS]; /* from back to front */
};

/* Lays the axes out in the lower right corner of a picture. right, foot: its right and lower sides, y downwards; size: its
 * width and height; all in pixels. unit: pixels per pixel of scale 1, that is, the scale. False: the picture is too
 * small. */
bool axes_lay_out(struct axes *axes, const struct camera *camera, enum volume_world world, double right, double foot,
                  const double size[2], double unit);

#ifdef __cplusplus
}
#endif
#endif
