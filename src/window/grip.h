/* Grips of cuts in the scene: the cut across the view and the sides of the crop box are dragged by them. */
#ifndef ISO_GRIP_H
#define ISO_GRIP_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct app;

enum { GRIPS = 7, GRIP_CORNERS = 6 };

struct grip {
    int cutter;      /* what it moves (app.h) */
    double voxel[3]; /* where it is, voxel coordinates */
    double x, y;     /* the same: framebuffer pixels, y downwards */
    double towards;  /* the viewer: how much the plane faces him, -1 to 1 */
    double shift[2]; /* pixels, y downwards: a drag by so much moves the plane by a voxel */
};

/* Fills in the grips of the cuts that are on; returns their number: none without a panel, which leaves the scene to itself,
 * or without a volume. */
int grip_list(const struct app *app, struct grip grip[GRIPS]);

/* Finds the grip under the cursor, the nearest to it, rather one that faces the viewer. Returns false if there is none. */
bool grip_find(const struct app *app, struct grip *grip);

/* The mouse takes it, moves by pixels (y downwards; fine: the plane goes a tenth as far), and lets it go. */
void grip_take(struct app *app, const struct grip *grip);
void grip_drag(struct app *app, double dx, double dy, bool fine);
void grip_let_go(struct app *app);

/* Finds the corners (voxel coordinates) of what the cut across the view shares with what is left of the volume, in no
 * order. Returns their number. */
int grip_corners(const struct app *app, double corner[GRIP_CORNERS][3]);

#ifdef __cplusplus
}
#endif
#endif
