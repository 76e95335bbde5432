#include "direct_parts.h"

#include "past.h"

#include <stdlib.h>
#include <string.h>

/* A box that several threads are reading. */
struct boxing {
    struct direct d;
    struct direct_box box;
    int fd;
    size_t row;     /* bytes from the first value of a row to its last */
    uint64_t pitch; /* bytes from one row to the next */
    bool close;     /* rows are so close that the gaps are read, too */
    size_t rows;    /* rows per read */
};

#define CALL ((uint64_t)4 << 10) /* bytes that can be copied in the time of a system call */

static struct boxing boxing_of(const struct direct *d, const struct direct_box *box)
{
    const size_t bytes = d->type->bytes;
    struct boxing b = { .d = *d, .box = *box, .fd = fileno(d->source->file), .rows = 1 };
    b.row = (size_t)((box->size[0] - 1) * box->step + 1) * bytes, b.pitch = box->dims[0] * box->step * bytes;
    const uint64_t gap = b.pitch - min_size(b.pitch, b.row);
    b.close = gap <= DIRECT_GAP;
    if (gap <= (d->past ? DIRECT_GAP : CALL) && b.row < DIRECT_PIECE)
        b.rows = min_size(1 + (size_t)((DIRECT_PIECE - b.row) / b.pitch), (size_t)box->size[1]);
    return b;
}

/* Where row y of slice z of the box begins in the file. */
static uint64_t row_offset(const struct boxing *b, uint64_t y, uint64_t z)
{
    const struct direct_box *box = &b->box;
    const uint64_t first = ((box->from[2] + z) * box->step * box->dims[1] + (box->from[1] + y) * box->step) * box->dims[0];
    return b->d.offset + (first + box->from[0] * box->step) * b->d.type->bytes;
}

/* ---- ahead of the reading -------------------------------------------------------------------------------------------
 * A reading thread waits for its row, and a disk with one request at a time does a small part of what it can. So slices are
 * asked for before they are needed. Linux then reads many of them at a time, while others are in use. Rows that lie close
 * together are asked for as one piece of the file, with the gaps in between. */

static uint64_t slice_bytes(const struct boxing *b)
{
    const uint64_t rows = b->box.size[1];
    return b->close ? (rows - 1) * b->pitch + b->row : rows * b->row;
}

/* Asks for slice z of the box, if there is one. */
static void ask_slice(const struct boxing *b, uint64_t z)
{
    if (z >= b->box.size[2]) return;
    if (b->close) direct_ask(b->fd, row_offset(b, 0, z), slice_bytes(b));
    else
        for (uint64_t y = 0; y < b->box.size[1]; y++) direct_ask(b->fd, row_offset(b, y, z), b->row);
}

/* How many slices to ask for before they are needed. */
static uint64_t slices_ahead(const struct boxing *b)
{
    const uint64_t n = DIRECT_AHEAD / slice_bytes(b);
    return n ? n : 1;
}

void direct_ask_box(const struct direct *direct, const struct direct_box *box)
{
    const struct boxing b = boxing_of(direct, box);
    const uint64_t ahead = slices_ahead(&b);
    for (uint64_t z = 0; z < ahead; z++) ask_slice(&b, z);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* A thread that reads. */
struct reader {
    const struct boxing *b;
    uint8_t *raw;    /* b->rows rows with the gaps in between, aligned */
    uint8_t *values; /* of a row, if they are converted */
    uint64_t lost;
};

static bool reader_open(struct reader *r, const struct boxing *b)
{
    const struct direct *d = &b->d;
    const size_t most = (b->rows - 1) * (size_t)b->pitch + b->row;
    *r = (struct reader){ .b = b, .raw = aligned_alloc(PAST_ALIGN, past_room(most)) };
    if (d->convert) r->values = malloc((size_t)b->box.size[0] * d->type->bytes);
    return r->raw && (r->values || !d->convert);
}

static void reader_close(struct reader *r)
{
    free(r->raw);
    free(r->values);
}

/* Returns n bytes at `offset`, in the reader's memory. */
static uint8_t *read_raw(const struct reader *r, size_t n, uint64_t offset, enum outcome *outcome)
{
    const struct boxing *b = r->b;
    uint8_t *past = NULL;
    if (b->d.past && !past_is_cached(b->d.past, offset, n)) past = past_read(b->d.past, n, offset, r->raw);
    if (!past) *outcome = direct_read_at(b->fd, r->raw, n, offset);
    return past ? past : r->raw;
}

/* Extracts the values of row y of slice z from `row`, the bytes from the first value of the row to the last. */
static void take_row(struct reader *r, uint64_t y, uint64_t z, const uint8_t *row)
{
    const struct direct *d = &r->b->d;
    const struct direct_box *box = &r->b->box;
    const size_t bytes = d->type->bytes, n = (size_t)box->size[0];
    uint8_t *to = (uint8_t *)d->to + (z * box->size[1] + y) * n * (d->convert ? sizeof(float) : bytes);
    uint8_t *values = r->values ? r->values : to;
    if (box->step == 1) memcpy(values, row, n * bytes);
    else stored_type_thin(values, row, n, (size_t)box->step, bytes);
    if (d->swap) stored_type_swap(values, n, bytes);
    if (d->convert) r->lost += stored_type_to_float(d->type, values, (float *)(void *)to, n, d->negate);
}

static enum outcome read_slice(struct reader *r, uint64_t z)
{
    const struct boxing *b = r->b;
    enum outcome outcome = FINE;
    for (uint64_t y = 0, n; y < b->box.size[1] && !outcome; y += n) {
        n = min_size(b->rows, b->box.size[1] - y);
        const uint8_t *raw = read_raw(r, (size_t)((n - 1) * b->pitch) + b->row, row_offset(b, y, z), &outcome);
        for (uint64_t i = 0; i < n && !outcome; i++) take_row(r, y + i, z, raw + i * b->pitch);
    }
    return outcome;
}

int direct_read_box(const struct direct *direct, const struct direct_box *box, struct err *err)
{
    const struct boxing b = boxing_of(direct, box);
    const uint64_t ahead = slices_ahead(&b);
    struct reading_team team = { .progress = direct->progress, .all = box->size[2] };
    uint64_t lost = 0;
    if (!b.d.past) direct_ask_box(direct, box);
#pragma omp parallel num_threads(direct_threads(direct)) reduction(+ : lost)
    {
        struct reader reader;
        const bool opened = reader_open(&reader, &b);
#pragma omp for schedule(dynamic)
        for (uint64_t z = 0; z < b.box.size[2]; z++) {
            if (!direct_goes_on(&team)) continue;
            if (!b.d.past) ask_slice(&b, z + ahead);
            direct_add(&team, opened ? read_slice(&reader, z) : NO_MEMORY, 1);
        }
        lost += reader.lost;
        reader_close(&reader);
    }
    *b.d.lost += lost;
    return direct_explain(&b.d, team.outcome, err);
}
