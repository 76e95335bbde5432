/* The demo: a tree of blood vessels that fills the cube. Makes a field from a seed; see struct synth.
 *
 *    points to supply -> [grow] -> tree of nodes -> [smooth, radii, branches] -> segments -> [index] -> rows of voxels
 *
 * Growth is space colonisation (A. Runions et al., "Modeling trees with a space colonization algorithm", 2007): every point
 * pulls the nearest node towards itself and is supplied when one arrives. Radii follow C. D. Murray (1926): the cubes of
 * the children's radii add up to the parent's. Each segment has a soft round kernel. Within a branch the largest kernel
 * counts, so its joints do not show. Branches are combined by a norm, (a^8 + b^8)^(1/8), which rounds the forks like a
 * fillet. Thin vessels are dimmer than thick ones, as in an angiogram: when the isovalue rises, the twigs vanish first and
 * the trunk last.
 *
 * A row of voxels reads only the segments that an index over (y, z) lists for it. So the cost is proportional to the space
 * that the vessels occupy, not to nodes times voxels. */
#include "synth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POINTS 900 /* to supply */
#define MAX_NODES 12000
#define STEP 0.030f    /* length of a segment */
#define REACHED 0.080f /* a point this near to a node is supplied */
#define EXTENT 0.88f   /* half the size of the supplied body; the rest is margin for radii */
#define TRUNK 20       /* nodes before the first fork */
#define TIP_RADIUS 0.0120f
#define MURRAY 2.9f  /* 3 in theory; measured trees are close to that */
#define INDEX 96     /* cells of the index along y and z */
#define LEVEL 160.0f /* field 1 in voxel units; the isovalue is at field 0.5 */

struct point {
    float x, y, z;
};

struct node {
    struct point at;
    struct point pull; /* sum of directions to the points whose nearest node it is */
    int parent;        /* -1: the root; parents come before their children */
    int heir;          /* the widest child, which continues the branch; -1: a tip */
    float radius;
};

struct segment {
    struct point from, along; /* `along`: unit */
    float length;
    float reach;                /* from the axis; the larger of both ends */
    float peak[2], inverse2[2]; /* at both ends: field on the axis; 1 / R^2, see set_end */
    uint32_t branch;
};

struct vessels {
    uint32_t first[INDEX * INDEX + 1]; /* cell (z, y) -> where its part of `list` begins */
    struct segment *segments;          /* grouped by branch */
    uint32_t list[];                   /* segment numbers, ascending in each cell; the segments follow */
};

static struct point sub(struct point a, struct point b) { return (struct point){ a.x - b.x, a.y - b.y, a.z - b.z }; }

static struct point add_scaled(struct point a, struct point b, float s)
{
    return (struct point){ a.x + s * b.x, a.y + s * b.y, a.z + s * b.z };
}

static float norm2(struct point a) { return a.x * a.x + a.y * a.y + a.z * a.z; }

static struct point unit(struct point a)
{
    const float n = sqrtf(norm2(a));
    return n > 0 ? (struct point){ a.x / n, a.y / n, a.z / n } : a;
}

/* ---- growth ------------------------------------------------------------------------------------------------------ */

struct growth {
    struct node nodes[MAX_NODES];
    int node_count;
    struct point points[POINTS];
    int nearest[POINTS];     /* node; -1: supplied */
    float distance2[POINTS]; /* to that node */
    uint64_t seed;
    struct point sum[MAX_NODES]; /* of the children's positions, for smoothing */
    int children[MAX_NODES];
    struct segment segments[MAX_NODES];
    uint32_t segment_count;
};

static struct point random_point(uint64_t *seed)
{
    struct point p;
    p.x = 2 * (float)synth_fraction(seed) - 1;
    p.y = 2 * (float)synth_fraction(seed) - 1;
    p.z = 2 * (float)synth_fraction(seed) - 1;
    return p;
}

/* Scatters the points in a cube with round corners, which fills the picture, yet looks grown. */
static void scatter_points(struct growth *g)
{
    for (int i = 0; i < POINTS;) {
        const struct point p = random_point(&g->seed);
        const float x2 = p.x * p.x, y2 = p.y * p.y, z2 = p.z * p.z;
        if (x2 * x2 + y2 * y2 + z2 * z2 > 1) continue;
        g->distance2[i] = INFINITY;
        g->points[i++] = (struct point){ EXTENT * p.x, EXTENT * p.y, EXTENT * p.z };
    }
}

/* Compares each point only with the new node, because all others were compared before. So all growth together costs nodes
 * times points. */
static void add_node(struct growth *g, struct point at, int parent)
{
    const int n = g->node_count++;
    g->nodes[n] = (struct node){ .at = at, .parent = parent, .heir = -1 };
    for (int i = 0; i < POINTS; i++) {
        if (g->nearest[i] < 0) continue;
        const float d2 = norm2(sub(g->points[i], at));
        if (d2 >= g->distance2[i]) continue;
        g->distance2[i] = d2;
        g->nearest[i] = d2 < REACHED * REACHED ? -1 : n;
    }
}

/* Grows the trunk upwards from the floor in a slow bend. Each node makes the points forget the nodes before, so only the
 * last one can fork. */
static void grow_trunk(struct growth *g)
{
    for (int i = 0; i < TRUNK; i++) {
        const float t = (float)i / (TRUNK - 1);
        for (int p = 0; p < POINTS; p++) g->distance2[p] = INFINITY;
        add_node(g, (struct point){ 0.10f * sinf(3.0f * t), 0.06f * sinf(2.0f + 4.0f * t), -0.87f + 0.60f * t }, i - 1);
    }
}

/* Every node that is pulled grows a child along the pull. Some of the node's own direction is added, so that the branch
 * bends gently, and some chance, so that two equal pulls do not cancel. False: nothing grew. */
static bool grow(struct growth *g)
{
    const int count = g->node_count;
    for (int n = 0; n < count; n++) g->nodes[n].pull = (struct point){ 0, 0, 0 };
    for (int i = 0; i < POINTS; i++) {
        if (g->nearest[i] < 0) continue;
        struct node *node = &g->nodes[g->nearest[i]];
        node->pull = add_scaled(node->pull, unit(sub(g->points[i], node->at)), 1);
    }
    for (int n = 0; n < count && g->node_count < MAX_NODES; n++) {
        const struct node *node = &g->nodes[n];
        if (norm2(node->pull) == 0) continue;
        struct point way = unit(node->pull);
        if (node->parent >= 0) way = add_scaled(way, unit(sub(node->at, g->nodes[node->parent].at)), 0.6f);
        way = unit(add_scaled(way, random_point(&g->seed), 0.35f));
        add_node(g, add_scaled(node->at, way, STEP), n);
    }
    return g->node_count > count;
}

/* Moves each node towards the middle between its parent and the mean of its children, which removes jitter. */
static void smooth(struct growth *g)
{
    memset(g->sum, 0, sizeof g->sum);
    memset(g->children, 0, sizeof g->children);
    for (int n = 1; n < g->node_count; n++) {
        const int parent = g->nodes[n].parent;
        g->sum[parent] = add_scaled(g->sum[parent], g->nodes[n].at, 1);
        g->children[parent]++;
    }
    for (int n = 1; n < g->node_count; n++) {
        struct node *node = &g->nodes[n];
        if (!g->children[n]) continue;
        const struct point ahead = add_scaled((struct point){ 0, 0, 0 }, g->sum[n], 1.0f / (float)g->children[n]);
        const struct point middle = add_scaled(ahead, sub(g->nodes[node->parent].at, ahead), 0.5f);
        node->at = add_scaled(node->at, sub(middle, node->at), 0.5f);
    }
}

/* Children come after their parents, so one pass from the end adds all up. */
static void set_radii(struct growth *g)
{
    const float tip = powf(TIP_RADIUS, MURRAY);
    for (int n = g->node_count - 1; n >= 0; n--) {
        struct node *node = &g->nodes[n];
        if (node->radius == 0) node->radius = tip; /* until here, the sum of powers */
        if (node->parent >= 0) {
            struct node *parent = &g->nodes[node->parent];
            parent->radius += node->radius;
            if (parent->heir < 0 || node->radius >= powf(g->nodes[parent->heir].radius, MURRAY)) parent->heir = n;
        }
        node->radius = powf(node->radius, 1 / MURRAY);
    }
    for (int n = 1; n < g->node_count; n++) { /* after a fork, taper the branch over a few steps */
        const struct node *parent = &g->nodes[g->nodes[n].parent];
        if (parent->heir == n) g->nodes[n].radius += 0.7f * (parent->radius - g->nodes[n].radius);
    }
}

/* ---- field ------------------------------------------------------------------------------------------------------- */

/* The kernel at distance d is peak (1 - d^2/R^2)^2. R is such that the field is 0.5 at the vessel's radius. */
static void set_end(struct segment *segment, int end, float radius)
{
    const float peak = fminf(0.70f + 10.0f * (radius - TIP_RADIUS), 1.5f);
    const float reach = radius / sqrtf(1 - sqrtf(0.5f / peak));
    segment->peak[end] = peak;
    segment->inverse2[end] = 1 / (reach * reach);
    segment->reach = fmaxf(segment->reach, reach);
}

static void make_segment(struct growth *g, int from, int to, bool continues, uint32_t branch)
{
    const struct node *a = &g->nodes[from], *b = &g->nodes[to];
    const struct point way = sub(b->at, a->at);
    struct segment *segment = &g->segments[g->segment_count++];
    *segment = (struct segment){ .from = a->at, .along = unit(way), .length = sqrtf(norm2(way)), .branch = branch };
    set_end(segment, 0, continues ? a->radius : b->radius);
    set_end(segment, 1, b->radius);
}

/* A branch begins at the root and at every child that is not its parent's heir, and follows the heirs to a tip. */
static void make_branches(struct growth *g)
{
    uint32_t branch = 0;
    for (int n = 1; n < g->node_count; n++) {
        const int parent = g->nodes[n].parent;
        if (parent > 0 && g->nodes[parent].heir == n) continue;
        make_segment(g, parent, n, parent == 0, branch);
        for (int from = n; g->nodes[from].heir >= 0; from = g->nodes[from].heir)
            make_segment(g, from, g->nodes[from].heir, true, branch);
        branch++;
    }
}

/* Cells [lo, hi] of the index that hold coordinates [a, b]. */
static void cell_range(float a, float b, int *lo, int *hi)
{
    const float scale = INDEX / 2.0f;
    *lo = (int)fminf(fmaxf((a + 1) * scale, 0), INDEX - 1);
    *hi = (int)fminf(fmaxf((b + 1) * scale, 0), INDEX - 1);
}

/* For each cell that a segment can reach, counts the segment in first[] or, with a list, adds it to the list. */
static void visit_cells(uint32_t *first, uint32_t *list, const struct segment *s, uint32_t number)
{
    const struct point to = add_scaled(s->from, s->along, s->length);
    int y0, y1, z0, z1;
    cell_range(fminf(s->from.y, to.y) - s->reach, fmaxf(s->from.y, to.y) + s->reach, &y0, &y1);
    cell_range(fminf(s->from.z, to.z) - s->reach, fmaxf(s->from.z, to.z) + s->reach, &z0, &z1);
    for (int z = z0; z <= z1; z++)
        for (int y = y0; y <= y1; y++) {
            const uint32_t at = first[z * INDEX + y]++;
            if (list) list[at] = number;
        }
}

/* Allocates one block, as struct synth requires: the index, then the segments. */
static struct vessels *build_index(const struct segment *segments, uint32_t count)
{
    uint32_t *first = calloc(INDEX * INDEX + 1, sizeof *first);
    if (!first) return NULL;
    for (uint32_t s = 0; s < count; s++) visit_cells(first, NULL, &segments[s], s);
    uint32_t total = 0;
    for (int cell = 0; cell <= INDEX * INDEX; cell++) {
        const uint32_t n = first[cell];
        first[cell] = total;
        total += n;
    }
    struct vessels *vessels = malloc(sizeof *vessels + total * sizeof *vessels->list + count * sizeof *segments);
    if (vessels) {
        vessels->segments = (struct segment *)(vessels->list + total);
        memcpy(vessels->segments, segments, count * sizeof *segments);
        memcpy(vessels->first, first, sizeof vessels->first);
        for (uint32_t s = 0; s < count; s++) visit_cells(first, vessels->list, &segments[s], s);
    }
    free(first);
    return vessels;
}

void *vessels_prepare(uint64_t seed)
{
    struct growth *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    g->seed = seed;
    scatter_points(g);
    grow_trunk(g);
    while (g->node_count < MAX_NODES && grow(g)) {
    }
    for (int pass = 0; pass < 6; pass++) smooth(g);
    set_radii(g);
    make_branches(g);
    struct vessels *vessels = build_index(g->segments, g->segment_count);
    free(g);
    return vessels;
}

/* Raises the row to the segment's field where that is larger. Extends [*begin, *end) to the voxels that it reaches. */
static void max_segment(const struct segment *s, const struct synth_row *row, float *field, size_t *begin, size_t *end)
{
    const float to = s->from.x + s->along.x * s->length;
    const float half = 0.5f * (float)(row->nx - 1), step = row->nx > 1 ? 1 / half : 0, x_first = row->nx > 1 ? -1 : 0;
    const float i0 = ceilf((fminf(s->from.x, to) - s->reach - x_first) * half);
    const float i1 = floorf((fmaxf(s->from.x, to) + s->reach - x_first) * half) + 1;
    const size_t first = (size_t)fmaxf(0, i0), last = (size_t)fmaxf(0, fminf((float)row->nx, i1));
    if (first >= last) return;
    if (first < *begin) *begin = first;
    if (last > *end) *end = last;
    const float y = (float)row->y - s->from.y, z = (float)row->z - s->from.z;
    const float across = y * y + z * z, ahead = y * s->along.y + z * s->along.z, per_length = 1 / s->length;
    const float peak = s->peak[0], peak_step = s->peak[1] - peak;
    const float inverse2 = s->inverse2[0], inverse2_step = s->inverse2[1] - inverse2;
    for (size_t i = first; i < last; i++) {
        const float x = x_first + (float)i * step - s->from.x;
        const float t = fminf(fmaxf(x * s->along.x + ahead, 0), s->length), part = t * per_length;
        const float d2 = x * x + across - 2 * t * (x * s->along.x + ahead) + t * t;
        const float a = fmaxf(1 - d2 * (inverse2 + part * inverse2_step), 0);
        field[i] = fmaxf(field[i], (peak + part * peak_step) * a * a);
    }
}

/* Adds a finished branch to the row, and clears it for the next. */
static void add_branch(float *values, float *field, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        const float power2 = field[i] * field[i], power4 = power2 * power2;
        values[i] += power4 * power4;
        field[i] = 0;
    }
}

void vessels_row(const void *state, const struct synth_row *row, float *values)
{
    const struct vessels *vessels = state;
    int y, z;
    cell_range((float)row->y, (float)row->y, &y, &y);
    cell_range((float)row->z, (float)row->z, &z, &z);
    memset(values, 0, row->nx * sizeof *values);
    memset(row->scratch, 0, row->nx * sizeof *row->scratch);
    const uint32_t *at = &vessels->list[vessels->first[z * INDEX + y]];
    const uint32_t *last = &vessels->list[vessels->first[z * INDEX + y + 1]];
    while (at < last) {
        const uint32_t branch = vessels->segments[*at].branch;
        size_t begin = row->nx, end = 0;
        for (; at < last && vessels->segments[*at].branch == branch; at++)
            max_segment(&vessels->segments[*at], row, row->scratch, &begin, &end);
        add_branch(values, row->scratch, begin, end);
    }
    for (size_t i = 0; i < row->nx; i++) values[i] = LEVEL * sqrtf(sqrtf(sqrtf(values[i])));
}
