#include "direct_parts.h"

#include "file_io.h"
#include "past.h"
#include "timing.h"
#include "kernels/host_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define BUFFER ((size_t)256 << 10) /* bytes to convert at once */
#define ASK \
    ((uint64_t)128 << 10) /* of one request: Linux ignores the rest of a larger one unless its settings were changed */

enum { PAST_THREADS = 4 };

/* ---- parts ------------------------------------------------------------------------------------------------------- */

enum outcome direct_read_at(int fd, uint8_t *to, size_t n, uint64_t offset)
{
    return file_read_at(fd, to, n, offset) ? FINE : errno ? UNREADABLE : CUT_OFF;
}

void direct_ask(int fd, uint64_t from, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i += ASK)
        posix_fadvise(fd, (off_t)(from + i), (off_t)(bytes - i < ASK ? bytes - i : ASK), POSIX_FADV_WILLNEED);
}

int direct_threads(const struct direct *d)
{
    const int threads = d->threads ? d->threads : omp_get_max_threads();
    return d->past && threads < PAST_THREADS ? PAST_THREADS : threads;
}

bool direct_goes_on(const struct reading_team *team)
{
    enum outcome outcome;
#pragma omp atomic read
    outcome = team->outcome;
    return !outcome;
}

void direct_add(struct reading_team *team, enum outcome outcome, uint64_t n)
{
#pragma omp critical(direct_progress)
    {
        team->done += n;
        if (!outcome && !progress_tell(team->progress, (double)team->done / (double)team->all)) outcome = CANCELLED;
        if (outcome && !team->outcome) {
#pragma omp atomic write
            team->outcome = outcome;
        }
    }
}

int direct_explain(const struct direct *d, enum outcome outcome, struct err *err)
{
    const char *name = source_name(d->source);
    switch (outcome) {
    case CUT_OFF: return err_set(err, ERR_INPUT, "%s: the file has become shorter while it was read", name);
    case UNREADABLE: return err_set(err, ERR_INPUT, "%s: a part of the file cannot be read", name);
    case NO_MEMORY: return err_set(err, ERR_FAILED, "%s: not enough memory for a read buffer", name);
    case CANCELLED: return err_set(err, ERR_FAILED, "cancelled");
    default: return ERR_NONE;
    }
}

/* ---- all values -------------------------------------------------------------------------------------------------- */

/* A thread that reads values. */
struct reader {
    const struct direct *d;
    int fd;
    uint8_t *raw;   /* BUFFER bytes, for types that are converted */
    uint8_t *block; /* for past_read: a huge page, so that the disk needs fewer transfers; NULL: unused */
    uint64_t lost;
};

static bool reader_open(struct reader *r, const struct direct *d, int fd)
{
    *r = (struct reader){ .d = d, .fd = fd };
    if (d->convert) r->raw = malloc(BUFFER);
    if (d->past) r->block = host_memory_alloc(past_room(DIRECT_PIECE));
    return (!d->convert || r->raw) && (!d->past || r->block);
}

static void reader_close(struct reader *r)
{
    free(r->raw);
    free(r->block);
}

static bool goes_past(const struct direct *d) { return d->past && past_is_fast(d->past); }

/* Reads n bytes at `offset`; n is at most DIRECT_PIECE. */
static enum outcome read_bytes(const struct reader *r, uint8_t *to, size_t n, uint64_t offset)
{
    const struct direct *d = r->d;
    const double begun = timing_ms();
    const uint8_t *past = goes_past(d) ? past_read(d->past, n, offset, r->block) : NULL;
    if (!past) return direct_read_at(r->fd, to, n, offset);
    memcpy(to, past, n);
    past_note(d->past, n, (timing_ms() - begun) / direct_threads(d));
    return FINE;
}

/* Reads values first .. first + n - 1, which are at most DIRECT_PIECE bytes. */
static enum outcome read_values(struct reader *r, uint64_t first, size_t n)
{
    const struct direct *d = r->d;
    const size_t bytes = d->type->bytes, most = d->convert ? BUFFER / bytes : n;
    for (size_t i = 0; i < n; i += most) {
        const size_t piece = n - i < most ? n - i : most;
        uint8_t *raw = d->convert ? r->raw : (uint8_t *)d->to + first * bytes;
        const enum outcome outcome = read_bytes(r, raw, piece * bytes, d->offset + (first + i) * bytes);
        if (outcome) return outcome;
        if (d->swap) stored_type_swap(raw, piece, bytes);
        if (d->convert) r->lost += stored_type_to_float(d->type, raw, (float *)d->to + first + i, piece, d->negate);
    }
    return FINE;
}

/* Whether a byte of the file is in memory, as far as the system says. */
static bool is_cached(int fd, uint64_t at)
{
    char byte;
    const struct iovec one = { &byte, 1 };
    return preadv2(fd, &one, 1, (off_t)at, RWF_NOWAIT) == 1;
}

/* Asks for piece p of `step` values, unless there is no such piece or its first byte is already in memory: asking for a
 * piece in memory adds a twelfth to the time of reading it. Checking before each of the requests in direct_ask disturbs
 * Linux's own read-ahead: 3.4 GiB then took 5 to 8 s instead of 4. */
static void ask_piece(const struct direct *d, int fd, uint64_t p, size_t step)
{
    const uint64_t first = p * step, left = first < d->values ? d->values - first : 0, n = left < step ? left : step;
    const uint64_t from = d->offset + first * d->type->bytes;
    if (n && !goes_past(d) && !is_cached(fd, from)) direct_ask(fd, from, n * d->type->bytes);
}

int direct_read(const struct direct *direct, struct err *err)
{
    struct direct d = *direct;
    const int fd = fileno(d.source->file);
    const size_t step = DIRECT_PIECE / d.type->bytes;
    if (!goes_past(&d) || past_is_cached(d.past, d.offset, min_size(DIRECT_PIECE, (size_t)d.values * d.type->bytes)))
        d.past = NULL;
    const int64_t pieces = (int64_t)((d.values + step - 1) / step), ahead = DIRECT_AHEAD / DIRECT_PIECE;
    struct reading_team team = { .progress = d.progress, .all = d.values };
    uint64_t lost = 0;
    for (int64_t p = 0; p < ahead; p++) ask_piece(&d, fd, (uint64_t)p, step);
#pragma omp parallel num_threads(direct_threads(&d)) reduction(+ : lost)
    {
        struct reader reader;
        const bool opened = reader_open(&reader, &d, fd);
#pragma omp for schedule(dynamic)
        for (int64_t p = 0; p < pieces; p++) {
            if (!direct_goes_on(&team)) continue;
            ask_piece(&d, fd, (uint64_t)(p + ahead), step);
            const uint64_t first = (uint64_t)p * step;
            const size_t n = d.values - first < step ? (size_t)(d.values - first) : step;
            direct_add(&team, opened ? read_values(&reader, first, n) : NO_MEMORY, n);
        }
        lost += reader.lost;
        reader_close(&reader);
    }
    *d.lost += lost;
    return direct_explain(&d, team.outcome, err);
}
