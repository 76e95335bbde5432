/* A block of a larger volume: where it lies, and which run of its mesh belongs to which layers. */
#include "iso.h"

#include <assert.h>
#include <stdlib.h>

int iso_set_block(struct iso *iso, const struct grid *block, size_t longest, struct err *err)
{
    const int code = iso_set_volume(iso, block, err);
    if (!code) iso->longest = longest;
    return code;
}

/* The running totals of the fused rung (fused.h), in backend memory. */
static const struct fused_counts *fused_totals(const struct iso *iso)
{
    return (const struct fused_counts *)((const char *)iso->fused.memory + iso_fused_rung(iso)->totals(&iso->bricks));
}

static int layers_of_fused(struct iso *iso, struct iso_layer *before, struct err *err)
{
    const size_t n = iso->bricks.nz + 1;
    struct fused_counts *counts = malloc(n * sizeof *counts);
    if (!counts) return err_set(err, ERR_FAILED, "not enough memory for the counts of %zu layers", n);
    const int code = iso->ops->download(counts, fused_totals(iso), n * sizeof *counts, &iso->exec);
    for (size_t i = 0; i < n && !code; i++)
        before[i] = (struct iso_layer){ counts[i].vertices, counts[i].triangles, counts[i].bricks };
    free(counts);
    return code ? iso_fail(iso, code, "reading the counts of layers", err) : ERR_NONE;
}

static int layers_of_strips(struct iso *iso, struct iso_layer *before, struct err *err)
{
    const struct strips *s = &iso->strips;
    const size_t layer = BRICK_Z * s->ny * s->per_row;
    uint32_t first[2];
    int code = 0;
    for (size_t i = 0; i < iso->bricks.nz && !code; i++) {
        code = iso->ops->download(&first[0], s->first_vertex + i * layer, sizeof first[0], &iso->exec);
        if (!code) code = iso->ops->download(&first[1], s->first_triangle + i * layer, sizeof first[1], &iso->exec);
        before[i] = (struct iso_layer){ first[0], first[1], 0 };
    }
    before[iso->bricks.nz] = (struct iso_layer){ iso->counts.vertices, iso->counts.triangles, 0 };
    return code ? iso_fail(iso, code, "reading the counts of layers", err) : ERR_NONE;
}

int iso_layers(struct iso *iso, struct iso_layer *before, struct err *err)
{
    assert(iso->fusing || !((const struct generate_rung *)iso->rung[STAGE_GENERATE])->soup);
    if (iso->counts.units) return iso->fusing ? layers_of_fused(iso, before, err) : layers_of_strips(iso, before, err);
    iso->bricks = bricks_for(&iso->grid); /* nothing has run */
    for (size_t i = 0; i <= iso->bricks.nz; i++) before[i] = (struct iso_layer){ 0, 0, 0 };
    iso->bricks_stale = true;
    return ERR_NONE;
}

/* The strips of these layers. nz includes all layers above, into which the cells of the last one extend. */
static struct strips strips_from(const struct strips *all, size_t begin, size_t end)
{
    struct strips s = *all;
    const size_t slice = s.ny * s.per_row, from = begin * BRICK_Z;
    s.inside += from * slice, s.inner += from * slice;
    s.nz = all->nz - from, s.count = (min_size(end * BRICK_Z, all->nz) - from) * slice;
    return s;
}

int iso_layer_cells(struct iso *iso, size_t begin, size_t end, struct cell_counts *cells, struct err *err)
{
    assert(iso->exec.backend == BACKEND_CPU);
    *cells = (struct cell_counts){ 0, 0, 0 };
    if (!iso->counts.units) return ERR_NONE; /* nothing has run */
    if (!iso->fusing) {
        const struct strips strips = strips_from(&iso->strips, begin, end);
        const int code = iso->ops->count_cells(&strips, cells, &iso->exec);
        return code ? iso_fail(iso, code, "counting the active cells", err) : ERR_NONE;
    }
    const struct fused_counts *before = fused_totals(iso);
    const struct cell_counts *a = &before[begin].cells, *b = &before[end].cells;
    *cells = (struct cell_counts){ b->inside - a->inside, b->active - a->active, b->inner - a->inner };
    return ERR_NONE;
}

int iso_make_block(struct iso *iso, float value, const struct mesh_buffers *out, bool *fits, struct err *err)
{
    assert(iso_is_ordered(iso));
    if (iso_is_fused(iso) && iso->exec.backend == BACKEND_CPU) return iso_fuse(iso, value, out, fits, err);
    const int code = iso_count_host(iso, value, err);
    *fits = !code && iso->counts.vertices <= out->vertices && iso->counts.triangles <= out->triangles;
    const struct mesh_host mesh = { out->mesh.vertices, out->mesh.indices, iso->counts.vertices, iso->counts.triangles };
    return code || !*fits || !mesh.vertex_count ? code : iso_emit_host(iso, &mesh, err);
}
