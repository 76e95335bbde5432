/* The laboratory's reduce: the vessels' voxels, summed up again in long double. */
#include "lab.h"

#include <math.h>
#include <stdio.h>

struct state {
    struct summary want, *out;
};

static struct summary plain_summary(const struct grid *g)
{
    struct summary s = summary_empty();
    long double sum = 0, squares = 0;
    const size_t n = grid_voxels(g);
    for (size_t i = 0; i < n; i++) {
        const double v = grid_value(g, i); /* a procedural volume is finite */
        s.min = fmin(s.min, v), s.max = fmax(s.max, v), sum += v;
    }
    s.count = n, s.mean = (double)(sum / (long double)n);
    for (size_t i = 0; i < n; i++) {
        const long double d = grid_value(g, i) - (long double)s.mean;
        squares += d * d;
    }
    s.m2 = (double)squares;
    return s;
}

static int open_reduce(struct lab *lab)
{
    struct state *s = lab->state = lab_host(lab, sizeof *s);
    if (!s || lab_volume(lab, NULL)) return lab->err.code;
    s->want = plain_summary(&lab->volume.grid);
    s->out = lab_output(lab, sizeof *s->out);
    lab->operations = grid_voxels(&lab->volume.grid);
    lab->bytes = lab->operations * voxel_bytes(lab->volume.grid.type);
    return lab->err.code;
}

static size_t reduce_scratch(const struct lab *lab, const struct rung *rung)
{
    const struct reduce_rung *r = (const struct reduce_rung *)rung;
    return r->scratch ? r->scratch(grid_voxels(&lab->iso.grid), &lab->iso.exec) : 0;
}

static int run_reduce(struct lab *lab, const struct rung *rung)
{
    const struct state *s = lab->state;
    return ((const struct reduce_rung *)rung)->run(&lab->iso.grid, s->out, lab->scratch, &lab->iso.exec);
}

static bool check_reduce(struct lab *lab, const struct rung *rung, char why[LAB_WHY])
{
    const struct state *s = lab->state;
    const struct summary *w = &s->want;
    struct summary g = summary_empty();
    (void)rung;
    if (lab_read(lab, &g, s->out, sizeof g)) return false;
    snprintf(why, LAB_WHY, "%g..%g, mean %.9g, squares %.9g, not %g..%g, %.9g, %.9g", g.min, g.max, g.mean, g.m2, w->min,
             w->max, w->mean, w->m2);
    return g.min == w->min && g.max == w->max && g.count == w->count && !g.nan && !g.infinite &&
           fabs(g.mean - w->mean) <= 1e-12 * fmax(fabs(w->min), fabs(w->max)) && fabs(g.m2 - w->m2) <= 1e-10 * w->m2;
}

const struct lab_op lab_reduce = {
    .op = "reduce",
    .unit = "voxels along each axis",
    .size = { 256, 512 },
    .operation = "voxel",
    .open = open_reduce,
    .scratch = reduce_scratch,
    .run = run_reduce,
    .check = check_reduce,
};
