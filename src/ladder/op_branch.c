#include "op.h"

#include "kernels/branch.h"

enum order { REPEATING, RANDOM, ONE_KIND };

struct branch_case {
    size_t n;
    unsigned turns; /* 0: turns and order as timed[] has them for the backend */
    enum order order;
};

enum { IN, KIND, OUT, WANT };

/* A GPU shows the cost of divergence: paths are long, and the kinds repeat, so a rung can choose how many of them share
 * a warp. A CPU shows the cost of mispredicted branches: paths are short, and the kinds are random. */
static const struct branch_case timed[BACKEND_COUNT] = {
    [BACKEND_CPU] = { .turns = 8, .order = RANDOM }, [BACKEND_CUDA] = { .turns = 512, .order = REPEATING }
};

static void at_size(void *param, size_t size) { *(struct branch_case *)param = (struct branch_case){ .n = size }; }

static struct branch_case case_of(const struct op_case *c)
{
    struct branch_case p = *(const struct branch_case *)c->param;
    if (!p.turns) p.turns = timed[c->exec->backend].turns, p.order = timed[c->exec->backend].order;
    return p;
}

static void cases(struct op_walk *walk)
{
    /* clang-format off */
    static const size_t sizes[] = {
        0, 1, 31, 32, 33, 255, 256, 257, /* around a warp, a row, a block */
        1023, 1024, 1025,                /* around a tile */
        2047, 2048, 2049,                /* around a CPU's piece */
        8191, 8192, 8193,                /* around 32 blocks */
        65536 + 77,                      /* several of each */
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int order = REPEATING; order <= ONE_KIND; order++)
            walk->add(walk, &(struct branch_case){ sizes[i], 1 + (unsigned)i % 19, (enum order)order });
}

static void plan(struct op_case *c)
{
    static const char *const names[] = { "repeating", "random", "the same" };
    const struct branch_case p = case_of(c);
    op_name(c, "%zu items, %u steps, kinds %s", p.n, p.turns, names[p.order]);
    op_add(c, IN, OP_INPUT, p.n, sizeof(uint32_t));
    op_add(c, KIND, OP_INPUT, p.n, sizeof(uint8_t));
    op_add(c, OUT, OP_OUTPUT, p.n, sizeof(uint32_t));
    op_add(c, WANT, OP_HOST, p.n, sizeof(uint32_t));
    c->operations = 2 * (uint64_t)p.turns * p.n;
    c->bytes = p.n * (2 * sizeof(uint32_t) + sizeof(uint8_t));
}

static uint8_t kind_of(enum order order, size_t i)
{
    uint32_t x = (uint32_t)i * 2654435761u;
    x ^= x >> 15, x *= 0x85ebca6bu, x ^= x >> 13;
    return (uint8_t)(order == RANDOM ? x % BRANCH_KINDS : order == ONE_KIND ? 17 : i % BRANCH_KINDS);
}

static void fill(struct op_case *c)
{
    const struct branch_case p = case_of(c);
    uint32_t *in = c->array[IN].host, *want = c->array[WANT].host;
    uint8_t *kind = c->array[KIND].host;
    for (size_t i = 0; i < p.n; i++) {
        kind[i] = kind_of(p.order, i);
        in[i] = want[i] = (uint32_t)i * 2246822519u;
        for (unsigned t = 0; t < p.turns; t++) want[i] = (want[i] ^ branch_mask(kind[i])) * branch_factor(kind[i]);
    }
}

OP_ANY_BLOCK(branch)

static int run(struct op_case *c, const struct rung *rung)
{
    const struct branch_case p = case_of(c);
    const struct branch_desc d = { c->array[IN].device, c->array[KIND].device, c->array[OUT].device, p.n, p.turns };
    return ((const struct branch_rung *)rung)->run(&d, c->exec);
}

static bool check(struct op_case *c, const struct rung *rung)
{
    const uint32_t *got = c->array[OUT].got, *want = c->array[WANT].host;
    (void)rung;
    for (size_t i = 0; i < c->array[OUT].bytes / sizeof *got; i++)
        if (got[i] != want[i]) return op_wrong(c, "item %zu is %u, not %u", i, got[i], want[i]);
    return true;
}

const struct op op_branch = {
    .op = "branch",
    .unit = "items",
    .size = { 1 << 22, 1 << 24 },
    .operation = "operation",
    .arithmetic = true,
    OP_TIMED,
    .any_block = any_block,
};
