/* Compares generate with a slow reference: vertex numbers from a table of all edges, positions and normals in double. */
#include "op_grid.h"

#include "mesh_check.h"
#include "synth.h"
#include "kernels/inner_vertex.h"

#include <math.h>
#include <string.h>

struct generate_case {
    struct grid_case grid;
    unsigned width; /* of a strip */
    bool soup;      /* three vertices per triangle, for rungs that make a soup */
    bool shuffled;  /* the list of strips is unordered, as some compact rungs return it */
};

enum {
    VERTICES = GRID_OWN,
    INDICES,
    NUMBERS
}; /* NUMBERS: of the vertices on each voxel's +x, +y and +z edge, and inside */

static void each(struct op_walk *walk, const struct grid_case *g)
{
    for (unsigned i = 0; i < 4; i++)
        walk->add(walk, &(struct generate_case){ *g, i & 1 ? 32 : 1, i & 2, (i + g->n[0] + g->field) % 3 != 0 });
}

static void cases(struct op_walk *walk) { grid_each(walk, each); }

static void plan(struct op_case *c)
{
    const struct generate_case *p = c->param;
    grid_plan_strips(c, &p->grid, p->width, OP_INPUT);
    op_name(c, ", width %u%s%s", p->width, p->soup ? ", soup" : "", p->shuffled ? ", shuffled" : "");
    op_add(c, NUMBERS, OP_HOST, op_product(4, grid_count(&p->grid)), sizeof(uint32_t));
}

static void shuffle(uint32_t *list, size_t n)
{
    uint64_t seed = 2026;
    for (size_t i = n; i > 1; i--) {
        const size_t j = synth_random(&seed) % i;
        const uint32_t kept = list[i - 1];
        list[i - 1] = list[j], list[j] = kept;
    }
}

/* Whether voxel i has a +axis edge that the surface crosses. */
static bool crossed(const struct op_case *c, size_t i, unsigned axis)
{
    const size_t *n = ((const struct generate_case *)c->param)->grid.n, step[3] = { 1, n[0], n[0] * n[1] };
    const uint8_t *inside = c->array[TRUTH_INSIDE].host;
    return i / step[axis] % n[axis] + 1 < n[axis] && inside[i] != inside[i + step[axis]];
}

/* Return how the surface passes through the cell at voxel i. */
static const struct mc_subcase *cell_at(const struct op_case *c, size_t i)
{
    const struct mc_tables *tables = c->array[GRID_TABLES].host;
    return &tables->subcase[((const uint16_t *)c->array[TRUTH_CELLS].host)[i]];
}

static void fill(struct op_case *c)
{
    const struct generate_case *p = c->param;
    uint32_t *numbers = c->array[NUMBERS].host, next = 0;
    grid_fill_strips(c, &p->grid, p->width);
    const struct strip_totals *t = grid_strip_totals(c);
    if (p->shuffled) shuffle(c->array[STRIP_LIST].host, t->strips);
    for (size_t i = 0; i < grid_count(&p->grid); i++) {
        for (unsigned axis = 0; axis < 3; axis++) numbers[4 * i + axis] = crossed(c, i, axis) ? next++ : UINT32_MAX;
        numbers[4 * i + 3] = next;
        next += cell_at(c, i)->inner;
    }
    op_add(c, VERTICES, OP_OUTPUT, p->soup ? 3 * t->triangles : t->vertices, sizeof(struct vertex));
    op_add(c, INDICES, OP_OUTPUT, 3 * t->triangles, sizeof(uint32_t));
}

static const char *refuses(const struct op_case *c, const struct rung *rung)
{
    const bool soup = ((const struct generate_rung *)rung)->soup;
    return !c || soup == ((const struct generate_case *)c->param)->soup ? NULL : "makes another kind of mesh";
}

static int run(struct op_case *c, const struct rung *rung)
{
    const struct generate_case *p = c->param;
    const struct generate_desc d = { grid_device(c, &p->grid),
                                     p->grid.iso,
                                     grid_device_strips(c, &p->grid, p->width),
                                     c->array[GRID_TABLES].device,
                                     c->array[STRIP_LIST].device,
                                     grid_strip_totals(c)->strips,
                                     { c->array[VERTICES].device, c->array[INDICES].device } };
    return d.list_count ? ((const struct generate_rung *)rung)->run(&d, c->exec) : 0;
}

/* ---- vertices in double ------------------------------------------------------------------------------------------ */

static double difference(const struct grid *g, const size_t p[3], int axis)
{
    const size_t n[3] = { g->nx, g->ny, g->nz }, step[3] = { 1, g->nx, g->nx * g->ny };
    const size_t i = p[2] * step[2] + p[1] * step[1] + p[0];
    double d;
#define F(k) ((double)grid_value(g, (size_t)((ptrdiff_t)i + (k) * (ptrdiff_t)step[axis])))
    if (n[axis] == 2) d = p[axis] ? F(0) - F(-1) : F(1) - F(0);
    else if (p[axis] == 0) d = (-3 * F(0) + 4 * F(1) - F(2)) / 2;
    else if (p[axis] == n[axis] - 1) d = (3 * F(0) - 4 * F(-1) + F(-2)) / 2;
    else d = (F(1) - F(-1)) / 2;
#undef F
    return d;
}

/* Position and normal in double. Returns false if float cannot agree, because values cancel or are too large. */
static bool slow_vertex(const struct grid *g, double iso, size_t i, unsigned axis, double position[3], double normal[3])
{
    const size_t step[3] = { 1, g->nx, g->nx * g->ny };
    size_t p[3] = { i % g->nx, i / g->nx % g->ny, i / g->nx / g->ny }, q[3] = { p[0], p[1], p[2] };
    q[axis]++;
    const double a = grid_value(g, i), b = grid_value(g, i + step[axis]);
    const double t = fmin(fmax((iso - a) / (b - a), g->margin), 1 - g->margin);
    double length = 0, largest = 0;
    for (unsigned k = 0; k < 3; k++) {
        const double d = difference(g, p, (int)k), e = difference(g, q, (int)k);
        position[k] = (double)(g->first[k] + p[k]) + (k == axis ? t : 0);
        normal[k] = -((1 - t) * d + t * e);
        length += normal[k] * normal[k];
        largest = fmax(largest, fmax(fabs(d), fabs(e)));
    }
    length = sqrt(length);
    for (int k = 0; k < 3; k++) normal[k] /= length;
    return length > 1e-4 * largest && largest < 1e6; /* otherwise gradients cancel or are not finite */
}

static bool check_vertex(struct op_case *c, const struct grid *g, float iso, size_t i, unsigned axis)
{
    const uint32_t number = ((const uint32_t *)c->array[NUMBERS].host)[4 * i + axis];
    const struct vertex *v = (const struct vertex *)c->array[VERTICES].got + number;
    double p[3], m[3], u[3];
    normal_unpack(v->normal, u);
    const double square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    if (!(square > 0.99 && square < 1.01)) return op_wrong(c, "the normal of vertex %u has length^2 %g", number, square);
    if (!isfinite(v->x) || !isfinite(v->y) || !isfinite(v->z)) return op_wrong(c, "vertex %u is not finite", number);
    if (!slow_vertex(g, (double)iso, i, axis, p, m)) return true;
    const double off = fabs(v->x - p[0]) + fabs(v->y - p[1]) + fabs(v->z - p[2]);
    const double turn = fabs(u[0] - m[0]) + fabs(u[1] - m[1]) + fabs(u[2] - m[2]);
    if (!(off < 1e-4)) return op_wrong(c, "vertex %u is %g off", number, off);
    return turn < 0.01 || op_wrong(c, "the normal of vertex %u is %g off", number, turn);
}

/* ---- corners ----------------------------------------------------------------------------------------------------- */

/* Checks corner number `corner` of the mesh, which is corner `e` of a triangle of the cell at voxel i. A soup must
 * repeat the shared vertex bit for bit, as cell_vertex() computes it on the CPU. */
static bool check_corner(struct op_case *c, const struct grid *g, size_t corner, size_t i, unsigned e)
{
    const struct generate_case *p = c->param;
    const struct vertex *vertices = c->array[VERTICES].got;
    const uint32_t index = ((const uint32_t *)c->array[INDICES].got)[corner];
    const uint32_t *numbers = c->array[NUMBERS].host;
    const size_t owner = i + mc_edge_dx(e) + (mc_edge_dy(e) + mc_edge_dz(e) * g->ny) * g->nx, row = i / g->nx;
    const unsigned second = e > MC_INNER;
    if (!p->soup)
        return index == numbers[4 * owner + mc_edge_axis(e)] + second ||
               op_wrong(c, "corner %zu is vertex %u", corner, index);
    const struct vertex want = cell_vertex(g, p->grid.iso, i % g->nx, row % g->ny, row / g->ny, cell_at(c, i), e);
    return (index == corner && !memcmp(&vertices[corner], &want, sizeof want)) ||
           op_wrong(c, "corner %zu is vertex %u, or this vertex is wrong", corner, index);
}

/* Compares the vertices inside a cell, bit for bit. */
static bool check_inner(struct op_case *c, const struct grid *g, size_t i)
{
    const struct generate_case *p = c->param;
    const struct vertex *vertices = c->array[VERTICES].got;
    const uint32_t first = ((const uint32_t *)c->array[NUMBERS].host)[4 * i + 3];
    const struct mc_subcase *cell = cell_at(c, i);
    const size_t row = i / g->nx;
    for (unsigned k = 0; k < cell->inner; k++) {
        const struct vertex want = cell_vertex(g, p->grid.iso, i % g->nx, row % g->ny, row / g->ny, cell, MC_INNER + k);
        if (memcmp(&vertices[first + k], &want, sizeof want) != 0) return op_wrong(c, "vertex %u is wrong", first + k);
    }
    return true;
}

static bool check(struct op_case *c, const struct rung *rung)
{
    const struct generate_case *p = c->param;
    const struct grid g = grid_host(c, &p->grid);
    size_t corner = 0;
    (void)rung;
    for (size_t i = 0; i < grid_voxels(&g); i++) {
        const struct mc_subcase *cell = cell_at(c, i);
        for (unsigned axis = 0; axis < 3 && !p->soup; axis++)
            if (crossed(c, i, axis) && !check_vertex(c, &g, p->grid.iso, i, axis)) return false;
        if (!p->soup && !check_inner(c, &g, i)) return false;
        for (unsigned k = 0; k < 3u * cell->triangles; k++)
            if (!check_corner(c, &g, corner++, i, cell->edge[k])) return false;
    }
    return true;
}

const struct op op_generate = {
    .op = "generate",
    OP_STAGE,
    .refuses = refuses,
};
