/* The laboratory's scan: counts from 0 to 15, summed up again one by one. */
#include "lab.h"

#include "synth.h"

#include <stdio.h>

struct state {
    uint32_t *in, *want, *got, *from, *to;
    uint64_t total, *device_total;
};

static int open_scan(struct lab *lab)
{
    struct state *s = lab->state = lab_host(lab, sizeof *s);
    const size_t n = lab->size, bytes = n * sizeof *s->in;
    uint64_t seed = 42;
    if (!s || !(s->in = lab_host(lab, bytes)) || !(s->want = lab_host(lab, bytes)) || !(s->got = lab_host(lab, bytes)))
        return lab->err.code;
    for (size_t i = 0; i < n; i++) {
        s->in[i] = (uint32_t)(synth_random(&seed) % 16);
        s->want[i] = (uint32_t)s->total;
        s->total += s->in[i];
    }
    s->from = lab_input(lab, s->in, bytes);
    s->to = lab_output(lab, bytes);
    s->device_total = lab_output(lab, sizeof s->total);
    lab->operations = n;
    lab->bytes = 2 * bytes;
    return lab->err.code;
}

static size_t scan_scratch(const struct lab *lab, const struct rung *rung)
{
    const struct scan_rung *r = (const struct scan_rung *)rung;
    return r->scratch ? r->scratch(lab->size, &lab->iso.exec) : 0;
}

static int run_scan(struct lab *lab, const struct rung *rung)
{
    const struct state *s = lab->state;
    return ((const struct scan_rung *)rung)->run(s->from, s->to, s->device_total, lab->size, lab->scratch, &lab->iso.exec);
}

static bool check_scan(struct lab *lab, const struct rung *rung, char why[LAB_WHY])
{
    struct state *s = lab->state;
    uint64_t total = 0;
    size_t i = 0;
    (void)rung;
    if (lab_read(lab, s->got, s->to, lab->size * sizeof *s->got) || lab_read(lab, &total, s->device_total, sizeof total))
        return false;
    while (i < lab->size && s->got[i] == s->want[i]) i++;
    if (i < lab->size) snprintf(why, LAB_WHY, "sum %zu is %u, not %u", i, s->got[i], s->want[i]);
    else snprintf(why, LAB_WHY, "the total is %llu, not %llu", (unsigned long long)total, (unsigned long long)s->total);
    return i == lab->size && total == s->total;
}

const struct lab_op lab_scan = {
    .op = "scan",
    .unit = "numbers",
    .size = { 1 << 22, 1 << 26 },
    .operation = "addition",
    .open = open_scan,
    .scratch = scan_scratch,
    .run = run_scan,
    .check = check_scan,
};
