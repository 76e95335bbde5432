/* The laboratory's tally: strips of the vessels; counted again voxel by voxel and cell by cell. */
#include "lab.h"

#include <stdio.h>

struct state {
    struct tally want, *out;
};

static bool is_active(const struct grid *g, float iso, size_t x, size_t y, size_t z)
{
    unsigned inside = 0;
    for (unsigned c = 0; c < 8; c++)
        inside += grid_value(g, ((z + (c >> 2)) * g->ny + y + (c >> 1 & 1)) * g->nx + x + (c & 1)) >= iso;
    return inside % 8 != 0;
}

static struct tally brute_tally(const struct grid *g, float iso)
{
    struct tally t = { 0, 0 };
    for (size_t i = 0; i < grid_voxels(g); i++) t.voxels_inside += grid_value(g, i) >= iso;
    for (size_t z = 0; z + 1 < g->nz; z++)
        for (size_t y = 0; y + 1 < g->ny; y++)
            for (size_t x = 0; x + 1 < g->nx; x++) t.active_cells += is_active(g, iso, x, y, z);
    return t;
}

static int open_tally(struct lab *lab)
{
    struct state *s = lab->state = lab_host(lab, sizeof *s);
    double value = 0;
    if (!s || lab_volume(lab, &value)) return lab->err.code;
    const float iso = volume_iso(&lab->volume, value);
    if (iso_count(&lab->iso, iso, &lab->err)) return lab->err.code;
    s->want = brute_tally(&lab->volume.grid, iso);
    s->out = lab_output(lab, sizeof *s->out);
    lab->operations = grid_voxels(&lab->volume.grid);
    lab->bytes = lab->iso.strips.count * sizeof(uint32_t);
    return lab->err.code;
}

static int run_tally(struct lab *lab, const struct rung *rung)
{
    const struct state *s = lab->state;
    return ((const struct tally_rung *)rung)->run(&lab->iso.strips, s->out, &lab->iso.exec);
}

static bool check_tally(struct lab *lab, const struct rung *rung, char why[LAB_WHY])
{
    const struct state *s = lab->state;
    struct tally got = { 0, 0 };
    (void)rung;
    if (lab_read(lab, &got, s->out, sizeof got)) return false;
    snprintf(why, LAB_WHY, "%llu voxels inside and %llu active cells, not %llu and %llu",
             (unsigned long long)got.voxels_inside, (unsigned long long)got.active_cells,
             (unsigned long long)s->want.voxels_inside, (unsigned long long)s->want.active_cells);
    return got.voxels_inside == s->want.voxels_inside && got.active_cells == s->want.active_cells;
}

const struct lab_op lab_tally = {
    .op = "tally",
    .unit = "voxels along each axis",
    .size = { 128, 512 },
    .operation = "voxel",
    .open = open_tally,
    .run = run_tally,
    .check = check_tally,
};
