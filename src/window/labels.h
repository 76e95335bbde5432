/* What a picture of the scene says in words: what its colours mean, and where the box is drawn, numbers on it, a scale bar
 * and the axes of the world. The window has them in its scene, pictures of files are given them here. */
#ifndef ISO_LABELS_H
#define ISO_LABELS_H

#include "camera.h"
#include "slices.h"
#include "tile.h"
#include "tint.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

struct labels {
    const struct camera *camera;
    const struct volume *volume;
    const struct tint *tint; /* what it and slices that are on mean is told */
    const struct slices *slices;
    double left, top, width, height; /* of the scene, pixels from the upper left; there are none in a scene of no size */
    double under;                    /* pixels at its top that are covered */
    double scale;                    /* of the text; 1 suits a screen of 96 dots to the inch */
    bool box, axes;                  /* numbers and scale bar; the axes */
};

struct labels_bar { /* a round length, as long as it is where the camera's target lies */
    char text[64];
    double left, right, foot, height; /* pixels */
};

/* Returns whether there are any. */
bool labels_any(const struct labels *labels);

void labels_lay_bar(const struct labels *labels, struct labels_bar *bar);

/* Writes them over a tile of the picture, which fills the framebuffer. Error: ERR_GL. */
int labels_draw(const struct labels *labels, unsigned framebuffer, const struct tile *tile, struct err *err);

#ifdef __cplusplus
}

struct ImDrawList;

/* The same into a list of Dear ImGui. */
void labels_write(const struct labels *labels, ImDrawList *list);
#endif
#endif
