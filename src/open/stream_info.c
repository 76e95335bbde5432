#include "stream_info.h"

#include "stats_slabs.h"
#include "stream_slabs.h"

#include <stdlib.h>

/* What a pass does with each slab. */
enum { SUMMARISE = 1, COUNT = 2, TALLY = 4, MEASURE = 8 };

struct job {
    const struct stream_info_desc *d;
    const struct volume *volume; /* without voxels */
    struct iso *iso;
    struct stream_info *info;
    struct stats_slabs stats;
    struct stream_slabs slabs;
    struct iso_layer *layer; /* what each layer of the volume owns */
    struct mesh_host mesh;
    struct measure_sum sum;
    float value; /* stored units */
    unsigned doing;
    double begun, each; /* of the progress: what is done, and the share of a pass */
};

/* ---- with each slab -------------------------------------------------------------------------------------------------------- */

static struct grid own_slices(const struct plan_slab *slab, const struct grid *block)
{
    struct grid own = *block;
    own.voxels = (const char *)block->voxels +
                 (slab->begin - slab->from) * block->nx * block->ny * voxel_bytes(block->type);
    own.first[2] = slab->begin, own.nz = slab->end - slab->begin;
    return own;
}

static int count(struct job *j, const struct plan_slab *slab, struct err *err)
{
    const struct plan_share own = plan_own(slab);
    const size_t first = plan_before(slab);
    struct cell_counts cells;
    int code = iso_count_host(j->iso, j->value, err);
    if (!code) code = stream_slabs_own(&j->slabs, j->iso, slab, j->layer, err);
    if (!code) code = iso_layer_cells(j->iso, first, first + own.end - own.begin, &cells, err);
    if (code) return code;
    j->info->cells.inside += cells.inside, j->info->cells.active += cells.active, j->info->cells.inner += cells.inner;
    return ERR_NONE;
}

static int measure(struct job *j, const struct plan_slab *slab, struct err *err)
{
    struct mesh_host mesh = j->mesh;
    struct iso_layer skip;
    const int code = stream_slabs_make(&j->slabs, j->iso, j->value, slab, &mesh, &skip, err);
    return code ? code
                : measure_add(&j->sum, &mesh, (size_t)skip.triangles, (size_t)slab->own.triangles,
                              slab->first.vertices - skip.vertices, j->iso->exec.threads, err);
}

static bool owns(const struct plan_slab *slab) { return slab->own.vertices || slab->own.triangles; }

static int use(void *context, const struct plan_slab *slab, const struct grid *block, struct err *err)
{
    struct job *j = context;
    const struct grid own = own_slices(slab, block);
    const bool counts = j->doing & COUNT, measures = j->doing & MEASURE && owns(slab);
    int code = j->doing & SUMMARISE ? stats_slabs_summarise(&j->stats, &own, err) : ERR_NONE;
    if (!code && j->doing & TALLY) code = stats_slabs_count(&j->stats, &own, err);
    if (!code && (counts || measures)) code = iso_set_block(j->iso, block, grid_longest(&j->volume->grid), err);
    if (!code && counts) code = count(j, slab, err);
    if (!code && measures) code = measure(j, slab, err);
    return code;
}

static bool wants(const void *context, const struct plan_slab *slab)
{
    const struct job *j = context;
    return j->doing != MEASURE || owns(slab);
}

/* ---- the passes ------------------------------------------------------------------------------------------------------------ */

static int pass(struct job *j, unsigned doing, struct err *err)
{
    const struct stream_pass p = {
        wants, use, j, NULL, j->d->progress, j->begun, j->each, source_name(&j->d->store->header)
    };
    const struct plan_share all = { 0, plan_layers(j->volume->grid.nz) };
    if (!doing) return ERR_NONE;
    j->doing = doing;
    int code = doing & MEASURE ? stream_slabs_write(&j->slabs, j->layer, &all, 1, err)
                               : stream_slabs_count(&j->slabs, &all, 1, err);
    const struct iso_layer room = stream_slabs_room(&j->slabs);
    if (!code && doing & MEASURE) code = mesh_host_alloc(&j->mesh, room.vertices, room.triangles, err);
    if (!code) code = stream_slabs_pass(&j->slabs, &p, err);
    j->begun += j->each;
    return code;
}

/* What was counted, once it is known; nothing to measure: no MEASURE. */
static unsigned begin_measuring(struct job *j)
{
    const struct iso_layer all = plan_sum(j->layer, 0, plan_layers(j->volume->grid.nz));
    j->info->vertices = all.vertices, j->info->triangles = all.triangles;
    measure_begin(&j->sum, j->volume, all.triangles);
    return all.triangles ? MEASURE : 0;
}

/* Counts tell whether the second reading saw what the first one did. */
static int end_stats(struct job *j, struct err *err)
{
    uint64_t all = 0;
    for (unsigned b = 0; b < j->stats.stats.bins; b++) all += j->stats.stats.counts[b];
    if (j->stats.stats.bins && all != j->stats.sum.count)
        return err_set(err, ERR_INPUT, "%s: the file has changed while it was read", source_name(&j->d->store->header));
    return stats_slabs_end(&j->stats, err);
}

/* The value first, and then its surface. */
static int run_percent(struct job *j, struct err *err)
{
    j->each = 0.25;
    int code = pass(j, SUMMARISE, err);
    if (!code) code = stats_slabs_turn(&j->stats, err);
    if (!code) code = pass(j, j->stats.stats.bins ? TALLY : 0, err);
    if (!code) code = end_stats(j, err);
    if (!code) code = stats_percentile(&j->stats.stats, j->iso, j->volume, j->d->value / 100, &j->info->value, err);
    j->value = volume_iso(j->volume, j->info->value);
    if (!code) code = pass(j, COUNT, err);
    return code ? code : pass(j, begin_measuring(j), err);
}

static int run(struct job *j, struct err *err)
{
    j->each = 0.5;
    j->value = volume_iso(j->volume, j->info->value);
    int code = pass(j, SUMMARISE | (j->d->surface ? COUNT : 0), err);
    if (!code) code = stats_slabs_turn(&j->stats, err);
    const unsigned measures = !code && j->d->surface ? begin_measuring(j) : 0;
    if (!code) code = pass(j, (j->stats.stats.bins ? TALLY : 0) | measures, err);
    return code ? code : end_stats(j, err);
}

int stream_info_find(struct stream_info *info, const struct stream_info_desc *desc, struct iso *iso, struct err *err)
{
    const struct volume *volume = &desc->store->volume;
    struct job j = { .d = desc, .volume = volume, .iso = iso, .info = info };
    *info = (struct stream_info){ .value = desc->value };
    j.slabs = (struct stream_slabs){ .store = desc->store, .iso = iso, .memory = desc->memory, .layers = desc->layers };
    j.layer = calloc(plan_layers(volume->grid.nz), sizeof *j.layer);
    int code = j.layer ? stream_slabs_open(&j.slabs, err) : err_set(err, ERR_FAILED, "no memory for the counts of layers");
    if (!code) code = stream_slabs_numbered(iso, err);
    if (!code) code = stats_slabs_open(&j.stats, iso, volume, err);
    if (!code) code = desc->surface && desc->percent ? run_percent(&j, err) : run(&j, err);
    info->stats = j.stats.stats;
    if (!code && desc->surface) measure_end(&info->measure, &j.sum, volume, info->vertices);
    stats_slabs_close(&j.stats);
    stream_slabs_close(&j.slabs);
    mesh_host_free(&j.mesh);
    free(j.layer);
    iso_set_volume(iso, &(const struct grid){ .voxels = NULL }, NULL);
    return code;
}
