#include "stream_surface.h"

#include "file_io.h"
#include "leftover.h"
#include "stream_job.h"
#include "timing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Approximate size of a surface's records in a file, for sharing out the writing. */
static const struct plan_cost record_cost = { 0, 24, 13 };

enum { SLAB = 2 * sizeof(uint64_t) /* bytes per piece: where its slices begin and end */ };

static const uint64_t (*slabs_of(const struct pieces *slices))[2]
{
    return (const uint64_t(*)[2])(const void *)slices->bytes;
}

static bool in_pieces(const struct stream_surface *s) { return s->e->format == &export_pvtp; }

int stream_surface_open(struct stream_surface *s, const struct stream_desc *desc, struct team *team, struct iso *iso,
                        const struct stream_file *file, struct err *err)
{
    const struct volume *volume = &desc->store->volume;
    const struct export_format *format = file->file->format;
    *s = (struct stream_surface){ .d = desc, .file = file, .team = team, .volume = volume, .iso = iso, .e = file->file };
    s->value = volume_iso(volume, file->value), s->layers = plan_layers(volume->grid.nz);
    s->phases = desc->phases ? desc->phases : STREAM_ALL, s->holds = desc->holds && s->phases == STREAM_ALL;
    s->share = (struct plan_share){ 0, s->layers };
    const int code = export_open(s->e, iso, volume, err);
    s->e->format = format;
    s->layer = calloc(s->layers, sizeof *s->layer), s->bounds = calloc((size_t)team->size + 1, sizeof *s->bounds);
    if (code || (s->layer && s->bounds)) return code;
    return err_set(err, ERR_FAILED, "not enough memory for the counts of %zu layers", s->layers);
}

void stream_surface_free(struct stream_surface *s)
{
    stream_held_free(&s->held);
    pieces_free(&s->out.pieces);
    pieces_free(&s->made);
    free(s->layer);
    free(s->bounds);
}

/* From now on, what the team exchanges is about this surface. */
static const struct team_ops *team_of(struct stream_surface *s)
{
    s->team->ledger = s->d->keeps ? &s->ledger : NULL;
    return s->team->ops;
}

/* ---- what is kept ------------------------------------------------------------------------------------------------ */

static int take_counts(void *context, const struct journal_record *r, struct err *err)
{
    struct stream_surface *s = context;
    if (r->begin != s->share.begin || r->end > s->share.end || r->n != (r->end - r->begin) * sizeof *s->layer)
        return err_set(err, ERR_FAILED, "%s: its counts are damaged: remove the folder", s->ledger.folder);
    memcpy(s->layer + r->begin, r->bytes, (size_t)r->n);
    s->share.begin = (size_t)r->end;
    return ERR_NONE;
}

static int take_written(void *context, const struct journal_record *r, struct err *err)
{
    struct stream_surface *s = context;
    if (r->begin != s->share.begin || r->end > s->share.end)
        return err_set(err, ERR_FAILED, "%s: its records are damaged: remove the folder", s->ledger.folder);
    if (!pieces_append(&s->out.pieces, r->bytes, (size_t)r->n))
        return err_set(err, ERR_FAILED, "not enough memory for what was written before");
    s->share.begin = (size_t)r->end;
    return ERR_NONE;
}

/* Opens the journal and sets s->share to the part of `share` that is left to do. */
static int open_journal(struct stream_surface *s, struct plan_share share, const char *name,
                        int (*take)(void *, const struct journal_record *, struct err *), struct err *err)
{
    char path[PATH_MAX];
    const struct journal_take all = { take, s };
    s->share = share;
    if (!s->d->keeps) return ERR_NONE;
    const int code = journal_open(&s->journal, ledger_path(path, &s->ledger, name, s->team->rank), s->ledger.job, &all,
                                  err);
    s->noted = s->share.begin, s->noted_bytes = pieces_end(&s->out.pieces);
    return code;
}

static int refuse_finished(const struct stream_surface *s, struct err *err)
{
    err_set(err, ERR_FAILED, "%s is complete", s->file->path);
    err_advise(err, "--phase finish deletes %s", s->ledger.folder);
    return ERR_FAILED;
}

/* Whether it works at the same time as others and is not rank 0, which makes the ledger. */
static bool joins(const struct stream_surface *s) { return s->phases == STREAM_ALL && s->team->rank; }

/* s->ended: the file already had its name when the last process was stopped; `e` then knows its size. */
static int open_ledger(struct stream_surface *s, bool exists, struct err *err)
{
    char job[LEDGER_JOB];
    uint64_t totals[3];
    bool is = false;
    int code = stream_job(job, s->d, s->file->value, s->iso, s->e, s->team->size, err);
    if (!code) code = ledger_open(&s->ledger, s->file->path, job, exists, err);
    if (!code && !joins(s)) code = ledger_is_finished(&s->ledger, &is, totals, err);
    if (code || !is) return code;
    if (s->phases == STREAM_ALL) code = ledger_remove(&s->ledger, err);
    if (s->phases == STREAM_ALL) return code ? code : ledger_open(&s->ledger, s->file->path, job, false, err);
    if (s->phases != STREAM_FINISH) return refuse_finished(s, err);
    s->ended = true;
    s->e->vertices = totals[0], s->e->triangles = totals[1], s->e->bytes = totals[2];
    return ERR_NONE;
}

/* Adds the only part; `e` then knows all of it except the mesh. This happens before the file is written, because later it
 * would be too late to fail. */
static int note_part(struct stream_surface *s, struct err *err)
{
    struct export_part *part = calloc(1, sizeof *part);
    if (!part) return err_set(err, ERR_FAILED, "not enough memory for the surface");
    part->value = s->file->value;
    part->mesh.vertex_count = s->e->vertices, part->mesh.triangle_count = s->e->triangles;
    s->e->parts = part, s->e->count = 1;
    return ERR_NONE;
}

static int open_list(struct stream_surface *s, struct err *err)
{
    char job[LEDGER_JOB];
    const int code = stream_job(job, s->d, s->file->value, s->iso, s->e, s->team->size, err);
    s->list.resumes = s->d->keeps;
    return code ? code : export_pieces_open(&s->list, s->file->path, ledger_number(job), err);
}

int stream_surface_begin(struct stream_surface *s, int code, struct err *err)
{
    const struct team_ops *team = team_of(s);
    if (!code && in_pieces(s)) code = open_list(s, err);
    if (!code && s->d->keeps && !joins(s)) code = open_ledger(s, !(s->phases & STREAM_COUNT), err);
    code = team->agree(s->team, code, err);
    if (!code && s->d->keeps && joins(s)) code = open_ledger(s, true, err);
    code = team->agree(s->team, code, err);
    if (code || !s->ended) return code;
    code = note_part(s, err);
    return code ? code : ledger_remove(&s->ledger, err);
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

/* Notes that the layers before `end` are done, and n bytes about them. */
static int note(struct stream_surface *s, size_t end, const void *bytes, size_t n, struct err *err)
{
    const struct journal_record record = { s->noted, end, n, bytes };
    if (!s->d->keeps) return ERR_NONE;
    s->noted = end;
    return journal_append(&s->journal, &record, err);
}

static void set_totals(struct stream_surface *s, struct iso_layer all)
{
    s->e->vertices = all.vertices, s->e->triangles = all.triangles;
}

bool stream_surface_has(const struct stream_surface *s, const struct plan_slab *slab)
{
    const struct plan_share own = plan_own(slab);
    return own.begin >= s->share.begin && own.end <= s->share.end;
}

int stream_surface_begin_count(struct stream_surface *s, const size_t *bounds, struct err *err)
{
    memcpy(s->bounds, bounds, ((size_t)s->team->size + 1) * sizeof *bounds);
    s->all = (struct plan_share){ bounds[s->team->rank], bounds[s->team->rank + 1] };
    const int code = open_journal(s, s->all, "count", take_counts, err);
    s->held.layers = (struct plan_share){ s->share.begin, s->share.begin };
    return code;
}

/* Transforms what a slab owns of its mesh into the world. */
static int place(struct stream_surface *s, struct slab_mesh *m, const struct grid *block, struct err *err)
{
    const int code = in_pieces(s) ? export_pieces_place(s->e, m, block, s->iso, s->volume, err)
                                  : export_slabs_place(s->e, m, block, s->iso, s->volume, err);
    s->transform_ms += s->iso->stage[AUX_GEMM].ms;
    return code;
}

/* Holds the mesh in the room: that of a slab whose counts per layer are known. */
static int hold(struct stream_surface *s, const struct stream_slabs *slabs, const struct plan_slab *slab,
                struct stream_room *room, const struct grid *block, struct err *err)
{
    const struct plan_share layers = plan_own(slab);
    struct slab_mesh m = { .slab = *slab,
                           .mesh = { room->mesh.vertices, room->mesh.indices, s->iso->counts.vertices,
                                     s->iso->counts.triangles },
                           .normals = room->normals,
                           .skip = slabs->before[plan_before(slab)] };
    m.slab.own = plan_sum(s->layer, layers.begin, layers.end);
    const bool any = m.slab.own.vertices || m.slab.own.triangles;
    const int code = any ? place(s, &m, block, err) : ERR_NONE;
    if (!code) stream_held_add(&s->held, room, &m, in_pieces(s) ? m.mesh.vertex_count : m.slab.own.vertices);
    return code;
}

int stream_surface_count(struct stream_surface *s, const struct stream_slabs *slabs, const struct plan_slab *slab,
                         struct stream_room *room, const struct grid *block, struct err *err)
{
    const struct plan_share own = plan_own(slab);
    bool made = false;
    int code = room->left ? stream_room_make(room, s->iso, s->value, &made, err) : iso_count_host(s->iso, s->value, err);
    if (!code) code = stream_slabs_own(slabs, s->iso, slab, s->layer, err);
    if (!code && made) code = hold(s, slabs, slab, room, block, err);
    return code ? code : note(s, own.end, s->layer + own.begin, (own.end - own.begin) * sizeof *s->layer, err);
}

void stream_surface_end_count(struct stream_surface *s)
{
    journal_close(&s->journal);
    set_totals(s, plan_sum(s->layer, s->all.begin, s->all.end));
}

/* There are no triangles, so there is nothing to write. */
static int end_empty(struct stream_surface *s, struct err *err)
{
    if (!s->d->keeps || !(s->phases & STREAM_FINISH)) return ERR_NONE;
    const int code = s->team->rank ? ERR_NONE : ledger_remove(&s->ledger, err);
    return s->team->ops->agree(s->team, code, err);
}

int stream_surface_share_out(struct stream_surface *s, struct err *err)
{
    struct plan_cost cost = record_cost;
    const int code = team_of(s)->sum(s->team, (uint64_t *)s->layer, 3 * s->layers, err);
    cost.layer = store_slice_bytes(s->d->store) * BRICK_Z;
    set_totals(s, plan_sum(s->layer, 0, s->layers));
    if (!s->holds) /* otherwise each process writes what it has counted and holds */
        plan_shares(s->bounds, (size_t)s->team->size, s->layer, s->layers, &cost);
    s->ended = !code && !s->e->triangles;
    return s->ended ? end_empty(s, err) : code;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Notes what has been written, after it has reached the disk. */
static int note_written(struct stream_surface *s, size_t end, struct err *err)
{
    if (!s->d->keeps) return ERR_NONE;
    const size_t from = s->noted_bytes;
    const double begun = timing_ms();
    s->noted_bytes = pieces_end(&s->out.pieces);
    int code = in_pieces(s) ? ERR_NONE : export_slabs_sync(&s->out, err);
    if (!code) code = note(s, end, s->out.pieces.bytes + from, s->noted_bytes - from, err);
    s->write_ms += timing_ms() - begun;
    return code;
}

/* Writes a file of its own for the slab. The process that finishes adds it to the list. */
static int add_piece(struct stream_surface *s, const struct slab_mesh *m, struct err *err)
{
    const uint64_t slices[2] = { m->slab.begin, m->slab.end };
    bool is_new = false;
    if (!m->slab.own.triangles) return ERR_NONE;
    const int code = export_pieces_add(&s->list, s->e, m, &is_new, err);
    const bool noted = !is_new || pieces_append(&s->made, slices, sizeof slices); /* it may exist despite an error */
    if (code || (noted && pieces_append(&s->out.pieces, slices, sizeof slices))) return code;
    return err_set(err, ERR_FAILED, "not enough memory for the names of pieces");
}

/* What comes before a layer in the file, as numbers of vertices, triangles and bricks. */
static struct iso_layer before(const struct stream_surface *s, size_t layer)
{
    const struct iso_layer own = plan_sum(s->layer, 0, layer);
    return (struct iso_layer){ s->base.vertices + own.vertices, s->base.triangles + own.triangles, own.bricks };
}

static struct export_share share_of(const struct stream_surface *s, size_t begin, size_t end)
{
    return (struct export_share){ before(s, begin), before(s, end), before(s, s->share.begin) };
}

/* Opens the file for layers begin to end - 1. */
static int open_file(struct stream_surface *s, bool exists, size_t begin, size_t end, struct err *err)
{
    char name[PATH_MAX];
    const struct replace_common common = { name, exists };
    const struct export_share share = share_of(s, begin, end);
    ledger_path(name, &s->ledger, "surface", -1);
    if (in_pieces(s)) return ERR_NONE;
    if (s->owner) return export_slabs_join(&s->out, &s->owner->out, &share, s->file->value, err);
    const double begun = timing_ms();
    s->out.value = s->file->value;
    const int code = export_slabs_open(&s->out, s->e, s->file->path, s->d->keeps ? &common : NULL, &share, err);
    s->write_ms += timing_ms() - begun;
    return code;
}

int stream_surface_begin_write(struct stream_surface *s, struct err *err)
{
    const size_t *bounds = s->bounds + s->team->rank;
    const int code = s->phases & STREAM_FINISH && !s->d->joined ? note_part(s, err) : ERR_NONE;
    s->all = (struct plan_share){ bounds[0], bounds[1] };
    return code || !(s->phases & STREAM_WRITE) ? code : open_journal(s, s->all, "write", take_written, err);
}

int stream_surface_open_file(struct stream_surface *s, struct err *err)
{
    s->summed = s->share.begin, s->before = before(s, s->summed);
    return open_file(s, s->share.begin > s->all.begin, s->all.begin, s->all.end, err);
}

struct plan_slab stream_surface_slab(struct stream_surface *s, const struct plan_slab *slab)
{
    struct plan_slab mine = *slab;
    const struct plan_share own = plan_own(slab);
    const struct iso_layer more = plan_sum(s->layer, s->summed, own.begin);
    s->before.vertices += more.vertices, s->before.triangles += more.triangles, s->summed = own.begin;
    mine.first = s->before, mine.own = plan_sum(s->layer, own.begin, own.end);
    return mine;
}

/* Writes what a slab owns of a mesh that is already in the world. */
static int put(struct stream_surface *s, const struct slab_mesh *m, struct err *err)
{
    const int code = in_pieces(s) ? add_piece(s, m, err) : export_slabs_add(&s->out, m, err);
    return code ? code : note_written(s, plan_own(&m->slab).end, err);
}

int stream_surface_make(struct stream_surface *s, const struct stream_slabs *slabs, const struct plan_slab *slab,
                        struct stream_room *room, const struct grid *block, struct err *err)
{
    struct slab_mesh m = { .slab = *slab, .mesh = room->mesh, .normals = room->normals };
    int code = stream_slabs_make(slabs, s->iso, s->value, &m, err);
    if (!code) code = place(s, &m, block, err);
    return code ? code : put(s, &m, err);
}

int stream_surface_write_held(struct stream_surface *s, double begun, double layer, struct err *err)
{
    const struct plan_share held = s->held.layers;
    const bool next = held.begin == s->share.begin && held.end <= s->share.end; /* else some was written before */
    int code = ERR_NONE;
    for (size_t i = 0; i < s->held.count && next && !code; i++) {
        struct slab_mesh m = s->held.list[i].made;
        m.slab = stream_surface_slab(s, &m.slab);
        const double done = (double)(plan_own(&m.slab).end - held.begin);
        code = put(s, &m, err);
        if (!code && !progress_tell(&s->d->progress, begun + layer * done))
            code = err_set(err, ERR_FAILED, "%s: cancelled; nothing was written", s->file->path);
    }
    if (next) s->share.begin = held.end;
    stream_held_free(&s->held);
    return code;
}

int stream_surface_end_write(struct stream_surface *s, struct err *err)
{
    return s->noted < s->all.end ? note_written(s, s->all.end, err) : ERR_NONE;
}

/* ---- finishing --------------------------------------------------------------------------------------------------- */

static int note_finish(const struct stream_surface *s, struct err *err)
{
    const uint64_t totals[3] = { s->e->vertices, s->e->triangles, s->e->bytes };
    return s->d->keeps ? ledger_note_finish(&s->ledger, totals, err) : ERR_NONE;
}

struct gathered {
    struct stream_surface *s;
    bool *there;          /* [parts] */
    struct pieces slices; /* of pieces, if each slab is a file */
};

static int take_pieces(void *context, int rank, uint64_t end, const uint8_t *bytes, size_t n, struct err *err)
{
    struct gathered *g = context;
    struct stream_surface *s = g->s;
    const size_t *bounds = s->bounds + rank;
    const struct export_share share = share_of(s, bounds[0], bounds[1]);
    const bool empty = bounds[0] == bounds[1];
    g->there[rank] = empty || end == bounds[1];
    if (empty || !g->there[rank]) return ERR_NONE;
    if (in_pieces(s) && pieces_append(&g->slices, bytes, n)) return ERR_NONE;
    if (in_pieces(s)) return err_set(err, ERR_FAILED, "not enough memory for the names of pieces");
    /* A process that only finishes opens the file at the first part that is written; before, there may be none. */
    const int code = s->out.buffer ? ERR_NONE : open_file(s, true, 0, 0, err);
    return code ? code : export_slabs_take(&s->out, &share, bytes, n, err);
}

/* Gives the list its name. Signals wait meanwhile: pieces stay exactly if the list does. */
static int name_list(struct stream_surface *s, struct replace *list, int code, struct err *err)
{
    if (!code && !replace_sync(list)) code = file_refuse(s->file->path, "written", err); /* may take long */
    leftover_hold();
    if (!code) export_pieces_stay(&s->list);
    const int closed = replace_close(list, !code, code ? NULL : err);
    leftover_release();
    return code ? code : closed;
}

/* After the list has its name, synchronising its folder can still fail. */
static int close_list(struct stream_surface *s, struct replace *list, const struct pieces *slices, int code,
                      struct err *err)
{
    struct stat new, now;
    const bool known = !fstat(fileno(list->file), &new);
    code = name_list(s, list, code, err);
    if (known && !stat(s->list.target, &now) && now.st_ino == new.st_ino && now.st_dev == new.st_dev) {
        export_pieces_keep(&s->list, slabs_of(slices), slices->n / SLAB);
        pieces_free(&s->made);
    }
    return code;
}

/* Writes the list of all pieces. */
static int write_list(struct stream_surface *s, const struct pieces *slices, struct err *err)
{
    char common[PATH_MAX];
    struct replace replace;
    uint64_t bytes = 0;
    ledger_path(common, &s->ledger, "surface", -1);
    int code = s->d->keeps ? replace_join(&replace, s->file->path, &(struct replace_common){ common, false }, err)
                           : replace_open(&replace, s->file->path, err);
    if (code) return code;
    code = export_pieces_list(&s->list, s->e, slabs_of(slices), slices->n / SLAB, replace.file, &bytes, err);
    s->e->bytes = bytes;
    if (!code && (fflush(replace.file) || ftruncate(fileno(replace.file), ftello(replace.file))))
        code = err_set(err, ERR_FAILED, "%s: cannot be written: %s", s->file->path, strerror(errno));
    if (!code) code = note_finish(s, err);
    return close_list(s, &replace, slices, code, err);
}

static int gather(struct stream_surface *s, struct err *err)
{
    const size_t parts = (size_t)s->team->size;
    struct gathered g = { s, calloc(parts, sizeof *g.there), { .n = 0 } };
    const struct team_take take = { take_pieces, &g };
    bool all = true;
    int code = s->team->ops->agree(
        s->team, g.there ? ERR_NONE : err_set(err, ERR_FAILED, "not enough memory for %zu parts", parts), err);
    if (!code) code = s->team->ops->gather(s->team, s->share.end, s->out.pieces.bytes, s->out.pieces.n, &take, err);
    for (size_t k = 0; k < parts && !code && !s->team->rank; k++) all = all && g.there[k];
    if (!code && !all) code = team_refuse_missing(s->team, g.there, "write", err);
    if (!code && in_pieces(s) && !s->team->rank) code = write_list(s, &g.slices, err);
    pieces_free(&g.slices);
    free(g.there);
    return code;
}

/* Rank 0 gives the file its name. */
static int close_file(struct stream_surface *s, struct err *err)
{
    const double begun = timing_ms();
    int code = in_pieces(s) ? ERR_NONE : note_finish(s, err);
    if (code) return code;
    if (s->owner) export_slabs_part(&s->out);
    else if (!in_pieces(s)) code = export_slabs_close(&s->out, err);
    if (!code && s->d->keeps) code = ledger_remove(&s->ledger, err);
    s->write_ms += timing_ms() - begun;
    return code;
}

int stream_surface_finish(struct stream_surface *s, struct err *err)
{
    const struct team_ops *team = team_of(s);
    if (!(s->phases & STREAM_FINISH)) {
        set_totals(s, plan_sum(s->layer, s->all.begin, s->all.end));
        return ERR_NONE;
    }
    int code = gather(s, err);
    if (!code && !s->team->rank) code = close_file(s, err);
    return team->agree(s->team, code, err);
}

void stream_surface_close(struct stream_surface *s, bool failed)
{
    journal_close(&s->journal);
    if (s->d->times) {
        s->d->times->write += s->write_ms + s->out.write_ms;
        s->d->times->written_bytes += s->out.written;
    }
    if (failed && in_pieces(s) && !s->d->keeps && s->made.n)
        export_pieces_remove(&s->list, slabs_of(&s->made), s->made.n / SLAB);
    if (s->out.buffer && s->owner) export_slabs_part(&s->out);
    else if (s->out.buffer && failed) export_slabs_abandon(&s->out);
    else if (s->out.buffer) export_slabs_leave(&s->out);
}
