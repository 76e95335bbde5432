#include "op_grid.h"

#include "kernels/marching_squares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct marching_squares_case {
    struct grid_case grid;
    unsigned axis;
    size_t index;
    bool half; /* capacity for half of the segments: counts stay exact, nothing is written past the end */
    enum topology topology;
};

enum { SEGMENTS = GRID_OWN, COUNT, WANT, SORTED }; /* SORTED: for rungs that return segments in any order */

static void at_size(void *param, size_t size)
{
    *(struct marching_squares_case *)param = (struct marching_squares_case){
        { { size, size, 1 }, VOXEL_FLOAT32, FIELD_RIPPLES, 0.25f }, 2, 0, false, TOPOLOGY_TRILINEAR
    };
}

static void add(struct op_walk *walk, const struct grid_case *g, unsigned axis, size_t index)
{
    for (int half = 0; half < 2; half++)
        walk->add(walk, &(struct marching_squares_case){ *g, axis, index, half, TOPOLOGY_TRILINEAR });
}

static void each(struct op_walk *walk, const struct grid_case *g)
{
    for (unsigned axis = 0; axis < 3; axis++)
        for (int last = 0; last < 2; last++) add(walk, g, axis, last ? g->n[axis] - 1 : 0);
}

/* Every case in every type by the fixed rule, which joins the inside corners of a cell whatever the values are. */
static void add_fixed(struct op_walk *walk)
{
    for (int type = 0; type < VOXEL_TYPE_COUNT; type++)
        for (unsigned axis = 0; axis < 3; axis++)
            walk->add(
                walk,
                &(struct marching_squares_case){
                    { { 35, 34, 33 }, (enum voxel_type)type, FIELD_NOISE, 40.5f }, axis, axis, false, TOPOLOGY_FIXED });
}

static void cases(struct op_walk *walk)
{
    enum { LONG = 65536 * 256 + 2 }; /* more than 2^16 blocks of 256 cells, a few of them crossed */
    grid_each(walk, each);
    grid_each_thin(walk, each);
    add(walk, &(struct grid_case){ { 32, 2, 1 }, VOXEL_UINT8, FIELD_CORNERS, 140 }, 2,
        0); /* includes both cases with two segments */
    add_fixed(walk);
    if (walk->backend == BACKEND_CUDA) add(walk, &(struct grid_case){ { LONG, 2, 1 }, VOXEL_UINT8, FIELD_RARE, 50 }, 2, 0);
}

/* ---- the reference: a walk around each cell, without the tables of marching_squares.h ---------------------------- */

struct walk {
    struct grid grid;
    unsigned axis;
    size_t index;
    float iso;
    enum topology topology;
};

static struct walk walk_of(const struct op_case *c)
{
    const struct marching_squares_case *p = c->param;
    return (struct walk){ grid_host(c, &p->grid), p->axis, p->index, p->grid.iso, p->topology };
}

/* Voxels along u (0) or v (1). */
static size_t slice_dim(const struct walk *w, unsigned k)
{
    const size_t dims[3] = { w->grid.nx, w->grid.ny, w->grid.nz };
    return dims[w->axis == 0 ? k + 1 : w->axis == 1 ? 2 * k : k];
}

static float value_at(const struct walk *w, size_t u, size_t v)
{
    const size_t i = w->index;
    const size_t x = w->axis == 0 ? i : u, y = w->axis == 0 ? u : w->axis == 1 ? i : v, z = w->axis == 2 ? i : v;
    return grid_value(&w->grid, (z * w->grid.ny + y) * w->grid.nx + x);
}

static const size_t corner[4][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } }; /* counter-clockwise */

/* The point at which the contour crosses the side from corner k to the next, in cell (u, v). */
static void cross(const struct walk *w, size_t u, size_t v, unsigned k, float to[2])
{
    const size_t *p = corner[k % 4], *q = corner[(k + 1) % 4];
    const size_t *low = p[0] + p[1] < q[0] + q[1] ? p : q, *high = low == p ? q : p;
    const float a = value_at(w, u + low[0], v + low[1]), b = value_at(w, u + high[0], v + high[1]);
    float t = (w->iso / 2 - a / 2) / (b / 2 - a / 2);
    if (isnan(t)) t = 0.5f; /* next to NaN, or to an infinite value at the lower end */
    t = fminf(fmaxf(t, w->grid.margin), 1 - w->grid.margin);
    to[0] = (float)(u + low[0]) + (high[0] > low[0] ? t : 0), to[1] = (float)(v + low[1]) + (high[1] > low[1] ? t : 0);
}

static bool inside(const struct walk *w, size_t u, size_t v, unsigned k)
{
    return value_at(w, u + corner[k % 4][0], v + corner[k % 4][1]) >= w->iso;
}

/* Whether the inside corners k and its opposite are apart: by the trilinear rule, if the bilinear interpolant's saddle lies
 * outside. */
static bool is_apart(const struct walk *w, size_t u, size_t v, unsigned k)
{
    double a[4];
    if (w->topology == TOPOLOGY_FIXED) return false;
    for (unsigned i = 0; i < 4; i++)
        a[i] = (double)value_at(w, u + corner[(k + i) % 4][0], v + corner[(k + i) % 4][1]) - (double)w->iso;
    return !(a[0] * a[2] >= a[1] * a[3]);
}

static size_t walk_cell(const struct walk *w, size_t u, size_t v, struct segment *to)
{
    size_t count = 0;
    bool apart = false;
    for (unsigned k = 0; k < 4; k++) {
        if (!inside(w, u, v, k) || inside(w, u, v, k + 1)) continue;
        unsigned back = k + 1;
        apart = inside(w, u, v, k + 2) && !inside(w, u, v, k + 3) && is_apart(w, u, v, k);
        if (apart) back = k + 3;
        while (!inside(w, u, v, back + 1)) back++;
        float from[2], end[2];
        cross(w, u, v, back, from);
        cross(w, u, v, k, end);
        to[count++] = (struct segment){ from[0], from[1], end[0], end[1] };
    }
    /* Segments are ordered by the lower corner. In case 9 the walk meets corner 1 first, and 1 is the lower; in case 6
     * it meets 3 first, but 0 is the lower. */
    if (count == 2 && !apart && inside(w, u, v, 1)) {
        const struct segment swap = to[0];
        to[0] = to[1], to[1] = swap;
    }
    return count;
}

/* Returns the number of segments; writes the segments unless `to` is NULL. */
static size_t walk_slice(const struct walk *w, struct segment *to)
{
    struct segment cell[2];
    size_t count = 0;
    for (size_t v = 0; v + 1 < slice_dim(w, 1); v++)
        for (size_t u = 0; u + 1 < slice_dim(w, 0); u++) {
            const size_t n = walk_cell(w, u, v, cell);
            if (to) memcpy(to + count, cell, n * sizeof *to);
            count += n;
        }
    return count;
}

/* ---- the case ---------------------------------------------------------------------------------------------------- */

static void plan(struct op_case *c)
{
    const struct marching_squares_case *p = c->param;
    grid_plan(c, &p->grid);
    op_name(c, ", axis %u at %zu%s%s", p->axis, p->index, p->half ? ", half the capacity" : "",
            p->topology == TOPOLOGY_FIXED ? ", fixed rule" : "");
    op_add(c, COUNT, OP_OUTPUT, 1, sizeof(uint64_t));
}

static int compare(const void *a, const void *b) { return memcmp(a, b, sizeof(struct segment)); }

static void fill(struct op_case *c)
{
    const struct marching_squares_case *p = c->param;
    grid_fill(c, &p->grid);
    const struct walk w = walk_of(c);
    const size_t count = walk_slice(&w, NULL);
    op_add(c, WANT, OP_HOST, count, sizeof(struct segment));
    op_add(c, SORTED, OP_HOST, count, sizeof(struct segment));
    op_add(c, SEGMENTS, OP_OUTPUT, p->half ? count / 2 : count, sizeof(struct segment));
    if (c->err.code) return;
    walk_slice(&w, c->array[WANT].host);
    memcpy(c->array[SORTED].host, c->array[WANT].host, c->array[WANT].bytes);
    qsort(c->array[SORTED].host, count, sizeof(struct segment), compare);
    c->operations = slice_dim(&w, 0) * slice_dim(&w, 1);
    c->bytes = c->operations * voxel_bytes(p->grid.type) + count * sizeof(struct segment);
}

static struct marching_squares_desc desc_of(const struct op_case *c)
{
    const struct marching_squares_case *p = c->param;
    const struct op_array *segments = &c->array[SEGMENTS];
    return (struct marching_squares_desc){ grid_device(c, &p->grid),
                                           p->axis,
                                           p->index,
                                           p->grid.iso,
                                           segments->bytes ? segments->device : NULL,
                                           segments->bytes / sizeof(struct segment),
                                           c->array[COUNT].device,
                                           p->topology };
}

OP_ANY_BLOCK(marching_squares)
OP_BY_DESC(marching_squares)

static bool check(struct op_case *c, const struct rung *rung)
{
    const bool ordered = ((const struct marching_squares_rung *)rung)->ordered;
    const struct segment *want = c->array[ordered ? WANT : SORTED].host;
    struct segment *got = c->array[SEGMENTS].got;
    const size_t count = c->array[WANT].bytes / sizeof *want, kept = c->array[SEGMENTS].bytes / sizeof *got;
    const uint64_t found = *(const uint64_t *)c->array[COUNT].got;
    if (found != count) return op_wrong(c, "%llu segments, not %zu", (unsigned long long)found, count);
    if (ordered) return !memcmp(got, want, kept * sizeof *want) || op_wrong(c, "the segments differ");
    qsort(got, kept, sizeof *got, compare);
    for (size_t i = 0, at = 0; i < kept; i++, at++) { /* each is one of those wanted, and no two are the same one */
        while (at < count && compare(&want[at], &got[i]) < 0) at++;
        if (at == count || compare(&want[at], &got[i]) > 0) return op_wrong(c, "the segments differ");
    }
    return true;
}

const struct op op_marching_squares = {
    .op = "marching_squares",
    .unit = "voxels along each axis of the slice",
    .size = { 2048, 8192 },
    .operation = "cell",
    OP_TIMED,
    .scratch = scratch,
    .any_block = any_block,
};
