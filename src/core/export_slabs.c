#include "export_slabs.h"

#include "timing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16 /* records formatted at once */, RECORD = 64 /* bytes, at most */ };

/* ---- where everything lies --------------------------------------------------------------------------------------- */

/* Bytes that a format writes outside its records. */
struct text {
    char *bytes; /* owned */
    size_t n;
};

/* Gets what a head, a tail, or the `begin` of a section writes. False: no memory, and nothing to free. */
static bool text_of(struct text *text, const struct export_file *e, bool (*put)(const struct export_file *, FILE *),
                    bool (*begin)(const struct export_file *, const struct export_part *, FILE *))
{
    *text = (struct text){ NULL, 0 };
    FILE *file = open_memstream(&text->bytes, &text->n);
    if (!file) return false;
    const bool put_all = (!put || put(e, file)) && (!begin || begin(e, NULL, file));
    if (!fclose(file) && put_all) return true;
    free(text->bytes);
    return false;
}

static bool write_text(const struct sink *sink, uint64_t *at, struct text *text)
{
    const bool written = !sink || sink_write(sink, *at, text->bytes, text->n);
    *at += text->n;
    free(text->bytes);
    return written;
}

/* buffer: room for a record. */
static size_t record_bytes(const struct export_file *e, const struct export_section *s, char *buffer)
{
    struct vertex vertex = { 0, 0, 0, 0 };
    uint32_t indices[3] = { 0, 0, 0 };
    float normal[3] = { 0, 0, 1 };
    const struct export_part one = { .mesh = { &vertex, indices, 1, 1 }, .normals = normal };
    return (size_t)(s->put(e, &one, 0, buffer) - buffer);
}

/* Goes through the file, sets where each section's records begin, and writes everything else to `sink` (NULL: does not).
 * *size: of the file. */
static bool lay_out(struct export_slabs *w, const struct sink *sink, uint64_t *size)
{
    const struct export_file *e = w->file;
    struct text text;
    *size = 0;
    if (!text_of(&text, e, e->format->head, NULL) || !write_text(sink, size, &text)) return false;
    for (int i = 0; i < EXPORT_SECTIONS; i++) {
        const struct export_section *s = &e->format->section[i];
        if (!s->put || (s->several && e->count < 2)) continue;
        if (!text_of(&text, e, NULL, s->begin) || !write_text(sink, size, &text)) return false;
        w->record[i] = record_bytes(e, s, w->buffer);
        w->begin[i] = *size;
        *size += w->record[i] * (s->of_triangles ? e->triangles : e->vertices);
    }
    return text_of(&text, e, e->format->tail, NULL) && write_text(sink, size, &text);
}

static int refuse_memory(const char *path, struct err *err)
{
    return err_set(err, ERR_FAILED, "not enough memory to write %s", path);
}

static void free_all(struct export_slabs *w)
{
    for (int i = 0; i < EXPORT_SECTIONS; i++) sink_run_close(&w->run[i]);
    pieces_free(&w->pieces);
    free(w->buffer);
    w->buffer = NULL;
}

/* The end of a section's records before `at`. */
static uint64_t end_of(const struct export_slabs *w, int section, struct iso_layer at)
{
    const bool of_triangles = w->file->format->section[section].of_triangles;
    return w->begin[section] + w->record[section] * (of_triangles ? at.triangles : at.vertices);
}

static bool open_runs(struct export_slabs *w, const struct export_share *share)
{
    bool fine = true;
    for (int i = 0; i < EXPORT_SECTIONS && fine; i++)
        fine = !w->record[i] || sink_run_open(&w->run[i], &w->sink, end_of(w, i, share->first), end_of(w, i, share->from),
                                              end_of(w, i, share->end), &w->pieces);
    return fine;
}

/* Reserves the blocks of a share. */
static bool reserve_runs(const struct export_slabs *w, const struct export_share *share)
{
    bool fine = true;
    for (int i = 0; i < EXPORT_SECTIONS && fine; i++)
        fine = !w->record[i] || sink_reserve(&w->sink, end_of(w, i, share->first), end_of(w, i, share->end));
    return fine;
}

int export_slabs_open(struct export_slabs *w, struct export_file *e, const char *path, const struct replace_common *common,
                      const struct export_share *share, struct err *err)
{
    w->file = e;
    int code = e->format->check ? e->format->check(e, err) : ERR_NONE;
    if (!code) {
        export_set_shift(e);
        w->buffer = malloc((size_t)PIECE * RECORD);
        if (!w->buffer || !lay_out(w, NULL, &e->bytes)) code = refuse_memory(path, err);
    }
    if (!code) code = common ? sink_join(&w->sink, path, common, e->bytes, err) : sink_open(&w->sink, path, e->bytes, err);
    if (!code && !open_runs(w, share)) {
        sink_abandon(&w->sink, NULL);
        code = refuse_memory(path, err);
    }
    if (!code && common && !common->exists && !reserve_runs(w, share)) code = sink_abandon(&w->sink, err);
    if (code) free_all(w);
    return code;
}

int export_slabs_join(struct export_slabs *w, const struct export_slabs *owner, const struct export_share *share,
                      double value, struct err *err)
{
    uint64_t size;
    w->file = owner->file, w->value = value, w->sink = owner->sink;
    w->buffer = malloc((size_t)PIECE * RECORD);
    if (w->buffer && lay_out(w, NULL, &size) && open_runs(w, share)) return ERR_NONE;
    free_all(w);
    return refuse_memory(owner->sink.replace.path, err);
}

void export_slabs_part(struct export_slabs *w) { free_all(w); }

/* ---- records ----------------------------------------------------------------------------------------------------- */

/* Formats records [from, from + n) by all threads; the place of each is known. */
static void format(struct export_slabs *w, int section, const struct export_part *p, uint64_t from, size_t n)
{
    const struct export_section *s = &w->file->format->section[section];
    const size_t bytes = w->record[section];
#pragma omp parallel for num_threads(w->file->threads) schedule(static)
    for (size_t i = 0; i < n; i++) s->put(w->file, p, from + i, w->buffer + i * bytes);
}

static int refuse_write(const struct export_slabs *w, struct err *err)
{
    return err_set(err, ERR_FAILED, "%s: cannot be written: %s", w->sink.replace.path, strerror(errno));
}

static bool write_records(struct export_slabs *w, int section, const struct export_part *p, uint64_t from, uint64_t to)
{
    for (uint64_t at = from; at < to; at += PIECE) {
        const size_t n = to - at < PIECE ? (size_t)(to - at) : (size_t)PIECE;
        format(w, section, p, at, n);
        const double begun = timing_ms();
        if (!sink_run_add(&w->run[section], w->buffer, n * w->record[section])) return false;
        w->write_ms += timing_ms() - begun, w->written += n * w->record[section];
    }
    return true;
}

int export_slabs_place(struct export_file *e, const struct slab_mesh *m, const struct grid *block, struct iso *iso,
                       const struct volume *volume, struct err *err)
{
    const uint64_t first = m->skip.vertices;
    struct export_part part = { .mesh = m->mesh, .normals = m->normals };
    export_normals_from(e, &part, block, first, first + m->slab.own.vertices);
    part.mesh.vertices += first; /* up to the end: own triangles also use vertices of the next slab */
    part.mesh.vertex_count -= first;
    return export_transform(e, &part, iso, volume, err);
}

int export_slabs_add(struct export_slabs *w, const struct slab_mesh *m, struct err *err)
{
    const struct iso_layer first = m->slab.first, own = m->slab.own, skip = m->skip;
    /* The differences may wrap around below 0. The sums with the numbers in the mesh are right again. */
    const struct export_part part = { .value = w->value,
                                      .mesh = m->mesh,
                                      .normals = m->normals,
                                      .first_vertex = first.vertices - skip.vertices,
                                      .first_triangle = first.triangles - skip.triangles };
    errno = 0;
    for (int i = 0; i < EXPORT_SECTIONS; i++) {
        const bool of_triangles = w->file->format->section[i].of_triangles;
        const uint64_t from = of_triangles ? skip.triangles : skip.vertices;
        const uint64_t to = from + (of_triangles ? own.triangles : own.vertices);
        if (w->record[i] && !write_records(w, i, &part, from, to)) return refuse_write(w, err);
    }
    return ERR_NONE;
}

int export_slabs_sync(struct export_slabs *w, struct err *err)
{
    bool fine = true;
    for (int i = 0; i < EXPORT_SECTIONS && fine; i++) fine = !w->record[i] || sink_run_flush(&w->run[i]);
    return fine && sink_sync(&w->sink) ? ERR_NONE : refuse_write(w, err);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* Bytes of a share outside its own blocks. */
static uint64_t pieces_of(const struct export_slabs *w, const struct export_share *share)
{
    uint64_t bytes = 0;
    for (int i = 0; i < EXPORT_SECTIONS; i++) {
        const uint64_t begin = end_of(w, i, share->first), end = end_of(w, i, share->end);
        const struct plan_blocks own = plan_blocks_of(begin, end, SINK_BLOCK);
        if (w->record[i]) bytes += end - begin - (own.end - own.begin);
    }
    return bytes;
}

int export_slabs_take(struct export_slabs *w, const struct export_share *share, const uint8_t *bytes, size_t n,
                      struct err *err)
{
    struct piece piece;
    uint64_t left = pieces_of(w, share);
    size_t from = 0;
    const double begun = timing_ms();
    while (pieces_next(&piece, bytes, n, &from)) {
        if (piece.n > left || piece.at > w->sink.size || piece.n > w->sink.size - piece.at) break;
        if (!sink_write(&w->sink, piece.at, piece.bytes, (size_t)piece.n)) return refuse_write(w, err);
        left -= piece.n;
    }
    w->write_ms += timing_ms() - begun;
    if (!left && from == n) return ERR_NONE;
    return err_set(err, ERR_FAILED, "%s: the records of a part are damaged", w->sink.replace.path);
}

int export_slabs_close(struct export_slabs *w, struct err *err)
{
    uint64_t size;
    const int code = lay_out(w, &w->sink, &size) ? sink_close(&w->sink, err) : sink_abandon(&w->sink, err);
    free_all(w);
    return code;
}

void export_slabs_abandon(struct export_slabs *w)
{
    sink_abandon(&w->sink, NULL);
    free_all(w);
}

void export_slabs_leave(struct export_slabs *w)
{
    sink_leave(&w->sink);
    free_all(w);
}
