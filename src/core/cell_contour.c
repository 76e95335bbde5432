#include "cell_contour.h"

#include "exact.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- faces --------------------------------------------------------------------------------------------------------- */

static void face_corners(unsigned face, unsigned corner[4])
{
    const unsigned axis = face >> 1, base = (face & 1) << axis, u = 1u << (axis + 1) % 3, v = 1u << (axis + 2) % 3;
    corner[0] = base, corner[1] = base | u, corner[2] = base | u | v, corner[3] = base | v;
}

static unsigned edge_between(unsigned a, unsigned b)
{
    const unsigned axis = (a ^ b) >> 1, low = a & b; /* 1, 2, 4 become 0, 1, 2 */
    return axis << 2 | (axis == 0 ? low >> 1 : axis == 1 ? (low & 1) | low >> 2 << 1 : low & 3);
}

/* The sign of ab - cd, -1 if it is NaN. Rounding never reverses the order of products, so only equal ones need exact
 * arithmetic. */
static int compare_products(double a, double b, double c, double d)
{
    const double left = a * b, right = c * d;
    if (left != right) return left > right ? 1 : -1;
    if (!isfinite(left)) return 0;
    const struct exact difference = exact_products(a, b, -c, d);
    return exact_sign(&difference);
}

static bool is_inside(double value) { return value >= 0; }

/* Whether the inside corners of an ambiguous face are joined. The saddle of the bilinear interpolant with corners a, b, c,
 * d is (ac - bd) / (a + c - b - d), and the divisor is positive if a and c are the inside corners. */
static bool inside_is_joined(const double value[8], const unsigned corner[4], enum topology rule)
{
    if (rule == TOPOLOGY_FIXED) return true;
    const unsigned first = !is_inside(value[corner[0]]); /* first corner of the inside diagonal */
    return compare_products(value[corner[first]], value[corner[first + 2]], value[corner[first + 1]],
                            value[corner[(first + 3) % 4]]) >= 0;
}

static bool is_ambiguous(const double value[8], const unsigned corner[4])
{
    const bool a = is_inside(value[corner[0]]), b = is_inside(value[corner[1]]);
    return a != b && a == is_inside(value[corner[2]]) && b == is_inside(value[corner[3]]);
}

/* Sets the arcs of a face. They cut off the inside corners; if these are joined, they cut off the outside corners. */
static void cut_face(struct cell_contour *out, const double value[8], unsigned face, enum topology rule)
{
    unsigned corner[4];
    int crossed[4], crossings = 0;
    face_corners(face, corner);
    for (int i = 0; i < 4; i++) {
        crossed[i] = is_inside(value[corner[i]]) != is_inside(value[corner[(i + 1) % 4]]);
        crossings += crossed[i];
    }
    const bool cut_inside = crossings == 4 && !inside_is_joined(value, corner, rule);
    out->arcs[face] = (uint8_t)(crossings / 2);
    for (int i = 0, arc = 0; i < 4 && crossings == 4; i++) {
        if (is_inside(value[corner[i]]) != cut_inside) continue;
        out->arc[face][arc][0] = (uint8_t)edge_between(corner[(i + 3) % 4], corner[i]);
        out->arc[face][arc++][1] = (uint8_t)edge_between(corner[i], corner[(i + 1) % 4]);
    }
    for (int i = 0, end = 0; i < 4 && crossings == 2; i++)
        if (crossed[i]) out->arc[face][0][end++] = (uint8_t)edge_between(corner[i], corner[(i + 1) % 4]);
}

/* ---- loops --------------------------------------------------------------------------------------------------------- */

/* Every crossed edge lies in two faces, so two arcs meet at it. Follows the arcs until they return to the start. */
static void follow_loops(struct cell_contour *out)
{
    uint8_t next[12][2], ends[12] = { 0 };
    for (int f = 0; f < 6; f++)
        for (int a = 0; a < out->arcs[f]; a++) {
            const uint8_t from = out->arc[f][a][0], to = out->arc[f][a][1];
            next[from][ends[from]++] = to;
            next[to][ends[to]++] = from;
        }
    memset(out->loop, CONTOUR_NONE, sizeof out->loop);
    out->loops = 0;
    for (unsigned e = 0; e < 12; e++) {
        if (!ends[e] || out->loop[e] != CONTOUR_NONE) continue;
        for (unsigned at = e; out->loop[at] == CONTOUR_NONE;) {
            out->loop[at] = out->loops;
            at = next[at][out->loop[next[at][0]] != CONTOUR_NONE];
        }
        out->loops++;
    }
}

/* ---- what is connected inside ---------------------------------------------------------------------------------------- */

/* A section at height z is bilinear, with corners a(z), b(z), c(z), d(z) on the cell's four upright edges. For adjacent
 * upright edges, the face between them decides whether they are joined in {f >= 0}. Diagonal ones, a and c, are also joined
 * if at some z both are inside and q(z) = ac - bd >= 0. At z = 0 and 1 the faces decide that. It can happen in between only
 * if q is negative at both ends and has a maximum >= 0 where a and c are inside. With q = Q0 (1-z)^2 + M z (1-z) + Q1 z^2,
 * the maximum is at z : 1 - z = M - 2 Q0 : M - 2 Q1. What is below the isovalue is joined by the same rule with all signs
 * reversed and without equality. */
struct sections {
    double low[4], high[4]; /* a, b, c, d at z = 0 and at z = 1 */
    bool strict;            /* > instead of >= */
};

static bool reaches(int sign, bool strict) { return strict ? sign > 0 : sign >= 0; }

/* Whether the maximum, a positive multiple of M^2 - 4 Q0 Q1, is not below 0 (above it if strict). */
static bool maximum_reaches(const struct exact *m, const struct exact *q0, const struct exact *q1, bool strict)
{
    const struct exact squared = exact_product(m, m), both = exact_product(q0, q1);
    const struct exact difference = exact_sum(&both, -4, &squared);
    return reaches(exact_sign(&difference), strict);
}

/* Whether a corner of the section is inside (above 0 if strict) at the height z with z : 1 - z = up : down. */
static bool corner_reaches(const struct sections *s, int corner, const struct exact *up, const struct exact *down)
{
    const struct exact top = exact_scaled(up, s->high[corner]), bottom = exact_scaled(down, s->low[corner]);
    const struct exact sum = exact_sum(&top, 1, &bottom);
    return reaches(exact_sign(&sum), s->strict);
}

static bool joined_between(const struct sections *s)
{
    const double *p = s->low, *q = s->high;
    if (reaches(compare_products(p[0], p[2], p[1], p[3]), s->strict)) return false;
    if (reaches(compare_products(q[0], q[2], q[1], q[3]), s->strict)) return false;
    const struct exact q0 = exact_products(p[0], p[2], -p[1], p[3]), q1 = exact_products(q[0], q[2], -q[1], q[3]);
    const struct exact ac = exact_products(p[0], q[2], q[0], p[2]), bd = exact_products(p[1], q[3], q[1], p[3]);
    const struct exact m = exact_sum(&bd, -1, &ac);
    if (exact_sign(&m) <= 0 || !maximum_reaches(&m, &q0, &q1, s->strict)) return false;
    const struct exact up = exact_sum(&q0, -2, &m), down = exact_sum(&q1, -2, &m);
    return corner_reaches(s, 0, &up, &down) && corner_reaches(s, 2, &up, &down);
}

static unsigned root(const uint8_t *parent, unsigned i)
{
    while (parent[i] != i) i = parent[i];
    return i;
}

static void join(uint8_t *parent, unsigned a, unsigned b) { parent[root(parent, a)] = (uint8_t)root(parent, b); }

/* Joins the corners on a face that have the same sign and are connected in it. */
static void join_in_face(uint8_t parent[8], const double value[8], unsigned face)
{
    unsigned corner[4];
    face_corners(face, corner);
    for (int i = 0; i < 4; i++)
        if (is_inside(value[corner[i]]) == is_inside(value[corner[(i + 1) % 4]]))
            join(parent, corner[i], corner[(i + 1) % 4]);
    if (!is_ambiguous(value, corner)) return;
    const bool inside = inside_is_joined(value, corner, TOPOLOGY_TRILINEAR);
    const unsigned first = is_inside(value[corner[0]]) != inside;
    join(parent, corner[first], corner[first + 2]);
}

/* Joins corners that meet between the bottom and the top of the cell: diagonals of the sections, inside and outside. */
static void join_between(uint8_t parent[8], const double value[8])
{
    static const unsigned around[4] = { 0, 1, 3, 2 };
    for (unsigned first = 0; first < 4; first++) {
        const bool outside = first >= 2;
        struct sections s = { .strict = outside };
        for (unsigned i = 0; i < 4; i++) {
            const unsigned at = around[(first + i) % 4];
            s.low[i] = outside ? -value[at] : value[at];
            s.high[i] = outside ? -value[at + 4] : value[at + 4];
        }
        if (!joined_between(&s)) continue;
        unsigned end[2];
        for (int i = 0; i < 2; i++) {
            const unsigned at = around[(first + 2 * (unsigned)i) % 4];
            end[i] = is_inside(value[at]) != outside ? at : at + 4; /* one end has the sign that was found in between */
        }
        join(parent, end[0], end[1]);
    }
}

/* Each piece of the surface separates one part of the inside from one part of the outside, so a cell has one piece fewer
 * than parts. If it has one loop more than pieces, there is a tunnel between the two loops that separate the same parts. */
static void find_tunnel(struct cell_contour *out, const double value[8])
{
    uint8_t parent[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    unsigned parts = 0, sides[CONTOUR_LOOPS];
    for (unsigned f = 0; f < 6; f++) join_in_face(parent, value, f);
    join_between(parent, value);
    for (unsigned c = 0; c < 8; c++) parts += parent[c] == c;
    assert(out->loops + 1u == parts || out->loops == parts);
    out->tunnel = out->loops + 1u > parts;
    for (unsigned c = 0; c < 8 && out->tunnel; c++)
        for (unsigned axis = 0; axis < 3; axis++) {
            const unsigned other = c | 1u << axis;
            if (other == c || is_inside(value[c]) == is_inside(value[other])) continue;
            const bool inside = is_inside(value[c]);
            sides[out->loop[edge_between(c, other)]] = root(parent, inside ? c : other) << 3 |
                                                       root(parent, inside ? other : c);
        }
    for (uint8_t i = 0; i < out->loops && out->tunnel; i++)
        for (uint8_t j = 0; j < i; j++)
            if (sides[i] == sides[j]) out->ends[0] = j, out->ends[1] = i;
}

void cell_contour_find(struct cell_contour *out, const double value[8], enum topology rule)
{
    bool finite = true;
    for (unsigned f = 0; f < 6; f++) cut_face(out, value, f, rule);
    follow_loops(out);
    out->tunnel = false;
    for (int c = 0; c < 8; c++) finite = finite && isfinite(value[c]);
    if (rule == TOPOLOGY_TRILINEAR && out->loops > 1 && finite) find_tunnel(out, value);
}
