/* The arithmetic of `draw` that all rungs share: places of vertices, edges of triangles, depth, normals. Rungs that
 * handle several at once do the same operations in the same order, so the bits are the same.
 *
 * Edge i of a triangle lies opposite vertex i. Its edge function (Pineda 1988) is positive inside if the vertices go
 * round counter-clockwise. With y upwards, a left edge leads down and a top edge leads to the left. */
#ifndef ISO_DRAW_TRIANGLE_H
#define ISO_DRAW_TRIANGLE_H

#include "draw.h"

#include <limits.h>

enum {
    DRAW_ONE = 256,             /* fixed point: a pixel */
    DRAW_CENTRE = DRAW_ONE / 2, /* of a pixel, from its corner */
    DRAW_FAR = 1 << 22,         /* no place is farther from the corner of the picture */
    DRAW_CLIPPED = INT_MIN / 2, /* x of a vertex without a place; boxes around it still fit. Its triangles are cut */
    DRAW_CORNERS = 9,           /* of a triangle that six planes have cut */
    DRAW_OUTSIDES = 6           /* those planes */
};

struct draw_point {
    int32_t x, y; /* 1/256 of a pixel, y upwards; x DRAW_CLIPPED: no place */
    float depth;  /* 0 (near) to 1 */
    float w;      /* 1 / w of the clip coordinates */
};

/* Pixels, both ends included; empty if low > high. */
struct draw_box {
    int32_t low[2], high[2];
};

/* A triangle whose vertices go round counter-clockwise. Edge functions are in 2^-16 pixels^2. */
struct draw_edges {
    int64_t dx[3], dy[3];   /* of edge i, from its first end to the second */
    int64_t first[3];       /* function of edge i at the centre of pixel (0, 0) */
    int64_t least[3];       /* that counts as inside: 0 on left and top edges, else 1 */
    float depth[3];         /* at vertex 0; of vertices 1 and 2 over that one */
    float share;            /* 1 / sum of the functions */
    bool counter_clockwise; /* as it was given */
};

struct draw_float3 {
    float x, y, z;
};

/* ---- vertices ------------------------------------------------------------------------------------------------------ */

ISO_FN void draw_clip_of(const struct draw_desc *d, const struct vertex *v, float clip[4])
{
    const float *m = d->clip_from_voxel;
    for (int i = 0; i < 4; i++) clip[i] = ((m[i] * v->x + m[4 + i] * v->y) + m[8 + i] * v->z) + m[12 + i];
}

ISO_FN float draw_half(uint32_t pixels) { return (float)(pixels * DRAW_CENTRE); }

/* Returns the place of a vertex, with x DRAW_CLIPPED if it lies before, behind or far beside the view. */
ISO_FN struct draw_point draw_place(const struct draw_desc *d, const float clip[4])
{
    const float w = 1.0f / clip[3], half_x = draw_half(d->width), half_y = draw_half(d->height);
    const float x = clip[0] * w * half_x + half_x, y = clip[1] * w * half_y + half_y;
    const bool in = clip[3] > 0 && clip[2] >= -clip[3] && clip[2] <= clip[3] && fabsf(x) <= (float)DRAW_FAR &&
                    fabsf(y) <= (float)DRAW_FAR; /* NaN is not in */
    struct draw_point p = { DRAW_CLIPPED, 0, 0, 0 };
    if (!in) return p;
    p.x = (int32_t)rintf(x), p.y = (int32_t)rintf(y);
    p.depth = clip[2] * w * 0.5f + 0.5f;
    p.w = w;
    return p;
}

ISO_FN struct draw_point draw_place_of(const struct draw_desc *d, const struct vertex *v)
{
    float clip[4];
    draw_clip_of(d, v, clip);
    return draw_place(d, clip);
}

/* Finds the places of a triangle's vertices; returns false if the triangle has to be cut. */
ISO_FN bool draw_places(const struct draw_desc *d, const uint32_t index[3], struct draw_point p[3])
{
    for (int i = 0; i < 3; i++) p[i] = draw_place_of(d, d->vertices + index[i]);
    return p[0].x != DRAW_CLIPPED && p[1].x != DRAW_CLIPPED && p[2].x != DRAW_CLIPPED;
}

/* The same for vertices that were placed earlier. */
ISO_FN bool draw_take_places(const struct draw_point *place, const uint32_t index[3], struct draw_point p[3])
{
    for (int i = 0; i < 3; i++) p[i] = place[index[i]];
    return p[0].x != DRAW_CLIPPED && p[1].x != DRAW_CLIPPED && p[2].x != DRAW_CLIPPED;
}

/* ---- triangles that reach out of the view ------------------------------------------------------------------------ */

/* How far inside plane number `plane` a point is: near, far, and the four planes that keep places within fixed point. */
ISO_FN float draw_inside(const struct draw_desc *d, const float clip[4], int plane)
{
    const float reach[2] = { (float)(DRAW_FAR / 2) / draw_half(d->width), (float)(DRAW_FAR / 2) / draw_half(d->height) };
    if (plane == 0) return clip[2] + clip[3];
    if (plane == 1) return clip[3] - clip[2];
    const int axis = (plane - 2) / 2;
    return plane % 2 ? clip[3] * reach[axis] - clip[axis] : clip[3] * reach[axis] + clip[axis];
}

/* Cuts an edge, always starting from the end that is inside, so that the triangle on the other side gets the same
 * point. */
ISO_FN void draw_cut(const float in[4], const float out[4], float inside, float outside, float to[4])
{
    const float t = inside / (inside - outside);
    for (int i = 0; i < 4; i++) to[i] = in[i] + (out[i] - in[i]) * t;
}

/* Cuts a polygon of n corners by a plane (Sutherland and Hodgman 1974); returns how many corners are left. */
ISO_RARE_FN int draw_cut_by(const struct draw_desc *d, int plane, float in[][4], int n, float out[][4])
{
    int count = 0;
    for (int i = 0; i < n && count < DRAW_CORNERS; i++) { /* rounding can give a sliver more corners than it should have */
        const float *a = in[i], *b = in[(i + 1) % n];
        const float at_a = draw_inside(d, a, plane), at_b = draw_inside(d, b, plane);
        if (at_a >= 0)
            for (int k = 0; k < 4; k++) out[count][k] = a[k];
        count += at_a >= 0;
        if (at_a >= 0 && at_b < 0) draw_cut(a, b, at_a, at_b, out[count++]);
        if (at_a < 0 && at_b >= 0) draw_cut(b, a, at_b, at_a, out[count++]);
    }
    return count < DRAW_CORNERS ? count : DRAW_CORNERS;
}

/* Finds the corners of what is left of a triangle; returns how many there are, 0 if nothing is left. If a corner has no
 * place, because of NaN or a plane through the eye, nothing is left. */
ISO_RARE_FN int draw_clip(const struct draw_desc *d, const uint32_t index[3], struct draw_point corner[DRAW_CORNERS])
{
    float polygon[2][DRAW_CORNERS + 1][4];
    int n = 3;
    for (int i = 0; i < 3; i++) draw_clip_of(d, d->vertices + index[i], polygon[0][i]);
    for (int plane = 0; plane < DRAW_OUTSIDES && n; plane++)
        n = draw_cut_by(d, plane, polygon[plane % 2], n, polygon[1 - plane % 2]);
    for (int i = 0; i < n; i++) {
        float *clip = polygon[DRAW_OUTSIDES % 2][i];
        clip[2] = fmaxf(-clip[3], fminf(clip[3], clip[2])); /* the cut was rounded */
        corner[i] = draw_place(d, clip);
        if (corner[i].x == DRAW_CLIPPED) return 0;
    }
    return n < 3 ? 0 : n;
}

/* ---- edges --------------------------------------------------------------------------------------------------------- */

ISO_FN int32_t draw_lowest(int32_t a, int32_t b, int32_t c) { return a < b ? (a < c ? a : c) : b < c ? b : c; }
ISO_FN int32_t draw_highest(int32_t a, int32_t b, int32_t c) { return a > b ? (a > c ? a : c) : b > c ? b : c; }

/* Returns the pixels with centres in the box around three points, within `in`. */
ISO_FN struct draw_box draw_box_of(const struct draw_point p[3], const struct draw_box *in)
{
    struct draw_box box;
    box.low[0] = (draw_lowest(p[0].x, p[1].x, p[2].x) + DRAW_CENTRE - 1) >> 8;
    box.low[1] = (draw_lowest(p[0].y, p[1].y, p[2].y) + DRAW_CENTRE - 1) >> 8;
    box.high[0] = (draw_highest(p[0].x, p[1].x, p[2].x) - DRAW_CENTRE) >> 8;
    box.high[1] = (draw_highest(p[0].y, p[1].y, p[2].y) - DRAW_CENTRE) >> 8;
    for (int a = 0; a < 2; a++) {
        if (box.low[a] < in->low[a]) box.low[a] = in->low[a];
        if (box.high[a] > in->high[a]) box.high[a] = in->high[a];
    }
    return box;
}

ISO_FN bool draw_is_empty(const struct draw_box *box) { return box->low[0] > box->high[0] || box->low[1] > box->high[1]; }

/* Returns false if the triangle has no area. */
ISO_FN bool draw_edges_of(const struct draw_point p[3], struct draw_edges *e)
{
    const int64_t area = (int64_t)(p[1].x - p[0].x) * (p[2].y - p[0].y) - (int64_t)(p[1].y - p[0].y) * (p[2].x - p[0].x);
    const bool turned = area < 0;
    const struct draw_point *v[3] = { &p[0], &p[turned ? 2 : 1], &p[turned ? 1 : 2] };
    if (!area) return false;
    for (int i = 0; i < 3; i++) {
        const struct draw_point *a = v[(i + 1) % 3], *b = v[(i + 2) % 3];
        e->dx[i] = b->x - a->x, e->dy[i] = b->y - a->y;
        e->first[i] = e->dx[i] * (DRAW_CENTRE - a->y) - e->dy[i] * (DRAW_CENTRE - a->x);
        e->least[i] = e->dy[i] < 0 || (e->dy[i] == 0 && e->dx[i] < 0) ? 0 : 1;
    }
    e->depth[0] = v[0]->depth, e->depth[1] = v[1]->depth - v[0]->depth, e->depth[2] = v[2]->depth - v[0]->depth;
    e->share = 1.0f / (float)(turned ? -area : area);
    e->counter_clockwise = !turned;
    return true;
}

/* Returns the depth at the point where edge functions 1 and 2 have these values. */
ISO_FN float draw_depth(const struct draw_edges *e, int64_t edge_1, int64_t edge_2)
{
    const float depth = e->depth[0] + ((float)edge_1 * e->depth[1] + (float)edge_2 * e->depth[2]) * e->share;
    return depth > 0 ? depth : 0;
}

/* Calls put(to, x, y, depth, counter_clockwise) for each pixel of `in` that a triangle covers. */
#define DRAW_FILL(p, in, put, to)                                                                  \
    {                                                                                              \
        const struct draw_box box = draw_box_of(p, in);                                            \
        struct draw_edges e;                                                                       \
        if (!draw_is_empty(&box) && draw_edges_of(p, &e))                                          \
            for (int32_t y = box.low[1]; y <= box.high[1]; y++)                                    \
                for (int32_t x = box.low[0]; x <= box.high[0]; x++) {                              \
                    int64_t at[3];                                                                 \
                    bool covered = true;                                                           \
                    for (int i = 0; i < 3; i++) {                                                  \
                        at[i] = e.first[i] + DRAW_ONE * (e.dx[i] * y - e.dy[i] * x);               \
                        covered = covered && at[i] >= e.least[i];                                  \
                    }                                                                              \
                    if (covered) put(to, x, y, draw_depth(&e, at[1], at[2]), e.counter_clockwise); \
                }                                                                                  \
    }

/* ---- normals ------------------------------------------------------------------------------------------------------- */

ISO_FN float draw_normal_part(uint32_t normal, int axis)
{
    const int32_t part = (int32_t)(normal << (22 - 10 * axis)) >> 22;
    return (float)(part < -511 ? -511 : part);
}

/* The share of each vertex in what is seen at the centre of a pixel, times any positive factor. */
ISO_FN void draw_shares(const struct draw_point p[3], uint32_t x, uint32_t y, bool counter_clockwise, float share[3])
{
    const int32_t at_x = (int32_t)(x * DRAW_ONE + DRAW_CENTRE), at_y = (int32_t)(y * DRAW_ONE + DRAW_CENTRE);
    float dx[3], dy[3];
    for (int i = 0; i < 3; i++) dx[i] = (float)(p[i].x - at_x), dy[i] = (float)(p[i].y - at_y);
    for (int i = 0; i < 3; i++) {
        const int a = (i + 1) % 3, b = (i + 2) % 3;
        const float edge = (dx[a] * dy[b] - dx[b] * dy[a]) * p[i].w;
        share[i] = counter_clockwise ? edge : -edge;
    }
}

/* The same for a triangle that was cut. In homogeneous coordinates, a vertex needs no place (Olano and Greer 1997). A
 * triangle seen from the side has no shares, although its rounded places may have covered a pixel. */
ISO_RARE_FN void draw_shares_clipped(const struct draw_desc *d, const uint32_t index[3], uint32_t x, uint32_t y,
                                     float share[3])
{
    const double at_x = (2.0 * x + 1) / d->width - 1, at_y = (2.0 * y + 1) / d->height - 1;
    double dx[3], dy[3], edge[3], sum = 0;
    for (int i = 0; i < 3; i++) {
        float clip[4];
        draw_clip_of(d, d->vertices + index[i], clip);
        dx[i] = (double)clip[0] - at_x * (double)clip[3], dy[i] = (double)clip[1] - at_y * (double)clip[3];
    }
    for (int i = 0; i < 3; i++) {
        const int a = (i + 1) % 3, b = (i + 2) % 3;
        edge[i] = dx[a] * dy[b] - dx[b] * dy[a];
        sum += edge[i];
    }
    for (int i = 0; i < 3; i++) share[i] = sum < 0 || sum > 0 ? (float)(edge[i] / sum) : 0.0f;
}

/* Packs a normal of any length, towards the viewer. */
ISO_FN uint32_t draw_pack(const struct draw_desc *d, struct draw_float3 n, bool outside)
{
    const float size = (fabsf(n.x) + fabsf(n.y)) + fabsf(n.z);
    if (!(size > 0)) n.x = n.y = 0, n.z = outside ? 1 : -1;
    const float scale = size > 0 ? 1.0f / size : 1.0f;
    const float u = n.x * scale, v = n.y * scale;
    const float folded_u = (1.0f - fabsf(v)) * (u >= 0 ? 1.0f : -1.0f),
                folded_v = (1.0f - fabsf(u)) * (v >= 0 ? 1.0f : -1.0f);
    const uint32_t low = (uint32_t)(int32_t)rintf((n.z < 0 ? folded_u : u) * 2047.5f + 2047.5f);
    const uint32_t high = (uint32_t)(int32_t)rintf((n.z < 0 ? folded_v : v) * 2047.5f + 2047.5f);
    return low | high << 12 | (uint32_t)(outside != d->flipped) << 24 | d->surface << 25;
}

/* Returns what is seen at a pixel of a triangle, from the shares of its vertices. */
ISO_FN uint32_t draw_seen(const struct draw_desc *d, const uint32_t index[3], const float share[3], bool counter_clockwise)
{
    const bool outside = counter_clockwise != d->clockwise;
    const float *m = d->view_normal;
    float n[3];
    for (int a = 0; a < 3; a++) {
        n[a] = 0;
        for (int i = 0; i < 3; i++) n[a] += share[i] * draw_normal_part(d->vertices[index[i]].normal, a);
        if (!outside) n[a] = -n[a];
    }
    const struct draw_float3 turned = { (m[0] * n[0] + m[3] * n[1]) + m[6] * n[2],
                                        (m[1] * n[0] + m[4] * n[1]) + m[7] * n[2],
                                        (m[2] * n[0] + m[5] * n[1]) + m[8] * n[2] };
    return draw_pack(d, turned, outside);
}

#endif
