#include "stream_slabs.h"

#include "band.h"
#include "stream_bytes.h"
#include "text.h"
#include "timing.h"

#include <stdlib.h>

enum { MOST_LAYERS = 32 /* of bricks in a slab: its halo is then a twentieth of it */ };

#define OWN ((uint64_t)48 << 20) /* the program, its threads' stacks, what is formatted and transformed at once */
#define MOST_CELLS (UINT32_MAX / (size_t)5) /* of a slab: more might own more than 32 bits number */

int stream_slabs_numbered(struct iso *iso, struct err *err)
{
    const bool soup = ((const struct generate_rung *)iso->rung[STAGE_GENERATE])->soup;
    return soup ? iso_set_rung(iso, STAGE_GENERATE, NULL, err) : ERR_NONE;
}

int stream_slabs_open(struct stream_slabs *s, struct err *err)
{
    const size_t layers = plan_layers(s->store->volume.grid.nz);
    s->slabs = calloc(layers, sizeof *s->slabs), s->before = calloc(layers + 2, sizeof *s->before);
    return s->slabs && s->before ? ERR_NONE : err_set(err, ERR_FAILED, "no memory for %zu slabs", layers);
}

void stream_slabs_close(struct stream_slabs *s)
{
    free(s->slabs);
    free(s->before);
    s->slabs = NULL, s->before = NULL;
}

/* ---- cutting ------------------------------------------------------------------------------------------------------------- */

static int refuse_memory(const struct stream_slabs *s, uint64_t need, struct err *err)
{
    char needed[32], given[32];
    err_set(err, ERR_FAILED, "%s: even the thinnest slabs of this volume need %s, and --memory allows %s",
            source_name(&s->store->header), text_bytes(needed, (double)need), text_bytes(given, (double)s->memory));
    err_advise(err, "give a larger --memory");
    return ERR_FAILED;
}

/* The most layers that a slab may own. */
static size_t most_layers(const struct stream_slabs *s)
{
    const struct grid *g = &s->store->volume.grid;
    const size_t most = s->layers ? s->layers : MOST_LAYERS, numbered = MOST_CELLS / (g->nx * g->ny) / BRICK_Z;
    return numbered < 3 ? 1 : min_size(most, numbered - 2);
}

static void use_room(struct stream_slabs *s)
{
    s->room = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->slabs[i].to - s->slabs[i].from > s->room) s->room = s->slabs[i].to - s->slabs[i].from;
}

/* What slabs of n layers take at least. */
static uint64_t bytes_of(const struct stream_slabs *s, size_t n)
{
    return OWN + s->taken + stream_band_bytes(s->store, n) + stream_working_bytes(s->store, s->iso, n);
}

int stream_slabs_count(struct stream_slabs *s, const struct plan_share *shares, size_t n, struct err *err)
{
    size_t most = most_layers(s);
    while (most && bytes_of(s, most) > s->memory) most--;
    if (!most) return refuse_memory(s, bytes_of(s, 1), err);
    s->count = 0;
    for (size_t k = 0; k < n; k++)
        for (size_t i = shares[k].begin; i < shares[k].end; i += most)
            s->slabs[s->count++] = plan_slab_at(i, min_size(most, shares[k].end - i), s->store->volume.grid.nz);
    use_room(s);
    return ERR_NONE;
}

struct iso_layer stream_slabs_room(const struct stream_slabs *s)
{
    struct iso_layer most = { 0, 0, 0 };
    for (size_t i = 0; i < s->count; i++) {
        const struct iso_layer room = s->slabs[i].room;
        if (room.vertices > most.vertices) most.vertices = room.vertices;
        if (room.triangles > most.triangles) most.triangles = room.triangles;
    }
    return most;
}

static void cut(struct stream_slabs *s, const struct iso_layer *layer, const struct plan_share *shares, size_t n,
                size_t most, uint64_t bytes)
{
    s->count = 0;
    for (size_t k = 0; k < n; k++)
        s->count += plan_cut(s->slabs + s->count, layer, shares[k], s->store->volume.grid.nz, most, bytes);
}

int stream_slabs_write(struct stream_slabs *s, const struct iso_layer *layer, const struct plan_share *shares, size_t count,
                       struct err *err)
{
    uint64_t need = 0;
    for (size_t n = most_layers(s); n; n--) {
        const uint64_t fixed = OWN + s->taken + stream_working_bytes_known(s->store, s->iso, layer, n),
                       band = stream_band_bytes(s->store, n);
        const uint64_t left = s->memory > fixed + band ? s->memory - fixed - band : 0;
        if (n > 1 && left < band) continue;
        cut(s, layer, shares, count, n, left);
        need = fixed + band + plan_bytes(stream_slabs_room(s));
        if (need > s->memory) continue;
        use_room(s);
        return ERR_NONE;
    }
    return refuse_memory(s, need, err);
}

/* ---- a pass ---------------------------------------------------------------------------------------------------------------- */

static size_t next_of(const struct stream_slabs *s, const struct stream_pass *p, size_t i)
{
    while (i < s->count && p->wants && !p->wants(p->context, &s->slabs[i])) i++;
    return i;
}

/* Uses the slab that was asked for last, while the one at `next` is read. */
static int step(const struct stream_slabs *s, const struct stream_pass *p, struct band *band, size_t i, size_t next,
                struct err *err)
{
    struct grid block;
    const struct plan_slab *slab = &s->slabs[i], *last = &s->slabs[s->count - 1];
    const double begun = timing_ms();
    int code = band_take(band, &block, err);
    if (s->times) s->times->stall += timing_ms() - begun;
    if (!code && next < s->count) band_ask(band, s->slabs[next].from, s->slabs[next].to);
    if (!code) code = p->use(p->context, slab, &block, err);
    const double done = (double)(slab->end - s->slabs[0].begin) / (double)(last->end - s->slabs[0].begin);
    if (code || progress_tell(&p->progress, p->begun + p->share * done)) return code;
    return err_set(err, ERR_FAILED, "%s: cancelled; nothing was written", p->name);
}

int stream_slabs_readers(const struct iso *iso) { return iso->exec.threads > 3 ? iso->exec.threads / 2 : 1; }

int stream_slabs_pass(const struct stream_slabs *s, const struct stream_pass *p, struct err *err)
{
    struct band band;
    const int threads = stream_slabs_readers(s->iso);
    size_t i = next_of(s, p, 0);
    int code = band_open(&band, s->store, p->ranges, s->room, threads, err);
    if (!code && i < s->count) band_ask(&band, s->slabs[i].from, s->slabs[i].to);
    while (!code && i < s->count) {
        const size_t next = next_of(s, p, i + 1);
        code = step(s, p, &band, i, next, err);
        i = next;
    }
    if (s->times) s->times->read += band.read_ms, s->times->read_bytes += band.read_bytes;
    band_close(&band);
    return code;
}

/* ---- what a slab owns ------------------------------------------------------------------------------------------------------ */

int stream_slabs_own(const struct stream_slabs *s, struct iso *iso, const struct plan_slab *slab, struct iso_layer *layer,
                     struct err *err)
{
    const int code = iso_layers(iso, s->before, err);
    const struct plan_share own = plan_own(slab);
    const struct iso_layer *before = s->before + plan_before(slab);
    for (size_t i = own.begin; i < own.end && !code; i++, before++)
        layer[i] = (struct iso_layer){ before[1].vertices - before[0].vertices, before[1].triangles - before[0].triangles,
                                       before[1].bricks - before[0].bricks };
    return code;
}

struct bricks stream_slabs_bricks(const struct iso *iso)
{
    struct bricks bricks = iso->bricks;
    if (iso->bricks_stale) bricks.range = NULL;
    return bricks;
}

int stream_slabs_make(const struct stream_slabs *s, struct iso *iso, float value, const struct plan_slab *slab,
                      struct mesh_host *mesh, struct iso_layer *skip, struct err *err)
{
    const struct plan_share own = plan_own(slab);
    const struct mesh_buffers out = { { mesh->vertices, mesh->indices }, slab->room.vertices, slab->room.triangles };
    bool fits;
    if (iso_make_block(iso, value, &out, &fits, err) || iso_layers(iso, s->before, err)) return err->code;
    *skip = s->before[plan_before(slab)];
    const struct iso_layer end = s->before[plan_before(slab) + own.end - own.begin];
    const struct bricks bricks = stream_slabs_bricks(iso);
    const bool agrees = !s->noted || ranges_agree(s->noted, slab, &bricks);
    if (!fits || !agrees || end.vertices - skip->vertices != slab->own.vertices ||
        end.triangles - skip->triangles != slab->own.triangles)
        return err_set(err, ERR_INPUT, "%s: the file has changed while it was read", source_name(&s->store->header));
    mesh->vertex_count = iso->counts.vertices, mesh->triangle_count = iso->counts.triangles;
    return ERR_NONE;
}
