/* What follows from the labels of components.h: measures of each part of the surface, and the triangles of selected
 * parts.
 *
 *    labels --mark_roots--> flags --scan--> numbers        the part of vertex v has the number numbers[labels[v]]
 *    mesh, labels, numbers --measure--> struct part [count]
 *    indices, labels, numbers, keep --mark_kept--> flags --scan--> starts --gather_kept--> indices
 *
 * Plain passes with one implementation per backend: members of struct backend_ops. All arrays are in the backend's
 * memory; outputs do not overlap inputs. All return 0 or the backend's code; queued, as every op is.
 *
 * Areas and volumes are sums of whole numbers: the value of each triangle is rounded to a multiple of a step, chosen
 * just large enough that the sum cannot overflow. Whole numbers give the same sum in any order, so all backends and
 * thread counts give the same bits. */
#ifndef ISO_PARTS_H
#define ISO_PARTS_H

#include "backend.h"
#include "grid.h"

#ifdef __cplusplus
extern "C" {
#endif

struct part {
    uint64_t triangles, vertices;
    int64_t area;            /* in steps of parts_desc.area_step */
    int64_t volume;          /* six times the volume, in voxels, in steps of parts_desc.volume_step; if closed */
    uint64_t open;           /* not 0: the volume's border cuts it open */
    int64_t low[3], high[3]; /* the box around it, in the world, relative to the origin: part_order() of doubles */
};

struct parts_desc {
    const struct vertex *vertices;
    const uint32_t *indices; /* (triangles, 3); the corners of a triangle lie in one cell of the grid */
    const uint32_t *labels;  /* [vertex_count] */
    const uint32_t *numbers; /* of each root: the number of its part */
    size_t vertex_count, triangles, count;
    uint32_t first;                /* number of vertex 0 in the larger mesh that this one is a piece of; 0: no piece */
    double direction[3][3];        /* world from voxel */
    float last[3];                 /* the last voxel along each axis */
    double area_step, volume_step; /* powers of two: measure.h */
    struct part *parts;            /* [count] */
};

struct part_ops {
    /* flags[v] = 1 if vertex v is the root of its part, else 0. */
    int (*mark_roots)(const uint32_t *labels, uint32_t *flags, size_t n, struct exec *x);

    /* Measures all parts. A part without triangles is a vertex that none uses. */
    int (*measure)(const struct parts_desc *desc, struct exec *x);

    /* flags[t] = keep[number of the part of triangle t], which is 0 or 1. n: triangles. */
    int (*mark_kept)(const struct parts_desc *desc, const uint8_t *keep, uint32_t *flags, struct exec *x);

    /* out: (sum of flags, 3), the triangles with flag 1, in their order. starts: the exclusive sums of the flags. */
    int (*gather_kept)(const uint32_t *indices, const uint32_t *flags, const uint32_t *starts, uint32_t *out, size_t n,
                       struct exec *x);
};

extern const struct part_ops parts_cpu, parts_cuda;

/* ---- the same bits on every backend ------------------------------------------------------------------------------ */

/* Map a double to a whole number that orders the same way, so that integer atomics can find minimum and maximum.
 * Applied to the bits again, it is its own inverse. */
ISO_FN int64_t part_order(double value)
{
    union {
        double value;
        int64_t bits;
    } u;
    u.value = value;
    return u.bits < 0 ? u.bits ^ INT64_MAX : u.bits;
}

ISO_FN double part_value(int64_t order)
{
    union {
        double value;
        int64_t bits;
    } u;
    u.bits = order < 0 ? order ^ INT64_MAX : order;
    return u.value;
}

ISO_FN struct part part_empty(void)
{
    const struct part empty = { 0, 0, 0, 0, 0, { INT64_MAX, INT64_MAX, INT64_MAX }, { INT64_MIN, INT64_MIN, INT64_MIN } };
    return empty;
}

/* Return whether an edge lies in the surface of the grid's box. Only there can an edge belong to one triangle instead
 * of two. */
ISO_FN bool part_on_border(const struct parts_desc *d, const struct vertex *a, const struct vertex *b)
{
    return (a->x == b->x && (a->x == 0 || a->x == d->last[0])) || (a->y == b->y && (a->y == 0 || a->y == d->last[1])) ||
           (a->z == b->z && (a->z == 0 || a->z == d->last[2]));
}

/* Return a random number for the edge from vertex a to b, and its negative for the way back (splitmix64 of the two).
 * Two triangles that share an edge go along it in opposite directions, so the sum over all edges is 0 if each edge has
 * its pair. For a surface with a cut, the sum is 0 by chance once in 2^64. */
ISO_FN uint64_t part_edge(uint32_t a, uint32_t b)
{
    uint64_t z = (a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a) + 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return a < b ? z : 0 - z;
}

ISO_FN void part_to_world(const struct parts_desc *d, const double p[3], double q[3])
{
    for (int r = 0; r < 3; r++) q[r] = d->direction[r][0] * p[0] + d->direction[r][1] * p[1] + d->direction[r][2] * p[2];
}

/* Add triangle t to `part`. The volume is the one between the triangle and the plane z = 0 (divergence theorem), in
 * voxels; the reader multiplies it by the size of a voxel. */
ISO_FN void part_add_triangle(const struct parts_desc *d, size_t t, struct part *part)
{
    const uint32_t *index = d->indices + 3 * t;
    double u[2][3], w[2][3], p[3], q[3];
    for (int i = 0; i < 3; i++) {
        const struct vertex *v = &d->vertices[index[i]], *next = &d->vertices[index[(i + 1) % 3]];
        p[0] = (double)v->x, p[1] = (double)v->y, p[2] = (double)v->z;
        part_to_world(d, p, q);
        for (int r = 0; r < 3; r++) {
            const int64_t order = part_order(q[r]);
            if (order < part->low[r]) part->low[r] = order;
            if (order > part->high[r]) part->high[r] = order;
        }
        if (part_on_border(d, v, next)) part->open += part_edge(d->first + index[i], d->first + index[(i + 1) % 3]);
    }
    const struct vertex *a = &d->vertices[index[0]], *b = &d->vertices[index[1]], *c = &d->vertices[index[2]];
    u[0][0] = (double)b->x - (double)a->x, u[0][1] = (double)b->y - (double)a->y, u[0][2] = (double)b->z - (double)a->z;
    u[1][0] = (double)c->x - (double)a->x, u[1][1] = (double)c->y - (double)a->y, u[1][2] = (double)c->z - (double)a->z;
    for (int i = 0; i < 2; i++) part_to_world(d, u[i], w[i]);
    q[0] = w[0][1] * w[1][2] - w[0][2] * w[1][1];
    q[1] = w[0][2] * w[1][0] - w[0][0] * w[1][2];
    q[2] = w[0][0] * w[1][1] - w[0][1] * w[1][0];
    const double height = (double)a->z + (double)b->z + (double)c->z;
    part->triangles++;
    part->area += llrint(0.5 * sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]) / d->area_step);
    part->volume += llrint(height * (u[0][0] * u[1][1] - u[0][1] * u[1][0]) / d->volume_step);
}

#ifdef __cplusplus
}
#endif
#endif
