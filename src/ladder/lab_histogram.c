/* The laboratory's histogram: the vessels' voxels in 256 bins, counted again one by one. */
#include "lab.h"

#include <stdio.h>

enum { BINS = 256 };

struct state {
    uint64_t want[BINS], got[BINS];
    struct histogram_desc desc;
};

static int open_histogram(struct lab *lab)
{
    struct state *s = lab->state = lab_host(lab, sizeof *s);
    if (!s || lab_volume(lab, NULL)) return lab->err.code;
    const struct grid *g = &lab->volume.grid;
    s->desc = (struct histogram_desc){ -0.5f, 255.5f, BINS, lab_output(lab, sizeof s->want) };
    for (size_t i = 0; i < grid_voxels(g); i++) {
        const unsigned bin = histogram_bin(grid_value(g, i), s->desc.lo, s->desc.hi, BINS);
        if (bin < BINS) s->want[bin]++;
    }
    lab->operations = grid_voxels(g);
    lab->bytes = lab->operations * voxel_bytes(g->type) + sizeof s->want;
    return lab->err.code;
}

static size_t histogram_scratch(const struct lab *lab, const struct rung *rung)
{
    const struct histogram_rung *r = (const struct histogram_rung *)rung;
    return r->scratch ? r->scratch(BINS, &lab->iso.exec) : 0;
}

static int run_histogram(struct lab *lab, const struct rung *rung)
{
    const struct state *s = lab->state;
    return ((const struct histogram_rung *)rung)->run(&lab->iso.grid, &s->desc, lab->scratch, &lab->iso.exec);
}

static bool check_histogram(struct lab *lab, const struct rung *rung, char why[LAB_WHY])
{
    struct state *s = lab->state;
    (void)rung;
    unsigned b = 0;
    if (lab_read(lab, s->got, s->desc.counts, sizeof s->got)) return false;
    while (b < BINS && s->got[b] == s->want[b]) b++;
    if (b < BINS)
        snprintf(why, LAB_WHY, "bin %u holds %llu voxels, not %llu", b, (unsigned long long)s->got[b],
                 (unsigned long long)s->want[b]);
    return b == BINS;
}

const struct lab_op lab_histogram = {
    .op = "histogram",
    .unit = "voxels along each axis",
    .size = { 256, 512 },
    .operation = "voxel",
    .open = open_histogram,
    .scratch = histogram_scratch,
    .run = run_histogram,
    .check = check_histogram,
};
