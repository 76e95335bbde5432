/* Derive the case tables from the cube itself.
 *
 * 1. On each face, seen from outside the cube, walk its corners counter-clockwise. Where the walk goes from inside to
 *    outside, an arc of the contour ends; it starts where the walk next goes from outside to inside. Each arc goes
 *    round outside corners, keeping them on its left as seen from outside the cube, and on a face whose diagonals
 *    differ each outside corner is cut off alone. The neighbour across the face walks the same corners backwards and
 *    finds the same arcs reversed: the surface closes, consistently oriented.
 * 2. Each crossed cube edge lies on two faces, ends one arc and starts one; following the arcs gives closed loops.
 * 3. Each loop is cut into triangles. No chord may join two edges of one face: it would lie in the face, and the
 *    neighbour could draw the same one, an edge with four triangles. Of the remaining triangulations, take the one with
 *    the shortest chords (edge midpoints), first found on ties. */
#include "mc_tables.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum { MAX_LOOP = 12 };

/* Return the edge between two adjacent corners. */
static unsigned edge_between(unsigned a, unsigned b)
{
    const unsigned axis_bit = a ^ b, base = a & b;
    const unsigned x = base & 1, y = base >> 1 & 1, z = base >> 2;
    return axis_bit == 1 ? (y | z << 1) : axis_bit == 2 ? 4 + (x | z << 1) : 8 + (x | y << 1);
}

/* Get the corners of face f (axis f >> 1, side f & 1), counter-clockwise seen from outside the cube. */
static void face_corners(unsigned f, unsigned corner[4])
{
    const unsigned axis = f >> 1, side = f & 1;
    const unsigned u = 1u << (axis + 1) % 3, v = 1u << (axis + 2) % 3; /* (axis, u, v) is right-handed */
    const unsigned base = side << axis;
    const unsigned ccw[4] = { base, base | u, base | u | v, base | v };
    for (unsigned i = 0; i < 4; i++) corner[i] = ccw[side ? i : 3 - i];
}

/* Set next[e] to the edge that the arc starting on crossed edge e leads to; -1 for others. */
static void trace_arcs(unsigned inside, int8_t next[12])
{
    memset(next, -1, 12);
    for (unsigned f = 0; f < 6; f++) {
        unsigned corner[4];
        face_corners(f, corner);
        for (unsigned i = 0; i < 4; i++) {
            const unsigned a = corner[i], b = corner[(i + 1) % 4];
            if (!(inside >> a & 1) || inside >> b & 1) continue;
            unsigned j = i + 1;
            while (!(inside >> corner[(j + 1) % 4] & 1)) j++;
            const unsigned start = edge_between(corner[j % 4], corner[(j + 1) % 4]);
            next[start] = (int8_t)edge_between(a, b);
        }
    }
}

/* Get twice the midpoint of an edge, an integer point. */
static void edge_middle(unsigned e, int p[3])
{
    p[0] = 2 * (int)mc_edge_dx(e) + (mc_edge_axis(e) == 0);
    p[1] = 2 * (int)mc_edge_dy(e) + (mc_edge_axis(e) == 1);
    p[2] = 2 * (int)mc_edge_dz(e) + (mc_edge_axis(e) == 2);
}

static int chord_length(unsigned a, unsigned b)
{
    int p[3], q[3], sum = 0;
    edge_middle(a, p);
    edge_middle(b, q);
    for (int i = 0; i < 3; i++) sum += (p[i] - q[i]) * (p[i] - q[i]);
    return sum;
}

/* Return true if two edges share a face: on some axis both lie wholly on the same side. */
static bool on_one_face(unsigned a, unsigned b)
{
    int p[3], q[3];
    edge_middle(a, p);
    edge_middle(b, q);
    for (int i = 0; i < 3; i++)
        if (p[i] == q[i] && p[i] != 1) return true;
    return false;
}

enum { FORBIDDEN = 1000000 };

/* Return the cost of the best triangulation of loop[i..j], closed by chord (i, j); pick[i][j] is its apex. The classic
 * dynamic programme over polygon chords. */
static int best_cut(const uint8_t *loop, int i, int j, int n, int cost[MAX_LOOP][MAX_LOOP], int pick[MAX_LOOP][MAX_LOOP])
{
    if (j == i + 1) return 0;
    if (cost[i][j] >= 0) return cost[i][j];
    int best = 2 * FORBIDDEN * MAX_LOOP;
    for (int k = i + 1; k < j; k++) {
        const int c = best_cut(loop, i, k, n, cost, pick) + best_cut(loop, k, j, n, cost, pick);
        if (c < best) best = c, pick[i][j] = k;
    }
    const bool is_side = i == 0 && j == n - 1;
    if (!is_side) best += chord_length(loop[i], loop[j]) + (on_one_face(loop[i], loop[j]) ? FORBIDDEN : 0);
    return cost[i][j] = best;
}

static void emit_cut(const uint8_t *loop, int i, int j, int pick[MAX_LOOP][MAX_LOOP], uint8_t *edges, unsigned *triangles)
{
    if (j == i + 1) return;
    const int k = pick[i][j];
    uint8_t *t = edges + 3 * (*triangles)++;
    t[0] = loop[i], t[1] = loop[k], t[2] = loop[j];
    emit_cut(loop, i, k, pick, edges, triangles);
    emit_cut(loop, k, j, pick, edges, triangles);
}

void mc_tables_build(struct mc_tables *tables)
{
    memset(tables, 0, sizeof *tables);
    for (unsigned inside = 0; inside < 256; inside++) {
        int8_t next[12];
        unsigned triangles = 0, done = 0;
        trace_arcs(inside, next);
        for (unsigned first = 0; first < 12; first++) {
            if (next[first] < 0 || done >> first & 1) continue;
            uint8_t loop[MAX_LOOP] = { 0 };
            int n = 0, cost[MAX_LOOP][MAX_LOOP], pick[MAX_LOOP][MAX_LOOP] = { 0 };
            for (unsigned e = first; !(done >> e & 1); e = (unsigned)next[e]) {
                loop[n++] = (uint8_t)e;
                done |= 1u << e;
            }
            assert(n >= 3 && triangles + (unsigned)n - 2 <= MC_MAX_TRIANGLES);
            memset(cost, -1, sizeof cost);
            const int best = best_cut(loop, 0, n - 1, n, cost, pick);
            assert(best < FORBIDDEN);
            (void)best;
            emit_cut(loop, 0, n - 1, pick, tables->edge[inside], &triangles);
        }
        tables->triangles[inside] = (uint8_t)triangles;
        tables->packed[inside] = (uint64_t)triangles << 60;
        for (unsigned k = 0; k < 3 * triangles; k++) tables->packed[inside] |= (uint64_t)tables->edge[inside][k] << 4 * k;
    }
}
