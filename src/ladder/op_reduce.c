#include "op_grid.h"

#include <math.h>

enum { OUT = GRID_OWN, WANT };

static void at_size(void *param, size_t size) { *(struct grid_case *)param = grid_at_size(size); }

static void each(struct op_walk *walk, const struct grid_case *g) { walk->add(walk, g); }

static void cases(struct op_walk *walk)
{
    grid_each(walk, each);
    grid_each_thin(walk, each);
    /* A mean far from zero with a small spread: a plain sum of squares loses all digits. The size is a prime larger
     * than a chunk. */
    walk->add(walk, &(struct grid_case){ { 100003, 1, 1 }, VOXEL_FLOAT32, FIELD_FAR, 0 });
}

static void plan(struct op_case *c)
{
    const struct grid_case *g = c->param;
    grid_plan(c, g);
    op_add(c, OUT, OP_OUTPUT, 1, sizeof(struct summary));
    op_add(c, WANT, OP_HOST, 1, sizeof(struct summary));
    c->operations = grid_count(g);
    c->bytes = c->operations * voxel_bytes(g->type);
}

static void fill(struct op_case *c)
{
    struct summary *want = c->array[WANT].host;
    long double sum = 0, squares = 0;
    grid_fill(c, c->param);
    const struct grid g = grid_host(c, c->param);
    *want = summary_empty();
    for (size_t i = 0; i < grid_voxels(&g); i++) {
        const double v = grid_value(&g, i);
        if (isnan(v)) want->nan++;
        else if (isinf(v)) want->infinite++;
        else want->count++, sum += v, want->min = fmin(want->min, v), want->max = fmax(want->max, v);
    }
    const long double mean = want->count ? sum / (long double)want->count : 0;
    for (size_t i = 0; i < grid_voxels(&g); i++) {
        const long double d = grid_value(&g, i) - mean;
        if (isfinite(grid_value(&g, i))) squares += d * d;
    }
    want->mean = (double)mean, want->m2 = (double)squares;
}

OP_SCRATCH(reduce, grid_count(c->param))

static int run(struct op_case *c, const struct rung *rung)
{
    const struct grid g = grid_device(c, c->param);
    return ((const struct reduce_rung *)rung)->run(&g, c->array[OUT].device, c->scratch, c->exec);
}

/* The mean's error is relative to the largest magnitude, because huge values of both signs cancel and leave no digits. */
static bool check(struct op_case *c, const struct rung *rung)
{
    const struct summary *g = c->array[OUT].got, *w = c->array[WANT].host;
    (void)rung;
    if (g->count != w->count || g->nan != w->nan || g->infinite != w->infinite)
        return op_wrong(c, "%llu finite, %llu NaN, %llu infinite", (unsigned long long)g->count, (unsigned long long)g->nan,
                        (unsigned long long)g->infinite);
    const double largest = fmax(fabs(w->min), fabs(w->max));
    return (g->min == w->min && g->max == w->max && op_near(c, g->mean, w->mean, largest, 1e-12 * largest) &&
            fabs(g->m2 - w->m2) <= 1e-10 * w->m2) ||
           op_wrong(c, "%g..%g, mean %.17g, squares %.17g, not %g..%g, %.17g, %.17g", g->min, g->max, g->mean, g->m2,
                    w->min, w->max, w->mean, w->m2);
}

const struct op op_reduce = {
    .op = "reduce",
    OP_ON_GRID,
    .size = { 256, 512 },
    OP_TIMED,
    .scratch = scratch,
};
