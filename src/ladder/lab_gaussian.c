/* The laboratory's gaussian: the vessels; some voxels smoothed again in double, neighbour by neighbour. */
#include "lab.h"

#include "kernels/gaussian.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES = 1000 };

struct state {
    float *got;
    double want[SAMPLES];
    size_t at[SAMPLES]; /* voxels that are checked */
    struct gaussian_desc desc;
    const struct gaussian_rung *opened;
};

static size_t clamped(long i, size_t n) { return i < 0 ? 0 : (size_t)i < n ? (size_t)i : n - 1; }

static double smoothed(const struct grid *g, size_t voxel, const double *w, long radius)
{
    const long x = (long)(voxel % g->nx), y = (long)(voxel / g->nx % g->ny), z = (long)(voxel / g->nx / g->ny);
    double sum = 0;
    for (long k = -radius; k <= radius; k++)
        for (long j = -radius; j <= radius; j++)
            for (long i = -radius; i <= radius; i++) {
                const size_t from = (clamped(z + k, g->nz) * g->ny + clamped(y + j, g->ny)) * g->nx + clamped(x + i, g->nx);
                sum += w[labs(i)] * w[labs(j)] * w[labs(k)] * grid_value(g, from);
            }
    return sum;
}

static void find_wanted(struct state *s, const struct grid *g)
{
    const long radius = (long)ceil(3 * s->desc.sigma);
    double w[GAUSSIAN_MAX_RADIUS + 1], sum = 0;
    for (long i = 0; i <= radius; i++) {
        w[i] = exp(-0.5 * (double)(i * i) / ((double)s->desc.sigma * s->desc.sigma));
        sum += i ? 2 * w[i] : w[i];
    }
    for (long i = 0; i <= radius; i++) w[i] /= sum;
    for (size_t k = 0; k < SAMPLES; k++) {
        s->at[k] = k * 7919 * 104729 % grid_voxels(g); /* primes, so that no plane is favoured */
        s->want[k] = smoothed(g, s->at[k], w, radius);
    }
}

static int open_gaussian(struct lab *lab)
{
    struct state *s = lab->state = lab_host(lab, sizeof *s);
    if (!s || lab_volume(lab, NULL)) return lab->err.code;
    const size_t n = grid_voxels(&lab->volume.grid);
    if (!(s->got = lab_host(lab, n * sizeof *s->got))) return lab->err.code;
    s->desc = (struct gaussian_desc){ .grid = lab->iso.grid, .out = lab_output(lab, n * sizeof(float)), .sigma = 1.5f };
    find_wanted(s, &lab->volume.grid);
    lab->operations = n;
    lab->bytes = n * (voxel_bytes(lab->volume.grid.type) + sizeof(float));
    return lab->err.code;
}

static void close_gaussian(struct lab *lab)
{
    struct state *s = lab->state;
    if (s && s->opened && s->opened->close) s->opened->close(&s->desc);
    if (s) s->opened = NULL;
}

static int before_gaussian(struct lab *lab, const struct rung *rung)
{
    struct state *s = lab->state;
    const struct gaussian_rung *r = (const struct gaussian_rung *)rung;
    if (s->opened == r) return 0;
    close_gaussian(lab);
    const int code = r->open ? r->open(&s->desc, &lab->iso.exec) : 0;
    if (!code) s->opened = r;
    return code;
}

static size_t gaussian_scratch(const struct lab *lab, const struct rung *rung)
{
    const struct gaussian_rung *r = (const struct gaussian_rung *)rung;
    return r->scratch ? r->scratch(&((const struct state *)lab->state)->desc, &lab->iso.exec) : 0;
}

static int run_gaussian(struct lab *lab, const struct rung *rung)
{
    const struct state *s = lab->state;
    return ((const struct gaussian_rung *)rung)->run(&s->desc, lab->scratch, &lab->iso.exec);
}

static bool check_gaussian(struct lab *lab, const struct rung *rung, char why[LAB_WHY])
{
    struct state *s = lab->state;
    const double most = 255 * gaussian_tolerance(gaussian_weights_of(s->desc.sigma).radius);
    (void)rung;
    if (lab_read(lab, s->got, s->desc.out, grid_voxels(&lab->volume.grid) * sizeof *s->got)) return false;
    for (size_t k = 0; k < SAMPLES; k++) {
        if (fabs(s->got[s->at[k]] - s->want[k]) <= most) continue;
        snprintf(why, LAB_WHY, "voxel %zu is %g, not %g", s->at[k], (double)s->got[s->at[k]], s->want[k]);
        return false;
    }
    return true;
}

const struct lab_op lab_gaussian = {
    .op = "gaussian",
    .unit = "voxels along each axis",
    .size = { 64, 512 },
    .operation = "voxel",
    .open = open_gaussian,
    .scratch = gaussian_scratch,
    .before = before_gaussian,
    .run = run_gaussian,
    .check = check_gaussian,
    .close = close_gaussian,
};
