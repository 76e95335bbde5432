#include "op.h"

#include "kernels/find_equal.h"
#include "synth.h"

#include <math.h>
#include <stdlib.h>

struct find_equal_case {
    size_t n, every; /* one value in `every` is 1, the others 2, NaN and both zeros */
    float value;     /* to find */
    bool all;        /* else only the first */
};

enum { VALUES, FIRST, LIST, COUNT };

static void at_size(void *param, size_t size)
{
    *(struct find_equal_case *)param = (struct find_equal_case){ size, 100, 1, true };
}

static void add(struct op_walk *walk, size_t n, size_t every)
{
    static const float values[] = { 1, -0.0f, NAN, 7 }; /* -0 matches both zeros, NaN and 7 match nothing */
    for (size_t v = 0; v < sizeof values / sizeof values[0]; v++)
        for (int all = 0; all < 2; all++) walk->add(walk, &(struct find_equal_case){ n, every, values[v], all });
}

static void cases(struct op_walk *walk)
{
    /* clang-format off */
    static const size_t sizes[] = {
        0, 1, 31, 32, 33, 255, 256, 257, /* around a warp and a block */
        4095, 4096, 4097, 10007,         /* around a tile; a prime */
        1024 * 256 + 1,                  /* more than all threads read in one step */
    };
    /* clang-format on */
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        add(walk, sizes[s], 3);
        add(walk, sizes[s], 5000); /* most tiles have no match */
    }
    add(walk, 65536 * 64 + 1, 1000); /* two rounds for the block that sums the tiles */
    if (walk->backend == BACKEND_CUDA) add(walk, 65536 * 256 + 1, 100000); /* more than 2^16 blocks of 256 */
}

static void plan(struct op_case *c)
{
    const struct find_equal_case *p = c->param;
    op_name(c, "%g in %zu values, %s", (double)p->value, p->n, p->all ? "all" : "first");
    op_add(c, VALUES, OP_INPUT, p->n, sizeof(float));
    op_add(c, FIRST, OP_OUTPUT, 1, sizeof(uint64_t));
    c->operations = p->n;
    if (!p->all) return;
    op_add(c, LIST, OP_OUTPUT, p->n, sizeof(uint64_t));
    op_add(c, COUNT, OP_OUTPUT, 1, sizeof(uint64_t));
}

static void fill(struct op_case *c)
{
    static const float others[] = { 2, NAN, 0.0f, -0.0f };
    const struct find_equal_case *p = c->param;
    float *values = c->array[VALUES].host;
    uint64_t seed = 42, found = 0;
    for (size_t i = 0; i < p->n; i++) {
        const uint64_t random = synth_random(&seed);
        values[i] = (random >> 20) % p->every == 0 ? 1 : others[random >> 60 & 3];
        found += values[i] == p->value;
    }
    c->bytes = p->n * sizeof(float) + (p->all ? found : 1) * sizeof(uint64_t);
}

static struct find_equal_desc desc_of(const struct op_case *c)
{
    const struct find_equal_case *p = c->param;
    return (struct find_equal_desc){ c->array[VALUES].device, p->n, p->value, c->array[FIRST].device, c->array[LIST].device,
                                     c->array[COUNT].device };
}

OP_ANY_BLOCK(find_equal)
OP_BY_DESC(find_equal)

static int compare(const void *a, const void *b)
{
    const uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    return p < q ? -1 : p > q;
}

static bool check_list(struct op_case *c, bool ordered)
{
    const struct find_equal_case *p = c->param;
    const float *values = c->array[VALUES].host;
    uint64_t *list = c->array[LIST].got, found = 0;
    const uint64_t count = *(const uint64_t *)c->array[COUNT].got;
    if (!ordered && count <= p->n) qsort(list, count, sizeof *list, compare);
    for (size_t i = 0; i < p->n; i++) {
        if (values[i] != p->value) continue;
        if (found >= count || list[found] != i)
            return op_wrong(c, "place %zu is not number %llu of the list", i, (unsigned long long)found);
        found++;
    }
    return found == count ||
           op_wrong(c, "the count is %llu, not %llu", (unsigned long long)count, (unsigned long long)found);
}

static bool check(struct op_case *c, const struct rung *rung)
{
    const struct find_equal_case *p = c->param;
    const float *values = c->array[VALUES].host;
    const uint64_t first = *(const uint64_t *)c->array[FIRST].got;
    uint64_t want = 0;
    while (want < p->n && values[want] != p->value) want++;
    if (first != want) return op_wrong(c, "first at %llu, not %llu", (unsigned long long)first, (unsigned long long)want);
    return !p->all || check_list(c, ((const struct find_equal_rung *)rung)->ordered);
}

const struct op op_find_equal = {
    .op = "find_equal",
    .unit = "floats",
    .size = { 1 << 24, 1 << 26 },
    .operation = "number",
    OP_TIMED,
    .scratch = scratch,
    .any_block = any_block,
};
