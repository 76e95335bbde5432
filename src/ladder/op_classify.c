#include "op_grid.h"

struct classify_case {
    struct grid_case grid;
    unsigned width; /* of a strip */
    bool ranges;    /* pass the ranges of the bricks */
};

enum { RANGES = GRID_OWN, INSIDE, INNER, VERTICES, TRIANGLES }; /* the last four as in op_grid.h */

static void each(struct op_walk *walk, const struct grid_case *g)
{
    for (unsigned width = 1; width <= 32; width += 31)
        for (int ranges = 0; ranges < 2; ranges++) walk->add(walk, &(struct classify_case){ *g, width, ranges });
}

static void cases(struct op_walk *walk)
{
    grid_each(walk, each);
    grid_each_thin(walk, each);
}

static void plan(struct op_case *c)
{
    const struct classify_case *p = c->param;
    grid_plan_strips(c, &p->grid, p->width, OP_HOST);
    op_name(c, ", width %u, %s ranges", p->width, p->ranges ? "with" : "without");
    const struct grid g = grid_device(c, &p->grid);
    const struct bricks b = bricks_for(&g);
    op_add(c, RANGES, OP_INPUT, p->ranges ? b.nx * b.ny * b.nz : 0, sizeof *b.range);
    for (int i = INSIDE; i <= TRIANGLES; i++)
        op_add(c, i, OP_OUTPUT, grid_device_strips(c, &p->grid, p->width).count, sizeof(uint32_t));
}

/* Ranges always come from the textbook rung of bricks. */
static void fill(struct op_case *c)
{
    const struct classify_case *p = c->param;
    struct exec host = { .backend = BACKEND_CPU, .threads = 1 };
    const struct rung *textbook = ladder_find(ladder_of("bricks"), BACKEND_CPU, "textbook");
    grid_fill_strips(c, &p->grid, p->width);
    const struct strip_totals *totals = grid_strip_totals(c);
    const struct grid g = grid_host(c, &p->grid);
    struct bricks b = bricks_for(&g);
    b.range = c->array[RANGES].host;
    if (p->ranges) ((const struct bricks_rung *)textbook)->run(&g, &b, &host);
    if (p->grid.field == FIELD_NOISE && grid_voxels(&g) >= 20000 && totals->cases != 256)
        err_set(&c->err, ERR_FAILED, "noise reaches %u of the 256 cases", totals->cases);
}

static const char *refuses(const struct op_case *c, const struct rung *rung)
{
    const unsigned width = ((const struct classify_rung *)rung)->width;
    if (!c) return width == 1 || width == 32 ? NULL : "makes strips of neither 1 nor 32 voxels";
    return width == ((const struct classify_case *)c->param)->width ? NULL : "makes strips of another width";
}

static int run(struct op_case *c, const struct rung *rung)
{
    const struct classify_case *p = c->param;
    const struct grid g = grid_device(c, &p->grid);
    struct bricks b = bricks_for(&g);
    struct strips out = grid_device_strips(c, &p->grid, p->width);
    if (p->ranges) b.range = c->array[RANGES].device;
    out.inside = c->array[INSIDE].device, out.inner = c->array[INNER].device;
    out.vertices = c->array[VERTICES].device, out.triangles = c->array[TRIANGLES].device;
    return ((const struct classify_rung *)rung)->run(&g, p->grid.iso, &b, c->array[GRID_TABLES].device, &out, c->exec);
}

static bool check(struct op_case *c, const struct rung *rung)
{
    static const char *const what[] = { "the inside word of strip", "the inner word of strip",
                                        "the number of vertices of strip", "the number of triangles of strip" };
    (void)rung;
    for (int i = 0; i < 4; i++)
        if (!op_same(c, what[i], c->array[INSIDE + i].got, c->array[STRIP_INSIDE + i].host,
                     c->array[INSIDE + i].bytes / sizeof(uint32_t)))
            return false;
    return true;
}

const struct op op_classify = {
    .op = "classify",
    OP_STAGE,
    .refuses = refuses,
};
