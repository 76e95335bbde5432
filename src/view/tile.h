/* Draws a picture that is too large for one drawing in tiles. Each tile is drawn with a margin as wide as the passes
 * over the picture reach (passes_reach), and kept without the margin, so that no seam is visible.
 *
 * Tiles begin at multiples of TILE_GRAIN pixels, so that patterns that repeat over the picture continue across tiles. */
#ifndef ISO_TILE_H
#define ISO_TILE_H

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TILE_GRAIN = 8, TILE_USUAL = 8192 }; /* pixels; a larger tile takes more than 1.5 GB of OpenGL's memory */

/* The lesser of two lengths. */
static inline int tile_lesser(int a, int b) { return a < b ? a : b; }

struct tile { /* pixels of the picture, from its lower left corner */
    int whole[2];
    int at[2], size[2];   /* of the tile */
    int from[2], kept[2]; /* without its margin */
};

struct tiles { /* from top to bottom and from left to right */
    int whole[2];
    int margin;
    int step[2];  /* kept size of each tile but the last */
    int count[2]; /* columns and rows */
};

/* Returns the tile that is the whole picture. */
struct tile tile_whole(int width, int height);

/* Divides a picture into tiles with sides of at most `most` pixels; less if that is enough. Error: ERR_FAILED, if the
 * margin leaves nothing of them. */
int tiles_plan(struct tiles *tiles, int width, int height, int margin, int most, struct err *err);

struct tile tiles_at(const struct tiles *tiles, int column, int row);

#ifdef __cplusplus
}
#endif
#endif
