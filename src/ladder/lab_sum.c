/* The laboratory's sum: random floats, summed up again in long double. */
#include "lab.h"

#include "kernels/sum.h"

#include <math.h>
#include <stdio.h>

struct state {
    float *in, *from, *to;
    double want, magnitude;
};

static int open_sum(struct lab *lab)
{
    struct state *s = lab->state = lab_host(lab, sizeof *s);
    const size_t n = lab->size, bytes = n * sizeof *s->in;
    long double sum = 0, magnitude = 0;
    if (!s || !(s->in = lab_host(lab, bytes))) return lab->err.code;
    lab_random(s->in, n);
    for (size_t i = 0; i < n; i++) sum += s->in[i], magnitude += fabsf(s->in[i]);
    s->want = (double)sum, s->magnitude = (double)magnitude;
    s->from = lab_input(lab, s->in, bytes);
    s->to = lab_output(lab, sizeof *s->to);
    lab->operations = n;
    lab->bytes = bytes + sizeof *s->to;
    return lab->err.code;
}

static size_t sum_scratch(const struct lab *lab, const struct rung *rung)
{
    const struct sum_rung *r = (const struct sum_rung *)rung;
    return r->scratch ? r->scratch(lab->size, &lab->iso.exec) : 0;
}

static int run_sum(struct lab *lab, const struct rung *rung)
{
    const struct state *s = lab->state;
    return ((const struct sum_rung *)rung)->run(s->from, s->to, lab->size, lab->scratch, &lab->iso.exec);
}

/* Roundings of random numbers mostly cancel: their root is what chance leaves, and eight times that is beyond chance. */
static bool check_sum(struct lab *lab, const struct rung *rung, char why[LAB_WHY])
{
    struct state *s = lab->state;
    const double roundings = ((const struct sum_rung *)rung)->roundings(lab->size, &lab->iso.exec);
    const double most = 0x1p-24 * s->magnitude * fmin(roundings, 8 * sqrt(roundings));
    float got = 0;
    if (lab_read(lab, &got, s->to, sizeof got)) return false;
    snprintf(why, LAB_WHY, "%.9g, not %.9g within %.2g", (double)got, s->want, most);
    return fabs(got - s->want) <= most;
}

const struct lab_op lab_sum = {
    .op = "sum",
    .unit = "floats",
    .size = { 1 << 24, 1 << 27 },
    .operation = "flop",
    .open = open_sum,
    .scratch = sum_scratch,
    .run = run_sum,
    .check = check_sum,
};
