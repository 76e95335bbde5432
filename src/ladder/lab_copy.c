/* The laboratory's copy: random numbers, which have to arrive bit for bit. */
#include "lab.h"

#include "kernels/copy.h"

#include <stdio.h>
#include <string.h>

struct state {
    float *in, *got;
    uint32_t *from, *to;
};

static int open_copy(struct lab *lab)
{
    struct state *s = lab->state = lab_host(lab, sizeof *s);
    const size_t bytes = lab->size * sizeof *s->in;
    if (!s || !(s->in = lab_host(lab, bytes)) || !(s->got = lab_host(lab, bytes))) return lab->err.code;
    lab_random(s->in, lab->size);
    s->from = lab_input(lab, s->in, bytes);
    s->to = lab_output(lab, bytes);
    lab->operations = lab->size;
    lab->bytes = 2 * bytes;
    return lab->err.code;
}

static bool copy_any_block(const struct rung *rung) { return ((const struct copy_rung *)rung)->any_block; }

static int run_copy(struct lab *lab, const struct rung *rung)
{
    const struct state *s = lab->state;
    return ((const struct copy_rung *)rung)->run(s->from, s->to, lab->size, &lab->iso.exec);
}

static bool check_copy(struct lab *lab, const struct rung *rung, char why[LAB_WHY])
{
    struct state *s = lab->state;
    const size_t bytes = lab->size * sizeof *s->in;
    (void)rung;
    if (lab_read(lab, s->got, s->to, bytes)) return false;
    snprintf(why, LAB_WHY, "the numbers differ from what was copied");
    return !memcmp(s->got, s->in, bytes);
}

const struct lab_op lab_copy = {
    .op = "copy",
    .unit = "numbers of 32 bits",
    .size = { 1 << 24, 1 << 26 },
    .operation = "number",
    .open = open_copy,
    .any_block = copy_any_block,
    .run = run_copy,
    .check = check_copy,
};
