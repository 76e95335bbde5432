#include "stream_bytes.h"

#include "plan.h"

/* The largest block that a slab of n layers reads. */
static struct grid block_of(const struct store *store, size_t n)
{
    struct grid g = store->volume.grid;
    g.nz = min_size(g.nz, n * BRICK_Z + PLAN_BELOW + PLAN_ABOVE);
    return g;
}

uint64_t stream_band_bytes(const struct store *store, size_t n, size_t ahead)
{
    const struct grid g = block_of(store, n);
    const struct bricks b = bricks_for(&g);
    return 2 * store_slice_bytes(store) * (g.nz + ahead) + (uint64_t)b.nx * b.ny * b.nz * sizeof(struct brick_range);
}

uint64_t stream_working_bytes(const struct store *store, const struct iso *iso, size_t n)
{
    const struct grid g = block_of(store, n);
    const struct bricks b = bricks_for(&g);
    if (iso_is_fused(iso)) return iso_fused_rung(iso)->scratch(&b, (uint64_t)b.nx * b.ny * b.nz, &iso->exec);
    const unsigned width = ((const struct classify_rung *)iso->rung[STAGE_CLASSIFY])->width;
    const struct scan_rung *scan = (const struct scan_rung *)iso->rung[STAGE_SCAN];
    const uint64_t strips = (uint64_t)((g.nx + width - 1) / width) * g.ny * g.nz;
    return strips * (STRIP_ARRAYS + 1) * sizeof(uint32_t) + (scan->scratch ? scan->scratch(strips, &iso->exec) : 0);
}

uint64_t stream_working_bytes_known(const struct store *store, const struct iso *iso, const struct iso_layer *layer,
                                    size_t n)
{
    const struct bricks b = bricks_for(&store->volume.grid);
    const uint64_t all = stream_working_bytes(store, iso, n), bricks = (uint64_t)b.nx * b.ny;
    uint64_t most = 0;
    for (size_t i = 0; i < plan_layers(store->volume.grid.nz); i++) most = layer[i].bricks > most ? layer[i].bricks : most;
    return iso_is_fused(iso) ? all / 64 + (uint64_t)((double)all * (double)most / (double)bricks) : all;
}
