/* What `draw` must show, in double precision and without fixed point: for each pixel the depths that are right, and whether
 * what is seen there is explained by a triangle. */
#ifndef ISO_DRAW_TRUTH_H
#define ISO_DRAW_TRUTH_H

#include "kernels/draw.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Places may be off by half a step of fixed point and the roundings of float: pixels so near to an edge may be covered or
 * not. exact: places are multiples of 1/256 of a pixel that float holds, so the top-left rule decides each pixel. */
struct draw_truth {
    const struct draw_desc *d; /* host memory */
    bool exact;
};

/* Sets low and high, [height, width]: depths between which that of a pixel lies; INFINITY: nothing is there. Nothing must
 * be there where low is INFINITY, something where high is not. */
void draw_truth_bounds(const struct draw_truth *truth, double *low, double *high);

/* Sets explained[pixel] for each that shows a triangle at its place, with its depth, normal, side and surface. */
void draw_truth_explain(const struct draw_truth *truth, const float *depth, const uint32_t *seen, uint8_t *explained);

#ifdef __cplusplus
}
#endif
#endif
