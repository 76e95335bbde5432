/* What `draw` must show, computed in double precision and without fixed point: for each pixel, which depths are right,
 * and whether some triangle explains what is seen there. */
#ifndef ISO_DRAW_TRUTH_H
#define ISO_DRAW_TRUTH_H

#include "kernels/draw.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Positions may be off by half a step of fixed point and the rounding errors of float, so pixels that close to an edge
 * may be covered or not. exact: positions are multiples of 1/256 of a pixel that float holds exactly, so the top-left
 * rule decides every pixel. */
struct draw_truth {
    const struct draw_desc *d; /* host memory */
    bool exact;
};

/* Sets low and high, [height, width]: the depth of a pixel must lie between them. INFINITY stands for an empty pixel:
 * the pixel must be empty where low is INFINITY, and must not be where high is finite. */
void draw_truth_bounds(const struct draw_truth *truth, double *low, double *high);

/* Sets explained[pixel], [height, width]: 1 where the pixel shows a triangle that lies there, with the triangle's
 * depth, normal, side and surface; else 0. */
void draw_truth_explain(const struct draw_truth *truth, const float *depth, const uint32_t *seen, uint8_t *explained);

#ifdef __cplusplus
}
#endif
#endif
