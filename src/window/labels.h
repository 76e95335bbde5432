/* The text and legend in a picture of the scene: what its colours mean; and, if the box is drawn, numbers on it, a scale
 * bar and the axes of the world. The window shows them over its scene; labels_draw adds them to pictures in files. */
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
    const struct tint *tint;         /* the legend explains its colours */
    const struct slices *slices;     /* the same if one is on */
    double left, top, width, height; /* of the scene: pixels from the upper left; no size: no labels */
    double under;                    /* pixels at the scene's top that are covered */
    double scale;                    /* of the text; 1 suits a screen of 96 dots per inch */
    bool box, axes;                  /* box: numbers and scale bar */
};

struct labels_bar { /* the scale bar: a round length, to scale at the depth of the camera's target */
    char text[64];
    double left, right, foot, height; /* pixels */
};

/* Returns whether there are any labels. */
bool labels_any(const struct labels *labels);

void labels_lay_bar(const struct labels *labels, struct labels_bar *bar);

/* Draws the labels over a tile of the picture. The tile fills the framebuffer. Error: ERR_GL. */
int labels_draw(const struct labels *labels, unsigned framebuffer, const struct tile *tile, struct err *err);

#ifdef __cplusplus
}

struct ImDrawList;

/* Adds the labels to a draw list of Dear ImGui. */
void labels_write(const struct labels *labels, ImDrawList *list);
#endif
#endif
