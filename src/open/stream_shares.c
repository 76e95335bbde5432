#include "stream_shares.h"

#include <stdlib.h>

/* The cost of an edge that the surface crosses, including its triangles until they are in the file, in units of the cost of
 * a voxel without surface. This value balances 8, 16 and 32 processes on 4096^3 voxels of uint8 (vessels). With 350 or 700,
 * the outer processes, which have little surface, wait for the others. */
#define EDGE 1400

struct samples {
    size_t n, apart; /* distance of samples in slices; the first is half as far from the volume's end */
};

static struct samples samples_of(size_t nz)
{
    size_t apart = (nz + STREAM_SAMPLES - 1) / STREAM_SAMPLES;
    if (apart < STREAM_SAMPLE_SLICES) apart = STREAM_SAMPLE_SLICES;
    return (struct samples){ (nz + apart - 1) / apart, apart };
}

static size_t slice_of(const struct samples *s, size_t i, size_t nz)
{
    return min_size(i * s->apart + s->apart / 2, nz - 1);
}

ISO_FN uint64_t crossed(const struct grid *g, float value)
{
    uint64_t n = 0;
    for (size_t y = 0; y < g->ny; y++)
        for (size_t x = 0; x < g->nx; x++) {
            const size_t i = y * g->nx + x;
            const bool inside = grid_value(g, i) >= value;
            if (x + 1 < g->nx) n += inside != (grid_value(g, i + 1) >= value);
            if (y + 1 < g->ny) n += inside != (grid_value(g, i + g->nx) >= value);
        }
    return n;
}

uint64_t stream_shares_crossed(const struct grid *slice, float value)
{
    uint64_t n = 0;
    GRID_TYPED(slice, n = crossed(&GRID, value))
    return n;
}

/* Counts the edges in the samples of this rank. */
static int count(uint64_t *counts, const struct samples *s, const struct stream_shares_desc *d, struct err *err)
{
    struct grid slice = d->store->volume.grid;
    const size_t nz = slice.nz;
    void *voxels = malloc((size_t)store_slice_bytes(d->store));
    int code = voxels ? ERR_NONE : err_set(err, ERR_FAILED, "not enough memory for a slice of voxels");
    slice.nz = 1, slice.voxels = voxels;
    for (size_t i = (size_t)d->team->rank; i < s->n && !code; i += (size_t)d->team->size) {
        const size_t z = slice_of(s, i, nz);
        code = store_read(d->store, z, z + 1, voxels, d->threads, err);
        for (size_t k = 0; k < d->n && !code; k++) counts[i] += stream_shares_crossed(&slice, d->values[k]);
    }
    free(voxels);
    return code;
}

/* The cost of a layer, in voxels, interpolated between the samples around its middle. */
static uint64_t cost_at(const uint64_t *counts, const struct samples *s, const struct grid *grid, size_t layer)
{
    const double at = ((double)layer + 0.5) * BRICK_Z / (double)s->apart - 0.5; /* counted in samples */
    const size_t i = at > 0 ? min_size((size_t)at, s->n - 1) : 0, next = min_size(i + 1, s->n - 1);
    const double part = at > (double)i && next > i ? at - (double)i : 0;
    const double edges = (1 - part) * (double)counts[i] + part * (double)counts[next];
    return (uint64_t)(BRICK_Z * ((double)grid->nx * (double)grid->ny + EDGE * edges));
}

static int share(size_t *bounds, const uint64_t *counts, const struct samples *s, const struct grid *grid, size_t parts,
                 struct err *err)
{
    const size_t layers = plan_layers(grid->nz);
    const struct plan_cost voxels = { .vertex = 1 };
    struct iso_layer *layer = calloc(layers, sizeof *layer);
    if (!layer) return err_set(err, ERR_FAILED, "not enough memory for the costs of %zu layers", layers);
    for (size_t i = 0; i < layers; i++) layer[i].vertices = cost_at(counts, s, grid, i);
    plan_shares(bounds, parts, layer, layers, &voxels);
    free(layer);
    return ERR_NONE;
}

static void share_evenly(size_t *bounds, size_t layers, size_t parts)
{
    for (size_t k = 0; k < parts; k++) bounds[k] = plan_even(layers, k, parts).begin;
    bounds[parts] = layers;
}

int stream_shares(size_t *bounds, const struct stream_shares_desc *d, struct err *err)
{
    const struct team *team = d->team;
    const struct grid *grid = &d->store->volume.grid;
    const struct samples s = samples_of(grid->nz);
    uint64_t counts[STREAM_SAMPLES] = { 0 };
    share_evenly(bounds, plan_layers(grid->nz), (size_t)team->size);
    if (!d->n || team->size == 1 || !store_seeks(d->store) || store_chunk_slices(d->store) > 1) return ERR_NONE;
    int code = count(counts, &s, d, err);
    code = team->ops->agree(d->team, code, err);
    if (!code) code = team->ops->sum(d->team, counts, s.n, err);
    return code ? code : share(bounds, counts, &s, grid, (size_t)team->size, err);
}
