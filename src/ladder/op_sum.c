#include "op.h"

#include "kernels/sum.h"

#include <math.h>

enum content { ONES, WHOLE, THIRDS, ONE_NAN, RANDOM };

struct sum_case {
    size_t n;
    enum content content;
};

struct sums {
    double sum, magnitude;
    bool whole; /* numbers without a fraction */
};

enum { IN, OUT, WANT };

static void at_size(void *param, size_t size) { *(struct sum_case *)param = (struct sum_case){ size, RANDOM }; }

static void cases(struct op_walk *walk)
{
    /* clang-format off */
    static const size_t sizes[] = {
        0, 1, 2, 3, 4, 5, 31, 32, 33, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, /* around warps, blocks, loads */
        4099,                 /* a prime */
        65535, 65536, 65537,  /* around 256 blocks of 256, and a CPU chunk */
        2048 * 1024 + 5,      /* more than the bounded grids cover at once */
        65536 * 256 + 1,      /* more than 2^16 blocks of 256 */
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int content = ONES; content <= THIRDS; content++)
            if (content != WHOLE || sizes[i] < 16384) /* keeps magnitudes below 2^24 */
                walk->add(walk, &(struct sum_case){ sizes[i], (enum content)content });
    walk->add(walk, &(struct sum_case){ 4099, ONE_NAN }); /* the NaN must reach the result */
}

static void plan(struct op_case *c)
{
    static const char *const names[] = { "ones and zeros", "whole numbers", "thirds", "ones and a NaN", "random floats" };
    const struct sum_case *p = c->param;
    op_name(c, "%zu %s", p->n, names[p->content]);
    op_add(c, IN, OP_INPUT, p->n, sizeof(float));
    op_add(c, OUT, OP_INOUT, 1, sizeof(float));
    op_add(c, WANT, OP_HOST, 1, sizeof(struct sums));
    c->operations = p->n;
    c->bytes = (p->n + 1) * sizeof(float);
}

static float value(enum content content, size_t i)
{
    uint32_t x = (uint32_t)i * 2654435761u;
    x ^= x >> 15;
    if (content == ONE_NAN) return i == 4000 ? NAN : 1;
    return content == ONES ? (float)(x % 2) : content == WHOLE ? (float)(x % 2001) - 1000 : (float)(x % 1000) / 3;
}

static void fill(struct op_case *c)
{
    const struct sum_case *p = c->param;
    float *in = c->array[IN].host;
    long double sum = 0, magnitude = 0;
    bool whole = true;
    *(float *)c->array[OUT].host = p->content == ONE_NAN ? 0 : NAN; /* certainly wrong */
    if (p->content == RANDOM) op_random(in, p->n);
    for (size_t i = 0; i < p->n; i++) {
        if (p->content != RANDOM) in[i] = value(p->content, i);
        sum += in[i], magnitude += fabsf(in[i]);
        whole = whole && in[i] == floorf(in[i]);
    }
    *(struct sums *)c->array[WANT].host = (struct sums){ (double)sum, (double)magnitude, whole };
}

OP_SCRATCH(sum, ((const struct sum_case *)c->param)->n)

OP_ANY_BLOCK(sum)

static int run(struct op_case *c, const struct rung *rung)
{
    const size_t n = ((const struct sum_case *)c->param)->n;
    return ((const struct sum_rung *)rung)->run(c->array[IN].device, c->array[OUT].device, n, c->scratch, c->exec);
}

/* Sums of whole numbers are exact in any order as long as magnitudes stay below 2^24; they reveal every missed or
 * doubled number. Of n rounding errors of random numbers, most cancel: about sqrt(n) remain, and 8 sqrt(n) leaves room
 * for chance. */
static double tolerance(const struct op_case *c, const struct sum_rung *rung)
{
    const struct sum_case *p = c->param;
    const struct sums *want = c->array[WANT].host;
    double roundings = rung->roundings(p->n, c->exec);
    if (want->whole && want->magnitude < 0x1p24) return 0;
    if (p->content == RANDOM) roundings = fmin(roundings, 8 * sqrt(roundings));
    return 0x1p-24 * want->magnitude * roundings;
}

static bool check(struct op_case *c, const struct rung *rung)
{
    const struct sums *want = c->array[WANT].host;
    const float got = *(const float *)c->array[OUT].got;
    if (isnan(want->sum)) return isnan(got) || op_wrong(c, "a NaN is lost: %g", (double)got);
    const double most = tolerance(c, (const struct sum_rung *)rung);
    return op_near(c, (double)got, want->sum, want->magnitude, most) ||
           op_wrong(c, "%.9g, not %.9g within %.2g", (double)got, want->sum, most);
}

const struct op op_sum = {
    .op = "sum",
    .unit = "floats",
    .size = { 1 << 24, 1 << 27 },
    .operation = "flop",
    OP_TIMED,
    .scratch = scratch,
    .any_block = any_block,
};
