/* A second reference for the topology of isosurfaces, for tests. It samples the trilinear interpolant k times per cell.
 * The samples are cubes inside and outside, and the surface is what separates them. It needs no faces, saddles or
 * tunnels. It has an answer if no face of the finer grid is ambiguous and no cube has only two opposite corners alike
 * (the set is then well-composed). Otherwise a larger k may have one. */
#ifndef ISO_DIGITAL_TRUTH_H
#define ISO_DIGITAL_TRUTH_H

#include "forest.h"
#include "kernels/grid.h"

#include <stdlib.h>

struct digital_truth {
    bool resolved;
    int64_t euler;
    uint64_t components;
};

static inline double trilinear_at(const struct grid *g, const size_t at[3], const double t[3])
{
    double sum = 0;
    for (unsigned c = 0; c < 8; c++) {
        double weight = 1;
        size_t i[3];
        for (unsigned a = 0; a < 3; a++) {
            const unsigned up = c >> a & 1;
            weight *= up ? t[a] : 1 - t[a];
            i[a] = at[a] + up;
        }
        if (weight != 0) sum += weight * (double)grid_value(g, (i[2] * g->ny + i[1]) * g->nx + i[0]);
    }
    return sum;
}

/* Samples `inside` at n[0] x n[1] x n[2] points, k per voxel; equal to iso is inside. */
static inline void digital_sample(uint8_t *inside, const struct grid *g, float iso, size_t k, const size_t n[3])
{
    for (size_t i = 0; i < n[0] * n[1] * n[2]; i++) {
        const size_t p[3] = { i % n[0], i / n[0] % n[1], i / n[0] / n[1] };
        size_t at[3];
        double t[3];
        for (int a = 0; a < 3; a++) {
            at[a] = p[a] == n[a] - 1 ? p[a] / k - 1 : p[a] / k;
            t[a] = (double)(p[a] - at[a] * k) / (double)k;
        }
        inside[i] = trilinear_at(g, at, t) >= (double)iso;
    }
}

/* Whether the square at point i spanned by two steps is mixed: 2 if it is so across, with both diagonals alike. */
static inline int digital_square(const uint8_t *inside, size_t i, size_t u, size_t v)
{
    const int sum = inside[i] + inside[i + u] + inside[i + v] + inside[i + u + v];
    if (sum == 2 && inside[i] == inside[i + u + v]) return 2;
    return sum > 0 && sum < 4;
}

/* The same for a cube: 2 if two opposite corners are unlike the other six. */
static inline int digital_cube(const uint8_t *inside, size_t i, const size_t step[3])
{
    unsigned bits = 0, ones = 0;
    for (unsigned c = 0; c < 8; c++) {
        const unsigned bit = inside[i + (c & 1) * step[0] + (c >> 1 & 1) * step[1] + (c >> 2) * step[2]];
        bits |= bit << c, ones += bit;
    }
    const unsigned few = ones == 6 ? ~bits & 255 : bits;
    if (few == 0x81 || few == 0x42 || few == 0x24 || few == 0x18) return 2;
    return ones > 0 && ones < 8;
}

/* Counts what the surface crosses at point i, and connects the points that it does not separate. */
static inline void digital_count(struct digital_truth *truth, struct forest *points, const uint8_t *inside, size_t i,
                                 const size_t n[3], const size_t step[3])
{
    const bool room[3] = { i % n[0] + 1 < n[0], i / n[0] % n[1] + 1 < n[1], i / step[2] + 1 < n[2] };
    for (unsigned a = 0; a < 3; a++) {
        const unsigned b = (a + 1) % 3;
        if (!room[a]) continue;
        if (inside[i] == inside[i + step[a]]) forest_join(points, (uint32_t)i, (uint32_t)(i + step[a]));
        else truth->euler++;
        const int square = room[b] ? digital_square(inside, i, step[a], step[b]) : 0;
        truth->euler -= square != 0;
        truth->resolved = truth->resolved && square != 2;
    }
    const int cube = room[0] && room[1] && room[2] ? digital_cube(inside, i, step) : 0;
    truth->euler += cube != 0;
    truth->resolved = truth->resolved && cube != 2;
}

static inline struct digital_truth digital_truth_at(const struct grid *g, float iso, size_t k)
{
    const size_t n[3] = { k * (g->nx - 1) + 1, k * (g->ny - 1) + 1, k * (g->nz - 1) + 1 };
    const size_t step[3] = { 1, n[0], n[0] * n[1] }, all = step[2] * n[2];
    struct digital_truth truth = { true, 0, 0 };
    struct forest points = { 0 };
    struct err err;
    uint8_t *inside = malloc(all);
    if (!inside || forest_grow(&points, all, &err)) abort();
    digital_sample(inside, g, iso, k, n);
    for (size_t i = 0; i < all; i++) digital_count(&truth, &points, inside, i, n, step);
    truth.components = points.count - points.joins - 1; /* a surface in a box has a part on either side more than pieces */
    forest_free(&points);
    free(inside);
    return truth;
}

/* Doubles k from 8 to `most` until there is an answer. */
static inline struct digital_truth digital_truth_find(const struct grid *g, float iso, size_t most)
{
    struct digital_truth truth = { false, 0, 0 };
    for (size_t k = 8; k <= most && !truth.resolved; k *= 2) truth = digital_truth_at(g, iso, k);
    return truth;
}

#endif
