#include "stream.h"

#include "stream_shares.h"
#include "stream_surface.h"
#include "timing.h"

#include <assert.h>
#include <stdlib.h>

/* Progress at the end of the first pass: COUNTING, or MAKING if that pass also makes meshes. */
#define COUNTING 0.4
#define MAKING 0.8

/* How many files are made at once: as many as one PART-th of the memory has buffers for. */
enum { AT_ONCE = STREAM_JOINED, PART = 4 };

enum { SHARED_LAYERS = 8 }; /* of bricks in a slab if several processes share the caches and memory of a host */

struct stream {
    const struct stream_desc *d;
    struct stream_surface *all; /* [n] */
    size_t n;
    struct iso *iso;
    struct stream_slabs slabs;
    struct ranges ranges;    /* if this process counts and writes */
    struct iso_layer *most;  /* [layers] at least what any surface owns of each */
    struct stream_room room; /* for the mesh of a slab */
    bool writes;             /* this pass writes */
};

static size_t layers_of(const struct stream *s) { return plan_layers(s->d->store->volume.grid.nz); }

/* ---- passes ------------------------------------------------------------------------------------------------------ */

static int by_number(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}

/* Cuts the layers that any surface still has to do, wherever one of these ranges begins or ends. Each slab then belongs to
 * a surface as a whole or not at all. */
static size_t common_shares(const struct stream *s, struct plan_share *shares)
{
    size_t ends[2 * AT_ONCE] = { 0 }, n = 0, count = 0;
    for (size_t i = 0; i < s->n; i++)
        if (!s->all[i].ended) ends[n++] = s->all[i].share.begin, ends[n++] = s->all[i].share.end;
    qsort(ends, n, sizeof *ends, by_number);
    for (size_t k = 0; k + 1 < n; k++) {
        bool any = false;
        for (size_t i = 0; i < s->n; i++)
            any = any || (!s->all[i].ended && s->all[i].share.begin <= ends[k] && s->all[i].share.end >= ends[k + 1]);
        if (any && ends[k] < ends[k + 1]) shares[count++] = (struct plan_share){ ends[k], ends[k + 1] };
    }
    return count;
}

static bool has(const struct stream_surface *s, const struct plan_slab *slab)
{
    return !s->ended && stream_surface_has(s, slab);
}

static bool owns(const struct stream_surface *s, const struct plan_slab *slab)
{
    const struct plan_share layers = plan_own(slab);
    const struct iso_layer own = plan_sum(s->layer, layers.begin, layers.end);
    return has(s, slab) && (own.vertices || own.triangles);
}

/* Counting needs all slabs; writing only those that own something. */
static bool wants(const void *context, const struct plan_slab *slab)
{
    const struct stream *s = context;
    bool any = false;
    for (size_t i = 0; i < s->n && !any; i++) any = (s->writes ? owns : has)(&s->all[i], slab);
    return any;
}

static int count_slab(struct stream *s, const struct plan_slab *slab, const struct grid *block, struct err *err)
{
    int code = ERR_NONE;
    for (size_t i = 0; i < s->n && !code; i++)
        if (has(&s->all[i], slab)) code = stream_surface_count(&s->all[i], &s->slabs, slab, &s->room, block, err);
    const struct bricks bricks = stream_slabs_bricks(s->iso);
    if (!code && s->ranges.block) ranges_note(&s->ranges, slab, &bricks);
    return code;
}

static int write_slab(struct stream *s, const struct plan_slab *slab, const struct grid *block, struct err *err)
{
    int code = ERR_NONE;
    for (size_t i = 0; i < s->n && !code; i++) {
        struct stream_surface *one = &s->all[i];
        if (!owns(one, slab)) continue;
        const struct plan_slab mine = stream_surface_slab(one, slab);
        code = stream_surface_make(one, &s->slabs, &mine, &s->room, block, err);
    }
    return code;
}

static int use(void *context, const struct plan_slab *slab, const struct grid *block, struct err *err)
{
    struct stream *s = context;
    const int code = iso_set_block(s->iso, block, grid_longest(&s->d->store->volume.grid), err);
    if (code) return code;
    return s->writes ? write_slab(s, slab, block, err) : count_slab(s, slab, block, err);
}

static int pass(struct stream *s, bool writes, double begun, double share, struct err *err)
{
    const struct stream_pass p = { wants,          use,   s,     writes ? s->slabs.noted : NULL,
                                   s->d->progress, begun, share, s->all[0].file->path };
    s->writes = writes;
    return stream_slabs_pass(&s->slabs, &p, err);
}

/* The progress before anything is written. */
static double counted(const struct stream *s)
{
    return !(s->all[0].phases & STREAM_COUNT) ? 0 : s->all[0].holds ? MAKING : COUNTING;
}

/* Begins to count this process's share. Parts that run at any time get even shares, as the ledger expects. */
static int begin_count(struct stream *s, struct err *err)
{
    struct team *team = s->all[0].team;
    float values[AT_ONCE];
    size_t n = 0, *bounds = malloc(((size_t)team->size + 1) * sizeof *bounds);
    int code = bounds ? ERR_NONE : err_set(err, ERR_FAILED, "not enough memory for %d shares", team->size);
    for (size_t i = 0; i < s->n; i++)
        if (!s->all[i].ended) values[n++] = s->all[i].value;
    const struct stream_shares_desc desc = { s->d->store, values, s->all[0].holds ? n : 0, team, s->iso->exec.threads };
    if (!code && n) code = stream_shares(bounds, &desc, err);
    for (size_t i = 0; i < s->n && !code; i++)
        if (!s->all[i].ended) code = stream_surface_begin_count(&s->all[i], bounds, err);
    free(bounds);
    return code;
}

static int count(struct stream *s, struct err *err)
{
    struct plan_share shares[2 * AT_ONCE];
    int code = begin_count(s, err);
    const size_t n = common_shares(s, shares);
    if (!code && n) code = stream_slabs_count(&s->slabs, shares, n, err);
    if (s->all[0].holds) s->room.left = stream_slabs_left(&s->slabs);
    if (!code && n) code = pass(s, false, 0, s->all[0].phases & STREAM_WRITE ? counted(s) : 1, err);
    for (size_t i = 0; i < s->n; i++)
        if (!s->all[i].ended) stream_surface_end_count(&s->all[i]);
    return code;
}

/* ---- one file of several ----------------------------------------------------------------------------------------- */

/* Called when all counts are known. The file belongs to the first surface that has triangles. The parts follow one
 * another. */
static int join(struct stream *s, struct err *err)
{
    struct export_file *e = s->all[0].e;
    struct iso_layer end = { 0, 0, 0 };
    const struct stream_surface *owner = NULL;
    e->count = 0;
    if (!(e->parts = calloc(s->n, sizeof *e->parts)))
        return err_set(err, ERR_FAILED, "not enough memory for %zu surfaces", s->n);
    for (size_t i = 0; i < s->n; i++) {
        struct stream_surface *one = &s->all[i];
        const struct iso_layer own = plan_sum(one->layer, 0, one->layers);
        if (one->ended) continue;
        e->parts[e->count++] = (struct export_part){ .value = one->file->value,
                                                     .mesh = { NULL, NULL, own.vertices, own.triangles },
                                                     .first_vertex = end.vertices,
                                                     .first_triangle = end.triangles };
        one->base = end, one->owner = owner;
        owner = owner ? owner : one;
        end.vertices += own.vertices, end.triangles += own.triangles;
    }
    e->vertices = end.vertices, e->triangles = end.triangles;
    return ERR_NONE;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* All meshes use the same room, so it must be large enough for the largest. */
static void find_most(struct stream *s)
{
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < layers_of(s) && !s->all[i].ended; k++) {
            const struct iso_layer *one = &s->all[i].layer[k];
            struct iso_layer *most = &s->most[k];
            if (one->vertices > most->vertices) most->vertices = one->vertices;
            if (one->triangles > most->triangles) most->triangles = one->triangles;
            if (one->bricks > most->bricks) most->bricks = one->bricks;
        }
}

static void need(struct stream *s)
{
    float values[AT_ONCE];
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        if (!s->all[i].ended) values[n++] = s->all[i].value;
    if (s->ranges.block) ranges_need(&s->ranges, values, n);
}

/* Writes what is held, and adds to *begun its part of all that has to be written. */
static int write_held(struct stream *s, double *begun, struct err *err)
{
    int code = ERR_NONE;
    size_t left = 0;
    for (size_t i = 0; i < s->n; i++)
        if (!s->all[i].ended) left += s->all[i].share.end - s->all[i].share.begin;
    for (size_t i = 0; i < s->n && !code; i++) {
        const struct plan_share before = s->all[i].share;
        if (s->all[i].ended || before.begin == before.end) continue;
        const double share = (1 - counted(s)) / (double)left;
        code = stream_surface_write_held(&s->all[i], *begun, share, err);
        *begun += share * (double)(s->all[i].share.begin - before.begin);
    }
    return code;
}

static int write(struct stream *s, struct err *err)
{
    struct plan_share shares[2 * AT_ONCE];
    double begun = counted(s);
    int code = ERR_NONE;
    find_most(s);
    need(s);
    for (size_t i = 0; i < s->n && !code; i++)
        if (!s->all[i].ended) code = stream_surface_open_file(&s->all[i], err);
    if (!code) code = write_held(s, &begun, err);
    if (!code) code = stream_slabs_write(&s->slabs, s->most, shares, common_shares(s, shares), err);
    const struct iso_layer room = stream_slabs_room(&s->slabs);
    if (!code) code = stream_room_reserve(&s->room, room.vertices, room.triangles, err);
    if (!code) code = pass(s, true, begun, 1 - begun, err);
    for (size_t i = 0; i < s->n && !code; i++)
        if (!s->all[i].ended) code = stream_surface_end_write(&s->all[i], err);
    return code;
}

static int write_all(struct stream *s, struct err *err)
{
    struct team *team = s->all[0].team;
    int code = ERR_NONE;
    size_t left = 0;
    for (size_t i = 0; i < s->n && !code; i++)
        if (!s->all[i].ended) code = stream_surface_begin_write(&s->all[i], err), left++;
    if (!left) return ERR_NONE; /* the same at all ranks */
    if (!code && s->all[0].phases & STREAM_WRITE) code = write(s, err);
    code = team->ops->agree(team, code, err);
    for (size_t i = s->n; i-- > 0 && !code;) /* backwards, because the owner of a common file has to come last */
        if (!s->all[i].ended) code = stream_surface_finish(&s->all[i], err);
    return code;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* Comes before the ledger is opened, so that too little memory is noticed first. */
static int begin(struct stream *s, int code, struct err *err)
{
    const struct plan_share all = { 0, layers_of(s) };
    if (!code) code = stream_slabs_open(&s->slabs, err);
    s->most = calloc(layers_of(s), sizeof *s->most);
    if (!code && !s->most) code = err_set(err, ERR_FAILED, "not enough memory for the counts of %zu layers", layers_of(s));
    if (!code && s->all[0].phases == STREAM_ALL) code = ranges_open(&s->ranges, s->d->store, err);
    s->slabs.noted = s->ranges.block ? &s->ranges : NULL;
    if (!code && s->all[0].phases & STREAM_COUNT) code = stream_slabs_count(&s->slabs, &all, 1, err);
    for (size_t i = 0; i < s->n; i++)
        if ((code = stream_surface_begin(&s->all[i], code, err))) return code;
    return ERR_NONE;
}

static int run(struct stream *s, int code, struct err *err)
{
    struct team *team = s->all[0].team;
    const double start = timing_ms();
    code = begin(s, code, err);
    if (!code && s->all[0].phases & STREAM_COUNT) code = count(s, err);
    code = team->ops->agree(team, code, err);
    const double counted = timing_ms();
    for (size_t i = 0; i < s->n; i++) s->all[i].e->make_ms = counted - start;
    if (code || s->all[0].phases == STREAM_COUNT) return code;
    for (size_t i = 0; i < s->n && !code; i++)
        if (!s->all[i].ended) code = stream_surface_share_out(&s->all[i], err);
    if (!code && s->d->joined) code = join(s, err);
    if (!code) code = write_all(s, err);
    for (size_t i = 0; i < s->n; i++) s->all[i].e->write_ms = timing_ms() - counted;
    return code;
}

static void free_all(struct stream *s, bool failed)
{
    for (size_t i = 0; i < s->n; i++) {
        stream_surface_close(&s->all[i], failed);
        stream_surface_free(&s->all[i]);
    }
    stream_room_free(&s->room);
    free(s->most);
    ranges_close(&s->ranges);
    stream_slabs_close(&s->slabs);
}

/* Makes n files, at most AT_ONCE. */
static int extract(const struct stream_desc *desc, struct team *team, struct iso *iso, struct stream_file *files, size_t n,
                   struct err *err)
{
    struct stream_surface all[AT_ONCE];
    struct stream s = { .d = desc, .all = all, .n = n, .iso = iso };
    int code = ERR_NONE;
    s.slabs = (struct stream_slabs){ .store = desc->store, .iso = iso, .memory = desc->memory };
    s.slabs.layers = desc->layers || team->size == 1 ? desc->layers : SHARED_LAYERS;
    s.slabs.times = desc->times;
    s.slabs.taken = (n - 1) * EXPORT_SLABS_BYTES + ranges_bytes(desc->store);
    for (size_t i = 0; i < n; i++) {
        const int opened = stream_surface_open(&all[i], desc, team, iso, &files[i], code ? NULL : err);
        code = code ? code : opened;
    }
    code = run(&s, code, err);
    for (size_t i = 0; i < n; i++) files[i].transform_ms = all[i].transform_ms;
    free_all(&s, code);
    return code;
}

int stream_extract(const struct stream_desc *desc, struct iso *iso, struct stream_file *files, size_t n, struct err *err)
{
    struct team alone = { .size = 1 }, *team = desc->team ? desc->team : &alone;
    const size_t buffers = (size_t)(desc->memory / PART / EXPORT_SLABS_BYTES);
    const size_t most = desc->joined ? STREAM_JOINED : min_size(buffers ? buffers : 1, AT_ONCE);
    team_alone(&alone);
    assert(desc->phases != STREAM_FINISH || !team->rank);
    assert(!desc->joined || (n <= STREAM_JOINED && !desc->keeps && team->size == 1));
    int code = stream_slabs_numbered(iso, err);
    for (size_t i = 0; i < n && !code; i += most) code = extract(desc, team, iso, files + i, min_size(most, n - i), err);
    for (size_t i = 0; i < n && code; i++) export_free(files[i].file);
    iso_leave_volume(iso);
    team->ledger = NULL;
    return code;
}
