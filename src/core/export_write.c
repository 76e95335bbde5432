/* Writes a file: one section after the other, a piece at a time. All threads format its records. */
#include "export_format.h"

#include "replace.h"
#include "timing.h"
#include "trace.h"
#include "kernels/cpu_util.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    PIECE = 1 << 16, /* records formatted at once */
    PARTS = 64       /* the most threads that format */
};

struct writer {
    const struct export_file *e;
    FILE *file;
    char *buffer;
    const struct progress *progress;
    uint64_t done, all; /* records */
    bool cancelled;
};

/* Formats n records from number `from` on, a part by each thread, and writes the parts in order. */
static bool write_piece(struct writer *w, const struct export_section *s, const struct export_part *p, uint64_t from,
                        size_t n)
{
    const int parts = w->e->threads < PARTS ? w->e->threads : PARTS;
    size_t bytes[PARTS];
#pragma omp parallel for num_threads(parts) schedule(static, 1)
    for (int t = 0; t < parts; t++) {
        char *const begin = w->buffer + part_start(n, t, parts) * s->most, *at = begin;
        for (size_t i = part_start(n, t, parts); i < part_start(n, t + 1, parts); i++) at = s->put(w->e, p, from + i, at);
        bytes[t] = (size_t)(at - begin);
    }
    for (int t = 0; t < parts; t++)
        if (fwrite(w->buffer + part_start(n, t, parts) * s->most, 1, bytes[t], w->file) != bytes[t]) return false;
    w->done += n;
    w->cancelled = w->progress->step && !w->progress->step(w->progress->context, (double)w->done / (double)w->all);
    return !w->cancelled;
}

static bool write_records(struct writer *w, const struct export_section *s, const struct export_part *p)
{
    const uint64_t n = s->of_triangles ? p->mesh.triangle_count : p->mesh.vertex_count;
    for (uint64_t at = 0; at < n; at += PIECE)
        if (!write_piece(w, s, p, at, n - at < PIECE ? (size_t)(n - at) : PIECE)) return false;
    return true;
}

/* The first section from `s` on that this file has; NULL: none. */
static const struct export_section *next_section(const struct export_file *e, const struct export_section *s)
{
    for (; s < e->format->section + EXPORT_SECTIONS && s->put; s++)
        if (!s->several || e->count > 1) return s;
    return NULL;
}

/* Loops over the sections `s` of the file. */
#define FOR_SECTIONS(e) \
    for (const struct export_section *s = next_section(e, (e)->format->section); s; s = next_section(e, s + 1))

static bool write_by_part(struct writer *w)
{
    for (const struct export_part *p = w->e->parts; p < w->e->parts + w->e->count; p++) FOR_SECTIONS(w->e)
    if ((s->begin && !s->begin(w->e, p, w->file)) || !write_records(w, s, p)) return false;
    return true;
}

static bool write_by_section(struct writer *w)
{
    FOR_SECTIONS(w->e)
    {
        if (s->begin && !s->begin(w->e, NULL, w->file)) return false;
        for (size_t i = 0; i < w->e->count; i++)
            if (!write_records(w, s, &w->e->parts[i])) return false;
    }
    return true;
}

static bool write_all(struct writer *w)
{
    const struct export_format *const f = w->e->format;
    FOR_SECTIONS(w->e) w->all += s->of_triangles ? w->e->triangles : w->e->vertices;
    if (!f->head(w->e, w->file) || !(f->by_part ? write_by_part : write_by_section)(w)) return false;
    return (!f->tail || f->tail(w->e, w->file)) && !fflush(w->file);
}

static size_t largest_record(const struct export_format *format)
{
    size_t most = format->section[0].most;
    for (int i = 1; i < EXPORT_SECTIONS; i++) most = format->section[i].most > most ? format->section[i].most : most;
    return most;
}

static int write_file(struct export_file *e, struct writer *w, const char *path, struct err *err)
{
    struct replace replace;
    if (replace_open(&replace, path, err)) return ERR_FAILED;
    w->file = replace.file;
    trace_push("write", NULL);
    const bool written = write_all(w);
    trace_pop();
    e->bytes = written ? (uint64_t)ftello(w->file) : 0;
    const int code = replace_close(&replace, written, err);
    if (w->cancelled) err_set(err, ERR_FAILED, "%s: cancelled; nothing was written", path);
    return code;
}

int export_write(struct export_file *e, const char *path, const struct progress *progress, struct err *err)
{
    const double start = timing_ms();
    struct writer w = { .e = e, .progress = progress };
    if (e->format->check && e->format->check(e, err)) return ERR_FAILED;
    export_set_shift(e);
    w.buffer = malloc(PIECE * largest_record(e->format));
    const int code = w.buffer ? write_file(e, &w, path, err)
                              : err_set(err, ERR_FAILED, "not enough memory to write %s", path);
    free(w.buffer);
    e->write_ms = timing_ms() - start;
    return code;
}
