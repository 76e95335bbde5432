/* The laboratory's search: random places among the whole numbers from 0 to 65535, which are known beforehand. */
#include "lab.h"

#include "kernels/lower_bound.h"

#include <math.h>
#include <stdio.h>

enum { SORTED = 65536 };

struct state {
    float sorted[SORTED], *queries;
    uint64_t *got;
    struct lower_bound_desc desc;
};

static int open_lower_bound(struct lab *lab)
{
    struct state *s = lab->state = lab_host(lab, sizeof *s);
    const size_t n = lab->size;
    if (!s || !(s->queries = lab_host(lab, n * sizeof(float))) || !(s->got = lab_host(lab, n * sizeof(uint64_t))))
        return lab->err.code;
    for (size_t i = 0; i < SORTED; i++) s->sorted[i] = (float)i;
    lab_random(s->queries, n);
    for (size_t i = 0; i < n; i++) s->queries[i] = 32768 + 33000 * s->queries[i]; /* some beyond both ends */
    s->desc = (struct lower_bound_desc){ lab_input(lab, s->sorted, sizeof s->sorted), SORTED,
                                         lab_input(lab, s->queries, n * sizeof(float)), n,
                                         lab_output(lab, n * sizeof(uint64_t)) };
    lab->operations = n;
    lab->bytes = n * (sizeof(float) + sizeof(uint64_t)) + sizeof s->sorted;
    return lab->err.code;
}

static size_t lower_bound_scratch(const struct lab *lab, const struct rung *rung)
{
    const struct lower_bound_rung *r = (const struct lower_bound_rung *)rung;
    return r->scratch ? r->scratch(&((const struct state *)lab->state)->desc, &lab->iso.exec) : 0;
}

static int run_lower_bound(struct lab *lab, const struct rung *rung)
{
    const struct state *s = lab->state;
    return ((const struct lower_bound_rung *)rung)->run(&s->desc, lab->scratch, &lab->iso.exec);
}

static bool check_lower_bound(struct lab *lab, const struct rung *rung, char why[LAB_WHY])
{
    struct state *s = lab->state;
    (void)rung;
    if (lab_read(lab, s->got, s->desc.bounds, lab->size * sizeof *s->got)) return false;
    for (size_t i = 0; i < lab->size; i++) {
        const uint64_t want = (uint64_t)fmin(fmax(ceil(s->queries[i]), 0), SORTED);
        if (s->got[i] == want) continue;
        snprintf(why, LAB_WHY, "%g belongs at %llu, not at %llu", (double)s->queries[i], (unsigned long long)want,
                 (unsigned long long)s->got[i]);
        return false;
    }
    return true;
}

const struct lab_op lab_lower_bound = {
    .op = "lower_bound",
    .unit = "queries among 65536 numbers",
    .size = { 4096, 1 << 22 },
    .operation = "query",
    .open = open_lower_bound,
    .scratch = lower_bound_scratch,
    .run = run_lower_bound,
    .check = check_lower_bound,
};
