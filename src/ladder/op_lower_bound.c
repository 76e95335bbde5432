#include "op.h"

#include "kernels/lower_bound.h"
#include "synth.h"

#include <math.h>
#include <stdlib.h>

struct lower_bound_case {
    size_t n, count;   /* sorted elements, queries */
    unsigned distinct; /* number of different values; 0: elements are 0, 1, 2, ... */
};

enum { SORTED, QUERIES, PLACES };

static void at_size(void *param, size_t size)
{
    *(struct lower_bound_case *)param = (struct lower_bound_case){ 65536, size, 0 };
}

static void cases(struct op_walk *walk)
{
    /* clang-format off */
    static const size_t sizes[] = {
        0, 1, 2, 3, 31, 32, 33, 34, 65,         /* around a warp's probes and its 33 parts */
        1023, 1024, 1025, 1056, 1057, 1089,     /* around the pivots; 32 x 33 and 33 x 33 */
        2053, 40009,                            /* primes: pivots not evenly spaced */
    };
    /* clang-format on */
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        walk->add(walk, &(struct lower_bound_case){ sizes[s], 257, 1u << 20 }); /* more queries than a block has threads */
        walk->add(walk, &(struct lower_bound_case){ sizes[s], 257, 3 });        /* long runs of equal elements */
    }
    for (size_t count = 15; count <= 17; count++) /* around the CPU's 16 queries in step */
        walk->add(walk, &(struct lower_bound_case){ 33, count, 10 });
    walk->add(walk, &(struct lower_bound_case){ 100, 0, 10 });
    walk->add(walk, &(struct lower_bound_case){ 31, 65536 * 256 / 32 + 1, 10 }); /* more than 2^16 blocks of 8 warps */
}

static void plan(struct op_case *c)
{
    const struct lower_bound_case *p = c->param;
    op_name(c, "%zu queries in %zu elements, %u distinct", p->count, p->n, p->distinct);
    op_add(c, SORTED, OP_INPUT, p->n, sizeof(float));
    op_add(c, QUERIES, OP_INPUT, p->count, sizeof(float));
    op_add(c, PLACES, OP_OUTPUT, p->count, sizeof(uint64_t));
    c->operations = p->count;
    c->bytes = p->count * (sizeof(float) + sizeof(uint64_t)) + p->n * sizeof(float);
}

static int compare(const void *a, const void *b)
{
    const float p = *(const float *)a, q = *(const float *)b;
    return p < q ? -1 : p > q;
}

static void fill_sorted(float *sorted, const struct lower_bound_case *p)
{
    uint64_t seed = 42;
    for (size_t i = 0; i < p->n; i++)
        sorted[i] = p->distinct ? (float)(synth_random(&seed) % p->distinct) - (float)(p->distinct / 2) : (float)i;
    if (!p->distinct) return;
    qsort(sorted, p->n, sizeof *sorted, compare);
    if (p->n > 4) sorted[0] = -INFINITY, sorted[p->n - 1] = INFINITY;
}

/* Queries: each element, the floats on both sides of it, the ends, and NaN. */
static float query_of(const float *sorted, size_t n, size_t q)
{
    static const float ends[] = { -INFINITY, INFINITY, NAN, 0.0f, -0.0f, 1e30f, -1e30f };
    enum { ENDS = sizeof ends / sizeof ends[0] };
    if (q < ENDS || !n) return ends[q % ENDS];
    const float value = sorted[q / 3 * 7919 % n];
    return q % 3 == 0 ? value : nextafterf(value, q % 3 == 1 ? INFINITY : -INFINITY);
}

static void fill(struct op_case *c)
{
    const struct lower_bound_case *p = c->param;
    float *sorted = c->array[SORTED].host, *queries = c->array[QUERIES].host;
    fill_sorted(sorted, p);
    if (!p->distinct) op_random(queries, p->count);
    for (size_t q = 0; q < p->count; q++) /* random queries reach past both ends */
        queries[q] = p->distinct ? query_of(sorted, p->n, q) : (float)p->n * (0.5f + 0.504f * queries[q]);
}

static struct lower_bound_desc desc_of(const struct op_case *c)
{
    const struct lower_bound_case *p = c->param;
    return (struct lower_bound_desc){ c->array[SORTED].device, p->n, c->array[QUERIES].device, p->count,
                                      c->array[PLACES].device };
}

OP_BY_DESC(lower_bound)

/* A place is right if the element before it is less than the query and the element at it is not. */
static bool check(struct op_case *c, const struct rung *rung)
{
    const struct lower_bound_case *p = c->param;
    const float *sorted = c->array[SORTED].host, *queries = c->array[QUERIES].host;
    const uint64_t *places = c->array[PLACES].got;
    (void)rung;
    for (size_t q = 0; q < p->count; q++) {
        const uint64_t at = places[q];
        const bool fits = at <= p->n && (at == 0 || !(sorted[at - 1] >= queries[q])) &&
                          (at == p->n || sorted[at] >= queries[q]);
        if (!fits)
            return op_wrong(c, "query %zu, %g, does not belong at %llu", q, (double)queries[q], (unsigned long long)at);
    }
    return true;
}

OP_ANY_BLOCK(lower_bound)

const struct op op_lower_bound = {
    .op = "lower_bound",
    .unit = "queries among 65536 numbers",
    .size = { 4096, 1 << 22 },
    .operation = "query",
    OP_TIMED,
    .scratch = scratch,
    .any_block = any_block,
};
