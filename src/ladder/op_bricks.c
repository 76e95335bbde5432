#include "op_grid.h"

#include <math.h>

enum { RANGES = GRID_OWN, WANT };

static void each(struct op_walk *walk, const struct grid_case *g) { walk->add(walk, g); }

static void cases(struct op_walk *walk)
{
    /* Rows longer than what a CPU rung folds at once, 32 bricks of 32 voxels. No shape of grid_each() is that long. */
    static const size_t lengths[] = { 1023, 1024, 1025, 1026, 1056, 1057, 2049 };
    /* Rows around those that a warp of CUDA's rung sweep holds, in volumes that end within a word of 4 bytes. */
    static const size_t odd[] = { 127, 129, 161, 255, 257, 289, 511, 513, 545 };
    /* Enough layers that each thread of that rung takes two, or eight, bricks along z. */
    static const size_t layers[] = { 65541, 263167 };
    grid_each(walk, each);
    grid_each_thin(walk, each);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        for (int type = 0; type < VOXEL_TYPE_COUNT; type++)
            walk->add(walk, &(struct grid_case){ { lengths[i], 6, 5 }, (enum voxel_type)type, FIELD_BYTES, 0 });
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
        for (int type = 0; type < VOXEL_TYPE_COUNT; type++)
            walk->add(walk, &(struct grid_case){ { odd[i], 7, 5 }, (enum voxel_type)type, FIELD_BYTES, 0 });
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++)
        for (size_t nx = 16; nx < 18; nx++)
            for (int type = 0; type < VOXEL_TYPE_COUNT; type++)
                walk->add(walk, &(struct grid_case){ { nx, 1, layers[i] }, (enum voxel_type)type, FIELD_BYTES, 0 });
}

static void plan(struct op_case *c)
{
    const struct grid_case *g = c->param;
    grid_plan(c, g);
    const struct grid grid = grid_device(c, g);
    const struct bricks b = bricks_for(&grid);
    for (int i = RANGES; i <= WANT; i++)
        op_add(c, i, i == RANGES ? OP_OUTPUT : OP_HOST, b.nx * b.ny * b.nz, sizeof *b.range);
}

static struct brick_range range_of(const struct grid *g, size_t i, size_t j, size_t k)
{
    struct brick_range r = { INFINITY, -INFINITY };
    for (size_t z = k * BRICK_Z; z < min_size(g->nz, (k + 1) * BRICK_Z + 1); z++)
        for (size_t y = j * BRICK_Y; y < min_size(g->ny, (j + 1) * BRICK_Y + 1); y++)
            for (size_t x = i * BRICK_X; x < min_size(g->nx, (i + 1) * BRICK_X + 1); x++) {
                float v = grid_value(g, (z * g->ny + y) * g->nx + x);
                if (isnan(v)) v = -INFINITY;
                r.min = fminf(r.min, v), r.max = fmaxf(r.max, v);
            }
    return r;
}

static void fill(struct op_case *c)
{
    struct brick_range *want = c->array[WANT].host;
    grid_fill(c, c->param);
    const struct grid g = grid_host(c, c->param);
    const struct bricks b = bricks_for(&g);
    for (size_t i = 0; i < b.nx * b.ny * b.nz; i++) want[i] = range_of(&g, i % b.nx, i / b.nx % b.ny, i / b.nx / b.ny);
}

static const char *refuses(const struct op_case *c, const struct rung *rung)
{
    (void)c;
    return ((const struct bricks_rung *)rung)->run ? NULL : "keeps no ranges";
}

static int run(struct op_case *c, const struct rung *rung)
{
    const struct grid g = grid_device(c, c->param);
    struct bricks b = bricks_for(&g);
    b.range = c->array[RANGES].device;
    return ((const struct bricks_rung *)rung)->run(&g, &b, c->exec);
}

static bool check(struct op_case *c, const struct rung *rung)
{
    const struct brick_range *got = c->array[RANGES].got, *want = c->array[WANT].host;
    (void)rung;
    for (size_t i = 0; i < c->array[WANT].bytes / sizeof *want; i++)
        if (!(got[i].min == want[i].min && got[i].max == want[i].max))
            return op_wrong(c, "brick %zu is %g..%g, not %g..%g", i, (double)got[i].min, (double)got[i].max,
                            (double)want[i].min, (double)want[i].max);
    return true;
}

const struct op op_bricks = {
    .op = "bricks",
    OP_STAGE,
    .refuses = refuses,
};
