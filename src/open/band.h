/* Band: the slices of a store that are in memory, and the next ones on their way: a thread reads them while these are used.
 * What both have in common is copied, so that a pass reads each slice once.
 *
 *    { band_open -> band_ask -> { band_take -> band_ask for the next -> use } ... -> band_end } ... -> band_close */
#ifndef ISO_BAND_H
#define ISO_BAND_H

#include "chunk_layer.h"
#include "ranges.h"

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

struct band { /* zero is a closed one */
    const struct store *store;
    const struct ranges *ranges; /* what to leave out; NULL: nothing */
    struct chunk_layer layer;    /* through which it reads; closed: none */
    char *memory[2];
    size_t bytes;          /* of each */
    size_t from[2], to[2]; /* slices in each */
    size_t end[2];         /* of those that were asked for */
    int now;               /* the one in use */
    int threads;           /* that read, while slices are used, */
    int first_threads;     /* and before there are any */
    pthread_t reader;
    bool threaded;  /* reader is running, or was: to be joined */
    double read_ms; /* of reading, so far, and the bytes of it */
    uint64_t read_bytes;
    struct err err;
    int code;
};

struct band_desc {
    const struct store *store;
    const struct ranges *ranges; /* what to leave out; NULL: nothing */
    size_t slices;               /* of each half */
    bool keeps;        /* the layer of chunks that a reading ends in; ranges, which split no chunks, are unused then */
    int threads;       /* that read, while slices are used, */
    int first_threads; /* and before there are any: those that will use them have nothing else to do */
};

/* Begins a pass, in the memory of the last one as far as that goes. Error: ERR_FAILED. */
int band_open(struct band *band, const struct band_desc *desc, struct err *err);

/* Ends it: nothing is being read any more. The memory stays, until it is closed. */
void band_end(struct band *band);
void band_close(struct band *band);

/* Begins to read slices `from` to `to` - 1, which were not asked for yet, and those up to `ahead`, for the next time. */
void band_ask(struct band *band, size_t from, size_t to, size_t ahead);

/* Waits for what was asked for and sets `grid` to it, a block of the volume, until the next band_take. Errors: those of
 * store_read. */
int band_take(struct band *band, struct grid *grid, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
