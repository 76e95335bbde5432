#include "direct.h"

#include <errno.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECE ((size_t)2 << 20)    /* bytes of values a thread takes at a time: a huge page */
#define BUFFER ((size_t)256 << 10) /* bytes to convert at once */

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

/* Reads values first .. first + n - 1. `buffer`: BUFFER bytes, for types that are converted. */
static enum outcome read_values(const struct direct *d, int fd, uint64_t first, size_t n, uint8_t *buffer, uint64_t *lost)
{
    const size_t bytes = d->type->bytes, most = d->convert ? BUFFER / bytes : n;
    for (size_t i = 0; i < n; i += most) {
        const size_t piece = n - i < most ? n - i : most;
        uint8_t *raw = d->convert ? buffer : (uint8_t *)d->to + first * bytes;
        const enum outcome outcome = read_at(fd, raw, piece * bytes, d->offset + (first + i) * bytes);
        if (outcome) return outcome;
        if (d->swap) stored_type_swap(raw, piece, bytes);
        if (d->convert) *lost += stored_type_to_float(d->type, raw, (float *)d->to + first + i, piece, d->negate);
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

/* One row of the thinned volume. */
static enum outcome read_thin_row(const struct direct *d, int fd, uint64_t first, uint64_t n, uint64_t step, uint8_t *row,
                                  uint8_t *to, uint64_t *lost)
{
    const size_t bytes = d->type->bytes, thin = (size_t)((n + step - 1) / step);
    const enum outcome outcome = read_at(fd, row, (size_t)n * bytes, d->offset + first * bytes);
    if (outcome) return outcome;
    for (size_t i = 0; i < thin; i++) memmove(row + i * bytes, row + i * step * bytes, bytes);
    if (d->swap) stored_type_swap(row, thin, bytes);
    if (d->convert) *lost += stored_type_to_float(d->type, row, (float *)(void *)to, thin, d->negate);
    else memcpy(to, row, thin * bytes);
    return FINE;
}

int direct_read_thin(const struct direct *direct, const uint64_t dims[3], uint64_t step, struct err *err)
{
    const struct direct d = *direct;
    const size_t bytes = d.convert ? sizeof(float) : d.type->bytes;
    const uint64_t nx = (dims[0] + step - 1) / step, ny = (dims[1] + step - 1) / step, nz = (dims[2] + step - 1) / step;
    const int fd = fileno(d.source->file);
    uint8_t *row = malloc((size_t)dims[0] * d.type->bytes);
    enum outcome outcome = row ? FINE : NO_MEMORY;
    for (uint64_t z = 0; z < nz && !outcome; z++) {
        for (uint64_t y = 0; y < ny && !outcome; y++)
            outcome = read_thin_row(&d, fd, (z * dims[1] + y) * step * dims[0], dims[0], step, row,
                                    (uint8_t *)d.to + (z * ny + y) * nx * bytes, d.lost);
        if (!outcome && d.progress->step && !d.progress->step(d.progress->context, (double)(z + 1) / (double)nz))
            outcome = CANCELLED;
    }
    free(row);
    return explain(&d, outcome, err);
}

int direct_read(const struct direct *direct, struct err *err)
{
    const struct direct d = *direct;
    const int fd = fileno(d.source->file);
    const size_t step = PIECE / d.type->bytes;
    const int64_t pieces = (int64_t)((d.values + step - 1) / step);
    enum outcome outcome = FINE;
    uint64_t lost = 0, done = 0;
#pragma omp parallel num_threads(d.threads ? d.threads : omp_get_max_threads()) reduction(+ : lost)
    {
        uint8_t *buffer = d.convert ? malloc(BUFFER) : NULL;
#pragma omp for schedule(dynamic)
        for (int64_t p = 0; p < pieces; p++) {
            enum outcome seen, mine = d.convert && !buffer ? NO_MEMORY : FINE;
#pragma omp atomic read
            seen = outcome;
            if (seen) continue;
            const uint64_t first = (uint64_t)p * step;
            const size_t n = d.values - first < step ? (size_t)(d.values - first) : step;
            if (!mine) mine = read_values(&d, fd, first, n, buffer, &lost);
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
        free(buffer);
    }
    *d.lost += lost;
    return explain(&d, outcome, err);
}
