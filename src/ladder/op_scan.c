#include "op.h"

#include "synth.h"

struct scan_case {
    size_t n;
    uint32_t most; /* counts are from 0 to this */
};

enum { IN, OUT, TOTAL };

static void at_size(void *param, size_t size) { *(struct scan_case *)param = (struct scan_case){ size, 15 }; }

static void cases(struct op_walk *walk)
{
    /* clang-format off */
    static const size_t sizes[] = {
        0, 1, 2, 31, 32, 33, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, /* around every block size */
        4095, 4096, 4097,     /* around the tile of look-back */
        4099,                 /* a prime, a few blocks */
        131072, 135169,       /* 32 tiles of 4096, read by a warp at once; 33 tiles and one number */
        1048577,              /* a third level with blocks of 1024 */
        65536 * 256 + 1,      /* more than 2^16 blocks of 256; last: quick skips this */
    };
    /* clang-format on */
    const size_t count = sizeof sizes / sizeof sizes[0] - walk->quick;
    for (size_t i = 0; i < count; i++) walk->add(walk, &(struct scan_case){ sizes[i], 5 });
    walk->add(walk, &(struct scan_case){ 4099, UINT32_MAX });   /* the total exceeds 32 bits */
    walk->add(walk, &(struct scan_case){ 262145, UINT32_MAX }); /* so does each tile's sum; more tiles than a warp reads */
    walk->add(walk, &(struct scan_case){ 4099, 0 });
}

static void plan(struct op_case *c)
{
    const struct scan_case *p = c->param;
    op_name(c, "%zu numbers up to %u", p->n, p->most);
    op_add(c, IN, OP_INPUT, p->n, sizeof(uint32_t));
    op_add(c, OUT, OP_OUTPUT, p->n, sizeof(uint32_t));
    op_add(c, TOTAL, OP_OUTPUT, 1, sizeof(uint64_t));
    c->operations = p->n;
    c->bytes = 2 * p->n * sizeof(uint32_t);
}

static void fill(struct op_case *c)
{
    const struct scan_case *p = c->param;
    uint32_t *in = c->array[IN].host;
    uint64_t seed = 42;
    for (size_t i = 0; i < p->n; i++) in[i] = (uint32_t)(synth_random(&seed) % ((uint64_t)p->most + 1));
}

OP_SCRATCH(scan, ((const struct scan_case *)c->param)->n)

static int run(struct op_case *c, const struct rung *rung)
{
    const size_t n = ((const struct scan_case *)c->param)->n;
    return ((const struct scan_rung *)rung)
        ->run(c->array[IN].device, c->array[OUT].device, c->array[TOTAL].device, n, c->scratch, c->exec);
}

static bool check(struct op_case *c, const struct rung *rung)
{
    const uint32_t *in = c->array[IN].host, *out = c->array[OUT].got;
    uint64_t sum = 0, total = *(const uint64_t *)c->array[TOTAL].got;
    (void)rung;
    for (size_t i = 0; i < ((const struct scan_case *)c->param)->n; sum += in[i++])
        if (out[i] != (uint32_t)sum) /* sums wrap at 32 bits; the total does not */
            return op_wrong(c, "sum %zu is %u, not %u", i, out[i], (uint32_t)sum);
    return total == sum || op_wrong(c, "the total is %llu, not %llu", (unsigned long long)total, (unsigned long long)sum);
}

const struct op op_scan = {
    .op = "scan",
    .unit = "numbers",
    .size = { 1 << 22, 1 << 26 },
    .operation = "addition",
    OP_TIMED,
    .scratch = scratch,
};
