#include "op_grid.h"

#include <stdlib.h>

struct compact_case {
    struct grid_case grid;
    unsigned width; /* of a strip */
};

enum { LIST = GRID_OWN, COUNT };

static void each(struct op_walk *walk, const struct grid_case *g)
{
    for (unsigned width = 1; width <= 32; width += 31) walk->add(walk, &(struct compact_case){ *g, width });
}

static void cases(struct op_walk *walk)
{
    grid_each(walk, each);
    grid_each_thin(walk, each);
}

static struct strips strips_of(const struct op_case *c)
{
    const struct compact_case *p = c->param;
    return grid_device_strips(c, &p->grid, p->width);
}

static void plan(struct op_case *c)
{
    const struct compact_case *p = c->param;
    grid_plan_strips(c, &p->grid, p->width, OP_INPUT);
    op_name(c, ", width %u", p->width);
    op_add(c, LIST, OP_OUTPUT, strips_of(c).count, sizeof(uint32_t));
    op_add(c, COUNT, OP_OUTPUT, 1, sizeof(uint64_t));
}

static void fill(struct op_case *c)
{
    const struct compact_case *p = c->param;
    grid_fill_strips(c, &p->grid, p->width);
}

OP_SCRATCH(compact, strips_of(c).count)

static int run(struct op_case *c, const struct rung *rung)
{
    const struct strips s = strips_of(c);
    return ((const struct compact_rung *)rung)->run(&s, c->array[LIST].device, c->array[COUNT].device, c->scratch, c->exec);
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool check(struct op_case *c, const struct rung *rung)
{
    uint32_t *got = c->array[LIST].got;
    const uint64_t found = *(const uint64_t *)c->array[COUNT].got, want = grid_strip_totals(c)->strips;
    if (found != want) return op_wrong(c, "%llu strips, not %llu", (unsigned long long)found, (unsigned long long)want);
    if (((const struct compact_rung *)rung)->any_order) qsort(got, (size_t)found, sizeof *got, compare);
    return op_same(c, "entry", got, c->array[STRIP_LIST].host, (size_t)want);
}

const struct op op_compact = {
    .op = "compact",
    OP_STAGE,
    .scratch = scratch,
};
