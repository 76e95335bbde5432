/* The laboratory's sort: random floats with many that are equal; checked for order, losses and stability. */
#include "lab.h"

#include "kernels/sort.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct state {
    float *in;
    uint32_t *keys, *values;
    uint8_t *seen;
    struct sort_desc desc;
};

static int open_sort(struct lab *lab)
{
    struct state *s = lab->state = lab_host(lab, sizeof *s);
    const size_t n = lab->size, bytes = n * sizeof(uint32_t);
    if (!s || n > SORT_MAX)
        return lab->err.code ? lab->err.code : err_set(&lab->err, ERR_FAILED, "more than 2^32 - 1 keys");
    if (!(s->in = lab_host(lab, bytes)) || !(s->keys = lab_host(lab, bytes)) || !(s->values = lab_host(lab, bytes)) ||
        !(s->seen = lab_host(lab, n)))
        return lab->err.code;
    lab_random(s->in, n);
    for (size_t i = 0; i < n; i++) s->in[i] = roundf(1e6f * s->in[i]); /* 2 million values: every one several times */
    s->desc = (struct sort_desc){ .n = n,
                                  .key = SORT_FLOAT32,
                                  .keys_in = lab_input(lab, s->in, bytes),
                                  .keys_out = lab_output(lab, bytes),
                                  .values_out = lab_output(lab, bytes) };
    lab->operations = n;
    lab->bytes = 3 * bytes;
    return lab->err.code;
}

static size_t sort_scratch(const struct lab *lab, const struct rung *rung)
{
    const struct sort_rung *r = (const struct sort_rung *)rung;
    return r->scratch ? r->scratch(&((const struct state *)lab->state)->desc, &lab->iso.exec) : 0;
}

static int run_sort(struct lab *lab, const struct rung *rung)
{
    const struct state *s = lab->state;
    return ((const struct sort_rung *)rung)->run(&s->desc, lab->scratch, &lab->iso.exec);
}

/* Key number i of the result: it is that of its payload, which has not come before, and belongs after key i - 1. */
static const char *fault_at(struct state *s, size_t i)
{
    const uint32_t value = s->values[i];
    if (value >= s->desc.n || s->seen[value]++) return "a key is missing";
    if (memcmp(&s->keys[i], &s->in[value], sizeof s->keys[i])) return "key and payload were parted";
    if (!i) return NULL;
    const uint32_t before = sort_rank(&s->desc, s->keys[i - 1]), rank = sort_rank(&s->desc, s->keys[i]);
    if (before > rank) return "keys are out of order";
    return before == rank && s->values[i - 1] > value ? "equal keys have changed their order" : NULL;
}

static bool check_sort(struct lab *lab, const struct rung *rung, char why[LAB_WHY])
{
    struct state *s = lab->state;
    const size_t n = lab->size, bytes = n * sizeof(uint32_t);
    (void)rung;
    if (lab_read(lab, s->keys, s->desc.keys_out, bytes) || lab_read(lab, s->values, s->desc.values_out, bytes))
        return false;
    memset(s->seen, 0, n);
    for (size_t i = 0; i < n; i++) {
        const char *fault = fault_at(s, i);
        if (!fault) continue;
        snprintf(why, LAB_WHY, "at %zu: %s", i, fault);
        return false;
    }
    return true;
}

const struct lab_op lab_sort = {
    .op = "sort",
    .unit = "keys",
    .size = { 1 << 20, 1 << 26 },
    .operation = "key",
    .open = open_sort,
    .scratch = sort_scratch,
    .run = run_sort,
    .check = check_sort,
};
