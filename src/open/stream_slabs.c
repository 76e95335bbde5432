#include "stream_slabs.h"

#include "stream_bytes.h"
#include "text.h"
#include "timing.h"

#include <stdlib.h>

/* Of bricks in a slab. Thin slabs need little memory, which the system has to find and clear. Their halo, a fifth of what is
 * read, is copied from the slab before. Where voxels lie in chunks, it is unpacked again. */
enum { MOST_LAYERS = 8, MOST_LAYERS_OF_CHUNKS = 16 };

#define OWN ((uint64_t)48 << 20) /* the program, its threads' stacks, and what is formatted and transformed at once */
#define MOST_CELLS (UINT32_MAX / (size_t)5) /* of a slab; with more, its numbers might not fit 32 bits */

int stream_slabs_numbered(struct iso *iso, struct err *err)
{
    const bool soup = ((const struct generate_rung *)iso->rung[STAGE_GENERATE])->soup;
    iso_use_order(iso);
    return soup ? iso_set_rung(iso, STAGE_GENERATE, NULL, err) : ERR_NONE;
}

int stream_slabs_open(struct stream_slabs *s, struct err *err)
{
    const size_t layers = plan_layers(s->store->volume.grid.nz);
    s->slabs = calloc(layers, sizeof *s->slabs), s->before = calloc(layers + 2, sizeof *s->before);
    return s->slabs && s->before ? ERR_NONE : err_set(err, ERR_FAILED, "not enough memory for %zu slabs", layers);
}

void stream_slabs_close(struct stream_slabs *s)
{
    free(s->slabs);
    free(s->before);
    band_close(&s->band);
    s->slabs = NULL, s->before = NULL;
}

/* ---- cutting ----------------------------------------------------------------------------------------------------- */

/* Once the surface is counted, it is known how much memory its mesh takes; before, it is not. */
static int refuse_memory(const struct stream_slabs *s, uint64_t need, bool counted, struct err *err)
{
    char needed[32], given[32], least[32];
    err_set(err, ERR_FAILED, "%s: slab by slab this takes %s of memory, but only %s is allowed",
            source_name(&s->store->header), text_bytes(needed, (double)need), text_bytes(given, (double)s->memory));
    err_advise(err, "give --memory %s%s", text_memory(least, need), counted ? "" : ", or more where the surface is large");
    return ERR_FAILED;
}

/* The most layers that a slab may own. */
static size_t most_layers(const struct stream_slabs *s)
{
    const struct grid *g = &s->store->volume.grid;
    const size_t worth = store_chunk_slices(s->store) > 1 ? MOST_LAYERS_OF_CHUNKS : MOST_LAYERS,
                 most = s->layers ? s->layers : worth, numbered = MOST_CELLS / (g->nx * g->ny) / BRICK_Z;
    return numbered < 3 ? 1 : min_size(most, numbered - 2);
}

/* How many slices more than those of a slab are read at most, to end with a chunk (plan_read). */
static size_t ahead_of(const struct stream_slabs *s) { return s->chunk > 1 ? BRICK_Z - 1 : 0; }

static void use_room(struct stream_slabs *s)
{
    s->room = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->slabs[i].to - s->slabs[i].from > s->room) s->room = s->slabs[i].to - s->slabs[i].from;
    s->room += ahead_of(s);
}

/* Memory that a pass takes, whatever its slabs. */
static uint64_t fixed_of(const struct stream_slabs *s) { return OWN + s->taken + s->kept; }

struct cutting {
    const struct iso_layer *layer; /* what each layer of the volume owns; NULL: slabs are only counted, without meshes */
    const struct plan_share *shares;
    size_t n;
};

/* Cuts all shares into slabs to count. Returns 0, or the bytes that the thinnest slabs take if there is not so much
 * memory. */
static uint64_t cut_to_count(struct stream_slabs *s, const struct cutting *c)
{
    uint64_t need = 0;
    size_t most = most_layers(s);
    for (; most; most--) {
        need = fixed_of(s) + stream_band_bytes(s->store, most, ahead_of(s)) + stream_working_bytes(s->store, s->iso, most);
        if (need <= s->memory) break;
    }
    if (!most) return need;
    s->count = 0, s->need = need;
    for (size_t k = 0; k < c->n; k++)
        for (size_t i = c->shares[k].begin, end; i < c->shares[k].end; i = end) {
            end = i + most < c->shares[k].end ? plan_end(i, i + most, s->chunk) : c->shares[k].end;
            s->slabs[s->count++] = plan_slab_at(i, end - i, s->store->volume.grid.nz);
        }
    return 0;
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

/* The same for slabs whose meshes will be made. */
static uint64_t cut_to_write(struct stream_slabs *s, const struct cutting *c)
{
    uint64_t need = 0;
    for (size_t n = most_layers(s); n; n--) {
        const uint64_t fixed = fixed_of(s) + stream_working_bytes_known(s->store, s->iso, c->layer, n),
                       band = stream_band_bytes(s->store, n, ahead_of(s));
        const uint64_t left = s->memory > fixed + band ? s->memory - fixed - band : 0;
        if (n > 1 && left < band) continue;
        s->count = 0;
        for (size_t k = 0; k < c->n; k++)
            s->count += plan_cut(s->slabs + s->count, c->layer, c->shares[k], s->store->volume.grid.nz,
                                 &(struct plan_limits){ n, left, s->chunk });
        need = fixed + band + plan_bytes(stream_slabs_room(s));
        if (need <= s->memory) return 0;
    }
    return need;
}

/* How many slices a pass unpacks plus how many it computes; both are about as much work. */
static uint64_t work_of(const struct stream_slabs *s)
{
    const size_t height = store_chunk_slices(s->store);
    uint64_t slices = 0;
    size_t read = 0, unpacked = 0; /* ends of what was read, and of what was unpacked and is kept */
    for (size_t i = 0; i < s->count; i++) {
        const struct plan_slab *slab = &s->slabs[i];
        const size_t first = slab->from > read ? slab->from : read, begin = first / height * height;
        const size_t to = plan_read(slab, s->chunk, s->store->volume.grid.nz), end = (to + height - 1) / height * height;
        slices += slab->to - slab->from + end - (s->kept && unpacked > begin ? unpacked : begin);
        read = to, unpacked = end;
    }
    return slices;
}

/* How to treat chunks that lie in several slabs. */
struct way {
    size_t chunk;  /* slabs end at multiples of it; 1: anywhere */
    uint64_t kept; /* bytes of the layer of chunks that is kept; 0: none */
};

static uint64_t cut_by(struct stream_slabs *s, const struct cutting *c, const struct way *way)
{
    s->chunk = way->chunk, s->kept = way->kept;
    return c->layer ? cut_to_write(s, c) : cut_to_count(s, c);
}

/* Chooses the way with the least work. Slabs that end with chunks are thinner. A layer that is kept leaves slabs less
 * memory, so they are thinner, too, and overlap more. Each slab also costs its threads a few rounds of waiting, so a way
 * with over twice as many slabs is never chosen. */
static int cut(struct stream_slabs *s, const struct cutting *c, struct err *err)
{
    const size_t chunk = store_chunk_slices(s->store);
    const struct way ways[] = { { 1, 0 }, { chunk, 0 }, { 1, chunk_layer_bytes(s->store) } };
    const uint64_t need = cut_by(s, c, &ways[0]);
    if (need) return refuse_memory(s, need, c->layer != NULL, err);
    const size_t count = s->count;
    uint64_t least = work_of(s);
    int best = 0;
    for (int i = 1; i < 3 && chunk > 1; i++) {
        if (cut_by(s, c, &ways[i]) || s->count > 2 * count || work_of(s) >= least) continue;
        best = i, least = work_of(s);
    }
    if (chunk > 1) cut_by(s, c, &ways[best]);
    use_room(s);
    return ERR_NONE;
}

int stream_slabs_count(struct stream_slabs *s, const struct plan_share *shares, size_t n, struct err *err)
{
    return cut(s, &(struct cutting){ NULL, shares, n }, err);
}

uint64_t stream_slabs_left(const struct stream_slabs *s) { return s->memory > s->need ? s->memory - s->need : 0; }

int stream_slabs_write(struct stream_slabs *s, const struct iso_layer *layer, const struct plan_share *shares, size_t count,
                       struct err *err)
{
    return cut(s, &(struct cutting){ layer, shares, count }, err);
}

/* ---- a pass ------------------------------------------------------------------------------------------------------ */

static size_t next_of(const struct stream_slabs *s, const struct stream_pass *p, size_t i)
{
    while (i < s->count && p->wants && !p->wants(p->context, &s->slabs[i])) i++;
    return i;
}

static void ask(const struct stream_slabs *s, struct band *band, size_t i)
{
    const struct plan_slab *slab = &s->slabs[i];
    band_ask(band, slab->from, slab->to, plan_read(slab, s->chunk, s->store->volume.grid.nz));
}

/* Uses the slab asked for last, while the one at `next` is read. */
static int step(const struct stream_slabs *s, const struct stream_pass *p, struct band *band, size_t i, size_t next,
                struct err *err)
{
    struct grid block;
    const struct plan_slab *slab = &s->slabs[i], *last = &s->slabs[s->count - 1];
    const double begun = timing_ms();
    int code = band_take(band, &block, err);
    if (s->times) s->times->stall += timing_ms() - begun;
    if (!code && next < s->count) ask(s, band, next);
    if (!code) code = p->use(p->context, slab, &block, err);
    const double done = (double)(slab->end - s->slabs[0].begin) / (double)(last->end - s->slabs[0].begin);
    if (code || progress_tell(&p->progress, p->begun + p->share * done)) return code;
    return err_set(err, ERR_FAILED, "%s: cancelled; nothing was written", p->name);
}

int stream_slabs_readers(const struct iso *iso) { return iso->exec.threads > 3 ? iso->exec.threads / 2 : 1; }

int stream_slabs_pass(struct stream_slabs *s, const struct stream_pass *p, struct err *err)
{
    struct band *band = &s->band;
    const int threads = s->iso->exec.threads, readers = stream_slabs_readers(s->iso);
    const bool plain = store_seeks(s->store); /* otherwise readers decode, too */
    const struct band_desc desc = { .store = s->store,
                                    .ranges = p->ranges,
                                    .slices = s->room,
                                    .keeps = s->kept > 0,
                                    .threads = plain ? readers : threads,
                                    .first_threads = plain ? readers + threads : threads };
    size_t i = next_of(s, p, 0);
    int code = band_open(band, &desc, err);
    if (!code && i < s->count) ask(s, band, i);
    while (!code && i < s->count) {
        const size_t next = next_of(s, p, i + 1);
        code = step(s, p, band, i, next, err);
        i = next;
    }
    if (s->times) s->times->read += band->read_ms, s->times->read_bytes += band->read_bytes;
    band_end(band);
    return code;
}

/* ---- what a slab owns -------------------------------------------------------------------------------------------- */

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
    if (iso->bricks_stale || iso->exec.backend != BACKEND_CPU) bricks.range = NULL;
    return bricks;
}

int stream_slabs_make(const struct stream_slabs *s, struct iso *iso, float value, struct slab_mesh *m, struct err *err)
{
    const struct plan_slab *slab = &m->slab;
    const struct plan_share own = plan_own(slab);
    const struct iso_layer *before = s->before + plan_before(slab), *end = before + own.end - own.begin;
    const struct mesh_buffers out = { { m->mesh.vertices, m->mesh.indices }, slab->room.vertices, slab->room.triangles };
    bool fits;
    if (iso_make_block(iso, value, &out, &fits, err) || iso_layers(iso, s->before, err)) return err->code;
    m->skip = *before;
    const struct bricks bricks = stream_slabs_bricks(iso);
    const bool agrees = !s->noted || ranges_agree(s->noted, slab, &bricks);
    if (!fits || !agrees || end->vertices - before->vertices != slab->own.vertices ||
        end->triangles - before->triangles != slab->own.triangles)
        return err_set(err, ERR_INPUT, "%s: the file has changed while it was read", source_name(&s->store->header));
    m->mesh.vertex_count = iso->counts.vertices, m->mesh.triangle_count = iso->counts.triangles;
    return ERR_NONE;
}
