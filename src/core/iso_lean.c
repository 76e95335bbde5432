/* Rungs that need less memory, for a volume whose working memory does not fit. */
#include "iso.h"

#include <stdio.h>

/* Bytes of working memory that a rung needs; 0 if the last run did not use its stage. */
static uint64_t rung_bytes(const struct iso *iso, enum stage stage, const struct rung *rung)
{
    const struct grid *g = &iso->grid;
    const struct bricks bricks = bricks_for(g);
    const struct exec *x = &iso->exec;
    const struct rung *classify = stage == STAGE_CLASSIFY ? rung : iso->rung[STAGE_CLASSIFY];
    const size_t width = ((const struct classify_rung *)classify)->width;
    const size_t strips = (g->nx + width - 1) / width * g->ny * g->nz;
    const struct scan_rung *scan = (const struct scan_rung *)rung;
    const struct compact_rung *compact = (const struct compact_rung *)rung;
    const struct fused_rung *fused = (const struct fused_rung *)rung;
    if (stage == STAGE_BRICKS)
        return ((const struct bricks_rung *)rung)->run ? bricks.nx * bricks.ny * bricks.nz * sizeof *bricks.range : 0;
    if (stage == STAGE_FUSED)
        return iso->fusing && fused->run ? fused->scratch(&bricks, iso->brick_capacity, &iso->exec) : 0;
    if (iso->fusing) return 0;
    if (stage == STAGE_CLASSIFY) return strips * (STRIP_ARRAYS + 1) * sizeof(uint32_t);
    if (stage == STAGE_SCAN) return scan->scratch ? scan->scratch(strips, x) : 0;
    if (stage == STAGE_COMPACT) return compact->scratch ? compact->scratch(strips, x) : 0;
    return 0;
}

/* The rung that needs least; the default if none needs less. */
static const struct rung *leanest_rung(const struct iso *iso, enum stage stage)
{
    const struct ladder *ladder = ladder_of(stage_name[stage]);
    const struct exec *x = &iso->exec;
    const struct rung *rung, *best = ladder_find(ladder, x->backend, NULL);
    for (size_t i = 0; (rung = ladder_rung(ladder, x->backend, i)); i++)
        if (!rung_unavailable(rung, x) && rung_bytes(iso, stage, rung) < rung_bytes(iso, stage, best)) best = rung;
    return best;
}

bool iso_use_less(struct iso *iso, const struct err *err, char *text, size_t size)
{
    static const enum stage order[] = { STAGE_FUSED, STAGE_CLASSIFY, STAGE_SCAN, STAGE_COMPACT, STAGE_BRICKS };
    if (err->cause != CAUSE_MEMORY || !iso_has_cells(iso) || iso_is_lost(iso)) return false;
    if (iso->copy.rung) {
        snprintf(text, size, "%s; going on without fused=%s's copy of the volume", err->text, iso->copy.rung->rung.name);
        iso_drop_working(iso);
        return iso->copy.refused = true;
    }
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        const struct rung *rung = leanest_rung(iso, order[i]);
        if (rung_bytes(iso, order[i], rung) >= rung_bytes(iso, order[i], iso->rung[order[i]])) continue;
        snprintf(text, size, "%s; going on with %s=%s in place of %s, which needs more", err->text, stage_name[order[i]],
                 rung->name, iso->rung[order[i]]->name);
        iso_drop_working(iso);
        return !iso_set_rung(iso, order[i], rung->name, NULL);
    }
    return false;
}
