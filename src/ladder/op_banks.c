#include "op.h"

#include "kernels/banks.h"

#include <math.h>

struct banks_case {
    size_t n; /* rounds */
};

enum { TABLE, OUT, WANT };

static void at_size(void *param, size_t size) { *(struct banks_case *)param = (struct banks_case){ size }; }

static void cases(struct op_walk *walk)
{
    static const size_t sizes[] = { 0, 1, 2, 7, 100 };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) walk->add(walk, &(struct banks_case){ sizes[i] });
}

static void plan(struct op_case *c)
{
    const struct banks_case *p = c->param;
    op_name(c, "%zu rounds", p->n);
    op_add(c, TABLE, OP_INPUT, BANKS_WORDS, sizeof(uint32_t));
    op_add(c, OUT, OP_OUTPUT, 2, sizeof(uint64_t));
    op_add(c, WANT, OP_HOST, 1, sizeof(uint64_t));
}

/* The words differ so much that any word missed or read twice changes a sum. */
static void fill(struct op_case *c)
{
    const struct banks_case *p = c->param;
    uint32_t *table = c->array[TABLE].host;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < BANKS_WORDS; i++) {
        table[i] = i * 2654435761u >> 12;
        sum += table[i];
    }
    *(uint64_t *)c->array[WANT].host = sum * BANKS_WARPS * p->n;
}

static int run(struct op_case *c, const struct rung *rung)
{
    const struct banks_case *p = c->param;
    return ((const struct banks_rung *)rung)->run(c->array[TABLE].device, c->array[OUT].device, p->n, c->exec);
}

static bool check(struct op_case *c, const struct rung *rung)
{
    const uint64_t *got = c->array[OUT].got, want = *(const uint64_t *)c->array[WANT].host;
    const size_t n = ((const struct banks_case *)c->param)->n;
    (void)rung;
    if (got[0] != want)
        return op_wrong(c, "the sum is %llu, not %llu", (unsigned long long)got[0], (unsigned long long)want);
    return got[1] > 0 || !n || op_wrong(c, "it took no cycles");
}

static double measured(const struct op_case *c, const struct rung *rung, double us)
{
    const size_t n = ((const struct banks_case *)c->param)->n;
    const double loads = (double)n * BANKS_WARPS * banks_loads(((const struct banks_rung *)rung)->order);
    uint64_t out[2];
    (void)us;
    return c->ops->download(out, c->array[OUT].device, sizeof out, c->exec) || !n ? NAN : (double)out[1] / loads;
}

static double predicted(const struct op_case *c, const struct rung *rung)
{
    double sum = 0;
    (void)c;
    for (unsigned load = 0; load < BANKS; load++) sum += banks_conflict((const struct banks_rung *)rung, load);
    return sum / BANKS;
}

const struct op op_banks = {
    .op = "banks",
    .unit = "rounds",
    .size = { 1 << 8, 1 << 8 },
    .operation = "load",
    .measure = "cycles per load",
    OP_TIMED,
    .measured = measured,
    .predicted = predicted,
};
