#include "stream_info.h"

#include "stats_slabs.h"
#include "stream_slabs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* What a pass does with each slab; flags. */
enum { SUMMARISE = 1, COUNT = 2, TALLY = 4, MEASURE = 8 };

struct job {
    const struct stream_info_desc *d;
    struct team *team;
    struct plan_share share;     /* layers that this process reads */
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
    double begun, each; /* progress before this pass, and share of a pass */
};

/* ---- with each slab ---------------------------------------------------------------------------------------------- */

static struct grid own_slices(const struct plan_slab *slab, const struct grid *block)
{
    struct grid own = *block;
    own.voxels = (const char *)block->voxels +
                 (slab->begin - slab->from) * block->nx * block->ny * voxel_bytes(block->type);
    own.first[2] = slab->begin, own.nz = slab->end - slab->begin;
    return own;
}

/* `voxels`: of the slab alone. */
static int count(struct job *j, const struct plan_slab *slab, const struct grid *voxels, struct err *err)
{
    const struct plan_share own = plan_own(slab);
    const size_t first = plan_before(slab);
    struct cell_counts cells;
    int code = iso_count_host(j->iso, j->value, err);
    if (!code) code = stream_slabs_own(&j->slabs, j->iso, slab, j->layer, err);
    if (!code) code = iso_layer_cells(j->iso, first, first + own.end - own.begin, &cells, err);
    if (code) return code;
    if (!iso_has_cells(j->iso)) cells.inside = iso_inside_host(voxels, j->value);
    j->info->cells.inside += cells.inside, j->info->cells.active += cells.active, j->info->cells.inner += cells.inner;
    return ERR_NONE;
}

static int measure(struct job *j, const struct plan_slab *slab, struct err *err)
{
    struct slab_mesh m = { .slab = *slab, .mesh = j->mesh };
    const int code = stream_slabs_make(&j->slabs, j->iso, j->value, &m, err);
    return code ? code
                : measure_add(&j->sum, &m.mesh, (size_t)m.skip.triangles, (size_t)slab->own.triangles,
                              slab->first.vertices - m.skip.vertices, j->iso->exec.threads, err);
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
    if (!code && counts) code = count(j, slab, &own, err);
    if (!code && measures) code = measure(j, slab, err);
    return code;
}

static bool wants(const void *context, const struct plan_slab *slab)
{
    const struct job *j = context;
    return j->doing != MEASURE || owns(slab);
}

/* ---- the passes -------------------------------------------------------------------------------------------------- */

static int pass(struct job *j, unsigned doing, struct err *err)
{
    const struct stream_pass p = {
        wants, use, j, NULL, j->d->progress, j->begun, j->each, source_name(&j->d->store->header)
    };
    if (!doing || j->share.begin == j->share.end) return ERR_NONE;
    j->doing = doing;
    int code = doing & MEASURE ? stream_slabs_write(&j->slabs, j->layer, &j->share, 1, err)
                               : stream_slabs_count(&j->slabs, &j->share, 1, err);
    const struct iso_layer room = stream_slabs_room(&j->slabs);
    if (!code && doing & MEASURE) code = mesh_host_alloc(&j->mesh, room.vertices, room.triangles, err);
    if (!code) code = stream_slabs_pass(&j->slabs, &p, err);
    j->begun += j->each;
    return code;
}

/* ---- what others have found -------------------------------------------------------------------------------------- */

static struct plan_share share_of(const struct job *j, int rank)
{
    return plan_even(plan_layers(j->volume->grid.nz), (size_t)rank, (size_t)j->team->size);
}

/* The slices of such a share. */
static struct plan_share slices_of(const struct job *j, int rank)
{
    const struct plan_share s = share_of(j, rank);
    const size_t nz = j->volume->grid.nz;
    return (struct plan_share){ min_size(s.begin * BRICK_Z, nz), min_size(s.end * BRICK_Z, nz) };
}

static int refuse_bytes(size_t n, int rank, struct err *err)
{
    return err_set(err, ERR_FAILED,
                   "rank %d sent %zu bytes, which is not what was expected: run the same program on all hosts", rank, n);
}

/* Hands n bytes of every rank except 0 to `take` of rank 0, after all ranks have got so far without an error. */
static int gather(struct job *j, const void *bytes, size_t n,
                  int (*take)(void *, int, uint64_t, const uint8_t *, size_t, struct err *), int code, struct err *err)
{
    const struct team_take all = { take, j };
    code = j->team->ops->agree(j->team, code, err);
    if (!code) code = j->team->ops->gather(j->team, 0, bytes, n, &all, err);
    return j->team->ops->agree(j->team, code, err);
}

static int take_sums(void *context, int rank, uint64_t end, const uint8_t *bytes, size_t n, struct err *err)
{
    struct job *j = context;
    const struct plan_share s = slices_of(j, rank);
    (void)end;
    if (!rank) return ERR_NONE;
    if (n != stats_slabs_bytes(j->volume, s.begin, s.end)) return refuse_bytes(n, rank, err);
    return stats_slabs_join(&j->stats, s.begin, s.end, (const char *)bytes, err);
}

static int take_rows(void *context, int rank, uint64_t end, const uint8_t *bytes, size_t n, struct err *err)
{
    struct job *j = context;
    (void)end, (void)err;
    if (rank) stats_bend_join(&j->stats.bend, j->volume, bytes, n);
    return ERR_NONE;
}

static int take_measure(void *context, int rank, uint64_t end, const uint8_t *bytes, size_t n, struct err *err)
{
    struct job *j = context;
    struct part part;
    (void)end;
    if (!rank) return ERR_NONE;
    if (n != sizeof part) return refuse_bytes(n, rank, err);
    memcpy(&part, bytes, sizeof part);
    measure_join(&j->sum, &part);
    return ERR_NONE;
}

/* Tells all ranks what rank 0 wants to be counted besides the histogram. */
static int share_splits(struct job *j, struct err *err)
{
    uint64_t bits[offsetof(struct splits, counts) / sizeof(uint64_t)];
    struct splits *splits = &j->stats.splits;
    _Static_assert(sizeof bits == offsetof(struct splits, counts), "splits are whole words");
    memcpy(bits, splits, sizeof bits);
    const int code = team_share(j->team, bits, sizeof bits / sizeof *bits, err);
    if (!code) memcpy(splits, bits, sizeof bits);
    return code;
}

/* After SUMMARISE: the overall summary, which every rank needs. */
static int join_sums(struct job *j, int code, struct err *err)
{
    uint64_t bits[sizeof(struct summary) / sizeof(uint64_t)];
    const struct plan_share s = slices_of(j, j->team->rank);
    const void *kept = !code && j->team->rank ? stats_slabs_kept(&j->stats) : NULL;
    code = gather(j, kept, kept ? stats_slabs_bytes(j->volume, s.begin, s.end) : 0, take_sums, code, err);
    if (!code && !j->team->rank) code = stats_slabs_turn(&j->stats, err);
    code = j->team->ops->agree(j->team, code, err);
    memcpy(bits, &j->stats.sum, sizeof bits);
    if (!code) code = team_share(j->team, bits, sizeof bits / sizeof *bits, err);
    if (!code) code = share_splits(j, err);
    if (code || !j->team->rank) return code;
    struct summary sum;
    memcpy(&sum, bits, sizeof sum);
    stats_slabs_know(&j->stats, &sum);
    return ERR_NONE;
}

/* After COUNT: what each layer owns, and how many cells there are. */
static int join_counts(struct job *j, int code, struct err *err)
{
    struct cell_counts *c = &j->info->cells;
    uint64_t cells[3] = { c->inside, c->active, c->inner };
    code = j->team->ops->agree(j->team, code, err);
    if (!code) code = j->team->ops->sum(j->team, (uint64_t *)j->layer, 3 * plan_layers(j->volume->grid.nz), err);
    if (!code) code = j->team->ops->sum(j->team, cells, 3, err);
    c->inside = cells[0], c->active = cells[1], c->inner = cells[2];
    return code;
}

/* After TALLY: how often each value occurs. The counts tell whether the second pass has read the same values as the
 * first. */
static int join_stats(struct job *j, int code, struct err *err)
{
    struct stats *s = &j->stats.stats;
    struct splits *splits = &j->stats.splits;
    const struct stats_bend *bend = &j->stats.bend;
    uint64_t all = 0;
    code = gather(j, bend->kept, bend->kept_count * sizeof *bend->kept, take_rows, code, err);
    if (!code) code = j->team->ops->sum(j->team, s->counts, s->bins, err);
    if (!code && splits->counted)
        code = j->team->ops->sum(j->team, splits->counts[0], (size_t)splits->counted * SPLIT_BINS, err);
    for (unsigned b = 0; b < s->bins; b++) all += s->counts[b];
    if (!code && s->bins && all != j->stats.sum.count)
        return err_set(err, ERR_INPUT, "%s: the file has changed while it was read", source_name(&j->d->store->header));
    return code ? code : stats_slabs_end(&j->stats, err);
}

/* After MEASURE. */
static int join_measure(struct job *j, int code, struct err *err)
{
    uint64_t gaps = store_has_gaps(j->d->store);
    code = gather(j, &j->sum.part, sizeof j->sum.part, take_measure, code, err);
    if (!code) code = j->team->ops->sum(j->team, &gaps, 1, err);
    j->info->gaps = gaps;
    return code;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* Takes the totals of the count. Returns MEASURE, or 0 if there is nothing to measure. */
static unsigned begin_measuring(struct job *j)
{
    const struct iso_layer all = plan_sum(j->layer, 0, plan_layers(j->volume->grid.nz));
    j->info->vertices = all.vertices, j->info->triangles = all.triangles;
    measure_begin(&j->sum, j->volume, all.triangles);
    return all.triangles ? MEASURE : 0;
}

/* For a value that has to be found first: finds the value, then its surface. */
static int run_level(struct job *j, struct err *err)
{
    j->each = 0.25;
    int code = join_sums(j, pass(j, SUMMARISE, err), err);
    if (!code) code = join_stats(j, pass(j, j->stats.stats.bins ? TALLY : 0, err), err);
    if (!code) code = stats_isovalue(&j->stats.stats, j->iso, j->volume, j->d->in, j->d->value, &j->info->value, err);
    j->value = volume_iso(j->volume, j->info->value);
    if (!code) code = pass(j, COUNT, err);
    code = join_counts(j, code, err);
    return code ? code : join_measure(j, pass(j, begin_measuring(j), err), err);
}

static int run(struct job *j, struct err *err)
{
    j->each = 0.5;
    j->value = volume_iso(j->volume, j->info->value);
    int code = join_sums(j, pass(j, SUMMARISE | (j->d->surface ? COUNT : 0), err), err);
    if (!code && j->d->surface) code = join_counts(j, code, err);
    const unsigned measures = !code && j->d->surface ? begin_measuring(j) : 0;
    if (!code) code = join_stats(j, pass(j, (j->stats.stats.bins ? TALLY : 0) | measures, err), err);
    return join_measure(j, code, err);
}

/* Allocates what all passes need, at every rank before any of them reads. */
static int begin(struct job *j, struct err *err)
{
    const struct team *team = j->team;
    const struct plan_share own = slices_of(j, team->rank), sent = slices_of(j, team->rank ? team->rank : team->size > 1);
    const size_t layers = plan_layers(j->volume->grid.nz);
    assert(layers);
    j->layer = calloc(layers, sizeof *j->layer);
    int code = j->layer ? stream_slabs_open(&j->slabs, err)
                        : err_set(err, ERR_FAILED, "not enough memory for the counts of layers");
    if (!code) code = stream_slabs_numbered(j->iso, err);
    if (!code) code = stats_slabs_open(&j->stats, j->iso, j->volume, own, team->rank, err);
    if (team->size > 1) j->slabs.taken = stats_slabs_bytes(j->volume, sent.begin, sent.end);
    return team->ops->agree(j->team, code, err);
}

int stream_info_find(struct stream_info *info, const struct stream_info_desc *desc, struct iso *iso, struct err *err)
{
    const struct volume *volume = &desc->store->volume;
    struct team alone = { .size = 1 };
    struct job j = { .d = desc, .volume = volume, .iso = iso, .info = info, .team = desc->team ? desc->team : &alone };
    team_alone(&alone);
    j.share = share_of(&j, j.team->rank);
    *info = (struct stream_info){ .value = desc->value };
    j.slabs = (struct stream_slabs){ .store = desc->store, .iso = iso, .memory = desc->memory, .layers = desc->layers };
    int code = begin(&j, err);
    if (!code) code = desc->surface && desc->in ? run_level(&j, err) : run(&j, err);
    info->stats = j.stats.stats;
    if (!code && desc->surface) measure_end(&info->measure, &j.sum, volume, info->vertices);
    stats_slabs_close(&j.stats);
    stream_slabs_close(&j.slabs);
    mesh_host_free(&j.mesh);
    free(j.layer);
    iso_leave_volume(iso);
    return code;
}
