#include "direct.h"

#include "past.h"

#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define PIECE ((size_t)2 << 20)    /* bytes of values a thread takes at a time: a huge page */
#define BUFFER ((size_t)256 << 10) /* bytes to convert at once */

/* That read past the page cache: they wait for the disk, so that it always has something to do. */
enum { PAST_THREADS = 4 };

enum outcome { FINE, CUT_OFF, UNREADABLE, NO_MEMORY, CANCELLED };

/* Reads n bytes at `offset`. */
static enum outcome read_at(int fd, uint8_t *to, size_t n, uint64_t offset)
{
    while (n) {
        const ssize_t got = pread(fd, to, n, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got ? UNREADABLE : CUT_OFF;
        to += got, n -= (size_t)got, offset += (size_t)got;
    }
    return FINE;
}

static int explain(const struct direct *d, enum outcome outcome, struct err *err)
{
    const char *name = source_name(d->source);
    switch (outcome) {
    case CUT_OFF: return err_set(err, ERR_INPUT, "%s: the file has become shorter while it was read", name);
    case UNREADABLE: return err_set(err, ERR_INPUT, "%s: a part of the file cannot be read", name);
    case NO_MEMORY: return err_set(err, ERR_FAILED, "%s: no memory for a read buffer", name);
    case CANCELLED: return err_set(err, ERR_FAILED, "cancelled");
    default: return ERR_NONE;
    }
}

/* ---- boxes -------------------------------------------------------------------------------------------------------------- */

/* A box that is being read by several threads. */
struct boxing {
    struct direct d;
    struct direct_box box;
    int fd;
    size_t row; /* values from the first of a row to its last */
};

static struct boxing boxing_of(const struct direct *d, const struct direct_box *box)
{
    return (struct boxing){ *d, *box, fileno(d->source->file), (size_t)((box->size[0] - 1) * box->step + 1) };
}

/* Where row y of slice z of the box begins in the file. */
static uint64_t row_offset(const struct boxing *b, uint64_t y, uint64_t z)
{
    const struct direct_box *box = &b->box;
    const uint64_t first = ((box->from[2] + z) * box->step * box->dims[1] + (box->from[1] + y) * box->step) * box->dims[0];
    return b->d.offset + (first + box->from[0] * box->step) * b->d.type->bytes;
}

/* ---- ahead of the reading ------------------------------------------------------------------------------------------------
 *
 * A thread that reads waits for its row, and a disk that has one request at a time does a small part of what it can. So slices are
 * asked for before they are needed: Linux then reads them while others are read, many at a time. Rows that lie close together
 * are asked for with what is between them, as one piece of the file. */

#define GAP ((uint64_t)64 << 10) /* bytes that are sooner read than left out: 1 / 5000 s at 330 MB/s */
#define ASK \
    ((uint64_t)128 << 10) /* of one request: Linux takes no more of a larger one, unless its settings were changed */
#define AHEAD ((uint64_t)32 << 20) /* bytes that have been asked for */

static bool is_close(const struct boxing *b)
{
    const uint64_t pitch = b->box.dims[0] * b->box.step;
    return (pitch - min_size(pitch, b->row)) * b->d.type->bytes <= GAP;
}

static uint64_t slice_bytes(const struct boxing *b)
{
    const uint64_t row = (uint64_t)b->row * b->d.type->bytes;
    return is_close(b) ? row_offset(b, b->box.size[1] - 1, 0) - row_offset(b, 0, 0) + row : row * b->box.size[1];
}

static void ask(int fd, uint64_t from, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i += ASK)
        posix_fadvise(fd, (off_t)(from + i), (off_t)(bytes - i < ASK ? bytes - i : ASK), POSIX_FADV_WILLNEED);
}

/* Asks for a slice of the box, if it has one of that number. */
static void ask_slice(const struct boxing *b, uint64_t z)
{
    if (z >= b->box.size[2]) return;
    if (is_close(b)) ask(b->fd, row_offset(b, 0, z), slice_bytes(b));
    else
        for (uint64_t y = 0; y < b->box.size[1]; y++) ask(b->fd, row_offset(b, y, z), (uint64_t)b->row * b->d.type->bytes);
}

/* Slices that are asked for before they are needed. */
static uint64_t slices_ahead(const struct boxing *b)
{
    const uint64_t n = AHEAD / slice_bytes(b);
    return n ? n : 1;
}

void direct_ask_box(const struct direct *direct, const struct direct_box *box)
{
    const struct boxing b = boxing_of(direct, box);
    const uint64_t ahead = slices_ahead(&b);
    for (uint64_t z = 0; z < ahead; z++) ask_slice(&b, z);
}

/* ---- reading them --------------------------------------------------------------------------------------------------------- */

/* Row y of slice z of the box. `row` has room for all that lies between its values. */
static enum outcome read_box_row(const struct boxing *b, uint64_t y, uint64_t z, uint8_t *row, uint64_t *lost)
{
    const struct direct *d = &b->d;
    const struct direct_box *box = &b->box;
    const size_t bytes = d->type->bytes, n = (size_t)box->size[0], step = (size_t)box->step;
    uint8_t *to = (uint8_t *)d->to + (z * box->size[1] + y) * n * (d->convert ? sizeof(float) : bytes);
    const enum outcome outcome = read_at(b->fd, row, b->row * bytes, row_offset(b, y, z));
    if (outcome) return outcome;
    for (size_t i = 1; i < n && step > 1; i++) memmove(row + i * bytes, row + i * step * bytes, bytes);
    if (d->swap) stored_type_swap(row, n, bytes);
    if (d->convert) *lost += stored_type_to_float(d->type, row, (float *)(void *)to, n, d->negate);
    else memcpy(to, row, n * bytes);
    return FINE;
}

static enum outcome read_box_slice(const struct boxing *b, uint64_t z, uint8_t *row, uint64_t *lost)
{
    enum outcome outcome = row ? FINE : NO_MEMORY;
    for (uint64_t y = 0; y < b->box.size[1] && !outcome; y++) outcome = read_box_row(b, y, z, row, lost);
    return outcome;
}

int direct_read_box(const struct direct *direct, const struct direct_box *box, struct err *err)
{
    const struct boxing b = boxing_of(direct, box);
    const struct progress *progress = b.d.progress;
    const uint64_t ahead = slices_ahead(&b);
    enum outcome outcome = FINE;
    uint64_t lost = 0, done = 0;
    direct_ask_box(direct, box);
#pragma omp parallel num_threads(b.d.threads ? b.d.threads : omp_get_max_threads()) reduction(+ : lost)
    {
        uint8_t *row = malloc(b.row * b.d.type->bytes);
#pragma omp for schedule(dynamic)
        for (uint64_t z = 0; z < b.box.size[2]; z++) {
            enum outcome seen, mine;
#pragma omp atomic read
            seen = outcome;
            if (seen) continue;
            ask_slice(&b, z + ahead);
            mine = read_box_slice(&b, z, row, &lost);
#pragma omp critical(direct_progress)
            {
                done++;
                if (!mine && progress->step && !progress->step(progress->context, (double)done / (double)b.box.size[2]))
                    mine = CANCELLED;
                if (mine && !outcome) {
#pragma omp atomic write
                    outcome = mine;
                }
            }
        }
        free(row);
    }
    *b.d.lost += lost;
    return explain(&b.d, outcome, err);
}

/* ---- all values ------------------------------------------------------------------------------------------------------------ */

/* A thread that reads them. */
struct reader {
    const struct direct *d;
    int fd;
    uint8_t *raw;   /* BUFFER bytes, for types that are converted */
    uint8_t *block; /* for past_read */
    uint64_t lost;
};

static bool reader_open(struct reader *r, const struct direct *d, int fd)
{
    *r = (struct reader){ .d = d, .fd = fd };
    if (d->convert) r->raw = malloc(BUFFER);
    if (d->past) r->block = aligned_alloc(PAST_ALIGN, PIECE + 2 * PAST_ALIGN);
    return (!d->convert || r->raw) && (!d->past || r->block);
}

static void reader_close(struct reader *r)
{
    free(r->raw);
    free(r->block);
}

/* Reads n bytes at `offset`, PIECE at most. */
static enum outcome read_bytes(const struct reader *r, uint8_t *to, size_t n, uint64_t offset)
{
    if (r->block && past_read(*r->d->past, to, n, offset, r->block)) return FINE;
    return read_at(r->fd, to, n, offset);
}

/* Reads values first .. first + n - 1, PIECE bytes at most. */
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

/* Whether a byte of the file is in memory, as far as the system tells. */
static bool is_cached(int fd, uint64_t at)
{
    char byte;
    const struct iovec one = { &byte, 1 };
    return preadv2(fd, &one, 1, (off_t)at, RWF_NOWAIT) == 1;
}

/* Asks for piece p of `step` values, if there is one of that number and its first byte is not in memory: asking for what is adds a
 * twelfth to the time of reading it. Looking before each of the requests below disturbs what Linux reads ahead by itself: 3.4 GiB
 * then took 5 to 8 s in place of 4. */
static void ask_piece(const struct direct *d, int fd, uint64_t p, size_t step)
{
    const uint64_t first = p * step, left = first < d->values ? d->values - first : 0, n = left < step ? left : step;
    const uint64_t from = d->offset + first * d->type->bytes;
    if (n && !d->past && !is_cached(fd, from)) ask(fd, from, n * d->type->bytes);
}

int direct_read(const struct direct *direct, struct err *err)
{
    struct direct d = *direct;
    const int fd = fileno(d.source->file);
    const size_t step = PIECE / d.type->bytes;
    if (d.past && past_is_cached(*d.past, d.offset, min_size(PIECE, (size_t)d.values * d.type->bytes))) d.past = NULL;
    const int64_t pieces = (int64_t)((d.values + step - 1) / step), ahead = AHEAD / PIECE;
    enum outcome outcome = FINE;
    uint64_t lost = 0, done = 0;
    d.threads = d.threads ? d.threads : omp_get_max_threads();
    if (d.past && d.threads < PAST_THREADS) d.threads = PAST_THREADS;
    for (int64_t p = 0; p < ahead; p++) ask_piece(&d, fd, (uint64_t)p, step);
#pragma omp parallel num_threads(d.threads) reduction(+ : lost)
    {
        struct reader reader;
        const bool opened = reader_open(&reader, &d, fd);
#pragma omp for schedule(dynamic)
        for (int64_t p = 0; p < pieces; p++) {
            enum outcome seen, mine = opened ? FINE : NO_MEMORY;
#pragma omp atomic read
            seen = outcome;
            if (seen) continue;
            ask_piece(&d, fd, (uint64_t)(p + ahead), step);
            const uint64_t first = (uint64_t)p * step;
            const size_t n = d.values - first < step ? (size_t)(d.values - first) : step;
            if (!mine) mine = read_values(&reader, first, n);
#pragma omp critical(direct_progress)
            {
                done += n;
                if (!mine && d.progress->step && !d.progress->step(d.progress->context, (double)done / (double)d.values))
                    mine = CANCELLED;
                if (mine && !outcome) {
#pragma omp atomic write
                    outcome = mine;
                }
            }
        }
        lost += reader.lost;
        reader_close(&reader);
    }
    *d.lost += lost;
    return explain(&d, outcome, err);
}
