/* The laboratory's peak: multiply-adds whose result is known exactly. */
#include "lab.h"

#include "kernels/fma_peak.h"

#include <stdio.h>

struct state {
    float *got, *out;
};

static int open_fma_peak(struct lab *lab)
{
    struct state *s = lab->state = lab_host(lab, sizeof *s);
    const size_t bytes = lab->size * sizeof *s->got;
    if (!s || !(s->got = lab_host(lab, bytes))) return lab->err.code;
    s->out = lab_output(lab, bytes);
    lab->operations = 2 * (uint64_t)FMA_PEAK_TURNS * lab->size;
    lab->bytes = bytes;
    return lab->err.code;
}

static int run_fma_peak(struct lab *lab, const struct rung *rung)
{
    const struct state *s = lab->state;
    return ((const struct fma_peak_rung *)rung)->run(s->out, lab->size, 1, &lab->iso.exec);
}

static bool check_fma_peak(struct lab *lab, const struct rung *rung, char why[LAB_WHY])
{
    struct state *s = lab->state;
    size_t i = 0;
    (void)rung;
    if (lab_read(lab, s->got, s->out, lab->size * sizeof *s->got)) return false;
    while (i < lab->size && s->got[i] == (float)(i % 16 + FMA_PEAK_TURNS)) i++;
    if (i < lab->size) snprintf(why, LAB_WHY, "number %zu is %g, not %zu", i, (double)s->got[i], i % 16 + FMA_PEAK_TURNS);
    return i == lab->size;
}

const struct lab_op lab_fma_peak = {
    .op = "fma_peak",
    .unit = "numbers",
    .size = { 1 << 18, 1 << 24 },
    .operation = "flop",
    .library = "",
    .open = open_fma_peak,
    .run = run_fma_peak,
    .check = check_fma_peak,
};
