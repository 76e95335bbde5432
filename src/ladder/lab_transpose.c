/* The laboratory's transpose: a square of numbers that say where they come from. */
#include "lab.h"

#include "kernels/transpose.h"

#include <stdio.h>

struct state {
    uint32_t *host, *from, *to;
};

static int open_transpose(struct lab *lab)
{
    struct state *s = lab->state = lab_host(lab, sizeof *s);
    const size_t n = lab->size;
    if (!s || n > 1 << 20 || !(s->host = lab_host(lab, n * n * sizeof *s->host)))
        return lab->err.code ? lab->err.code : err_set(&lab->err, ERR_FAILED, "more than 2^40 elements");
    for (size_t i = 0; i < n * n; i++) s->host[i] = (uint32_t)i;
    s->from = lab_input(lab, s->host, n * n * sizeof *s->host);
    s->to = lab_output(lab, n * n * sizeof *s->host);
    lab->operations = n * n;
    lab->bytes = 2 * n * n * sizeof *s->host;
    return lab->err.code;
}

static int run_transpose(struct lab *lab, const struct rung *rung)
{
    const struct state *s = lab->state;
    const size_t n = lab->size;
    const struct transpose_desc desc = { s->from, s->to, n, n, n, n, sizeof *s->from };
    return ((const struct transpose_rung *)rung)->run(&desc, &lab->iso.exec);
}

static bool check_transpose(struct lab *lab, const struct rung *rung, char why[LAB_WHY])
{
    struct state *s = lab->state;
    const size_t n = lab->size;
    (void)rung;
    if (lab_read(lab, s->host, s->to, n * n * sizeof *s->host)) return false;
    for (size_t i = 0; i < n * n; i++) {
        const uint32_t want = (uint32_t)(i % n * n + i / n);
        if (s->host[i] == want) continue;
        snprintf(why, LAB_WHY, "row %zu, column %zu has element %u, not %u", i / n, i % n, s->host[i], want);
        return false;
    }
    return true;
}

const struct lab_op lab_transpose = {
    .op = "transpose",
    .unit = "rows and columns",
    .size = { 4096, 8192 },
    .operation = "element",
    .open = open_transpose,
    .run = run_transpose,
    .check = check_transpose,
};
