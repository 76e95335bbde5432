#include "op.h"

#include "kernels/sort.h"
#include "synth.h"

enum content { ANY_BITS, FEW, SAME, UP, DOWN, TESTED, ROUNDED = TESTED };

struct sort_case {
    size_t n;
    enum content content;
    enum sort_key key;
    bool descending, payload;
};

enum { KEYS_IN, VALUES_IN, KEYS_OUT, VALUES_OUT };

static void at_size(void *param, size_t size)
{
    *(struct sort_case *)param = (struct sort_case){ size, ROUNDED, SORT_FLOAT32, false, false };
}

static void cases(struct op_walk *walk)
{
    /* clang-format off */
    static const size_t sizes[] = {
        0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 255, 256, 257, /* around a run of 8, a warp, a block */
        2047, 2048, 2049, 4095, 4096, 4097,             /* around the tiles */
        10007, 131071,                                  /* primes: several tiles, several levels of merging */
    };
    /* clang-format on */
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int content = 0; content < TESTED; content++)
            walk->add(walk, &(struct sort_case){ sizes[s], (enum content)content, SORT_FLOAT32, s % 2, content % 2 });
    walk->add(walk, &(struct sort_case){ 10007, ANY_BITS, SORT_UINT32, false, true });
    walk->add(walk, &(struct sort_case){ 10007, FEW, SORT_UINT32, true, false });
    if (walk->backend == BACKEND_CUDA && !walk->quick) /* more than 2^16 blocks of 256; on a CPU this only costs seconds */
        walk->add(walk, &(struct sort_case){ 65536 * 256 + 1, ANY_BITS, SORT_FLOAT32, false, false });
}

static void plan(struct op_case *c)
{
    static const char *const names[] = { "any bits", "7 keys", "one key", "sorted", "sorted backwards", "random floats" };
    const struct sort_case *p = c->param;
    if (p->n > SORT_MAX) err_set(&c->err, ERR_FAILED, "%zu keys exceed the limit of 2^32 - 1", p->n);
    op_name(c, "%zu keys, %s, %s%s%s", p->n, names[p->content], p->key == SORT_FLOAT32 ? "float" : "uint",
            p->descending ? ", descending" : "", p->payload ? ", values" : "");
    for (int i = KEYS_IN; i <= VALUES_OUT; i++)
        if (i != VALUES_IN || p->payload) op_add(c, i, i < KEYS_OUT ? OP_INPUT : OP_OUTPUT, p->n, sizeof(uint32_t));
    c->operations = p->n;
    c->bytes = 3 * p->n * sizeof(uint32_t);
}

static struct sort_desc desc_of(const struct op_case *c)
{
    const struct sort_case *p = c->param;
    return (struct sort_desc){ p->n,
                               p->key,
                               p->descending,
                               c->array[KEYS_IN].device,
                               c->array[KEYS_OUT].device,
                               c->array[VALUES_IN].device,
                               c->array[VALUES_OUT].device };
}

static const uint32_t STRIDE = 2654435761u; /* odd, so i * STRIDE differs for every 32-bit i */

static uint32_t inverse(uint32_t odd)
{
    uint32_t x = odd;
    for (int i = 0; i < 5; i++) x *= 2 - odd * x; /* Newton's method: each step doubles the correct bits */
    return x;
}

static uint32_t key_of(const struct sort_case *p, size_t i, uint32_t bits)
{
    switch (p->content) {
    case ANY_BITS: return bits; /* as floats, includes NaN of both signs, infinities and both zeros */
    case FEW: return bits % 7 << 29;
    case SAME: return 0x3f800000u;
    case UP: return (uint32_t)i;
    default: return (uint32_t)(p->n - i);
    }
}

static void fill(struct op_case *c)
{
    const struct sort_case *p = c->param;
    uint32_t *keys = c->array[KEYS_IN].host, *values = c->array[VALUES_IN].host;
    uint64_t seed = 42;
    if (p->content == ROUNDED) {
        float *floats = c->array[KEYS_IN].host;
        op_random(floats, p->n);
        for (size_t i = 0; i < p->n; i++) floats[i] = roundf(1e6f * floats[i]); /* 2 million values, each several times */
    } else
        for (size_t i = 0; i < p->n; i++) keys[i] = key_of(p, i, (uint32_t)synth_random(&seed));
    if (p->content == ANY_BITS && p->n > 8)
        keys[1] = 0x80000000u, keys[3] = 0, keys[5] = 0xff800000u, keys[7] = 0x7fc00000u;
    for (size_t i = 0; values && i < p->n; i++) values[i] = (uint32_t)i * STRIDE;
}

OP_ANY_BLOCK(sort)
OP_BY_DESC(sort)

/* IEEE 754's total order of sign and magnitude. */
static bool comes_before(const struct sort_case *p, uint32_t a, uint32_t b)
{
    const bool is_float = p->key == SORT_FLOAT32;
    const int64_t x = is_float && a >> 31 ? -1 - (int64_t)(a & 0x7fffffffu) : a;
    const int64_t y = is_float && b >> 31 ? -1 - (int64_t)(b & 0x7fffffffu) : b;
    return p->descending ? x > y : x < y;
}

/* Every position must occur once, with its key, in order of keys and, for equal keys, of positions. Only one result
 * satisfies this, so no other sort is needed for comparison. */
static bool check(struct op_case *c, const struct rung *rung)
{
    const struct sort_case *p = c->param;
    const uint32_t *in = c->array[KEYS_IN].host, *keys = c->array[KEYS_OUT].got, *values = c->array[VALUES_OUT].got;
    const uint32_t back = p->payload ? inverse(STRIDE) : 1;
    uint32_t last = 0;
    (void)rung;
    for (size_t i = 0; i < p->n; i++) {
        const uint32_t at = values[i] * back;
        if (at >= p->n || in[at] != keys[i]) return op_wrong(c, "at %zu: key and payload do not belong together", i);
        if (i && comes_before(p, keys[i], keys[i - 1])) return op_wrong(c, "at %zu: keys are out of order", i);
        if (i && !comes_before(p, keys[i - 1], keys[i]) && !(keys[i - 1] == keys[i] && last < at))
            return op_wrong(c, "at %zu: equal keys changed their order, or a key is missing", i);
        last = at;
    }
    return true;
}

const struct op op_sort = {
    .op = "sort",
    .unit = "keys",
    .size = { 1 << 20, 1 << 26 },
    .operation = "key",
    OP_TIMED,
    .scratch = scratch,
    .any_block = any_block,
};
