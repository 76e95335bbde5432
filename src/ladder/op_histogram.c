#include "op_grid.h"

#include <float.h>

struct histogram_case {
    struct grid_case grid;
    float lo, hi;
    unsigned bins;
};

enum { COUNTS = GRID_OWN, WANT };

static void at_size(void *param, size_t size)
{
    *(struct histogram_case *)param = (struct histogram_case){ grid_at_size(size), -0.5f, 255.5f, 256 };
}

static void add(struct op_walk *walk, const struct grid_case *g, float lo, float hi, unsigned bins)
{
    walk->add(walk, &(struct histogram_case){ *g, lo, hi, bins });
}

static void each(struct op_walk *walk, const struct grid_case *g)
{
    add(walk, g, -0.5f, 255.5f, 256);  /* a bin for each 8-bit value */
    add(walk, g, 10, 70, 7);           /* values outside the range; bins not a power of two */
    add(walk, g, -32768, 65535, 1024); /* all 16-bit values, the most bins the program uses */
    add(walk, g, 40, 40.5f, 1);
    if (g->type == VOXEL_FLOAT32 && g->field == FIELD_ODD) {
        add(walk, g, 0, 1e-45f, 3);           /* as narrow as can be, */
        add(walk, g, -FLT_MAX, FLT_MAX, 100); /* and as wide: wider than any float */
    }
    if (grid_count(g) != 4 * 32 * 3) return; /* one shape is enough to test the limits of each kind of memory */
    add(walk, g, 0, 80, 1537);               /* one bin too many for a copy per warp */
    add(walk, g, 0, 80, 12289);              /* one too many for a block's shared memory by default */
    add(walk, g, -32768, 65535, 58112);      /* the most that a block may ask for on compute capability 9.0 */
    add(walk, g, -32768, 65535, 58113);      /* one more than that */
    add(walk, g, -32768, 65535, 98305);      /* one too many for eight blocks */
}

static void cases(struct op_walk *walk)
{
    grid_each(walk, each);
    grid_each_thin(walk, each);
}

static void plan(struct op_case *c)
{
    const struct histogram_case *p = c->param;
    grid_plan(c, &p->grid);
    op_name(c, ", %u bins of %g..%g", p->bins, (double)p->lo, (double)p->hi);
    op_add(c, COUNTS, OP_OUTPUT, p->bins, sizeof(uint64_t));
    op_add(c, WANT, OP_HOST, p->bins, sizeof(uint64_t));
    c->operations = grid_count(&p->grid);
    c->bytes = c->operations * voxel_bytes(p->grid.type) + p->bins * sizeof(uint64_t);
}

/* Uses histogram_bin() as all rungs do; tests/test_backend.c tests that function. */
static void fill(struct op_case *c)
{
    const struct histogram_case *p = c->param;
    uint64_t *want = c->array[WANT].host;
    grid_fill(c, &p->grid);
    const struct grid g = grid_host(c, &p->grid);
    for (size_t i = 0; i < grid_voxels(&g); i++) {
        const unsigned bin = histogram_bin(grid_value(&g, i), p->lo, p->hi, p->bins);
        if (bin < p->bins) want[bin]++;
    }
}

OP_SCRATCH(histogram, ((const struct histogram_case *)c->param)->bins)

static int run(struct op_case *c, const struct rung *rung)
{
    const struct histogram_case *p = c->param;
    const struct grid g = grid_device(c, &p->grid);
    const struct histogram_desc d = { p->lo, p->hi, p->bins, c->array[COUNTS].device };
    return ((const struct histogram_rung *)rung)->run(&g, &d, c->scratch, c->exec);
}

static bool check(struct op_case *c, const struct rung *rung)
{
    const uint64_t *got = c->array[COUNTS].got, *want = c->array[WANT].host;
    (void)rung;
    for (unsigned b = 0; b < ((const struct histogram_case *)c->param)->bins; b++)
        if (got[b] != want[b])
            return op_wrong(c, "bin %u holds %llu voxels, not %llu", b, (unsigned long long)got[b],
                            (unsigned long long)want[b]);
    return true;
}

OP_ANY_BLOCK(histogram)

const struct op op_histogram = {
    .op = "histogram",
    OP_ON_GRID,
    .size = { 256, 512 },
    OP_TIMED,
    .scratch = scratch,
    .any_block = any_block,
};
