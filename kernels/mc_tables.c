/* Derive the case tables from the cube itself.
 *
 * 1. On each face, seen from outside the cube, walk round its corners counter-clockwise. Where the walk goes from inside
 *    to outside, an arc of the contour ends. It starts where the walk next goes from outside to inside; so it goes round
 *    outside corners and keeps them on its left, seen from outside the cube. On an ambiguous face whose inside corners
 *    are not joined, the arc starts where the walk last came inside, and goes round one inside corner. The neighbour
 *    across the face walks round the same corners backwards and finds the same arcs reversed. So the surface closes, and
 *    is consistently oriented.
 * 2. Each crossed cube edge lies on two faces; one arc ends there and one starts. Following the arcs gives closed loops.
 * 3. Each loop is cut into triangles. No chord may join two edges of one face: it would lie in the face, and the
 *    neighbour could draw the same chord, which makes an edge with four triangles. Of the remaining triangulations, take
 *    the one with the shortest chords (edge midpoints); on ties, the first one found. Where none remains, each half of
 *    the loop is joined to a vertex inside the cell.
 * 4. A tunnel joins two loops by a band. Two chords from loop to loop divide the band into two discs, which are cut into
 *    triangles like loops. */
#include "mc_tables.h"

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

enum {
    MAX_POLYGON = 14,
    MAX_LOOPS = 4,
    FORBIDDEN = 1000000, /* cost of a chord in a face */
    FAN = 1000,          /* of an edge to a vertex inside the cell */
    MC_CORNERS = MC_INNER + MC_INNER_PAIR,
};

/* Return the edge between two adjacent corners. */
static unsigned edge_between(unsigned a, unsigned b)
{
    const unsigned axis_bit = a ^ b, base = a & b;
    const unsigned x = base & 1, y = base >> 1 & 1, z = base >> 2;
    return axis_bit == 1 ? (y | z << 1) : axis_bit == 2 ? 4 + (x | z << 1) : 8 + (x | y << 1);
}

/* Set next[e] to the edge where the arc ends that starts on crossed edge e; -1 for other edges. joined: a bit per face,
 * whether its inside corners are joined, which matters only on ambiguous faces. */
static void trace_arcs(unsigned inside, unsigned joined, int8_t next[12])
{
    memset(next, -1, 12);
    for (unsigned f = 0; f < 6; f++) {
        const struct mc_face face = mc_face_of(f);
        const bool round_inside = mc_face_is_ambiguous(face, inside) && !(joined >> f & 1);
        for (unsigned i = 0; i < 4; i++) {
            const unsigned a = face.corner[i], b = face.corner[(i + 1) % 4];
            if (!(inside >> a & 1) || inside >> b & 1) continue;
            unsigned j = round_inside ? i + 3 : i + 1;
            while (!(inside >> face.corner[(j + 1) % 4] & 1)) j++;
            const unsigned start = edge_between(face.corner[j % 4], face.corner[(j + 1) % 4]);
            next[start] = (int8_t)edge_between(a, b);
        }
    }
}

/* A polygon of cube edges, with the orientation of the surface's front. */
struct polygon {
    int n;
    uint8_t edge[MAX_POLYGON];
};

/* The contour on the cell's faces. */
struct loops {
    unsigned count;
    struct polygon loop[MAX_LOOPS];
};

static struct loops find_loops(unsigned inside, unsigned joined)
{
    struct loops loops = { 0, { { 0, { 0 } } } };
    int8_t next[12];
    unsigned done = 0;
    trace_arcs(inside, joined, next);
    for (unsigned first = 0; first < 12; first++) {
        if (next[first] < 0 || done >> first & 1) continue;
        struct polygon *loop = &loops.loop[loops.count++];
        for (unsigned e = first; !(done >> e & 1); e = (unsigned)next[e]) {
            loop->edge[loop->n++] = (uint8_t)e;
            done |= 1u << e;
        }
        assert(loop->n >= 3);
    }
    return loops;
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

/* Return the cost of the best triangulation of loop[i..j], closed by chord (i, j); pick[i][j] is its apex. This is the
 * classic dynamic programme over the chords of a polygon. */
static int best_cut(const uint8_t *loop, int i, int j, int n, int cost[MAX_POLYGON][MAX_POLYGON],
                    int pick[MAX_POLYGON][MAX_POLYGON])
{
    if (j == i + 1) return 0;
    if (cost[i][j] >= 0) return cost[i][j];
    int best = 2 * FORBIDDEN * MAX_POLYGON;
    for (int k = i + 1; k < j; k++) {
        const int c = best_cut(loop, i, k, n, cost, pick) + best_cut(loop, k, j, n, cost, pick);
        if (c < best) best = c, pick[i][j] = k;
    }
    const bool is_side = i == 0 && j == n - 1;
    if (!is_side) best += chord_length(loop[i], loop[j]) + (on_one_face(loop[i], loop[j]) ? FORBIDDEN : 0);
    return cost[i][j] = best;
}

static void add_triangle(struct mc_subcase *s, unsigned a, unsigned b, unsigned c)
{
    assert(s->triangles < MC_MAX_SUBCASE_TRIANGLES);
    uint8_t *t = s->edge + (size_t)3 * s->triangles++;
    t[0] = (uint8_t)a, t[1] = (uint8_t)b, t[2] = (uint8_t)c;
}

static void add_cut(struct mc_subcase *s, const uint8_t *loop, int i, int j, int pick[MAX_POLYGON][MAX_POLYGON])
{
    if (j == i + 1) return;
    const int k = pick[i][j];
    add_triangle(s, loop[i], loop[k], loop[j]);
    add_cut(s, loop, i, k, pick);
    add_cut(s, loop, k, j, pick);
}

/* Cut a polygon into triangles by chords only; return their total length, or at least FORBIDDEN if one would lie in a
 * face. */
static int cut(const struct polygon *p, int pick[MAX_POLYGON][MAX_POLYGON])
{
    int cost[MAX_POLYGON][MAX_POLYGON];
    memset(cost, -1, sizeof cost);
    return best_cut(p->edge, 0, p->n - 1, p->n, cost, pick);
}

/* Join a vertex inside the cell to the polygon's corners `from` to `to`. */
static void add_fan(struct mc_subcase *s, const struct polygon *p, int from, int to, unsigned inner)
{
    for (int i = from; i < to; i++) add_triangle(s, p->edge[i % p->n], p->edge[(i + 1) % p->n], inner);
}

/* How to cut a disc into triangles: by chords, by edges to one of the vertices inside the cell (MC_INNER or the next), or
 * each half by edges to one of them. */
enum fill { FILL_CHORDS, FILL_FIRST, FILL_SECOND, FILL_BOTH };

/* Add the disc that a polygon bounds. */
static void add_disc(struct mc_subcase *s, const struct polygon *p, enum fill fill)
{
    int pick[MAX_POLYGON][MAX_POLYGON] = { { 0 } };
    const int half = p->n / 2;
    if (fill != FILL_CHORDS) s->inner = MC_INNER_PAIR;
    switch (fill) {
    case FILL_CHORDS:
        cut(p, pick);
        add_cut(s, p->edge, 0, p->n - 1, pick);
        break;
    case FILL_FIRST: add_fan(s, p, 0, p->n, MC_INNER); break;
    case FILL_SECOND: add_fan(s, p, 0, p->n, MC_INNER + 1); break;
    case FILL_BOTH:
        add_fan(s, p, 0, half, MC_INNER);
        add_triangle(s, p->edge[half], MC_INNER + 1, MC_INNER);
        add_fan(s, p, half, p->n, MC_INNER + 1);
        add_triangle(s, p->edge[0], MC_INNER, MC_INNER + 1);
        break;
    }
}

/* Add the disc that a polygon bounds, by chords if that is possible. */
static void add_one_disc(struct mc_subcase *s, const struct polygon *p)
{
    int pick[MAX_POLYGON][MAX_POLYGON];
    add_disc(s, p, cut(p, pick) < FORBIDDEN ? FILL_CHORDS : FILL_BOTH);
}

/* ---- tunnels --------------------------------------------------------------------------------------------------------- */

/* Return a polygon that goes along loop a from its corner i to k, then along b from l to j. It follows both forwards,
 * as every border of a surface does. */
static struct polygon half_band(const struct polygon *a, int i, int k, const struct polygon *b, int l, int j)
{
    struct polygon p = { 0, { 0 } };
    for (int c = i;; c = (c + 1) % a->n) {
        p.edge[p.n++] = a->edge[c];
        if (c == k) break;
    }
    for (int c = l;; c = (c + 1) % b->n) {
        p.edge[p.n++] = b->edge[c];
        if (c == j) break;
    }
    return p;
}

/* Whether no edge has more than one triangle on either side. */
static bool is_manifold(const struct mc_subcase *s)
{
    bool used[MC_CORNERS][MC_CORNERS] = { { false } };
    for (unsigned k = 0; k < 3u * s->triangles; k++) {
        bool *edge = &used[s->edge[k]][s->edge[k % 3 == 2 ? k - 2 : k + 1]];
        if (*edge) return false;
        *edge = true;
    }
    return true;
}

/* A band that consists of two discs, between two chords from loop a to loop b. */
struct band {
    struct polygon half[2];
    bool fan[2];
    int cost;
};

/* Return the band between chords (i, j) and (k, l). */
static struct band band_between(const struct polygon *a, const struct polygon *b, int i, int j, int k, int l)
{
    struct band band = { { half_band(a, i, k, b, l, j), half_band(a, k, i, b, j, l) },
                         { false, false },
                         chord_length(a->edge[i], b->edge[j]) + chord_length(a->edge[k], b->edge[l]) };
    for (int h = 0; h < 2; h++) {
        int pick[MAX_POLYGON][MAX_POLYGON];
        const int cost = cut(&band.half[h], pick);
        band.fan[h] = cost >= FORBIDDEN;
        band.cost += band.fan[h] ? FAN * band.half[h].n : cost;
    }
    return band;
}

static void add_halves(struct mc_subcase *s, const struct band *band)
{
    for (int h = 0; h < 2; h++)
        add_disc(s, &band->half[h],
                 !band->fan[h]       ? FILL_CHORDS
                 : !band->fan[1 - h] ? FILL_BOTH
                 : h                 ? FILL_SECOND
                                     : FILL_FIRST);
}

/* Add the shortest band between two loops to a subcase. If there is none, return false and leave the subcase as it was. */
static bool add_band(struct mc_subcase *s, const struct polygon *a, const struct polygon *b)
{
    struct mc_subcase best = *s;
    int best_cost = FORBIDDEN;
    const int chords = a->n * b->n;
    for (int c = 0; c < chords; c++)
        for (int d = c + 1; d < chords; d++) {
            const int i = c / b->n, j = c % b->n, k = d / b->n, l = d % b->n;
            if (i == k || j == l || on_one_face(a->edge[i], b->edge[j]) || on_one_face(a->edge[k], b->edge[l])) continue;
            const struct band band = band_between(a, b, i, j, k, l);
            if (band.cost >= best_cost) continue;
            struct mc_subcase with = *s;
            add_halves(&with, &band);
            if (is_manifold(&with)) best_cost = band.cost, best = with;
        }
    *s = best;
    return best_cost < FORBIDDEN;
}

/* ---- subcases -------------------------------------------------------------------------------------------------------- */

/* Add the discs that the loops bound, except those whose bits are set in `without`. */
static void add_discs(struct mc_subcase *s, const struct loops *loops, unsigned without)
{
    s->pieces = (uint8_t)loops->count;
    for (unsigned l = 0; l < loops->count; l++)
        if (!(without >> l & 1)) add_one_disc(s, &loops->loop[l]);
}

/* Add the surface with a tunnel between two loops. Return false if there can be none. */
static bool add_tunnel(struct mc_subcase *s, const struct loops *loops, unsigned l, unsigned m)
{
    struct mc_subcase with = *s;
    add_discs(&with, loops, 1u << l | 1u << m);
    if (!add_band(&with, &loops->loop[l], &loops->loop[m])) return false;
    *s = with;
    return true;
}

/* Whether a loop of three goes round an inside corner, rather than an outside one. */
static bool is_round_inside(const struct polygon *loop, unsigned inside)
{
    unsigned common = 0xff;
    for (unsigned k = 0; k < 3; k++) {
        const unsigned low = mc_edge_dx(loop->edge[k]) | mc_edge_dy(loop->edge[k]) << 1 | mc_edge_dz(loop->edge[k]) << 2;
        common &= 1u << low | 1u << (low | 1u << mc_edge_axis(loop->edge[k]));
    }
    return (common & inside) != 0;
}

/* Return the sign of a face's determinant f00 f11 - f10 f01, as mc_slices_across() has it. Return 0 if the signs of the
 * four values, and whether inside corners are joined, do not determine it. */
static int determinant_sign(unsigned axis, unsigned side, unsigned inside, unsigned joined)
{
    const unsigned base = side << axis, s = 1u << (axis + 1) % 3, r = 1u << (axis + 2) % 3;
    const bool main_alike = (inside >> base & 1) == (inside >> (base | s | r) & 1);
    const bool other_alike = (inside >> (base | s) & 1) == (inside >> (base | r) & 1);
    if (main_alike != other_alike) return main_alike ? 1 : -1;
    if (!main_alike || (inside >> base & 1) == (inside >> (base | s) & 1)) return 0;
    return (inside >> base & 1) == (joined >> (2 * axis + side) & 1) ? 1 : -1;
}

/* Whether a tunnel is possible. It is if the determinant has two roots between the two faces across each axis, so its
 * signs on these faces must be the same. */
static bool may_have_tunnel(unsigned inside, unsigned joined)
{
    for (unsigned axis = 0; axis < 3; axis++)
        if (determinant_sign(axis, 0, inside, joined) * determinant_sign(axis, 1, inside, joined) < 0) return false;
    return true;
}

/* Add the subcases that have these loops and a tunnel; return how many. Two loops are joined to each other. Three loops
 * are a hexagon between two triangles; the hexagon is joined either to the triangle round the outside corner or to the
 * one round the inside corner, in this order. No other loops have tunnels. */
static unsigned add_tunnels(struct mc_subcase *to, const struct loops *loops, unsigned inside, unsigned joined)
{
    if (!may_have_tunnel(inside, joined)) return 0;
    if (loops->count == 2) return add_tunnel(to, loops, 0, 1);
    unsigned hexagon = 0, added = 0;
    while (hexagon < loops->count && loops->loop[hexagon].n != 6) hexagon++;
    if (loops->count != 3 || hexagon == 3) return 0;
    for (unsigned round_inside = 0; round_inside < 2; round_inside++)
        for (unsigned l = 0; l < 3; l++)
            if (l != hexagon && is_round_inside(&loops->loop[l], inside) == round_inside)
                added += add_tunnel(to + added, loops, hexagon, l);
    assert(added == 0 || added == 2);
    return added;
}

/* Count the triangle corners on cube edges, among the triangles that join inner vertices. */
static void count_joined(struct mc_subcase *s)
{
    for (unsigned t = 0; t < s->triangles; t++) {
        const uint8_t *corner = s->edge + 3 * t;
        bool joins[MC_INNER_PAIR + 1] = { false };
        uint64_t corners = 0;
        for (unsigned k = 0; k < 3; k++)
            if (corner[k] < MC_INNER) corners += (uint64_t)1 << 4 * corner[k];
            else joins[corner[k] - MC_INNER] = joins[MC_INNER_PAIR] = true;
        for (unsigned which = 0; which <= MC_INNER_PAIR; which++)
            if (joins[which]) s->joined[which] += corners;
    }
}

/* Fill the subcases of a case; return their number. Those without tunnels come first: bit i of their number tells
 * whether the inside corners of the case's i-th ambiguous face are joined. */
static unsigned add_subcases(struct mc_subcase *subcase, unsigned inside)
{
    unsigned faces[6] = { 0 }, ambiguous = 0;
    for (unsigned f = 0; f < 6; f++)
        if (mc_face_is_ambiguous(mc_face_of(f), inside)) faces[ambiguous++] = f;
    unsigned count = 1u << ambiguous;
    for (unsigned k = 0; k < 1u << ambiguous; k++) {
        unsigned joined = 0;
        for (unsigned i = 0; i < ambiguous; i++) joined |= (k >> i & 1) << faces[i];
        const struct loops loops = find_loops(inside, joined);
        add_discs(&subcase[k], &loops, 0);
        const unsigned tunnels = add_tunnels(subcase + count, &loops, inside, joined);
        if (tunnels) subcase[k].tunnel = (uint8_t)count;
        count += tunnels;
    }
    for (unsigned k = 0; k < count; k++) count_joined(&subcase[k]);
    return count;
}

/* ---- the tables ------------------------------------------------------------------------------------------------------ */

/* Return a subcase in one word, as in tables->packed_subcase. */
static uint64_t pack(const struct mc_subcase *s)
{
    if (s->inner || s->triangles > MC_MAX_TRIANGLES) return 0;
    uint64_t packed = (uint64_t)s->triangles << 60;
    for (unsigned k = 0; k < 3u * s->triangles; k++) packed |= (uint64_t)s->edge[k] << 4 * k;
    return packed;
}

static void add_fixed(struct mc_tables *tables, unsigned inside, const struct mc_subcase *fixed)
{
    assert(!fixed->inner && fixed->triangles <= MC_MAX_TRIANGLES);
    tables->triangles[inside] = fixed->triangles;
    memcpy(tables->edge[inside], fixed->edge, 3 * MC_MAX_TRIANGLES);
    tables->packed[inside] = pack(fixed);
}

/* Return how many subcases without tunnels the case has. */
static unsigned add_case(struct mc_case *to, unsigned inside, const struct mc_subcase *first)
{
    for (unsigned f = 0; f < 6; f++) {
        const struct mc_face face = mc_face_of(f);
        if (!mc_face_is_ambiguous(face, inside)) continue;
        to->ambiguous |= (uint8_t)(1u << f);
        if (!(inside >> face.corner[0] & 1)) to->turned |= (uint8_t)(1u << f);
    }
    const unsigned count = 1u << popcount32(to->ambiguous);
    for (unsigned k = 0; k < count; k++) to->tunnels |= (uint64_t)(first[k].tunnel > 0) << k;
    return count;
}

/* Gather the bits of `joined` at the positions set in `ambiguous`, one after the other. */
static uint8_t number_of(unsigned ambiguous, unsigned joined)
{
    unsigned number = 0, i = 0;
    for (unsigned f = 0; f < 6; f++)
        if (ambiguous >> f & 1) number |= (joined >> f & 1) << i++;
    return (uint8_t)number;
}

void mc_tables_build(struct mc_tables *tables, enum topology topology)
{
    unsigned subcases = 0;
    memset(tables, 0, sizeof *tables);
    tables->open_mask = topology == TOPOLOGY_TRILINEAR ? ~0u : 0;
    for (unsigned inside = 0; inside < 256; inside++) {
        struct mc_case *const c = &tables->cases[inside];
        struct mc_subcase *const first = tables->subcase + subcases;
        const unsigned count = add_subcases(first, inside);
        c->first = (uint16_t)subcases;
        c->fixed = (uint16_t)(subcases + add_case(c, inside, first) - 1); /* all inside corners are joined */
        c->open = count > 1 && topology == TOPOLOGY_TRILINEAR;
        add_fixed(tables, inside, &tables->subcase[c->fixed]);
        if (c->open) tables->packed[inside] = 0;
        subcases += count;
    }
    assert(subcases == MC_SUBCASES);
    for (unsigned ambiguous = 0; ambiguous < MC_FACES; ambiguous++)
        for (unsigned joined = 0; joined < MC_FACES; joined++)
            tables->number[ambiguous][joined] = number_of(ambiguous, joined);
    for (unsigned k = 0; k < MC_SUBCASES; k++) {
        const struct mc_subcase *s = &tables->subcase[k];
        tables->size[k] = s->triangles | (s->inner ? MC_HAS_INNER : 0);
        tables->packed_subcase[k] = pack(s);
    }
}

static struct mc_tables built[TOPOLOGY_COUNT];

static void build_trilinear(void) { mc_tables_build(&built[TOPOLOGY_TRILINEAR], TOPOLOGY_TRILINEAR); }
static void build_fixed(void) { mc_tables_build(&built[TOPOLOGY_FIXED], TOPOLOGY_FIXED); }

const struct mc_tables *mc_tables_of(enum topology topology)
{
    static pthread_once_t once[TOPOLOGY_COUNT] = { PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT };
    pthread_once(&once[topology], topology == TOPOLOGY_FIXED ? build_fixed : build_trilinear);
    return &built[topology];
}
