#include "op.h"

#include "kernels/fma_peak.h"

struct fma_peak_case {
    size_t n;
    float factor;
};

enum { OUT, WANT };
enum { PERIOD = 16 }; /* number i starts as i % PERIOD */

static void at_size(void *param, size_t size) { *(struct fma_peak_case *)param = (struct fma_peak_case){ size, 1 }; }

static void cases(struct op_walk *walk)
{
    /* clang-format off */
    static const size_t sizes[] = {
        0, 1, 31, 32, 33, 127, 128, 129, 255, 256, 257, 2047, 2048, 2049, /* around blocks */
        4099,                                                             /* a prime */
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int factor = -1; factor <= 1; factor++) walk->add(walk, &(struct fma_peak_case){ sizes[i], (float)factor });
}

static void plan(struct op_case *c)
{
    const struct fma_peak_case *p = c->param;
    op_name(c, "%zu numbers, factor %g", p->n, (double)p->factor);
    op_add(c, OUT, OP_OUTPUT, p->n, sizeof(float));
    op_add(c, WANT, OP_HOST, PERIOD, sizeof(float));
    c->operations = 2 * (uint64_t)FMA_PEAK_TURNS * p->n;
    c->bytes = p->n * sizeof(float);
}

/* With these factors the results are exact, fused or not. */
static void fill(struct op_case *c)
{
    const float factor = ((const struct fma_peak_case *)c->param)->factor;
    float *want = c->array[WANT].host;
    for (size_t i = 0; i < PERIOD; i++) {
        want[i] = (float)i;
        for (unsigned t = 0; t < FMA_PEAK_TURNS; t++) want[i] = want[i] * factor + 1;
    }
}

static int run(struct op_case *c, const struct rung *rung)
{
    const struct fma_peak_case *p = c->param;
    return ((const struct fma_peak_rung *)rung)->run(c->array[OUT].device, p->n, p->factor, c->exec);
}

static bool check(struct op_case *c, const struct rung *rung)
{
    const float *got = c->array[OUT].got, *want = c->array[WANT].host;
    (void)rung;
    for (size_t i = 0; i < ((const struct fma_peak_case *)c->param)->n; i++)
        if (got[i] != want[i % PERIOD])
            return op_wrong(c, "number %zu is %g, not %g", i, (double)got[i], (double)want[i % PERIOD]);
    return true;
}

OP_ANY_BLOCK(fma_peak)

const struct op op_fma_peak = {
    .op = "fma_peak",
    .unit = "numbers",
    .size = { 1 << 18, 1 << 24 },
    .operation = "flop",
    .arithmetic = true,
    OP_TIMED,
    .any_block = any_block,
};
