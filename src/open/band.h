/* Band: the slices of a store that are in memory, and the next ones. A thread reads the next slices while the present ones
 * are used. Slices that belong to both are copied, so a pass reads each slice once.
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

struct band { /* zero means closed */
    const struct store *store;
    const struct ranges *ranges; /* what need not be read; NULL: read all */
    struct chunk_layer layer;    /* reads go through it; closed: not used */
    char *memory[2];
    size_t bytes;          /* of each */
    size_t from[2], to[2]; /* slices in each */
    size_t end[2];         /* ends of the slices asked for */
    int now;               /* which one is in use */
    int threads;           /* for reading while slices are used, */
    int first_threads;     /* and for reading the first ones */
    pthread_t reader;
    bool threaded;  /* reader has been started and is to be joined */
    double read_ms; /* spent on reading so far; read_bytes: bytes read in it */
    uint64_t read_bytes;
    struct err err;
    int code;
};

struct band_desc {
    const struct store *store;
    const struct ranges *ranges; /* what need not be read; NULL: read all */
    size_t slices;               /* of each half */
    bool keeps;  /* keep the layer of chunks that a read ends in; `ranges` is then not used, as they split no chunks */
    int threads; /* for reading while slices are used, */
    int first_threads; /* and for reading the first ones, when those that will use them are still idle */
};

/* Begins a pass. Uses the memory of the last pass again, as far as it suffices. Error: ERR_FAILED. */
int band_open(struct band *band, const struct band_desc *desc, struct err *err);

/* Ends a pass: nothing is being read any more. The memory is kept until band_close. */
void band_end(struct band *band);
void band_close(struct band *band);

/* Begins to read slices `from` to `to` - 1, which were not asked for yet, and also those up to `ahead` for the next
 * time. */
void band_ask(struct band *band, size_t from, size_t to, size_t ahead);

/* Waits for the slices asked for, and sets `grid` to them, as a block of the volume. It is valid until the next band_take.
 * Errors: those of store_read. */
int band_take(struct band *band, struct grid *grid, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
