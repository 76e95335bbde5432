/* draw: triangles and a camera -> what is seen at each pixel: depth, and normal, side and surface in 32 bits.
 *
 * It fills the buffers that OpenGL's later passes over the picture read. As in OpenGL, rows go from the lowest up. The
 * rules:
 *
 *    place     a vertex at clip coordinates (x, y, z, w) lies at ((x / w + 1) width / 2, (y / w + 1) height / 2), rounded
 *              to 1/256 of a pixel (24.8 fixed point), with depth (z / w + 1) / 2
 *    cover     a triangle covers a pixel if its centre is inside, or on a left or a top edge (top-left rule: of triangles
 *              that meet at an edge, one covers it); both sides are drawn, and triangles without an area are not
 *    clip      what lies before the near plane (z < -w) or behind the far one (z > w) is cut off
 *    depth     linear over the picture; of triangles at equal depths the first in `indices` is seen. What is not nearer
 *              than 1, or with `over` not nearer than what is there already, is not drawn
 *    normal    that of the vertices, weighted by their share in the point that is seen (perspective-correct), in view
 *              coordinates, turned to the viewer and folded onto an octahedron of 2 x 12 bits
 *    seen      bits 0 to 23 the normal, bit 24 the side (1: outside), bits 25 to 29 the surface; 0: nothing (the format of
 *              shaders/seen.glsl)
 *
 * The arithmetic is in draw_triangle.h. Rungs on the CPU give the same bits for any number of threads. */
#ifndef ISO_DRAW_H
#define ISO_DRAW_H

#include "grid.h"
#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DRAW_MOST_PIXELS 8192 /* along each axis: vertex positions must fit fixed point */
#define DRAW_MOST_TRIANGLES 0x7ffffffeu

struct draw_desc {
    const struct vertex *vertices; /* [vertex_count], backend memory */
    const uint32_t *indices;       /* [3 * triangle_count], each below vertex_count */
    size_t vertex_count, triangle_count;
    float clip_from_voxel[16]; /* column by column */
    float view_normal[9];      /* rotates normals into the view, column by column; any positive factor */
    uint32_t width, height;    /* pixels, 1 to DRAW_MOST_PIXELS */
    uint32_t surface;          /* 1 to 31 */
    bool clockwise;            /* vertices go round clockwise, seen from outside: a left-handed view */
    bool flipped;              /* inner sides are marked as outer ones */
    bool over;                 /* keeps what is there and draws over it; else starts from nothing */
    float *depth;              /* [height, width], 0 (near) to 1; backend memory */
    uint32_t *seen;            /* [height, width] */
};

/* A CPU rung that is cancelled leaves the pixels half done. */
struct draw_rung {
    struct rung rung;
    int (*run)(const struct draw_desc *desc, void *scratch, struct exec *x);
    size_t (*scratch)(const struct draw_desc *desc, const struct exec *x); /* bytes, 256-byte aligned; NULL: none */
};

extern const struct draw_rung draw_cpu[], draw_cuda[];

#ifdef __cplusplus
}
#endif
#endif
