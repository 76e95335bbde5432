/* Grips in the scene, by which the mouse drags the cut across the view and the sides of the crop box. */
#ifndef ISO_GRIP_H
#define ISO_GRIP_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;

enum { GRIPS = 7, GRIP_CORNERS = 6 };

struct grip {
    int cutter;      /* that it moves (app.h) */
    double voxel[3]; /* its place in voxel coordinates */
    double x, y;     /* its place in framebuffer pixels, y downwards */
    double towards;  /* how much the plane faces the viewer, -1 to 1 */
    double shift[2]; /* the drag that moves the plane by a voxel: pixels, y downwards */
};

/* Fills in the grips of the cuts that are on, and returns their number. There are none without a volume, or when the panel
 * is off, so that only the scene is shown. */
int grip_list(const struct app *app, struct grip grip[GRIPS]);

/* Finds the grip under the cursor: the nearest of those that face the viewer, else the nearest. Returns false if there is
 * none. */
bool grip_find(const struct app *app, struct grip *grip);

/* The mouse takes the grip, drags it by pixels (y downwards), and lets it go. fine: the plane moves a tenth as far. */
void grip_take(struct app *app, const struct grip *grip);
void grip_drag(struct app *app, double dx, double dy, bool fine);
void grip_let_go(struct app *app);

/* Finds the corners of the polygon in which the cut across the view meets what is left of the volume: voxel coordinates, in
 * no particular order. Returns their number. */
int grip_corners(const struct app *app, double corner[GRIP_CORNERS][3]);

#ifdef __cplusplus
}
#endif
#endif
