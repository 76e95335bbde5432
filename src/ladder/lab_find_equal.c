/* The laboratory's find: all places of one value among a hundred, found again one by one. */
#include "lab.h"

#include "kernels/find_equal.h"

#include "synth.h"

#include <stdio.h>
#include <string.h>

struct state {
    float *in;
    uint64_t *list, first, found;
    uint8_t *seen;
    struct find_equal_desc desc;
};

static int open_find_equal(struct lab *lab)
{
    struct state *s = lab->state = lab_host(lab, sizeof *s);
    const size_t n = lab->size;
    uint64_t seed = 42;
    if (!s || !(s->in = lab_host(lab, n * sizeof(float))) || !(s->list = lab_host(lab, n * sizeof(uint64_t))) ||
        !(s->seen = lab_host(lab, n)))
        return lab->err.code;
    s->first = n;
    for (size_t i = 0; i < n; i++) {
        s->in[i] = (float)(synth_random(&seed) % 100);
        if (s->in[i] != 7) continue;
        if (s->first == n) s->first = i;
        s->found++;
    }
    s->desc = (struct find_equal_desc){ .values = lab_input(lab, s->in, n * sizeof(float)),
                                        .n = n,
                                        .value = 7,
                                        .first = lab_output(lab, sizeof(uint64_t)),
                                        .list = lab_output(lab, n * sizeof(uint64_t)),
                                        .count = lab_output(lab, sizeof(uint64_t)) };
    lab->operations = n;
    lab->bytes = n * sizeof(float) + s->found * sizeof(uint64_t);
    return lab->err.code;
}

static size_t find_equal_scratch(const struct lab *lab, const struct rung *rung)
{
    const struct find_equal_rung *r = (const struct find_equal_rung *)rung;
    return r->scratch ? r->scratch(&((const struct state *)lab->state)->desc, &lab->iso.exec) : 0;
}

static int run_find_equal(struct lab *lab, const struct rung *rung)
{
    const struct state *s = lab->state;
    return ((const struct find_equal_rung *)rung)->run(&s->desc, lab->scratch, &lab->iso.exec);
}

static bool check_find_equal(struct lab *lab, const struct rung *rung, char why[LAB_WHY])
{
    struct state *s = lab->state;
    const bool ordered = ((const struct find_equal_rung *)rung)->ordered;
    uint64_t first = 0, count = 0;
    if (lab_read(lab, &first, s->desc.first, sizeof first) || lab_read(lab, &count, s->desc.count, sizeof count))
        return false;
    snprintf(why, LAB_WHY, "first %llu, count %llu, not %llu and %llu", (unsigned long long)first,
             (unsigned long long)count, (unsigned long long)s->first, (unsigned long long)s->found);
    if (first != s->first || count != s->found) return false;
    if (lab_read(lab, s->list, s->desc.list, count * sizeof *s->list)) return false;
    memset(s->seen, 0, lab->size);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t at = s->list[i];
        if (at < lab->size && s->in[at] == 7 && !s->seen[at]++ && (!ordered || !i || s->list[i - 1] < at)) continue;
        snprintf(why, LAB_WHY, "place %llu of the list is %llu", (unsigned long long)i, (unsigned long long)at);
        return false;
    }
    return true;
}

const struct lab_op lab_find_equal = {
    .op = "find_equal",
    .unit = "floats",
    .size = { 1 << 24, 1 << 26 },
    .operation = "number",
    .open = open_find_equal,
    .scratch = find_equal_scratch,
    .run = run_find_equal,
    .check = check_find_equal,
};
